"""Links of a document: Markdown and reference links, images, wikilinks, embeds, autolinks, HTML tags.

Where a target points to a file of the root, ``path`` says which: relative to the root, without ``.`` and
``..``, percent escapes decoded. It is ``None`` for other schemes and for what leaves the root. A wikilink
names a note, not a place: ``path`` is the name with ``.md``, to be found by the index as Obsidian does.
Whether a file exists is not known here. Code gives no links.

One linear pass over each text: brackets are matched with a stack, destinations by patterns that do not
backtrack.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from mdmemd.model import Link
from mdmemd.text.block_parser import ParsedBlocks
from mdmemd.text.code_spans import without_code_spans
from mdmemd.text.leaves import Leaf, LeafKind

_LINKED = frozenset([LeafKind.PARAGRAPH, LeafKind.HEADING, LeafKind.TABLE])
_LINE_END = re.compile("\n")

_PIECE = re.compile(r"\\.|!?\[\[[^\[\]\n]++\]\]|!?\[|\]|<[A-Za-z/][^<>]*+>", re.DOTALL)
_DESTINATION = re.compile(
    r"""\(\s*+(?:<([^<>\n]*+)>|(?!<)((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*+\))*+))"""
    r"""(?:\s++(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\)))?+\s*+\)""",
    re.DOTALL,
)
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){0,999}+)\]", re.DOTALL)
_HTML_TARGET = re.compile(r"""<(a|img)\s[^<>]*?\b(?:href|src)\s*=\s*["']([^"'<>]*)["']""", re.IGNORECASE)
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


class _Found(NamedTuple):
    position: int
    target: str
    is_embed: bool
    is_wikilink: bool = False


def document_links(blocks: ParsedBlocks, *, path: str) -> Iterator[Link]:
    """All links in the order of the document. ``path`` is the document's own, relative to its root."""
    for leaf in blocks.leaves:
        line_ends: list[int] | None = None
        for found in _leaf_links(leaf, blocks.references):
            if line_ends is None:  # once a leaf: counting anew for each link is quadratic
                line_ends = [match.start() for match in _LINE_END.finditer(leaf.content)]
            line = leaf.content_start + bisect_left(line_ends, found.position) + 1
            yield _resolved(found, line, path=path)


def _leaf_links(leaf: Leaf, references: Mapping[str, str]) -> Iterator[_Found]:
    if leaf.kind is LeafKind.HTML:
        for match in _HTML_TARGET.finditer(leaf.content):
            yield _Found(match.start(), match[2], is_embed=match[1].lower() == "img")
    elif leaf.kind in _LINKED and ("[" in leaf.content or "<" in leaf.content):
        yield from _inline_links(without_code_spans(leaf.content), references)


def _inline_links(text: str, references: Mapping[str, str]) -> Iterator[_Found]:
    openings: list[re.Match[str]] = []
    position = 0
    while (match := _PIECE.search(text, position)) is not None:
        piece = match[0]
        position = match.end()
        if piece.endswith("]]"):
            note = piece.lstrip("!")[2:-2].replace("\\|", "|")
            yield _Found(match.start(), note, is_embed=piece.startswith("!"), is_wikilink=True)
        elif piece in ("[", "!["):
            openings.append(match)
        elif piece == "]" and openings:
            opening = openings.pop()
            target, position = _target(text, opening.end(), match.start(), references)
            if target:
                yield _Found(opening.start(), target, is_embed=opening[0].startswith("!"))
        elif piece.startswith("<"):
            yield from _tag_links(piece, match.start())


def _target(text: str, start: int, end: int, references: Mapping[str, str]) -> tuple[str, int]:
    """What the brackets around ``text[start:end]`` link to, empty if nothing, and where the link ends."""
    after = end + 1
    match = _DESTINATION.match(text, after)
    if match:
        return _ESCAPE.sub(r"\1", match[1] or match[2] or ""), match.end()
    if not references:
        return "", after
    match = _LABEL.match(text, after)
    label = (match[1] if match else "") or text[start : min(end, start + 1000)]
    target = "" if label.startswith("^") else references.get(_normalized(label), "")
    return target, match.end() if match and target else after


def _tag_links(tag: str, position: int) -> Iterator[_Found]:
    if autolink := _AUTOLINK.fullmatch(tag):
        yield _Found(position, autolink[1], is_embed=False)
    elif attribute := _HTML_TARGET.match(tag):
        yield _Found(position, attribute[2], is_embed=attribute[1].lower() == "img")


def _normalized(label: str) -> str:
    return " ".join(label.split()).lower().upper()


def _resolved(found: _Found, line: int, *, path: str) -> Link:
    target = found.target.strip()
    if found.is_wikilink:
        name, _, part = target.partition("|")[0].partition("#")
        return Link(target, _note_path(name.strip(), path), part.strip() or None, line, found.is_embed)
    location, _, fragment = target.partition("#")
    heading = unquote(fragment) or None
    if _SCHEME.match(location) or location.startswith("//"):
        return Link(target, None, heading, line, found.is_embed)
    location = unquote(location.partition("?")[0])
    return Link(target, _within_root(location, path), heading, line, found.is_embed)


def _note_path(name: str, path: str) -> str | None:
    if not name:
        return path
    return _within_root("/" + (name if posixpath.splitext(name)[1] else name + ".md"), path)


def _within_root(location: str, path: str) -> str | None:
    if not location:
        return path
    folder = "" if location.startswith("/") else posixpath.dirname(path)
    normal = posixpath.normpath(posixpath.join(folder, location.lstrip("/")))
    is_outside = normal == ".." or normal.startswith(("../", "/")) or "\0" in normal
    return None if is_outside else normal
