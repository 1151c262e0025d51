"""The sizes that parsing keeps to. One value object, so that tests can shrink every limit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """Limits of one parse; the defaults are what the index is built with.

    Attributes:
        section_tokens_max: a longer section is cut into parts.
        passage_characters_max: a longer paragraph, item, row or code block becomes several passages.
        window_lines: length of a line window.
        window_overlap_lines: lines that a window shares with the one before it.
        window_tokens_max: a window with longer lines is cut into parts.
        runt_lines: a last window with fewer non-blank lines of its own joins the one before it.
        lines_max: a longer file is not parsed as Markdown (a token costs about 1 kB, so this bounds memory).
        title_characters_max: the rest of a longer heading is left out of its title.
        front_matter_characters_max: a longer block is not taken for front matter.
    """

    section_tokens_max: int = 800
    passage_characters_max: int = 600
    window_lines: int = 80
    window_overlap_lines: int = 20
    window_tokens_max: int = 2_400
    runt_lines: int = 5
    lines_max: int = 250_000
    title_characters_max: int = 16_384
    front_matter_characters_max: int = 262_144


DEFAULT_LIMITS = ParseLimits()
