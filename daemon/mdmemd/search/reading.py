"""Reading a section, a part of one, a section with its subsections, or a whole document, verbatim.

A heading is matched in tiers, and the first tier with any match decides: the whole breadcrumb exactly, then
with the spacing around ``>`` evened out, then in any case; then the same three for the end of a breadcrumb
(``Child > Sub``, or one title). Both sides are treated alike, so that ``Step 1 -> Step 2`` and ``Result<T,
E>`` match themselves and siblings that differ only in case stay reachable. What no heading is called may be
an id (``text.section_id``). Invariants: what is returned are
the file's own lines, parts included without a seam; a file that is no longer what was indexed is reported as
stale instead. Called on the query pool.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence

from mdmemd.errors import AmbiguousError, InvalidRequestError, NotFoundError
from mdmemd.index.snapshot import RootSnapshot
from mdmemd.model import LineRange
from mdmemd.ports import FileSystem
from mdmemd.search.listing import path_parts
from mdmemd.search.locate import CANDIDATES_MAX, FoundDocument, find_document, paths_in_roots
from mdmemd.search.near_names import near_titles
from mdmemd.search.outline import PREAMBLE_TITLE, WholeSection, whole_sections
from mdmemd.search.page import SectionText, StaleFile
from mdmemd.search.quote import Quoter
from mdmemd.text.section_id import parse_section_id
from mdmemd.text.token_estimate import estimate_tokens

Fits = Callable[[tuple[str, ...]], bool]
"""Tells whether a heading path is meant."""


class Reader:
    """Finds and reads documents for people and agents."""

    def __init__(self, *, files: FileSystem) -> None:
        self._files = files

    def find(
        self, path: str, *, roots: Mapping[str, RootSnapshot], folders: Mapping[str, str]
    ) -> FoundDocument:
        """The one document that ``path`` names; errors of ``locate.find_document``."""
        return find_document(path, roots=roots, folders=folders, files=self._files)

    def places(self, path: str, *, folders: Mapping[str, str]) -> list[tuple[str, str]]:
        """Where a document that ``path`` names would lie: names of roots with root-relative paths."""
        if os.path.isabs(path):
            return list(paths_in_roots(path, folders=folders, files=self._files))
        relative = "/".join(path_parts(path))
        return [(name, relative) for name in folders]

    def is_current(self, found: FoundDocument, *, folder: str) -> bool:
        """Whether the file on disk is what was indexed; it is read only where its ``stat`` is another."""
        try:
            if (
                self._files.fingerprint(os.path.join(folder, found.document.path))
                == found.document.fingerprint
            ):
                return True
        except OSError:
            return False
        quoter = Quoter(files=self._files, folders={found.root: folder})
        return quoter.source(found.root, found.document) is not None

    def read(
        self,
        found: FoundDocument,
        *,
        folder: str,
        heading: str = "",
        part: int | None = None,
        include_subsections: bool = False,
        lines: LineRange | None = None,
    ) -> SectionText | StaleFile:
        """The section that ``heading`` names, or the whole document where that is empty; else ``lines``.

        ``folder`` is the root's. Subsections are left out where one part is asked for. Raises
        ``NotFoundError``, ``AmbiguousError``, ``InvalidRequestError``.
        """
        document = found.document
        if lines is not None:
            return self._read_lines(found, lines, folder=folder)
        sections = whole_sections(document)
        quoter = Quoter(files=self._files, folders={found.root: folder})
        if not heading.strip() and part is None:
            source = quoter.source(found.root, document)
            if source is None:
                return StaleFile(found.root, document.path)
            return _section_text(
                found,
                (),
                None,
                LineRange(1, source.line_count),
                source.slice(LineRange(1, source.line_count)),
                is_section=False,
            )
        index, part = _find(found, sections, heading, part)
        lines = _lines(sections, index, part=part, include_subsections=include_subsections)
        text = quoter.text(found.root, document, lines)
        if text is None:
            return StaleFile(found.root, document.path)
        return _section_text(found, sections[index].heading_path, part, lines, text)

    def read_fitting(
        self, found: FoundDocument, fits: Fits, *, folder: str, include_subsections: bool = False
    ) -> tuple[SectionText, ...] | StaleFile:
        """The sections whose heading paths fit (a preamble has its name), from one look at the file."""
        source = Quoter(files=self._files, folders={found.root: folder}).source(found.root, found.document)
        if source is None:
            return StaleFile(found.root, found.document.path)
        sections = whole_sections(found.document)
        texts = []
        for index, section in enumerate(sections):
            if fits(section.heading_path or (PREAMBLE_TITLE,)):
                lines = _lines(sections, index, part=None, include_subsections=include_subsections)
                texts.append(_section_text(found, section.heading_path, None, lines, source.slice(lines)))
        return tuple(texts)

    def _read_lines(self, found: FoundDocument, lines: LineRange, *, folder: str) -> SectionText | StaleFile:
        source = Quoter(files=self._files, folders={found.root: folder}).source(found.root, found.document)
        if source is None:
            return StaleFile(found.root, found.document.path)
        if lines.first > source.line_count:
            raise NotFoundError(
                f"{found.document.path} has {source.line_count} lines and no line {lines.first}.",
                remedy="Ask for lines that it has.",
            )
        lines = LineRange(lines.first, min(lines.last, source.line_count))
        return _section_text(found, (), None, lines, source.slice(lines), is_section=False)


def sections_named(found: FoundDocument, heading: str) -> range:
    """Positions of the sections, parts each for itself, that ``heading`` names; all where it is empty.

    Raises ``NotFoundError``, ``AmbiguousError``.
    """
    if not heading.strip():
        return range(len(found.document.sections))
    wholes = whole_sections(found.document)
    index, _ = _find(found, wholes, heading, None)
    first = sum(len(whole.parts) for whole in wholes[:index])
    return range(first, first + len(wholes[index].parts))


_PART = re.compile(r"^(?P<base>.*\S)\s*\(Part (?P<part>[0-9]{1,6})\)$", re.DOTALL)
_ARROW = re.compile(r"\s*>\s*")


def _find(
    found: FoundDocument, sections: Sequence[WholeSection], heading: str, part: int | None
) -> tuple[int, int | None]:
    """Index of the section, and the part, that are meant; ``X (Part n)`` and ``^ID.n`` name a part."""
    if not heading.strip():
        if len(sections) != 1:
            raise InvalidRequestError(
                "A part is of a section.", remedy="Name the heading that was cut into parts."
            )
        return 0, _existing_part(sections[0], part)
    path = found.document.path
    breadcrumbs = [_breadcrumb(section) for section in sections]
    matches = match_heading(breadcrumbs, heading)
    named = _PART.match(heading)
    if not matches and named and part is None:
        part = int(named["part"])
        matches = match_heading(breadcrumbs, named["base"])
    asked_id = parse_section_id(heading.strip())
    if not matches and asked_id is not None:
        ids = [found.id_of(section.heading_path) for section in sections]
        matches = [index for index, each in enumerate(ids) if each == asked_id.name]
        part = part or asked_id.part
    if len(matches) == 1:
        return matches[0], _existing_part(sections[matches[0]], part)
    if matches:
        raise AmbiguousError(
            f"{heading!r} fits {len(matches)} sections of {path}.",
            remedy="Give the whole breadcrumb.",
            candidates=tuple(breadcrumbs[index] for index in matches[:CANDIDATES_MAX]),
        )
    if asked_id is not None:
        raise NotFoundError(
            f"{path} has no section with the id {asked_id.name}: its heading was changed or removed.",
            remedy="Take one of its present sections.",
            candidates=tuple(breadcrumbs[:CANDIDATES_MAX]),
        )
    raise NotFoundError(
        f"{path} has no section {heading!r}.",
        remedy="Name one of its headings; an outline lists them all.",
        candidates=tuple(dict.fromkeys((*near_titles(heading, breadcrumbs), *breadcrumbs)))[:CANDIDATES_MAX],
    )


def match_heading(breadcrumbs: Sequence[str], heading: str) -> list[int]:
    """Indexes of the breadcrumbs that ``heading`` names by the tiers of the module, if any."""
    tiers: tuple[Callable[[str], str], ...] = (str, _even, lambda text: _even(text).casefold())
    for is_whole in (True, False):
        for treated in tiers:
            wanted = treated(heading)
            found = [
                index
                for index, breadcrumb in enumerate(map(treated, breadcrumbs))
                if breadcrumb == wanted or (not is_whole and breadcrumb.endswith(f" > {wanted}"))
            ]
            if found and wanted:
                return found
    return []


def _even(breadcrumb: str) -> str:
    return _ARROW.sub(" > ", " ".join(breadcrumb.split()))


def _breadcrumb(section: WholeSection) -> str:
    return " > ".join(section.heading_path) or PREAMBLE_TITLE


def _existing_part(section: WholeSection, part: int | None) -> int | None:
    numbers = [record.part for record in section.parts]
    if part is None or part in numbers:
        return part
    known = tuple(str(number) for number in numbers if number is not None)
    raise NotFoundError(
        f"{_breadcrumb(section)!r} has no part {part}.",
        remedy="Leave the part out to read all of it.",
        candidates=known[:CANDIDATES_MAX],
    )


def _lines(
    sections: Sequence[WholeSection], index: int, *, part: int | None, include_subsections: bool
) -> LineRange:
    section = sections[index]
    if part is not None:
        return next(record.lines for record in section.parts if record.part == part)
    last = index
    if include_subsections and section.level:
        while last + 1 < len(sections) and sections[last + 1].level > section.level:
            last += 1
    return LineRange(section.lines.first, sections[last].lines.last)


def _section_text(
    found: FoundDocument,
    heading_path: tuple[str, ...],
    part: int | None,
    lines: LineRange,
    text: str,
    *,
    is_section: bool = True,
) -> SectionText:
    return SectionText(
        root=found.root,
        path=found.document.path,
        heading_path=heading_path,
        part=part,
        lines=lines,
        tokens=estimate_tokens(text),
        text=text,
        id=found.id_of(heading_path, part=part) if is_section else None,
    )
