"""The title of a heading as plain text, and the anchor that its author gave it.

Removed: emphasis, link targets, formatting tags, comments, trailing attribute braces, an Obsidian block id.
Kept: code, alternative texts of images, other tags (``Option<T>``, ``<details>``), entities as their
characters, marks that CommonMark does not know.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mdmemd.text.block_parser import ParsedBlocks
from mdmemd.text.code_spans import without_code_spans
from mdmemd.text.html_text import alternative_text

UNTITLED = "(untitled)"

_INLINE_CHARACTERS_MAX = 1_000
_INLINE_BRACKETS_MAX = 32
"""Inline parsing is quadratic in emphasis marks and recursive in brackets: beyond this a title only has its
white space collapsed.
"""

_MARKUP = re.compile(r"[*_`\[\]<>&\\!]")
_MDX_ID = re.compile(r"\{/\*\s*#([\w-]+)\s*\*/\}")
_ATTRIBUTES = re.compile(r"\{:?\s*(?:[#.][^\s{}]|[\w-]+=)[^{}]*\}")
_ID = re.compile(r"#([^\s.{}]+)|\bid=[\"']?([\w-]+)")
_BLOCK_ID = re.compile(r"\s\^(?=[\w-]*[A-Za-z])([A-Za-z0-9-]{2,})\s*\Z")
_WIKILINK = re.compile(r"!?\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]*))?\]\]")
_FORMATTING_TAG = re.compile(
    r"</?(?:a|abbr|b|code|del|em|font|i|ins|kbd|mark|s|small|span|strong|sub|sup|u)(?:\s[^>]*)?/?>\Z"
)


class Title(NamedTuple):
    """Plain text, never empty, and the explicit anchor or an empty string."""

    text: str
    anchor: str


def plain_title(content: str, *, blocks: ParsedBlocks, characters_max: int) -> Title:
    """The title of a heading whose raw inline text is ``content``."""
    raw = content if len(content) <= characters_max else content[:characters_max]
    raw, anchor = _cut_anchor(raw)
    if "[[" in raw:
        raw = _without_wikilinks(raw)
    if _MARKUP.search(raw) and len(raw) <= _INLINE_CHARACTERS_MAX and raw.count("[") <= _INLINE_BRACKETS_MAX:
        raw = "".join(_piece_text(kind, text) for kind, text in blocks.inline_tokens(raw))
    return Title(" ".join(raw.split()) or UNTITLED, anchor)


def _cut_anchor(raw: str) -> tuple[str, str]:
    if raw.endswith("}"):
        start = raw.rfind("{")
        braces = raw[start:]
        match = _MDX_ID.fullmatch(braces)
        if match:
            return raw[:start], match[1]
        if _ATTRIBUTES.fullmatch(braces) and raw[start - 1 : start] != "{":
            identifier = _ID.search(braces)
            return raw[:start], (identifier[1] or identifier[2]) if identifier else ""
        return raw, ""
    match = _BLOCK_ID.search(raw) if "^" in raw else None
    return (raw[: match.start()], "^" + match[1]) if match else (raw, "")


def _without_wikilinks(raw: str) -> str:
    pieces = []
    position = 0
    for match in _WIKILINK.finditer(without_code_spans(raw)):
        pieces.append(raw[position : match.start()])
        pieces.append(match[2] or match[1])
        position = match.end()
    pieces.append(raw[position:])
    return "".join(pieces)


def _piece_text(kind: str, text: str) -> str:
    if kind in ("softbreak", "hardbreak"):
        return " "
    if kind != "html_inline":
        return text
    if text.startswith("<!--"):
        return ""
    if text[:3].lower() == "<br":
        return " "
    if text[:4].lower() == "<img":
        return alternative_text(text)
    return "" if _FORMATTING_TAG.match(text) else text
