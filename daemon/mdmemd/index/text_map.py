"""Texts and the documents that each belongs to: the inverted map behind tags, properties, links and names.

Format: ``texts`` ascending by code point, each once; run ``i`` of ``documents`` (``arrays``: runs) are the
documents of text ``i``, ascending. Frozen; built and merged by the writer, read on any thread.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mdmemd.index.arrays import Int32Array, IntArray, run_starts


@dataclass(frozen=True, slots=True)
class TextMap:
    """See the module."""

    texts: tuple[str, ...]
    starts: IntArray
    documents: Int32Array

    @classmethod
    def of(cls, texts_of_documents: Sequence[Iterable[str]]) -> TextMap:
        """The map of documents 0, 1, ... with these texts; one that a document has twice counts once."""
        holders: dict[str, list[int]] = {}
        for document, texts in enumerate(texts_of_documents):
            for text in dict.fromkeys(texts):
                holders.setdefault(text, []).append(document)
        texts = sorted(holders)
        documents = [document for text in texts for document in holders[text]]
        return cls(
            tuple(texts),
            run_starts([len(holders[text]) for text in texts]),
            np.array(documents, np.int32),
        )

    @classmethod
    def merged(cls, parts: Sequence[tuple[TextMap, IntArray]]) -> TextMap:
        """The map of several; with each the new number of every document, -1 where it is gone."""
        texts = sorted({text for part, _ in parts for text in part.texts})
        numbers = {text: number for number, text in enumerate(texts)}
        owners, documents = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for part, renumbered in parts:
            owner = np.array([numbers[text] for text in part.texts], np.int64)
            document = renumbered[part.documents]
            owners.append(np.repeat(owner, np.diff(part.starts))[document >= 0])
            documents.append(document[document >= 0])
        owner, document = np.concatenate(owners), np.concatenate(documents)
        order = np.lexsort((document, owner))
        counts = np.bincount(owner, minlength=len(texts))
        return cls(
            texts=tuple(text for text, count in zip(texts, counts.tolist(), strict=True) if count),
            starts=run_starts(counts[counts > 0]),
            documents=document[order].astype(np.int32),
        )

    def holders(self, text: str) -> Int32Array:
        """The documents with exactly this text."""
        place = bisect_left(self.texts, text)
        if place == len(self.texts) or self.texts[place] != text:
            return self.documents[:0]
        return self._holders(range(place, place + 1))

    def holders_below(self, prefix: str) -> Int32Array:
        """The documents with a text that begins with ``prefix``; one may be named several times."""
        return self._holders(beginning_with(self.texts, prefix))

    def texts_below(self, prefix: str) -> tuple[str, ...]:
        """The texts that begin with ``prefix``."""
        found = beginning_with(self.texts, prefix)
        return self.texts[found.start : found.stop]

    def _holders(self, texts: range) -> Int32Array:
        return self.documents[self.starts[texts.start] : self.starts[texts.stop]]


def beginning_with(texts: Sequence[str], prefix: str) -> range:
    """Where the texts stand, among ascending ones, that begin with ``prefix``, which is not empty."""
    after = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    return range(bisect_left(texts, prefix), bisect_left(texts, after))
