"""The baseline that costs nothing: sections by how many different words of the question they contain.

What an agent gets who greps for each word and opens the file with the most matches: letters are compared
without case, a word counts inside another, order is by words, then by occurrences, then by path. Words of
``stop_words`` are left out as anybody would. Reads all files once for all questions. Pure but for the reader
that it is given.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Sequence

from mdmemd.evaluate.golden import SectionKey
from mdmemd.search.stop_words import STOP_WORDS

_EDGES = re.compile(r"^[^\w-]+|[^\w]+$")

SectionText = tuple[SectionKey, str]


def grep(queries: Sequence[str], texts: Iterable[SectionText], *, limit: int) -> list[list[SectionKey]]:
    """For each query the best ``limit`` sections; ``texts`` come in path order."""
    words = [_words(query) for query in queries]
    best: list[list[tuple[int, int, int, SectionKey]]] = [[] for _ in queries]
    for order, (key, text) in enumerate(texts):
        folded = text.lower()
        for wanted, found in zip(words, best, strict=True):
            counts = [folded.count(word) for word in wanted]
            entry = (sum(map(bool, counts)), sum(counts), -order, key)
            if entry[0] and len(found) < limit:
                heapq.heappush(found, entry)
            elif entry[0] and entry > found[0]:
                heapq.heapreplace(found, entry)
    return [_once(key for *_, key in sorted(found, reverse=True)) for found in best]


def _words(query: str) -> tuple[str, ...]:
    """The words as somebody would type them after ``grep -i``."""
    words = [word for piece in query.lower().split() if (word := _EDGES.sub("", piece))]
    return tuple(dict.fromkeys(word for word in words if word not in STOP_WORDS)) or tuple(words)


def _once(keys: Iterable[SectionKey]) -> list[SectionKey]:
    return list(dict.fromkeys(keys))
