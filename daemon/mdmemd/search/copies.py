"""Which sections of a page say the same: a text that exists many times shall not fill it.

Two sections are copies when most of their lines are equal (headings and white space aside), whatever their
documents are called: vendored trees, translations not begun yet, one manual page in many. Invariant: the
first ``COPIES_MAX`` of each text are never held back, so two equal files are both named. Pure; one ``Copies``
a page, on the query pool.
"""

from __future__ import annotations

COPIES_MAX = 2

EQUAL_SHARE = 0.8
"""Jaccard share of the distinct lines that makes a copy: a version number may differ, a paragraph may not."""


class Copies:
    """The texts of a page so far."""

    def __init__(self) -> None:
        self._seen: list[frozenset[str]] = []

    def is_surplus(self, text: str) -> bool:
        """Whether the page has this text often enough; takes note of it."""
        lines = frozenset(
            line for each in text.splitlines() if (line := each.strip()) and not line.startswith("#")
        )
        same = sum(_are_copies(lines, seen) for seen in self._seen)
        self._seen.append(lines)
        return same >= COPIES_MAX


def _are_copies(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and len(one & other) >= EQUAL_SHARE * len(one | other)
