"""Tags: from the front matter, then ``#tag`` in running text, each once and without the ``#``.

A ``#tag`` stands at the start of a line or after white space, holds letters, digits, ``_``, ``-`` and ``/``
and at least one letter, and is followed by white space or punctuation. No tags: ``#12`` (an issue), ``#fff``
and ``#a1b2c3`` (colours), anything in code, HTML or links.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from mdmemd.text.code_spans import without_code_spans
from mdmemd.text.leaves import Leaf, LeafKind
from mdmemd.text.properties import list_property

_TAGGED = frozenset([LeafKind.PARAGRAPH, LeafKind.HEADING, LeafKind.TABLE])
_TAG = re.compile(r"(?<![^\s])#([\w/-]+)(?=[\s.,;:!?)\]'\"]|\Z)")
_COLOUR = re.compile(r"(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", re.IGNORECASE)


def document_tags(leaves: Sequence[Leaf], properties: Mapping[str, Any]) -> tuple[str, ...]:
    """All tags of a document, those of the front matter first."""
    tags: dict[str, None] = {}
    for tag in list_property(properties, "tags", "tag"):
        for word in tag.split() if "#" in tag else [tag]:
            tags.setdefault(word.removeprefix("#"))
    for leaf in leaves:
        if "#" in leaf.content and leaf.kind in _TAGGED:
            for match in _TAG.finditer(without_code_spans(leaf.content)):
                tag = match[1].strip("/-")
                if _is_tag(tag):
                    tags.setdefault(tag)
    return tuple(tag for tag in tags if tag)


def _is_tag(tag: str) -> bool:
    if not any(character.isalpha() for character in tag):
        return False
    is_colour = _COLOUR.fullmatch(tag) and (
        len(set(tag.lower())) == 1 or any(digit.isdigit() for digit in tag)
    )
    return not is_colour
