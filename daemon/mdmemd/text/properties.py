"""What front matter says, as plain values, and the few properties that mdmem itself understands.

Values are made plain and finite here, so that nobody downstream meets a date object, an integer too large for
64 bits, a cycle or a tree that YAML aliases blew up.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

_VALUES_MAX = 10_000
_DEPTH_MAX = 16
_INTEGER_BITS = 63
_DECIMAL_BITS_MAX = 4_096
_DATE = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_COMPACT_DATE = re.compile(r"(?<!\d)(\d{4})(\d{2})(\d{2})(?!\d)")
_DATE_KEYS = (
    *(
        "date",
        "updated",
        "modified",
        "lastmod",
        "last_modified",
        "last-modified",
        "last_updated",
        "last-updated",
    ),
    *("created", "creation-date", "published"),
)


def plain_mapping(loaded: Mapping[Any, Any]) -> dict[str, Any]:
    """``loaded`` with plain values only. Beyond 10,000 values or 16 levels the rest is left out."""
    return _Plain().mapping(loaded, 0)


class _Plain:
    """One conversion; counts what it has made."""

    def __init__(self) -> None:
        self._made = 0

    def mapping(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        plain: dict[str, Any] = {}
        for key, inner in value.items():
            if self._made >= _VALUES_MAX:
                break
            plain[_plain_text(str(key))] = self.value(inner, depth + 1)
        return plain

    def value(self, value: Any, depth: int) -> Any:
        self._made += 1
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return _plain_text(value)
        if isinstance(value, int):
            return _plain_integer(value)
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        if isinstance(value, Mapping):
            return self.mapping(value, depth) if depth < _DEPTH_MAX else {}
        if isinstance(value, (list, tuple, set)):
            return self._list(value, depth) if depth < _DEPTH_MAX else []
        if isinstance(value, (dt.date, dt.time)):
            return value.isoformat()
        return _plain_text(str(value))

    def _list(self, values: Iterable[Any], depth: int) -> list[Any]:
        plain = []
        for inner in values:
            if self._made >= _VALUES_MAX:
                break
            plain.append(self.value(inner, depth + 1))
        return plain


def _plain_text(text: str) -> str:
    """Without lone surrogates and NUL, which YAML and JSON escapes can spell and no index can hold."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def _plain_integer(value: int) -> int | str:
    if value.bit_length() <= _INTEGER_BITS:
        return value
    return str(value) if value.bit_length() <= _DECIMAL_BITS_MAX else hex(value)


def text_property(properties: Mapping[str, Any], *keys: str) -> str | None:
    """The first of ``keys`` that holds a text or number, white space collapsed; ``None`` where none does.

    Case is ignored.
    """
    folded = {key.lower(): value for key, value in properties.items()}
    for key in keys:
        value = folded.get(key)
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            text = " ".join(str(value).split())
            if text:
                return text
    return None


def list_property(properties: Mapping[str, Any], *keys: str) -> tuple[str, ...]:
    """All texts of ``keys``, in order and each once; a text is split at commas."""
    folded = {key.lower(): value for key, value in properties.items()}
    texts: dict[str, None] = {}
    for key in keys:
        value = folded.get(key)
        if isinstance(value, str):
            value = value.split(",")
        if isinstance(value, list):
            for item in value:
                text = " ".join(str(item).split()) if isinstance(item, (str, int, float)) else ""
                if text:
                    texts.setdefault(text)
    return tuple(texts)


def document_date(properties: Mapping[str, Any], *, path: str) -> str | None:
    """ISO date from the front matter, else from the file's name; ``None`` where neither has one."""
    for key in _DATE_KEYS:
        text = text_property(properties, key)
        date = _first_date(text, _DATE) if text else None
        if date:
            return date
    name = path.rpartition("/")[2]
    return _first_date(name, _DATE) or _first_date(name, _COMPACT_DATE)


def _first_date(text: str, pattern: re.Pattern[str]) -> str | None:
    for match in pattern.finditer(text):
        try:
            return dt.date(int(match[1]), int(match[2]), int(match[3])).isoformat()
        except ValueError:
            continue
    return None
