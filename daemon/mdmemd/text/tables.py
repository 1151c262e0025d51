"""Rows of GFM tables as labelled text.

A row reads ``Header: cell; Header: cell``, so that one row makes sense by itself. Pure functions over the
lines of one table, which the block parser has recognised (header, delimiter row, body).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_CELL_END = re.compile(r"(?<!\\)\|")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def split_cells(row: str) -> list[str]:
    """The cells of a row, trimmed, without the pipes at its ends; an escaped pipe is text of its cell."""
    row = row.strip().removeprefix("|")
    if row.endswith("|") and not row.endswith("\\|"):
        row = row[:-1]
    if "\\|" not in row:
        return [cell.strip() for cell in row.split("|")]
    return [cell.strip().replace("\\|", "|") for cell in _CELL_END.split(row)]


def labelled_rows(rows: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Offset within ``rows`` and text of each body row that has any, of the header if no row has."""
    header = [_cell_text(cell) for cell in split_cells(rows[0])]
    has_body = False
    for offset in range(2, len(rows)):
        text = _labelled(header, split_cells(rows[offset]))
        if text:
            has_body = True
            yield offset, text
    if not has_body:
        text = "; ".join(cell for cell in header if cell)
        if text:
            yield 0, text


def _labelled(header: list[str], cells: list[str]) -> str:
    pieces = []
    for index, cell in enumerate(cells):
        text = _cell_text(cell)
        if text:
            label = header[index] if index < len(header) else ""
            pieces.append(f"{label}: {text}" if label else text)
    return "; ".join(pieces)


def _cell_text(cell: str) -> str:
    return _BREAK.sub(" ", cell) if "<" in cell else cell
