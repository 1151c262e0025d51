"""Whether a block begins with a name, and so explains it: ``--locked Assert that ...``.

Marks of Markdown and tags of HTML before the name do not count; a longer name that only begins alike is
another. Pure; called on the query pool.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mdmemd.search.query import ParsedQuery
from mdmemd.text.tokens import fold

_MARKUP = re.compile(r"(?:<[^>]*>|\d+[.)]\s|[^\w-]|-(?![\w-]))*")
"""What may stand before the first word of a block: list marks, emphasis, code marks, brackets, table bars,
tags of HTML."""

_WORD_GOES_ON = re.compile(r"[\w-]")

_START_CHARS = 500
"""Enough for marks, tags with their attributes and a long name."""


def looked_up(query: ParsedQuery) -> tuple[str, ...]:
    """The names that a question of nothing but identifiers looks up, folded; none of another question."""
    return tuple(fold(concept.text) for concept in query.concepts) if query.identifier_share == 1.0 else ()


def begins_with(text: str, names: Sequence[str]) -> bool:
    """Whether the first word of ``text`` is one of the ``names``, which are folded."""
    start = fold(text[:_START_CHARS])
    mark = _MARKUP.match(start)
    rest = start[mark.end() :] if mark else start
    return any(rest.startswith(name) and not _WORD_GOES_ON.match(rest, len(name)) for name in names)
