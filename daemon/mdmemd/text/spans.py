"""Lines of a document that become sections: one span per heading, or overlapping windows.

Lines are 0-based and ``end`` is exclusive. Spans are in the order of the document; together they hold every
non-blank line after the front matter, each in one span only (windows excepted, which overlap on purpose).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from mdmemd.text.limits import ParseLimits
from mdmemd.text.token_estimate import token_quarters


@dataclass(frozen=True, slots=True)
class Heading:
    """A document-level heading at line ``start`` with its unique path."""

    start: int
    path: tuple[str, ...]
    level: int
    anchor: str


_NO_HEADING = Heading(start=0, path=(), level=0, anchor="")


@dataclass(frozen=True, slots=True)
class Span:
    """Lines ``start`` to ``end`` under one heading, which has level 0 and an empty path before the first one.

    Where an over-long line was cut, ``head`` characters of the first line belong to the part before, and only
    ``tail`` characters of the last line (counted from the line's start) to this one; ``None`` means all, line
    end included.
    """

    start: int
    end: int
    heading: Heading
    part: int | None = None
    head: int = 0
    tail: int | None = None


def whole_span(lines: Sequence[str], *, body_start: int) -> Span:
    """The body of a document under no heading."""
    return Span(body_start, len(lines), _NO_HEADING)


def heading_spans(headings: Sequence[Heading], lines: Sequence[str], *, body_start: int) -> list[Span]:
    """The preamble, if there is one, and each heading with the lines up to the next heading of any level."""
    boundaries = [*(heading.start for heading in headings), len(lines)]
    spans = [Span(heading.start, end, heading) for heading, end in zip(headings, boundaries[1:], strict=True)]
    preamble = Span(body_start, boundaries[0], _NO_HEADING)
    return spans if is_blank(lines, preamble) else [preamble, *spans]


def window_spans(span: Span, lines: Sequence[str], *, limits: ParseLimits) -> Iterator[Span]:
    """Overlapping windows that cover ``span``, none of them blank; a short rest joins the last one.

    Lengths as in mcp-docsearch, which indexes unstructured files so: 80 lines, 20 shared, a last window needs
    5 lines of its own. A window of long lines has fewer lines, and shares a quarter of them; a line that
    alone is too long is a window by itself.
    """
    start, end = _trimmed(span, lines)
    before = [0, *accumulate(token_quarters(line) + 1 for line in lines[start:end])]
    quarters_max = 4 * limits.window_tokens_max
    first = start
    while start < end:
        fitting = bisect_right(before, before[start - first] + quarters_max) - 1 + first
        window_end = max(min(start + limits.window_lines, fitting, end), start + 1)
        if window_end == end or (fitting >= end and _is_runt(lines, window_end, end, limits)):
            yield replace(span, start=start, end=span.end)
            return
        window = replace(span, start=start, end=window_end)
        if not is_blank(lines, window):
            yield window
        length = window_end - start
        shared = limits.window_overlap_lines if length == limits.window_lines else length // 4
        start = max(window_end - shared, start + 1)


def under_headings(spans: Iterable[Span], headings: Sequence[Heading]) -> Iterator[Span]:
    """The spans, each under the last heading that starts at or before its first line."""
    heading = _NO_HEADING
    remaining = list(reversed(headings))
    for span in spans:
        while remaining and remaining[-1].start <= span.start:
            heading = remaining.pop()
        yield replace(span, heading=heading)


def _trimmed(span: Span, lines: Sequence[str]) -> tuple[int, int]:
    start, end = span.start, span.end
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return start, end


def _is_runt(lines: Sequence[str], start: int, end: int, limits: ParseLimits) -> bool:
    """Whether too few non-blank lines are left for a window; counted no further than it matters."""
    count = 0
    for index in range(start, end):
        count += 1 if lines[index].strip() else 0
        if count >= limits.runt_lines:
            return False
    return True


def is_blank(lines: Sequence[str], span: Span) -> bool:
    """Whether the span holds nothing but white space."""
    return not any(line.strip() for line in lines[span.start : span.end])


def numbered(spans: Sequence[Span]) -> list[Span]:
    """The spans with part numbers wherever several have the same path."""
    counts: dict[tuple[str, ...], int] = {}
    for span in spans:
        counts[span.heading.path] = counts.get(span.heading.path, 0) + 1
    seen: dict[tuple[str, ...], int] = {}
    result = []
    for span in spans:
        path = span.heading.path
        seen[path] = seen.get(path, 0) + 1
        result.append(replace(span, part=seen[path]) if counts[path] > 1 else span)
    return result
