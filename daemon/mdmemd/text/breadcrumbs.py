"""Heading paths of a document: who stands under whom, each path once.

The parent of a heading is the nearest earlier heading of a smaller level. A path that is taken gets `` [2]``,
`` [3]`` on its last title; a number that some heading of the document spells out itself is skipped, so that a
suffix never imitates a real heading. Children inherit the suffix.
"""

from __future__ import annotations

from collections.abc import Sequence


def unique_paths(headings: Sequence[tuple[int, str]]) -> list[tuple[str, ...]]:
    """One path for each heading, given as (level, title) in the order of the document.

    Linear in the number of headings.
    """
    literal = {title for _, title in headings}
    taken: set[tuple[str, ...]] = set()
    suffixes: dict[tuple[str, ...], int] = {}
    ancestors: list[tuple[int, tuple[str, ...]]] = []
    paths = []
    for level, title in headings:
        while ancestors and ancestors[-1][0] >= level:
            ancestors.pop()
        parent = ancestors[-1][1] if ancestors else ()
        path = (*parent, title)
        if path in taken:
            path = _suffixed(parent, title, taken=taken, literal=literal, suffixes=suffixes)
        taken.add(path)
        ancestors.append((level, path))
        paths.append(path)
    return paths


def _suffixed(
    parent: tuple[str, ...],
    title: str,
    *,
    taken: set[tuple[str, ...]],
    literal: set[str],
    suffixes: dict[tuple[str, ...], int],
) -> tuple[str, ...]:
    number = suffixes.get((*parent, title), 2)
    while (*parent, f"{title} [{number}]") in taken or f"{title} [{number}]" in literal:
        number += 1
    suffixes[*parent, title] = number + 1
    return (*parent, f"{title} [{number}]")
