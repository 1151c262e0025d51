"""The whole parse: bytes of one Markdown file in, ``ParsedDocument`` out.

Pure and total: it never raises on any bytes, reads no file and no clock, and gives the same result for every
style of line end. Called by the parse workers and by the writer, on any thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mdmemd.model import ChunkMode, LineRange, ParsedDocument, Problem
from mdmemd.text.block_parser import ParsedBlocks, UnparsableError
from mdmemd.text.breadcrumbs import unique_paths
from mdmemd.text.document_blocks import document_blocks
from mdmemd.text.filter_attributes import PROPERTIES_MAX, TAGS_MAX, filter_attributes
from mdmemd.text.front_matter import FrontMatter, find_front_matter
from mdmemd.text.leaves import LeafKind, plain_leaves
from mdmemd.text.limits import DEFAULT_LIMITS, ParseLimits
from mdmemd.text.links import document_links
from mdmemd.text.passages import section_passages
from mdmemd.text.properties import document_date, list_property, text_property
from mdmemd.text.sections import SectionCutter, section_of
from mdmemd.text.source import SourceText
from mdmemd.text.spans import Heading
from mdmemd.text.tags import document_tags
from mdmemd.text.titles import UNTITLED, plain_title

TEXT_VERSION = 1
"""Raised with any change to ``text`` that makes other sections, passages or properties of the same file, so
that saved indexes are not used."""


TOO_MANY_ATTRIBUTES = Problem(
    "too_many_attributes",
    f"over {TAGS_MAX} tags or {PROPERTIES_MAX} properties: filters do not find it by the rest",
)


def parse_document(
    data: bytes, *, path: str, chunk_mode: ChunkMode = ChunkMode.AUTO, limits: ParseLimits = DEFAULT_LIMITS
) -> ParsedDocument:
    """Sections, passages and metadata of one file.

    ``path`` is relative to the root: relative links start there, and its stem is the title of last resort.
    """
    file = _File.decode(data, limits)
    if len(file.lines) > limits.lines_max:
        problem = Problem(
            "too_long", f"over {limits.lines_max} lines: indexed as plain lines, without headings"
        )
        return _plain_document(file, problem, path=path, limits=limits)
    try:
        blocks, problems = document_blocks(file.body, path=path)
    except UnparsableError as error:
        problem = Problem("unparsable", f"indexed as plain lines, without headings: {error}")
        return _plain_document(file, problem, path=path, limits=limits)
    return _document(file, blocks, problems, path=path, chunk_mode=chunk_mode, limits=limits)


def parse_plain(
    data: bytes, *, path: str, problem: Problem, limits: ParseLimits = DEFAULT_LIMITS
) -> ParsedDocument:
    """Line windows without a look at the Markdown: for a file that ``parse_document`` takes too long on."""
    return _plain_document(_File.decode(data, limits), problem, path=path, limits=limits)


@dataclass(frozen=True, slots=True)
class _File:
    """A decoded file: its lines without line ends, and the same with the front matter blank."""

    source: SourceText
    lines: Sequence[str]
    body: Sequence[str]
    front_matter: FrontMatter | None

    @classmethod
    def decode(cls, data: bytes, limits: ParseLimits) -> _File:
        source = SourceText.decode(data)
        lines = source.normalized_lines()
        front_matter = find_front_matter(lines, limits=limits)
        if front_matter is None:
            return cls(source, lines, lines, None)
        body = [""] * front_matter.lines.last + lines[front_matter.lines.last :]
        return cls(source, lines, body, front_matter)

    @property
    def body_start(self) -> int:
        return self.front_matter.lines.last if self.front_matter else 0


def _plain_document(file: _File, problem: Problem, *, path: str, limits: ParseLimits) -> ParsedDocument:
    blocks = ParsedBlocks(list(plain_leaves(file.body)), {})
    return _document(file, blocks, (problem,), path=path, chunk_mode=ChunkMode.WINDOW, limits=limits)


def _document(
    file: _File,
    blocks: ParsedBlocks,
    problems: tuple[Problem, ...],
    *,
    path: str,
    chunk_mode: ChunkMode,
    limits: ParseLimits,
) -> ParsedDocument:
    front_matter = file.front_matter or FrontMatter(LineRange(0, 0))
    properties = front_matter.properties
    headings, title = _headings(blocks, limits)
    cutter = SectionCutter(file.body, file.body_start, headings, blocks.leaves, limits)
    spans = cutter.spans(chunk_mode)
    characters_max = limits.passage_characters_max
    passages = section_passages(blocks.leaves, spans, file.lines, characters_max=characters_max)
    tags = document_tags(blocks.leaves, properties)
    stem = path.rpartition("/")[2].rpartition(".")[0]
    named = text_property(properties, "title", "name")
    return ParsedDocument(
        title=title or named or _first_title(headings) or stem or path or UNTITLED,
        sections=tuple(section_of(span, file.source) for span in spans),
        passages=tuple(passages),
        properties=properties if file.front_matter else None,
        front_matter_lines=front_matter.lines if file.front_matter else None,
        tags=tags,
        aliases=list_property(properties, "aliases", "alias"),
        status=text_property(properties, "status"),
        date=document_date(properties, path=path),
        links=tuple(document_links(blocks, path=path)),
        problems=(
            *(*file.source.problems, *front_matter.problems, *problems),
            *((TOO_MANY_ATTRIBUTES,) if filter_attributes(tags, properties).is_cut else ()),
        ),
    )


def _headings(blocks: ParsedBlocks, limits: ParseLimits) -> tuple[list[Heading], str]:
    """All headings with unique paths, and the title of the first one of level 1, else an empty one."""
    characters_max = limits.title_characters_max
    titled = [
        (leaf, plain_title(leaf.content, blocks=blocks, characters_max=characters_max))
        for leaf in blocks.leaves
        if leaf.kind is LeafKind.HEADING
    ]
    paths = unique_paths([(leaf.level, title.text) for leaf, title in titled])
    headings = [
        Heading(leaf.start, heading_path, leaf.level, title.anchor)
        for (leaf, title), heading_path in zip(titled, paths, strict=True)
    ]
    first = (title.text for leaf, title in titled if leaf.level == 1 and title.text != UNTITLED)
    return headings, next(first, "")


def _first_title(headings: Sequence[Heading]) -> str:
    return next((heading.path[-1] for heading in headings if heading.path[-1] != UNTITLED), "")
