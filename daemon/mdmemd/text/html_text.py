"""The text that an HTML block shows: comments and tags removed, alternative texts of images kept.

Line ends stay where they were, so that line numbers can be read off the result. Linear in the length of the
input: no pattern here can look at a character more than a few times.
"""

from __future__ import annotations

import html
import re

_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<[!?][^<>]*>|<>|</>")
_ALTERNATIVE = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_COMMENT_START = "<!--"
_COMMENT_END = "-->"


def visible_text(markup: str) -> str:
    """``markup`` without comments and tags, entities decoded, with the same number of line ends."""
    if _COMMENT_START in markup:
        markup = _without_comments(markup)
    text = _TAG.sub(_tag_text, markup) if "<" in markup else markup
    return _without_entities(text) if "&" in text else text


def alternative_text(tag: str) -> str:
    """The ``alt`` text of an ``<img>`` tag, empty for others."""
    if not tag[:4].lower().startswith("<img"):
        return ""
    match = _ALTERNATIVE.search(tag)
    return (match[1] or match[2] or "") if match else ""


def _without_entities(text: str) -> str:
    # Line by line: an entity may itself stand for a line end.
    return "\n".join(" ".join(html.unescape(line).split("\n")) for line in text.split("\n"))


def _tag_text(match: re.Match[str]) -> str:
    tag = match[0]
    line_ends = "\n" * tag.count("\n")
    return f" {alternative_text(tag)} {line_ends}"


def _without_comments(markup: str) -> str:
    pieces = markup.split(_COMMENT_START)
    kept = [pieces[0]]
    for piece in pieces[1:]:
        comment, end, rest = piece.partition(_COMMENT_END)
        kept.append("\n" * comment.count("\n") + rest if end else piece)
    return " ".join(kept)
