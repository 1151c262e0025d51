"""Finding the document that an agent means by a path.

A relative path is looked for in the root of the call, then from the folder that the agent works in, then in
all roots; an id in each root of the call, then in all. Roots that the agent named are the only ones looked
at. A document that was found but lacks the heading ends the search: an equal path in another root must not
answer in its place.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TypeVar

from mdmemd.errors import InvalidRequestError, NotFoundError
from mdmemd.mcp.parameters import Text
from mdmemd.mcp.scope import Scope
from mdmemd.mcp.service import Service
from mdmemd.text.section_id import parse_section_id

T = TypeVar("T")

FILE_PATH = Text(
    name="file_path",
    description="Path as an answer gave it, absolute, or its unique end.",
    required=True,
    synonyms=("path", "file", "filename", "document", "doc", "doc_path"),
)


def look_up(service: Service, path: str, *, scope: Scope, read: Callable[[str, str], T]) -> T:
    """What ``read(path, root)`` gives at the first place that has the document, else the first error."""
    first_error: NotFoundError | None = None
    for candidate, root in _places(path, scope=scope):
        try:
            return read(candidate, root)
        except NotFoundError as error:
            if _exists(service, candidate, root=root):
                raise
            first_error = first_error or error
    if first_error is None:
        raise InvalidRequestError(
            "A document is in one root: name only one.", remedy="Give one 'root', or none."
        )
    raise first_error


def _places(path: str, *, scope: Scope) -> Iterator[tuple[str, str]]:
    is_id = parse_section_id(path) is not None  # which is of one root and document, whatever is named beside
    if len(scope.roots) > 1 and scope.is_named and not is_id:
        return
    roots = scope.roots if is_id or len(scope.roots) == 1 else ()
    for root in roots or ("",):
        yield path, root
    if scope.is_named:
        return
    if scope.folder and not is_id and not os.path.isabs(path):
        yield os.path.normpath(os.path.join(scope.folder, path)), ""
    if scope.roots:
        yield path, ""


def _exists(service: Service, path: str, *, root: str) -> bool:
    try:
        service.outline(path, root=root)
    except NotFoundError:
        return False
    return True
