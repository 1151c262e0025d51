"""A tree of Markdown as the index gets it, of any size and always the same: parsed files with random words.

Words follow Zipf's law over ``VOCABULARY`` words; sizes are log-normal around what 100 files of tool
documentation have: 21 sections a file, 4 passages a section. A file depends on its number and version alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from mdmemd.model import (
    Fingerprint,
    FloatMatrix,
    IndexedFile,
    LineRange,
    ParsedDocument,
    Passage,
    PassageKind,
    Section,
)

VOCABULARY = 200_000
ZIPF_EXPONENT = 1.05
DIMENSIONS = 384

SECTIONS_PER_FILE = 20
SECTION_WORDS = 80
PASSAGE_WORDS = 20
SPREAD = 0.8
"""Standard deviation of the logarithm of a size."""

RARE_FILE = 1
"""The one file with the tag ``rare``."""

CLUSTERS = 1_000
NOISE = 0.8


class SyntheticTree:
    """Files by number."""

    def __init__(self, *, seed: int = 1) -> None:
        self._seed = seed
        ranks = np.arange(1, VOCABULARY + 1, dtype=np.float64)
        self._cumulative = np.cumsum(ranks**-ZIPF_EXPONENT)
        self._cumulative /= self._cumulative[-1]
        self._words = [_word(rank) for rank in range(VOCABULARY)]

    def words(self, random: np.random.Generator, count: int, *, above_rank: int = 0) -> list[str]:
        """Random words; those of the ``above_rank`` most frequent ranks are left out."""
        low = self._cumulative[above_rank - 1] if above_rank else 0.0
        ranks = np.searchsorted(self._cumulative, random.uniform(low, 1.0, count))
        return [self._words[rank] for rank in np.minimum(ranks, VOCABULARY - 1).tolist()]

    def batches(self, *, sections: int, batch: int = 1_000) -> Iterator[list[IndexedFile]]:
        """Files with at least ``sections`` sections in all, in batches of at least ``batch`` sections."""
        made = number = 0
        while made < sections:
            files: list[IndexedFile] = []
            inside = 0
            while inside < min(batch, sections - made):
                files.append(self.file(number))
                inside += len(files[-1].document.sections)
                number += 1
            made += inside
            yield files

    def file(self, number: int, *, version: int = 0) -> IndexedFile:
        """One file."""
        random = np.random.default_rng([self._seed, number, version])
        title = " ".join(self.words(random, 3))
        sections: list[Section] = []
        passages: list[Passage] = []
        line = 1
        for size in _sizes(random, SECTION_WORDS, _sizes(random, SECTIONS_PER_FILE, 1)[0]):
            heading = " ".join(self.words(random, 3))
            words = self.words(random, size)
            found = [" ".join(words[at : at + PASSAGE_WORDS]) for at in range(0, size, PASSAGE_WORDS)]
            lines = LineRange(line, line + 2 * len(found))
            for offset, text in enumerate(found):
                where = LineRange(line + 2 * offset + 2, line + 2 * offset + 2)
                passages.append(Passage(len(sections), PassageKind.PARAGRAPH, where, where, text))
            text = "\n\n".join([f"## {heading}", *found])
            sections.append(Section((title, heading), 2, None, lines, text, size))
            line = lines.last + 2
        path = f"dir{number % 97}/file{number}.md"
        content_hash = hashlib.blake2b(f"{number} {version}".encode(), digest_size=16).digest()
        properties = {"status": ("done", "draft", "open")[number % 3], "number": number}
        tags = (f"tag{number % 100}", *(("rare",) if number == RARE_FILE else ()))
        document = ParsedDocument(title, tuple(sections), tuple(passages), properties, tags=tags)
        return IndexedFile(path, Fingerprint(line, version, number, number, 1), content_hash, document)


def clustered(random: np.random.Generator, count: int) -> FloatMatrix:
    """Vectors in clusters, as texts have topics; the same centres for every generator."""
    centres = np.random.default_rng(0).standard_normal((CLUSTERS, DIMENSIONS), np.float32)
    noise = random.standard_normal((count, DIMENSIONS), np.float32)
    noise *= np.float32(NOISE)
    noise += centres[random.integers(0, CLUSTERS, count)]
    return noise


def _sizes(random: np.random.Generator, mean: int, count: int) -> list[int]:
    """Sizes around a mean, at least 1."""
    location = np.log(mean) - SPREAD**2 / 2
    found: list[int] = np.maximum(1, random.lognormal(location, SPREAD, count)).astype(int).tolist()
    return found


def _word(rank: int) -> str:
    """Shorter words for lower ranks, all of at least three letters."""
    letters = ""
    rank += 26 * 26
    while rank:
        rank, letter = divmod(rank, 26)
        letters += chr(ord("a") + letter)
    return letters
