"""From headings to sections: headings or windows, the cutting of what is too long, and the text.

A file follows its headings unless its root is in ``window`` mode. In ``auto`` mode a file with fewer than two
headings has no structure worth following: what is longer than a window becomes windows there. Other sections
that are too long become parts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mdmemd.model import ChunkMode, LineRange, Section
from mdmemd.text.leaves import Leaf, leaf_start
from mdmemd.text.limits import ParseLimits
from mdmemd.text.parts import split_span
from mdmemd.text.source import SourceText
from mdmemd.text.spans import Heading, Span, heading_spans, numbered, under_headings, whole_span, window_spans
from mdmemd.text.token_estimate import estimate_tokens, token_quarters

_HEADINGS_MIN = 2


@dataclass(frozen=True, slots=True)
class SectionCutter:
    """The body of one document, ready to be cut.

    ``lines`` have no line ends, those of the front matter are blank.
    """

    lines: Sequence[str]
    body_start: int
    headings: Sequence[Heading]
    leaves: Sequence[Leaf]
    limits: ParseLimits

    def spans(self, chunk_mode: ChunkMode) -> list[Span]:
        """The spans that become sections, with part numbers where several share a heading."""
        if chunk_mode is ChunkMode.WINDOW:
            whole = whole_span(self.lines, body_start=self.body_start)
            return numbered(list(under_headings(self._windows(whole), self.headings)))
        has_windows = chunk_mode is ChunkMode.AUTO and len(self.headings) < _HEADINGS_MIN
        spans: list[Span] = []
        for span in heading_spans(self.headings, self.lines, body_start=self.body_start):
            is_long = span.end - span.start > self.limits.window_lines
            spans.extend(self._windows(span) if has_windows and is_long else self._parts(span))
        return numbered(spans)

    def _windows(self, span: Span) -> Iterator[Span]:
        for window in window_spans(span, self.lines, limits=self.limits):
            # Only a line that is too long by itself makes a window too long.
            quarters = sum(token_quarters(line) for line in self.lines[window.start : window.end])
            yield from [window] if quarters <= 4 * self.limits.window_tokens_max else self._parts(window)

    def _parts(self, span: Span) -> Sequence[Span]:
        first = bisect_left(self.leaves, span.start, key=leaf_start)
        end = bisect_left(self.leaves, span.end, key=leaf_start)
        return split_span(span, self.lines, self.leaves[first:end], tokens_max=self.limits.section_tokens_max)


def section_of(span: Span, source: SourceText) -> Section:
    """The section with its verbatim text."""
    text = _text(span, source)
    # Tokens are counted with one character a line end, so that they do not depend on the style of line ends.
    normalized = text.replace("\r\n", "\n") if "\r" in text else text
    return Section(
        heading_path=span.heading.path,
        level=span.heading.level,
        part=span.part,
        lines=LineRange(span.start + 1, span.end),
        text=text,
        tokens=estimate_tokens(normalized),
        anchor=span.heading.anchor,
    )


def _text(span: Span, source: SourceText) -> str:
    if not span.head and span.tail is None:
        return source.slice(LineRange(span.start + 1, span.end))
    lines = list(source.lines[span.start : span.end])
    if span.tail is not None:
        lines[-1] = lines[-1][: span.tail]
    lines[0] = lines[0][span.head :]
    return "".join(lines)
