"""Which letters each text of an arena has, as one number: what tells at once that two words are far apart.

Format: bit ``b % 32`` is set for each byte ``b`` of the text; letters and ``_`` have bits of their own,
digits share those of ``p`` to ``y``. Pure; called on query threads.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mdmemd.index.text_arena import TextArena

LetterSets = npt.NDArray[np.uint32]


def letter_sets(texts: TextArena) -> LetterSets:
    """The set of each text, none of which may be empty; linear in their bytes."""
    if not len(texts):
        return np.zeros(0, np.uint32)
    bits = np.uint32(1) << (texts.data & np.uint8(31)).astype(np.uint32)
    return np.bitwise_or.reduceat(bits, texts.starts[:-1])


def letter_set(piece: bytes) -> np.uint32:
    """The set of one encoded text."""
    letters: np.uint32 = np.bitwise_or.reduce(
        np.uint32(1) << (np.frombuffer(piece, np.uint8) & 31).astype(np.uint32)
    )
    return letters
