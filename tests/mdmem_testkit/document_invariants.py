"""What must hold for every parsed document, whatever the bytes were.

Used by property tests and by hand over corpora.
"""

from __future__ import annotations

from itertools import pairwise

from mdmemd.model import LineRange, ParsedDocument, Section
from mdmemd.text.limits import DEFAULT_LIMITS, ParseLimits
from mdmemd.text.source import SourceText


def check_document(
    document: ParsedDocument, data: bytes, *, has_windows: bool = False, limits: ParseLimits = DEFAULT_LIMITS
) -> None:
    """Raises ``AssertionError`` with the first invariant that does not hold."""
    source = SourceText.decode(data)
    assert document.title.strip()
    _check_paths(document)
    for section in document.sections:
        assert section.text.strip(), "a blank section"
        _check_verbatim(section, source)
    if has_windows:
        _check_windows_cover(document, source)
    else:
        _check_tiling(document, source)
    _check_passages(document, limits)


def may_have_windows(document: ParsedDocument) -> bool:
    """Whether ``auto`` mode may have cut this document into windows: it has fewer than two headings."""
    return len({section.heading_path for section in document.sections if section.level}) < 2


def _share_a_line(earlier: Section, later: Section) -> bool:
    """Two parts of one over-long line."""
    return later.lines.first == earlier.lines.last and not earlier.text.endswith(("\n", "\r"))


def _check_paths(document: ParsedDocument) -> None:
    keys = [(section.heading_path, section.part) for section in document.sections]
    assert len(set(keys)) == len(keys), "a breadcrumb occurs twice"
    for section in document.sections:
        assert (section.level == 0) == (section.heading_path == ())
        assert all(title.strip() for title in section.heading_path)


def _check_verbatim(section: Section, source: SourceText) -> None:
    lines = source.slice(section.lines)
    assert section.text in lines, "text is not that of its lines"
    if section.part is None:
        assert section.text == lines


def _check_tiling(document: ParsedDocument, source: SourceText) -> None:
    """Sections in order, joined: the whole text after the front matter, but for blank lines before the
    first.
    """
    front = document.front_matter_lines
    body_start = front.last + 1 if front else 1
    body = source.slice(LineRange(body_start, source.line_count))
    joined = "".join(section.text for section in document.sections)
    assert body.endswith(joined), "sections do not join back to the file"
    assert not body.removesuffix(joined).strip(), "text before the first section was lost"
    for earlier, later in pairwise(document.sections):
        assert later.lines.first == earlier.lines.last + 1 or _share_a_line(earlier, later)


def _check_windows_cover(document: ParsedDocument, source: SourceText) -> None:
    covered = {
        line for section in document.sections for line in range(section.lines.first, section.lines.last + 1)
    }
    front = document.front_matter_lines
    for number, line in enumerate(source.normalized_lines(), 1):
        in_front_matter = front is not None and number <= front.last
        assert in_front_matter or not line.strip() or number in covered, f"line {number} is in no section"
    firsts = [section.lines.first for section in document.sections]
    assert firsts == sorted(firsts)


def _check_passages(document: ParsedDocument, limits: ParseLimits) -> None:
    sections = [passage.section for passage in document.passages]
    assert sections == sorted(sections)
    for passage in document.passages:
        section = document.sections[passage.section]
        assert passage.text == " ".join(passage.text.split())
        assert 0 < len(passage.text) <= limits.passage_characters_max
        assert section.lines.first <= passage.lines.first <= passage.lines.last <= section.lines.last
        assert passage.block.first <= passage.lines.first
        assert passage.lines.last <= passage.block.last
