"""The facade of the daemon: what every surface (RPC, MCP) calls.

Invariants: each method answers from one published state, and an answer tells the state that it really stands
on. Methods are synchronous, thread-safe, run on the query pool, and raise only ``mdmemd.errors`` types for
what a caller can cause. Holds no lock; changes nothing but through ``Roots`` and the writer's inbox.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from mdmemd.engine.freshness import CaughtUp, Freshness
from mdmemd.engine.on_demand import OnDemandVectors
from mdmemd.engine.preview import Previewer
from mdmemd.engine.projects import ProjectRoots, Projects
from mdmemd.engine.question_log import QuestionLog
from mdmemd.engine.report import Answer, AnswerState, Coverage, Listing, ModelStatus, RootStatus
from mdmemd.engine.root_options import NO_OPTIONS, RootOptions
from mdmemd.engine.root_status import root_status
from mdmemd.engine.roots import Roots
from mdmemd.engine.state import Published, RootView
from mdmemd.errors import InvalidRequestError, NotFoundError
from mdmemd.index.filters import DocumentFilter
from mdmemd.index.scope import Scope
from mdmemd.index.snapshot import RootSnapshot
from mdmemd.model import ChunkMode, ModelState, ParsedDocument, RootSpec, SearchMode
from mdmemd.ports import Clock
from mdmemd.search.address import parse_address
from mdmemd.search.filtering import FilterResolver
from mdmemd.search.headings import heading_paths
from mdmemd.search.listing import list_documents
from mdmemd.search.locate import FoundDocument
from mdmemd.search.outline import outline
from mdmemd.search.page import (
    NO_FILTER,
    Filter,
    KeywordMatch,
    Outline,
    Page,
    Question,
    SectionText,
    StaleFile,
)
from mdmemd.search.reading import Fits, Reader
from mdmemd.search.searcher import Searcher

LIMIT_MAX = 50

T = TypeVar("T")


class Service:
    """Answers questions and changes the list of roots."""

    def __init__(
        self,
        *,
        roots: Roots,
        projects: Projects,
        freshness: Freshness,
        searcher: Searcher,
        filters: FilterResolver,
        reader: Reader,
        previewer: Previewer,
        asked: QuestionLog,
        on_demand: OnDemandVectors,
        model: Callable[[], ModelStatus],
        clock: Clock,
        empty: RootSnapshot,
        messages: Sequence[Callable[[], str | None]],
    ) -> None:
        self._roots = roots
        self._projects = projects
        self._freshness = freshness
        self._searcher = searcher
        self._filters = filters
        self._reader = reader
        self._previewer = previewer
        self._asked = asked
        self._on_demand = on_demand
        self._model = model
        self._clock = clock
        self._empty = empty
        self._messages = messages

    # --- questions ------------------------------------------------------------------------------------------

    def search(self, question: Question, *, roots: tuple[str, ...] = (), fresh: str = "") -> Answer:
        """Answer one question from ``roots``, named or given by their folder (none: all of them).

        ``fresh`` says how long to wait for changes on disk (``patience``).
        """
        answer = self.answer(question, roots=roots, fresh=fresh)
        if not question.cursor:
            self._asked.add(question.query)
        return answer

    def answer(self, question: Question, *, roots: tuple[str, ...] = (), fresh: str = "") -> Answer:
        """As ``search``, but the question is not kept as one of the user's."""
        started = self._clock.monotonic()
        if not 1 <= question.limit <= LIMIT_MAX:
            raise InvalidRequestError(
                f"The limit is {question.limit}.", remedy=f"It takes a number from 1 to {LIMIT_MAX}."
            )
        patience = self._freshness.patience(fresh)
        names = self._roots.names(roots)
        caught_up = self._freshness.catch_up(names, patience)
        views = self._views(names, caught_up.published)
        if self._on_demand.embed(views, question, lambda: self._scope(views, question, caught_up)):
            views = self._views(names, self._freshness.current())
        page = self._ask(views, question, caught_up)
        if page.stale:
            # What was quoted had changed between the look and the quote, or while the budget ran out.
            caught_up = self._freshness.reread(page.stale, patience, caught_up)
            views = self._views(names, caught_up.published)
            page = self._ask(views, question, caught_up)
        outstanding = self._freshness.outstanding(views, caught_up)
        if page.stale:
            changing = f"{len(page.stale)} files differ from what was indexed and were left out"
            outstanding = f"{outstanding}; {changing}" if outstanding else changing
        return Answer(
            query=question.query,
            hits=page.hits,
            state=self._state(views, page, outstanding, started),
            cursor=page.cursor,
            near_misses=page.near_misses,
            did_you_mean=page.did_you_mean,
        )

    def scope(self, roots: tuple[str, ...] = ()) -> tuple[Scope, dict[str, str]]:
        """What a question to ``roots`` would search now, and the absolute folder of each root."""
        names = self._roots.names(roots)
        views = self._views(names, self._freshness.catch_up(names, self._freshness.patience("")).published)
        return Scope([(name, view.snapshot) for name, view in views.items()]), _folders(views)

    def _ask(self, views: Mapping[str, RootView], question: Question, caught_up: CaughtUp) -> Page:
        scope = self._scope(views, question, caught_up)
        vectors_by = {view.vectors_by for view in views.values() if view.snapshot.embedded}
        return self._searcher.search(scope, question, folders=_folders(views), vectors_by=vectors_by)

    def _scope(self, views: Mapping[str, RootView], question: Question, caught_up: CaughtUp) -> Scope:
        filters = self._resolved(views, question.filter, caught_up)
        return Scope([(name, view.snapshot) for name, view in views.items()], filters=filters)

    def _resolved(
        self, views: Mapping[str, RootView], asked: Filter, caught_up: CaughtUp
    ) -> dict[str, DocumentFilter]:
        """The filter of each root; a name that is unknown may belong to what is not indexed yet."""
        try:
            return self._filters.resolve(asked, roots=_snapshots(views), folders=_folders(views))
        except NotFoundError as error:
            raise _perhaps_not_yet(error, self._freshness.outstanding(views, caught_up)) from error

    # --- documents ------------------------------------------------------------------------------------------

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
        """One section verbatim, or the whole document where ``heading`` is empty.

        ``path`` may be an address (``search.address``): then there is no ``heading`` beside it, nor a
        ``part`` beside lines.
        """
        address = parse_address(path)
        if (heading and (address.heading or address.lines)) or (part is not None and address.lines):
            raise InvalidRequestError(
                f"{path!r} names a place in the document itself.", remedy="Leave out heading and part."
            )

        def read(found: FoundDocument, view: RootView) -> SectionText | StaleFile:
            return self._reader.read(
                found,
                folder=view.spec.path,
                heading=heading or address.heading,
                part=part,
                include_subsections=include_subsections,
                lines=address.lines,
            )

        return self._of_document(address.path, root, read, fresh=fresh)

    def read_fitting(
        self, path: str, fits: Fits, *, root: str = "", include_subsections: bool = False, fresh: str = ""
    ) -> tuple[SectionText, ...]:
        """Those sections of one document whose heading paths fit (``Reader.read_fitting``)."""

        def read(found: FoundDocument, view: RootView) -> tuple[SectionText, ...] | StaleFile:
            return self._reader.read_fitting(
                found, fits, folder=view.spec.path, include_subsections=include_subsections
            )

        return self._of_document(path, root, read, fresh=fresh)

    def outline(self, path: str, *, root: str = "", fresh: str = "") -> Outline:
        """The heading tree of one document."""

        def make(found: FoundDocument, view: RootView) -> Outline | StaleFile:
            if self._reader.is_current(found, folder=view.spec.path):
                return outline(found.root, found.document)
            return StaleFile(found.root, found.document.path)

        return self._of_document(parse_address(path).path, root, make, fresh=fresh)

    def _of_document(
        self, path: str, root: str, make: Callable[[FoundDocument, RootView], T | StaleFile], *, fresh: str
    ) -> T:
        """What ``make`` makes of the document that ``path`` names, as the file is on disk now.

        A file that differs from the index, or that may have been made since the last walk, is read first.
        """
        patience = self._freshness.patience(fresh)
        names = self._roots.names((root,) if root else ())
        caught_up = self._freshness.catch_up(names, patience)
        for is_last in (False, True):
            views = self._views(names, caught_up.published)
            try:
                found = self._reader.find(path, roots=_snapshots(views), folders=_folders(views))
            except NotFoundError as error:
                outstanding = self._freshness.outstanding(views, caught_up)
                if outstanding is None:
                    raise
                if is_last:
                    raise _perhaps_not_yet(error, outstanding) from error
                places = self._reader.places(path, folders=_folders(views))
                wanted = [StaleFile(name, relative) for name, relative in places]
            else:
                made = make(found, views[found.root])
                if not isinstance(made, StaleFile):
                    return made
                wanted = [made]
            caught_up = self._freshness.reread(wanted, patience, caught_up)
        raise NotFoundError(
            f"{path} differs from what was indexed and could not be read again in time.",
            remedy="Ask again in a moment.",
        )

    def preview(self, path: str, *, chunk_mode: ChunkMode | None = None) -> ParsedDocument:
        """Any file as it would be indexed, by its absolute path; the index is neither asked nor changed."""
        return self._previewer.preview(path, chunk_mode=chunk_mode, roots=self._roots.specs())

    def documents(
        self,
        *,
        roots: tuple[str, ...] = (),
        prefix: str = "",
        where: Filter = NO_FILTER,
        fresh: str = "",
    ) -> Listing:
        """The documents of ``roots`` (none: all of them) below the folder ``prefix``, filtered."""
        started = self._clock.monotonic()
        names = self._roots.names(roots)
        caught_up = self._freshness.catch_up(names, self._freshness.patience(fresh))
        views = self._views(names, caught_up.published)
        filters = self._resolved(views, where, caught_up)
        rows = list_documents(_snapshots(views), prefix=prefix, filters=filters)
        outstanding = self._freshness.outstanding(views, caught_up)
        filtered_sections = sum(row.sections for row in rows) if filters else None
        page = Page(
            (), SearchMode.KEYWORD, None, KeywordMatch.NO_TERMS, 0, filtered_sections=filtered_sections
        )
        return Listing(documents=rows, state=self._state(views, page, outstanding, started))

    def headings(self, *, roots: tuple[str, ...] = ()) -> tuple[tuple[str, ...], ...]:
        """The heading paths of ``roots`` (none: all of them), each once, sorted."""
        names = self._roots.names(roots)
        published = self._freshness.catch_up(names, self._freshness.patience("")).published
        return heading_paths(_snapshots(self._views(names, published)).values())

    # --- roots ----------------------------------------------------------------------------------------------

    def roots(self) -> tuple[RootStatus, ...]:
        """Every registered root by name."""
        model = self._model()
        return tuple(root_status(view, model) for _, view in sorted(self._all_views().items()))

    def root_view(self, name: str) -> RootView:
        """One root at this moment; ``NotFoundError`` where there is none of that name."""
        (found,) = self._roots.names((name,))
        return self._view(self._roots.specs()[found], self._freshness.current())

    def fresh_view(self, name: str) -> RootView:
        """The same, brought up to the disk within the budget of a question."""
        names = self._roots.names((name,))
        return self._views(names, self._freshness.catch_up(names, self._freshness.patience("")).published)[
            names[0]
        ]

    def add_root(
        self, path: str, *, name: str = "", options: RootOptions = NO_OPTIONS
    ) -> tuple[RootStatus, bool]:
        """Register a folder; durable when it returns. Also tells whether it is new."""
        spec, created = self._roots.add(path, name=name, options=options)
        return root_status(self._view(spec, self._freshness.current()), self._model()), created

    def remove_root(self, name: str) -> None:
        """Forget a root; its files are not touched."""
        self._roots.remove(name)

    def known_project_roots(self, path: str) -> tuple[str, ...]:
        """The same as far as they exist already; registers nothing."""
        return self._projects.known_roots_of(path)

    def project_roots(self, path: str, *, beside: str = "") -> ProjectRoots:
        """The roots that serve the project folder ``path``, registered on first use (``Projects``)."""
        return self._projects.roots_of(path, beside=beside)

    # --- the daemon -----------------------------------------------------------------------------------------

    def model(self) -> ModelStatus:
        """The embedding model."""
        return self._model()

    def messages(self) -> tuple[str, ...]:
        """Warnings that a person should see."""
        return tuple(message for ask in self._messages if (message := ask()) is not None)

    # --- which roots ----------------------------------------------------------------------------------------

    def _all_views(self) -> dict[str, RootView]:
        """Every registered root as it stands."""
        return self._views(tuple(self._roots.specs()), self._freshness.current())

    def _views(self, names: Sequence[str], published: Published) -> dict[str, RootView]:
        specs = self._roots.specs()
        return {name: self._view(specs[name], published) for name in names if name in specs}

    def _view(self, spec: RootSpec, published: Published) -> RootView:
        """The published view of a root; an empty one where the writer has not begun with it yet."""
        view = published.roots.get(spec.name)
        return view if view is not None and view.spec.path == spec.path else RootView(spec, self._empty)

    def _state(
        self, views: Mapping[str, RootView], page: Page, outstanding: str | None, started: float
    ) -> AnswerState:
        snapshots = [view.snapshot for view in views.values()]
        documents = sum(snapshot.documents for snapshot in snapshots)
        is_partial = any(
            not view.scanned or view.pending_files or view.awaited_vectors for view in views.values()
        )
        complete = Coverage.COMPLETE if documents else Coverage.EMPTY
        return AnswerState(
            mode=page.mode.value,
            degraded=self._degraded(page),
            fresh=outstanding is None,
            pending_files=sum(view.pending_files for view in views.values()),
            documents=documents,
            sections=sum(snapshot.sections for snapshot in snapshots),
            passages=sum(snapshot.passages for snapshot in snapshots),
            embedded=sum(snapshot.embedded for snapshot in snapshots),
            coverage=Coverage.PARTIAL if is_partial else complete,
            keyword_match=page.keyword_match.value,
            exact_sections=page.exact_sections,
            took_ms=1000 * (self._clock.monotonic() - started),
            outstanding=outstanding,
            filtered_sections=page.filtered_sections,
            exact_files=page.exact_files,
        )

    def _degraded(self, page: Page) -> str | None:
        """Why the page is less than was asked for. A model that failed is the root of any other reason."""
        model = self._model()
        if page.degraded is not None and model.state is ModelState.FAILED:
            return f"keyword only: {model.detail}"
        return page.degraded


def _folders(views: Mapping[str, RootView]) -> dict[str, str]:
    return {name: view.spec.path for name, view in views.items()}


def _snapshots(views: Mapping[str, RootView]) -> dict[str, RootSnapshot]:
    return {name: view.snapshot for name, view in views.items()}


def _perhaps_not_yet(error: NotFoundError, outstanding: str | None) -> NotFoundError:
    """The error, which says where it may be one only because not everything is indexed."""
    if outstanding is None:
        return error
    return NotFoundError(
        f"{error} Not everything is indexed: {outstanding}.",
        remedy=error.remedy,
        candidates=error.candidates,
    )
