"""What a document can be filtered by besides its place, date and links: tags, properties and its kind.

Values are comparable texts: Unicode NFC, case folded, white space collapsed. A property is every value in the
front matter by its key, inner keys joined by dots; each element of a list is a value by itself; ``true``,
``false`` and ``null`` are those words. Bounded, since a document may bring thousands of keys; longer values
are prose that nobody filters by. Pure; called by ``document``, and by the index, on any thread.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mdmemd.model import DocumentKind

TAGS_MAX = 500
PROPERTIES_MAX = 200
KEY_CHARACTERS_MAX = 100
VALUE_CHARACTERS_MAX = 200

_MEMORY_KEYS = frozenset({"id", "namespace", "version"})
"""The keys that a memory always has and that nothing else has together."""


@dataclass(frozen=True, slots=True)
class FilterAttributes:
    """What filters compare, each once, in the order of the document; ``is_cut``: there were too many."""

    tags: tuple[str, ...]
    properties: tuple[tuple[str, str], ...]
    is_cut: bool


def filter_attributes(tags: Sequence[str], properties: Mapping[str, Any] | None) -> FilterAttributes:
    """The attributes of a document with these tags and this front matter."""
    all_tags = dict.fromkeys(folded(tag) for tag in tags)
    pairs = dict.fromkeys(_pairs("", properties or {}))
    return FilterAttributes(
        tags=tuple(all_tags)[:TAGS_MAX],
        properties=tuple(pairs)[:PROPERTIES_MAX],
        is_cut=len(all_tags) > TAGS_MAX or len(pairs) > PROPERTIES_MAX,
    )


def document_kind(properties: Mapping[str, Any] | None) -> DocumentKind:
    """A memory has an id, a namespace and a version in its front matter; all else is a document."""
    is_memory = properties is not None and properties.keys() >= _MEMORY_KEYS
    return DocumentKind.MEMORY if is_memory else DocumentKind.DOCUMENT


def folded(text: str) -> str:
    """The form in which tags, keys and values are compared."""
    composed = unicodedata.normalize("NFC", text)
    return " ".join(unicodedata.normalize("NFC", composed.casefold()).split())


def _pairs(prefix: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            name = f"{prefix}.{folded(str(key))}" if prefix else folded(str(key))
            if name and len(name) <= KEY_CHARACTERS_MAX:
                yield from _pairs(name, inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _pairs(prefix, inner)
    else:
        text = _value_text(value)
        if len(text) <= VALUE_CHARACTERS_MAX:
            yield prefix, text


def _value_text(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return folded(str(value))
