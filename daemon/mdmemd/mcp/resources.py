"""Documents as MCP resources: ``mdmem://ROOT/PATH`` and ``mdmem://ROOT/PATH#HEADING``.

Invariants: an address names a document of a registered root or nothing: reading goes the way of
``read_section``, so nothing outside of the index can be read. The text is the file's own, without a frame:
a client shows a resource with its address, and whoever attaches one wants the document. It is never cut; one
that is too large is an error that says how to read a part. Names are percent-encoded, a heading is a heading
path as everywhere (``A > B``). Pure but for the service; query pool.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from mdmemd.errors import DaemonError, InvalidRequestError, NotFoundError
from mdmemd.mcp.quoting import encodable, one_line
from mdmemd.mcp.service import Service
from mdmemd.mcp.state_line import counted
from mdmemd.search.page import DocumentRow

SCHEME = "mdmem"
TEMPLATE = "mdmem://{root}/{+path}{#heading}"
MIME_TYPE = "text/markdown"
PAGE_RESOURCES_MAX = 200
TITLE_CHARACTERS_MAX = 100

TEXT_CHARACTERS_MAX = 2 * 1024 * 1024
"""At most 12 MiB of JSON, so that it fits into a frame of the wire."""


@dataclass(frozen=True, slots=True)
class Address:
    """What a resource's URI names; ``heading`` is empty for the whole document."""

    root: str
    path: str
    heading: str = ""

    @property
    def uri(self) -> str:
        """As it is written."""
        fragment = f"#{quote(encodable(self.heading))}" if self.heading else ""
        return f"{SCHEME}://{quote(self.root)}/{quote(encodable(self.path))}{fragment}"


@dataclass(frozen=True, slots=True)
class Resource:
    """One document as ``resources/list`` shows it."""

    address: Address
    title: str
    description: str


@dataclass(frozen=True, slots=True)
class ResourcePage:
    """Some resources in the order of roots and paths; ``cursor`` asks for those behind them."""

    resources: tuple[Resource, ...]
    cursor: str | None


def address_of(uri: str) -> Address:
    """Read a URI; raises ``InvalidRequestError`` where it is not one of ours."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        parts = urlsplit("")
    address = Address(unquote(parts.netloc), unquote(parts.path.removeprefix("/")), unquote(parts.fragment))
    if parts.scheme != SCHEME or not address.root or not address.path:
        raise InvalidRequestError(f"{uri!r} is no address of a document.", remedy=f"Use {TEMPLATE}.")
    return address


def page_of_resources(service: Service, roots: tuple[str, ...], *, cursor: str | None) -> ResourcePage:
    """The documents of ``roots`` (none: all), ``PAGE_RESOURCES_MAX`` at a time.

    Documents that come or go between two pages move no others: a cursor names the last one shown.
    """
    last = ("", "") if cursor is None else _last_shown(cursor)
    rows = [row for row in service.documents(roots=roots).documents if (row.root, row.path) > last]
    rows.sort(key=lambda row: (row.root, row.path))
    shown = rows[:PAGE_RESOURCES_MAX]
    following = _cursor(shown[-1]) if len(rows) > len(shown) else None
    return ResourcePage(tuple(_resource(row) for row in shown), following)


def read_resource(service: Service, uri: str) -> str:
    """The text of a document, or of one section with those below it.

    Raises ``InvalidRequestError`` for a URI that is not ours or a text that is too large, ``NotFoundError``
    and ``AmbiguousError`` as reading does.
    """
    address = address_of(uri)
    root = _root_named(service, address.root)
    section = service.read(
        address.path, heading=address.heading, root=root, include_subsections=bool(address.heading)
    )
    if len(section.text) > TEXT_CHARACTERS_MAX:
        raise InvalidRequestError(
            f"{address.path} is too large to be one resource: about {section.tokens} tokens.",
            remedy=f"Read it by heading, as {TEMPLATE} has it; get_document_outline lists the headings.",
        )
    return section.text


def _root_named(service: Service, name: str) -> str:
    """The root of that name; clients that normalise a URI have made its first part lower case."""
    names = [status.name for status in service.roots()]
    if name in names:
        return name
    folded = [known for known in names if known.casefold() == name.casefold()]
    if len(folded) == 1:
        return folded[0]
    raise NotFoundError(
        f"There is no root named {name}.",
        remedy="index_status lists the roots.",
        candidates=tuple(names[:10]),
    )


def _resource(row: DocumentRow) -> Resource:
    title = one_line(encodable(row.title))
    size = f"{counted(row.sections, 'section')}, about {row.tokens} tokens"
    return Resource(Address(row.root, row.path), title[:TITLE_CHARACTERS_MAX], size)


def _cursor(row: DocumentRow) -> str:
    place = json.dumps([row.root, row.path])
    return base64.urlsafe_b64encode(place.encode()).decode()


def _last_shown(cursor: str) -> tuple[str, str]:
    try:
        root, path = json.loads(base64.urlsafe_b64decode(cursor.encode()))
    except (ValueError, TypeError, binascii.Error) as error:
        raise _bad_cursor(cursor) from error
    if not isinstance(root, str) or not isinstance(path, str):
        raise _bad_cursor(cursor)
    return root, path


def _bad_cursor(cursor: str) -> DaemonError:
    return InvalidRequestError(
        f"{cursor[:60]!r} is no cursor of this list.", remedy="List again without a cursor."
    )
