"""How much of a list fits into one answer: agents refuse or cut answers above 25,000 tokens. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mdmemd.mcp.quoting import compact_json
from mdmemd.text.token_estimate import estimate_tokens

ANSWER_TOKENS_MAX = 20_000
"""Ours are estimates, good to a fifth, and an answer has more in it than its rows."""


def fitting(rows: Iterable[dict[str, Any]], *, tokens_max: int = ANSWER_TOKENS_MAX) -> list[dict[str, Any]]:
    """The first rows that cost at most ``tokens_max`` together; names and headings may be of any length."""
    left = tokens_max
    shown = []
    for row in rows:
        left -= estimate_tokens(compact_json(row))
        if left < 0:
            break
        shown.append(row)
    return shown
