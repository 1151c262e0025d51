"""Chinese words: where they begin and end, and what each means in English.

Chinese writes no spaces, and a model that was trained on English knows little of it. The lexicon cuts a run
of Han characters into the fewest words that it knows (maximum matching from both ends, the fewer single
characters if alike), and glosses a text: each word is replaced by its English gloss, so that such a model
compares what the texts say. Text with kana is Japanese and is left as it is.

Invariants: the words of a run joined are the run; ``gloss`` and ``words`` are deterministic and linear in the
text; a text without Han characters is its own gloss. Immutable after it is made; any thread.
It deliberately knows no grammar and no context: question and passage are glossed alike, which is what counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from marisa_trie import BytesTrie

from mdmemd.text.tokens import HAN_CHARACTERS

GLOSS_VERSION = 1
"""Raised whenever the same dictionary would give other glosses, and so other vectors."""

WORD_CHARS_MAX = 8
"""Longer entries are sayings and names."""

PARTICLES = frozenset("的了着过在是和与或也都就还又很吗呢吧把被给对从到向为之其这那个们地得所以而且但则让使")
"""Characters that are grammar where they stand alone."""

HAN = re.compile(f"[{HAN_CHARACTERS}]+")
"""A run of Han characters."""

_KANA = re.compile("[\u3041-\u30ff]")


def has_kana(text: str) -> bool:
    """Whether a text is Japanese, whose Han characters this lexicon is not for."""
    return _KANA.search(text) is not None


def is_chinese(text: str) -> bool:
    """Whether a text has Han characters and is not Japanese: no other needs a lexicon."""
    return not text.isascii() and HAN.search(text) is not None and not has_kana(text)


class Lexicon:
    """See the module. Made from glosses, or from the ``image`` of one that was."""

    def __init__(self, trie: BytesTrie) -> None:
        self._trie = trie

    @classmethod
    def of(cls, glosses: Mapping[str, str]) -> Lexicon:
        """The lexicon of these words; longer ones than ``WORD_CHARS_MAX`` are left out."""
        words = ((word, gloss.encode()) for word, gloss in glosses.items() if len(word) <= WORD_CHARS_MAX)
        return cls(BytesTrie(words))

    @classmethod
    def from_image(cls, image: bytes) -> Lexicon:
        """The lexicon that gave this ``image``, which must be intact: damage is not noticed here."""
        return cls(BytesTrie().frombytes(image))

    @property
    def image(self) -> bytes:
        """Its content, to be kept."""
        content: bytes = self._trie.tobytes()
        return content

    def words(self, text: str) -> list[list[str]]:
        """The words of each run of Han characters in a Chinese text; none of another text."""
        return list(map(self._cut, HAN.findall(text))) if is_chinese(text) else []

    def gloss(self, text: str) -> str:
        """A Chinese text with English in place of its words; another text as it is."""
        return " ".join(HAN.sub(self._glossed, text).split()) if is_chinese(text) else text

    def _cut(self, run: str) -> list[str]:
        return min(self._from_start(run), self._from_end(run), key=_fragmentation)

    def _glossed(self, run: re.Match[str]) -> str:
        found = (self._trie.get(word) for word in self._cut(run[0]) if word not in PARTICLES)
        return f" {' '.join(glosses[0].decode() for glosses in found if glosses)} "

    def _from_start(self, run: str) -> list[str]:
        found: list[str] = []
        start = 0
        while start < len(run):
            known = self._trie.prefixes(run[start : start + WORD_CHARS_MAX])
            found.append(max(known, key=len, default=run[start]))
            start += len(found[-1])
        return found

    def _from_end(self, run: str) -> list[str]:
        found: list[str] = []
        end = len(run)
        while end > 0:
            starts = range(max(0, end - WORD_CHARS_MAX), end)
            found.append(next((run[at:end] for at in starts if run[at:end] in self._trie), run[end - 1]))
            end -= len(found[-1])
        return found[::-1]


def _fragmentation(words: list[str]) -> tuple[int, int]:
    return len(words), sum(len(word) == 1 for word in words)
