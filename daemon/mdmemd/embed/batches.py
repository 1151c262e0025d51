"""Which texts are handed to the model together.

Texts of one call run side by side on all cores (``encoder``), so texts of like length go together: no core
waits long for another. A fresh edit waits for one call at most, so calls are short. Pure; any thread.
"""

from __future__ import annotations

from collections.abc import Sequence

ROWS_MAX = 8
"""More cores than this are not used."""

TOKENS_MAX = 512
"""Of one call, all texts counted as long as its longest: 30 ms on 2 cores with the built-in model.

Over the passages of a documentation tree (56 tokens on average), 2 cores are idle for 5 % of the time; with
384 tokens it would be 10 %, with 256 17 %.
"""


def plan_batches(
    lengths: Sequence[int], *, rows_max: int = ROWS_MAX, tokens_max: int = TOKENS_MAX
) -> list[list[int]]:
    """Positions of ``lengths`` in groups, shortest first; each position exactly once.

    A group has at most ``rows_max`` members and, unless it has only one, at most ``tokens_max`` tokens when
    all members count as much as its longest.
    """
    groups: list[list[int]] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        last = groups[-1] if groups else []
        if last and len(last) < rows_max and (len(last) + 1) * lengths[position] <= tokens_max:
            last.append(position)
        else:
            groups.append([position])
    return groups
