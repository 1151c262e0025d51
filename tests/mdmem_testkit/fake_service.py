"""An engine's facade over sections in memory, for the tests of what agents see.

It keeps the contract of ``mdmemd.mcp.service.Service`` (which errors, when) and ranks by nothing: a search
returns the sections that contain a word of the query, in the order in which they were added; of a filter it
takes the paths, as beginnings. ``calls`` records what was asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mdmemd.engine.indexing import Target
from mdmemd.engine.projects import ProjectRoots
from mdmemd.engine.report import (
    Answer,
    AnswerState,
    Coverage,
    Listing,
    ModelStatus,
    RootState,
    RootStatus,
)
from mdmemd.errors import AmbiguousError, NotFoundError
from mdmemd.model import ChunkMode, LineRange, ModelState, ParsedDocument
from mdmemd.search.page import (
    NO_FILTER,
    DocumentRow,
    Excerpt,
    Filter,
    Hit,
    Outline,
    OutlineNode,
    Question,
    SectionText,
)
from mdmemd.search.reading import Fits
from mdmemd.text.document import parse_document
from mdmemd.text.section_id import section_id

PREVIEWED = b"---\nn: 1\n---\n# A\n\nText with [b](b.md#B).\n\n## C\n\nEnd \xff.\n"
"""The file behind every preview."""

STATE = AnswerState(
    mode="hybrid",
    degraded=None,
    fresh=True,
    pending_files=0,
    documents=0,
    sections=0,
    passages=0,
    embedded=0,
    coverage=Coverage.COMPLETE,
    keyword_match="matched",
    exact_sections=0,
    took_ms=1.0,
    outstanding=None,
)

MODIFIED_AT = 1_700_000_000.0


def root_status(
    name: str, path: str, *, state: RootState = RootState.READY, documents: int = 0
) -> RootStatus:
    """A root without problems."""
    return RootStatus(
        name=name,
        path=path,
        state=state,
        documents=documents,
        sections=documents * 10,
        passages=documents * 40,
        embedded=documents * 40,
        pending_files=0,
        problems=(),
        problem_count=0,
        chunk_mode=ChunkMode.AUTO,
        detail=None,
    )


def section(
    root: str, path: str, *heading_path: str, text: str = "Text.\n", first: int = 1, part: int | None = None
) -> SectionText:
    """A section whose lines and tokens fit its text."""
    lines = LineRange(first, first + max(text.count("\n"), 1) - 1)
    section = section_id(root, path, heading_path, part=part)
    return SectionText(root, path, heading_path, part, lines, max(1, len(text) // 4), text, section)


class FakeService:
    """See the module. Change its public fields to script it."""

    def __init__(self, *sections: SectionText, roots: tuple[RootStatus, ...] = ()) -> None:
        self.sections = list(sections)
        self.root_statuses = list(roots)
        self.state = STATE
        self.model_status = ModelStatus("test-model", ModelState.READY, 384, "f00d", None)
        self.warnings: tuple[str, ...] = ()
        self.calls: list[tuple[Any, ...]] = []
        self.fresh: list[str] = []
        self.projects: dict[str, tuple[str | None, str | None]] = {}
        self.on_call: Callable[[], None] = lambda: None
        self.on_subscribe: Callable[[], None] = lambda: None
        self._listeners: list[Callable[[], None]] = []

    def search(self, question: Question, *, roots: tuple[str, ...] = (), fresh: str = "") -> Answer:
        self.fresh.append(fresh)
        self._note("search", question, roots)
        self._check_roots(roots)
        words = question.query.casefold().split()
        found = [
            item
            for item in self.sections
            if (not roots or item.root in roots) and any(word in item.text.casefold() for word in words)
        ]
        filtered_sections = None
        if question.filter.paths:
            found = [item for item in found if item.path.startswith(question.filter.paths)]
            filtered_sections = len(found)
        found = found[: question.limit]
        hits = tuple(_hit(item, rank=rank) for rank, item in enumerate(found))
        state = replace(self._state(roots), filtered_sections=filtered_sections)
        if not found:
            state = replace(state, keyword_match="no_match")
        return Answer(question.query, hits, replace(state, exact_sections=len(found)))

    def read(
        self,
        path: str,
        *,
        heading: str = "",
        root: str = "",
        part: int | None = None,
        include_subsections: bool = False,
        fresh: str = "",
    ) -> SectionText:
        self.fresh.append(fresh)
        self._note("read", path, heading, root, part, include_subsections)
        document = self._document(path, root=root)
        fitting = [
            item
            for item in document
            if heading in ("", " > ".join(item.heading_path), *item.heading_path[-1:])
        ]
        fitting = [item for item in fitting if part is None or item.part == part]
        if not fitting:
            headings = tuple(" > ".join(item.heading_path) for item in document)
            raise NotFoundError(
                f"{path} has no section {heading!r}.",
                remedy="Choose one of its headings.",
                candidates=headings,
            )
        return fitting[0]

    def read_fitting(
        self, path: str, fits: Fits, *, root: str = "", include_subsections: bool = False, fresh: str = ""
    ) -> tuple[SectionText, ...]:
        self.fresh.append(fresh)
        self._note("read_fitting", path, root, include_subsections)
        return tuple(item for item in self._document(path, root=root) if fits(item.heading_path))

    def outline(self, path: str, *, root: str = "", fresh: str = "") -> Outline:
        self.fresh.append(fresh)
        self._note("outline", path, root)
        document = self._document(path, root=root)
        nodes = tuple(
            OutlineNode(
                item.heading_path[-1] if item.heading_path else "",
                len(item.heading_path),
                item.heading_path,
                item.lines,
                item.tokens,
                1,
                section_id(item.root, item.path, item.heading_path),
                (),
            )
            for item in document
        )
        first = document[0]
        title = first.heading_path[0] if first.heading_path else first.path
        return Outline(first.root, first.path, title, sum(item.tokens for item in document), nodes)

    def preview(self, path: str, *, chunk_mode: ChunkMode | None = None) -> ParsedDocument:
        self._note("preview", path, chunk_mode)
        return parse_document(PREVIEWED, path="a.md", chunk_mode=chunk_mode or ChunkMode.AUTO)

    def documents(
        self,
        *,
        roots: tuple[str, ...] = (),
        prefix: str = "",
        where: Filter = NO_FILTER,
        fresh: str = "",
    ) -> Listing:
        self.fresh.append(fresh)
        self._note("documents", roots, prefix, *([] if where == NO_FILTER else [where]))
        self._check_roots(roots)
        rows: dict[tuple[str, str], DocumentRow] = {}
        for item in self.sections:
            if (not roots or item.root in roots) and f"{item.path}/".startswith(
                f"{prefix}/" if prefix else ""
            ):
                row = rows.get(
                    (item.root, item.path), DocumentRow(item.root, item.path, item.path, 0, 0, MODIFIED_AT)
                )
                rows[item.root, item.path] = replace(
                    row, sections=row.sections + 1, tokens=row.tokens + item.tokens
                )
        return Listing(tuple(rows[key] for key in sorted(rows)), self._state(roots))

    def headings(self, *, roots: tuple[str, ...] = ()) -> tuple[tuple[str, ...], ...]:
        self._note("headings", roots)
        self._check_roots(roots)
        found = {item.heading_path for item in self.sections if not roots or item.root in roots}
        return tuple(sorted(found - {()}))

    def roots(self) -> tuple[RootStatus, ...]:
        self._note("roots")
        return tuple(self.root_statuses)

    def model(self) -> ModelStatus:
        return self.model_status

    def messages(self) -> tuple[str, ...]:
        return self.warnings

    def known_project_roots(self, path: str) -> tuple[str, ...]:
        name, _ = self.projects.get(path, (None, None))
        names = {status.name for status in self.root_statuses}
        return (name,) if name in names or name == "*" else ()

    def project_roots(self, path: str, *, beside: str = "") -> ProjectRoots:
        """As scripted in ``projects``; a name that is not registered yet becomes a root."""
        self._note("project_roots", path, beside)
        name, reason = self.projects.get(path, (None, f"{path} holds no Markdown."))
        if name is not None and name not in {status.name for status in self.root_statuses}:
            self.root_statuses.append(root_status(name, path))
        return ProjectRoots((name,) if name is not None else (), reason)

    def index(self, name: str, *, path: str, force: bool) -> Target:
        """As the engine's ``Indexing`` tells what is meant; nothing is done."""
        self._note("index", name, path, force)
        if not name and not path:
            return Target(tuple(status.name for status in self.root_statuses))
        self._check_roots((name,) if name else ())
        for status in self.root_statuses:
            if status.name == name or f"{path}/".startswith(f"{status.path}/"):
                return Target((status.name,), path[len(status.path) + 1 :])
        raise NotFoundError(f"No root holds {path}.", remedy="See: mdmemctl root list")

    def state_changes(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Calls back on ``publish``, on the event loop of the subscriber."""
        loop = asyncio.get_running_loop()

        def listener() -> None:
            loop.call_soon_threadsafe(callback)

        self._listeners.append(listener)
        self.on_subscribe()
        return lambda: self._listeners.remove(listener)

    @property
    def listeners(self) -> int:
        """How many wait for a publication."""
        return len(self._listeners)

    def publish(self) -> None:
        """As the engine does when something has changed. Any thread."""
        for listener in tuple(self._listeners):
            listener()

    def asked(self, method: str) -> list[tuple[Any, ...]]:
        """The arguments of the calls of one method."""
        return [call[1:] for call in self.calls if call[0] == method]

    def _note(self, *call: Any) -> None:
        self.calls.append(call)
        self.on_call()

    def _check_roots(self, roots: tuple[str, ...]) -> None:
        names = tuple(status.name for status in self.root_statuses)
        for name in roots:
            if name not in names:
                raise NotFoundError(
                    f"There is no root named {name}.", remedy="Choose another.", candidates=names
                )

    def _document(self, path: str, *, root: str) -> list[SectionText]:
        self._check_roots((root,) if root else ())
        folders = {status.name: status.path for status in self.root_statuses}
        fitting = [
            item
            for item in self.sections
            if root in ("", item.root) and path in (item.path, f"{folders.get(item.root, '')}/{item.path}")
        ]
        if not fitting:
            near = tuple(sorted({item.path for item in self.sections}))[:3]
            raise NotFoundError(
                f"No document matches {path!r}.", remedy="Choose another path.", candidates=near
            )
        if len({item.root for item in fitting}) > 1:
            roots = tuple(sorted({item.root for item in fitting}))
            raise AmbiguousError(f"{path!r} is in several roots.", remedy="Name the root.", candidates=roots)
        return fitting

    def _state(self, roots: tuple[str, ...]) -> AnswerState:
        visible = [item for item in self.sections if not roots or item.root in roots]
        documents = len({(item.root, item.path) for item in visible})
        coverage = self.state.coverage if documents else Coverage.EMPTY
        return replace(self.state, documents=documents, sections=len(visible), coverage=coverage)


def _hit(item: SectionText, *, rank: int) -> Hit:
    excerpt = Excerpt(item.lines, item.text) if rank == 0 else None
    return Hit(
        item.root,
        item.path,
        item.heading_path,
        item.part,
        item.lines,
        item.tokens,
        1.0 / (rank + 1),
        excerpt,
        item.text.split("\n")[0],
    )
