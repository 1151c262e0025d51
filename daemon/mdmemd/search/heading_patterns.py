"""Headings by pattern: ``Install*``, ``Guide > *``. Pure; called on the query pool.

``*`` stands for any text within one title, everything else for itself, in any case. A pattern of several
titles is compared with the end of a breadcrumb. Takes linear time on any title (``fnmatch`` settles all stars
but the last at once).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import translate


def compile_headings(pattern: str) -> Callable[[tuple[str, ...]], bool]:
    """Tells for a heading path, outermost title first, whether the pattern fits."""
    wanted = [re.compile(translate(_only_stars(title))) for title in _titles(pattern)]

    def fits(heading_path: tuple[str, ...]) -> bool:
        last = heading_path[-len(wanted) :]
        return len(last) == len(wanted) and all(
            each.match(_even(title)) for each, title in zip(wanted, last, strict=True)
        )

    return fits


def _titles(pattern: str) -> list[str]:
    return [_even(title) for title in pattern.split(">")]


def _even(title: str) -> str:
    return " ".join(title.split()).casefold()


def _only_stars(title: str) -> str:
    """The title as a pattern of ``fnmatch`` in which nothing but ``*`` is special."""
    return title.replace("[", "[[]").replace("?", "[?]")
