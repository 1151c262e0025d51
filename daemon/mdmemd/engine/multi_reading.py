"""Several places of documents in one call, within one limit of bytes.

A facade beside ``Service``; called on the query pool. Invariant: each item has its text or its own sentence
why not, so that one bad address costs nobody the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mdmemd.engine.service import Service
from mdmemd.errors import DaemonError, InvalidRequestError
from mdmemd.search.address import is_glob
from mdmemd.search.page import Filter, SectionText

DOCUMENTS_MAX = 1_000
"""Documents that globs may name in one call."""


@dataclass(frozen=True, slots=True)
class ReadItem:
    """One place: its text, or why there is none (``error``, a sentence with its remedy)."""

    address: str
    section: SectionText | None = None
    error: str | None = None


class MultiReader:
    """See the module."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def read(
        self,
        addresses: tuple[str, ...],
        *,
        root: str = "",
        include_subsections: bool = False,
        max_bytes: int,
        fresh: str = "",
    ) -> tuple[ReadItem, ...]:
        """The text of each address or, for a glob, of each document that it matches.

        ``max_bytes`` is for all texts together, in UTF-8; one that does not fit is left out and the next may
        still fit. Raises ``InvalidRequestError`` where globs match over ``DOCUMENTS_MAX`` documents.
        """
        found: list[ReadItem] = []
        left = max_bytes
        for address, asked_root, error in self._places(addresses, root, fresh):
            if error is not None:
                found.append(ReadItem(address, error=error))
                continue
            item = self._item(address, asked_root, include_subsections, fresh, left)
            found.append(item)
            left -= _size(item.section) if item.section is not None else 0
        return tuple(found)

    def _places(
        self, addresses: tuple[str, ...], root: str, fresh: str
    ) -> Iterator[tuple[str, str, str | None]]:
        """Each address with its root, globs as the documents that they match; or what is wrong with it."""
        matched = 0
        for address in addresses:
            if not is_glob(address):
                yield address, root, None
                continue
            try:
                rows = self._service.documents(
                    roots=(root,) if root else (), where=Filter(paths=(address,)), fresh=fresh
                ).documents
            except DaemonError as error:
                yield address, root, _sentence(error)
                continue
            matched += len(rows)
            if matched > DOCUMENTS_MAX:
                raise InvalidRequestError(
                    f"The globs match {matched:,} documents; at most {DOCUMENTS_MAX:,} are read in one call.",
                    remedy="Name fewer of them.",
                )
            for row in rows:
                yield row.path, row.root, None
            if not rows:
                yield address, root, "No indexed document matches it."

    def _item(
        self, address: str, root: str, include_subsections: bool, fresh: str, bytes_left: int
    ) -> ReadItem:
        try:
            section = self._service.read(
                address, root=root, include_subsections=include_subsections, fresh=fresh
            )
        except DaemonError as error:
            return ReadItem(address, error=_sentence(error))
        size = _size(section)
        if size > bytes_left:
            return ReadItem(
                address, error=f"Left out: it has {size:,} bytes, and {bytes_left:,} were left of the limit."
            )
        return ReadItem(address, section)


def _size(section: SectionText) -> int:
    return len(section.text.encode("utf-8", "surrogatepass"))


def _sentence(error: DaemonError) -> str:
    return f"{error} {error.remedy}".strip()
