"""Several places of documents in one call, by addresses and patterns, within one limit of bytes.

A facade beside ``Service``; called on the query pool. Invariants: each item has its text or its own error, so
that one bad address costs nobody the others; the address of an item reads just this place when it is asked
for alone; whatever a pattern matches is in the answer, with its text or as left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from mdmemd.engine.report import Listing
from mdmemd.errors import DaemonError, InvalidRequestError, NotFoundError, TooLargeError
from mdmemd.index.path_globs import is_glob
from mdmemd.search.address import Address, parse_address
from mdmemd.search.heading_patterns import compile_headings
from mdmemd.search.outline import PREAMBLE_TITLE
from mdmemd.search.page import NO_FILTER, Filter, SectionText
from mdmemd.search.reading import Fits

PLACES_MAX = 1_000
"""Documents and sections that patterns may name in one call."""

NEAREST_SHOWN = 5


class Documents(Protocol):
    """What patterns are looked up in (``Service``)."""

    def documents(
        self, *, roots: tuple[str, ...] = (), prefix: str = "", where: Filter = NO_FILTER, fresh: str = ""
    ) -> Listing:
        """The documents that a filter lets through."""

    def read_fitting(
        self, path: str, fits: Fits, *, root: str = "", include_subsections: bool = False, fresh: str = ""
    ) -> tuple[SectionText, ...]:
        """Those sections of one document whose heading paths fit."""


ReadOne = Callable[[str, str], SectionText]
"""Reads an address in a root; in an empty one wherever the caller means. Raises ``DaemonError``."""


@dataclass(frozen=True, slots=True)
class ReadItem:
    """One place: its text, or why there is none."""

    address: str
    section: SectionText | None = None
    failure: DaemonError | None = None

    @property
    def error(self) -> str | None:
        """The failure as a sentence, with its remedy and the nearest valid values."""
        if self.failure is None:
            return None
        nearest = ", ".join(repr(each) for each in self.failure.candidates[:NEAREST_SHOWN])
        return " ".join(
            part
            for part in (str(self.failure), self.failure.remedy, nearest and f"Candidates: {nearest}.")
            if part
        )


class MultiReader:
    """See the module."""

    def __init__(
        self, service: Documents, *, read_one: ReadOne, include_subsections: bool = False, fresh: str = ""
    ) -> None:
        self._service = service
        self._read_one = read_one
        self._include_subsections = include_subsections
        self._fresh = fresh

    def read(
        self, addresses: tuple[str, ...], *, roots: tuple[str, ...] = (), max_bytes: int
    ) -> tuple[ReadItem, ...]:
        """The text of each address, or of each place in ``roots`` (none: all) that a pattern matches.

        ``max_bytes`` is for all texts together, in UTF-8; one that does not fit is left out and the next may
        still fit. Raises ``InvalidRequestError`` where patterns match over ``PLACES_MAX`` places.
        """
        left = max_bytes
        items: list[ReadItem] = []
        for text in addresses:
            for item in self._found(text, roots):
                size = _size(item)
                fits = size <= left
                left -= size if fits else 0
                items.append(item if fits else ReadItem(item.address, failure=_too_large(size, left)))
                if len(items) > PLACES_MAX:
                    raise InvalidRequestError(
                        f"The patterns match over {PLACES_MAX:,} places, the most that one call reads.",
                        remedy="Narrow them.",
                    )
        return tuple(items)

    def _found(self, text: str, roots: tuple[str, ...]) -> Iterator[ReadItem]:
        """The places that one text means, each read."""
        try:
            address = parse_address(text)
        except DaemonError as error:
            yield ReadItem(text, failure=error)
            return
        if is_glob(address.path):
            yield from self._of_glob(text, address, roots)
        elif address.is_pattern:
            yield from self._of_headings(text, address)
        else:
            yield self._item(text, text)

    def _of_headings(self, text: str, address: Address) -> Iterator[ReadItem]:
        """The sections of one document that a pattern fits; a heading of just that name comes first."""
        literal = self._item(text, text)
        if not isinstance(literal.failure, NotFoundError):
            yield literal
            return
        document = self._item(address.path, address.path).section
        fitting = (
            self._of_document(document.path, document.root, address, shown=address.path)
            if document is not None
            else ()
        )
        yield from list(fitting) or [literal]

    def _of_glob(self, text: str, address: Address, roots: tuple[str, ...]) -> Iterator[ReadItem]:
        """What the address means in each document that its path fits."""
        try:
            rows = self._service.documents(
                roots=roots, where=Filter(paths=(address.path,)), fresh=self._fresh
            ).documents
        except DaemonError as error:
            # a name with brackets in it may be the end of a path, which no glob can say
            literal = self._item(text, text)
            yield literal if literal.section else ReadItem(text, failure=error)
            return
        if len(rows) > PLACES_MAX:
            raise InvalidRequestError(
                f"{address.path!r} matches {len(rows):,} documents; one call reads {PLACES_MAX:,} at most.",
                remedy="Narrow it.",
            )
        is_found = False
        several_roots = len({row.root for row in rows}) > 1
        for row in rows:
            shown = f"{row.root}/{row.path}" if several_roots else row.path
            for item in self._of_document(row.path, row.root, address, shown=shown):
                is_found = True
                yield item
        if not is_found:
            what = f"has a section {address.heading!r}" if rows else "matches"
            yield ReadItem(text, failure=NotFoundError(f"No indexed document {what}: {text!r}."))

    def _of_document(self, path: str, root: str, address: Address, *, shown: str) -> Iterator[ReadItem]:
        """What the address, a pattern, means in one document; its items are named by ``shown``."""
        if not address.heading:
            yield self._item(address.within(shown), address.within(path), root)
            return
        try:
            texts = self._service.read_fitting(
                path,
                compile_headings(address.heading),
                root=root,
                include_subsections=self._include_subsections,
                fresh=self._fresh,
            )
        except DaemonError as error:
            yield ReadItem(shown, failure=error)
            return
        for text in texts:
            heading = " > ".join(text.heading_path) or PREAMBLE_TITLE
            yield ReadItem(f"{shown}#{heading}", text)

    def _item(self, shown: str, address: str, root: str = "") -> ReadItem:
        try:
            return ReadItem(shown, self._read_one(address, root))
        except DaemonError as error:
            return ReadItem(shown, failure=error)


def _size(item: ReadItem) -> int:
    return 0 if item.section is None else len(item.section.text.encode("utf-8", "surrogatepass"))


def _too_large(size: int, left: int) -> TooLargeError:
    return TooLargeError(
        f"Left out: it has {size:,} bytes, and {left:,} were left of the limit.",
        remedy="Read it by itself, or allow more bytes.",
    )
