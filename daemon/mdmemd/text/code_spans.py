"""Inline code made invisible, for scanners that must not look into it."""

from __future__ import annotations

import re

_BACKTICKS = re.compile(r"\\`|`+")


def without_code_spans(text: str) -> str:
    """``text`` with each code span replaced by as many blanks (line ends kept), so that positions stay valid.

    Linear.
    """
    if "`" not in text:
        return text
    runs = [(match.start(), match.end()) for match in _BACKTICKS.finditer(text) if text[match.start()] == "`"]
    following: dict[int, int] = {}
    closing = [-1] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        closing[index] = following.get(length, -1)
        following[length] = index
    pieces = []
    position = index = 0
    while index < len(runs):
        if closing[index] < 0:
            index += 1
            continue
        start, end = runs[index][0], runs[closing[index]][1]
        pieces.append(text[position:start])
        pieces.append("".join("\n" if character == "\n" else " " for character in text[start:end]))
        position = end
        index = closing[index] + 1
    pieces.append(text[position:])
    return "".join(pieces)
