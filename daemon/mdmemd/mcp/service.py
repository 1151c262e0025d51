"""What the tools need of the engine and of the query pool: the outside of this package as Protocols.

Invariants: every method of ``Service`` is synchronous, thread-safe, called on the query pool and raises only
``mdmemd.errors`` types for what a user can cause; ``RunBlocking`` is the only way from the event loop to that
pool. ``mdmemd.engine.service.Service`` fits; tests bring a fake.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from mdmemd.engine.indexing import Target
from mdmemd.engine.projects import ProjectRoots
from mdmemd.engine.report import Answer, Listing, ModelStatus, RootStatus
from mdmemd.search.page import NO_FILTER, Filter, Outline, Question, SectionText
from mdmemd.search.reading import Fits

T = TypeVar("T")

StateChanges = Callable[[Callable[[], None]], Callable[[], None]]
"""Calls back on the event loop after each publication of the engine; returns how to end that."""


class Service(Protocol):
    """The engine's facade, as far as agents may use it."""

    def search(self, question: Question, *, roots: tuple[str, ...] = (), fresh: str = "") -> Answer:
        """Answer one question from ``roots`` (none: all of them).

        ``fresh`` says how long to wait for changes on disk, here and below (``engine.patience``).
        """

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
        """One section verbatim, or a whole document where ``heading`` is empty."""

    def read_fitting(
        self, path: str, fits: Fits, *, root: str = "", include_subsections: bool = False, fresh: str = ""
    ) -> tuple[SectionText, ...]:
        """Those sections of one document whose heading paths fit."""

    def outline(self, path: str, *, root: str = "", fresh: str = "") -> Outline:
        """The heading tree of one document."""

    def documents(
        self,
        *,
        roots: tuple[str, ...] = (),
        prefix: str = "",
        where: Filter = NO_FILTER,
        fresh: str = "",
    ) -> Listing:
        """The documents of ``roots`` (none: all of them) below the folder ``prefix``, filtered."""

    def headings(self, *, roots: tuple[str, ...] = ()) -> tuple[tuple[str, ...], ...]:
        """The heading paths of ``roots`` (none: all of them), each once, sorted."""

    def roots(self) -> tuple[RootStatus, ...]:
        """Every registered root."""

    def model(self) -> ModelStatus:
        """The embedding model."""

    def messages(self) -> tuple[str, ...]:
        """Warnings that a person should see."""

    def known_project_roots(self, path: str) -> tuple[str, ...]:
        """The roots that serve the folder ``path`` already; ``*`` among them means all."""

    def project_roots(self, path: str, *, beside: str = "") -> ProjectRoots:
        """The roots that serve the folder ``path``, registered on first use; else none and the reason.

        ``beside`` is the folder of the session, which ``path`` may be another work tree of.
        """


class Indexing(Protocol):
    """What brings indexes up to date (``mdmemd.engine.indexing.Indexing``). Query pool."""

    def index(self, name: str, *, path: str, force: bool) -> Target:
        """Begin with the root ``name``, else with what is at the absolute ``path`` (neither: all)."""


class RunBlocking(Protocol):
    """Runs a synchronous function on the query pool and gives its result on the event loop."""

    def __call__(self, function: Callable[[], T], /) -> Awaitable[T]:
        """Start ``function``; the result awaits its value or raises what it raised."""
