"""The heading tree of a document, with the parts of one section as one node.

Invariants: nodes are in document order; a node's ``lines`` and ``tokens`` span its own text in all its parts,
not its children; the preamble is a first node of level 0 named ``PREAMBLE_TITLE``, which ``reading`` accepts
as a heading. Pure; called on the query pool.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from mdmemd.index.snapshot import DocumentRecord, SectionRecord
from mdmemd.model import LineRange
from mdmemd.search.page import Outline, OutlineNode
from mdmemd.text.section_id import section_id

PREAMBLE_TITLE = "(preamble)"
"""How the text before the first heading is called in an outline and asked for in a read."""


@dataclass(frozen=True, slots=True)
class WholeSection:
    """A section with all its parts: records in order, and the lines and tokens that they span."""

    heading_path: tuple[str, ...]
    level: int
    parts: tuple[SectionRecord, ...]
    lines: LineRange
    tokens: int

    @property
    def title(self) -> str:
        """Its own heading, ``PREAMBLE_TITLE`` where it has none."""
        return self.heading_path[-1] if self.heading_path else PREAMBLE_TITLE


def whole_sections(document: DocumentRecord) -> tuple[WholeSection, ...]:
    """The document's sections in order, parts of one section taken together."""
    groups: list[list[SectionRecord]] = []
    for record in document.sections:
        is_continued = bool(groups) and record.part is not None and record.part > 1
        if is_continued and groups[-1][0].heading_path == record.heading_path:
            groups[-1].append(record)
        else:
            groups.append([record])
    return tuple(_whole(group) for group in groups)


def outline(root: str, document: DocumentRecord) -> Outline:
    """The heading tree of one document of the root named ``root``."""
    sections = whole_sections(document)
    nodes, _ = _children(sections, 0, above=-1, identify=partial(section_id, root, document.path))
    return Outline(
        root=root,
        path=document.path,
        title=document.title,
        tokens=sum(section.tokens for section in sections),
        nodes=tuple(nodes),
    )


def _whole(group: list[SectionRecord]) -> WholeSection:
    head = group[0]
    return WholeSection(
        heading_path=head.heading_path,
        level=head.level,
        parts=tuple(group),
        lines=LineRange(head.lines.first, group[-1].lines.last),
        tokens=sum(record.tokens for record in group),
    )


def _children(
    sections: tuple[WholeSection, ...],
    at: int,
    *,
    above: int,
    identify: Callable[[tuple[str, ...]], str],
) -> tuple[list[OutlineNode], int]:
    """Nodes from index ``at`` on that are deeper than the level ``above``, and the index after them."""
    nodes: list[OutlineNode] = []
    while at < len(sections) and sections[at].level > above:
        section = sections[at]
        # The preamble has level 0 but owns no children: what follows it are its siblings.
        deeper = (
            _children(sections, at + 1, above=section.level, identify=identify) if section.level else None
        )
        children, at = deeper or ([], at + 1)
        nodes.append(
            OutlineNode(
                title=section.title,
                level=section.level,
                heading_path=section.heading_path,
                lines=section.lines,
                tokens=section.tokens,
                parts=len(section.parts),
                id=identify(section.heading_path),
                children=tuple(children),
            )
        )
    return nodes, at
