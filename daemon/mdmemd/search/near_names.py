"""The names that a mistyped one may mean, for errors. Pure; called on the query pool, only after a miss."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

NEAR_MAX = 5

COMPARED_MAX = 5_000
"""Names that are looked at: about 50 ms."""

ALIKE = 0.5
"""Least ratio of ``difflib``: below, names share only common letters."""


def near_names(wanted: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names that resemble ``wanted``, nearest first, at most ``NEAR_MAX``."""
    known = list(dict.fromkeys(islice(names, COMPARED_MAX)))
    return tuple(difflib.get_close_matches(wanted, known, n=NEAR_MAX, cutoff=ALIKE))


def near_titles(wanted: str, breadcrumbs: Iterable[str]) -> tuple[str, ...]:
    """The breadcrumbs whose last title, in any case, resembles that of ``wanted`` or has all its words."""
    title = _title(wanted)
    titles: dict[str, list[str]] = {}
    for breadcrumb in islice(breadcrumbs, COMPARED_MAX):
        titles.setdefault(_title(breadcrumb), []).append(breadcrumb)
    words = set(title.split())
    holding = [each for each in titles if words and words <= set(each.split())]
    alike = difflib.get_close_matches(title, titles, n=NEAR_MAX, cutoff=ALIKE)
    found = [breadcrumb for each in dict.fromkeys([*holding, *alike]) for breadcrumb in titles[each]]
    return tuple(found[:NEAR_MAX])


def _title(breadcrumb: str) -> str:
    return breadcrumb.rsplit(">", 1)[-1].strip().casefold()
