"""How the tokens of a page are shared among its hits.

How likely another hit is the one that answers falls with its distance from the first score, so what stands
beside a pointer does too; what a short first excerpt leaves is spread over all. Pure arithmetic; called by
``assembly`` on the query pool.
"""

from __future__ import annotations

from collections.abc import Sequence

POINTER_TOKENS_MIN = 12
"""Beside any pointer, however far down."""

POINTER_TOKENS = 100
"""Beside a pointer whose score is that of the first hit."""

POINTER_TOKENS_LOSS = 400
"""Tokens less for a score that is lower by all of the first: a tenth lower are 40. Of the 30 questions of the
labelled sets whose section was on the page but not first, half had a score within a tenth of the first and 27
within a third. 250 to 500 are alike; 40 tokens beside every pointer hold 3 answers of 164 fewer and cost 22
tokens more."""

SPREAD_TOKENS = 200
"""Text that a page may have in any case: what the first excerpt leaves of it goes to the pointers. Without it
3 answers of 164 fewer are held; 300 hold no more."""

SPREAD_TOKENS_MAX = 60
"""Beside one pointer, of what is spread."""


def pointer_rooms(scores: Sequence[float], *, quoted: int) -> list[int]:
    """Tokens of text beside each pointer.

    ``scores`` are those of all hits, best first; ``quoted`` is what the first one's excerpt took.
    """
    pointers = scores[1:]
    if not pointers:
        return []
    spread = min(SPREAD_TOKENS_MAX, (SPREAD_TOKENS - quoted) // len(pointers))
    floor = max(POINTER_TOKENS_MIN, spread)
    best = scores[0]
    if best <= 0:
        return [floor] * len(pointers)
    return [max(floor, round(POINTER_TOKENS - POINTER_TOKENS_LOSS * (1 - each / best))) for each in pointers]
