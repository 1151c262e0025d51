"""What markdex calls a collection is a root here; errors come as from its REST interface.

It tells an agent ``status N: {"error": …}``, the body of the failed request, so that is what agents that know
it look for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mdmemd.errors import InvalidRequestError, NotFoundError
from mdmemd.mcp.quoting import compact_json
from mdmemd.mcp.toolsets.plain_parameters import PlainText

COLLECTION = PlainText(
    name="collection", description="Name of a collection; list_collections has them.", required=True
)

BAD_REQUEST = 400
NOT_FOUND = 404


@contextmanager
def rest_errors(collection: str) -> Iterator[None]:
    """Turns what a caller of ``collection`` can cause into markdex's form; what there is stays beside it."""
    try:
        yield
    except NotFoundError as error:
        sentence = f"there is no collection {collection!r}"
        raise NotFoundError(_body(NOT_FOUND, sentence), candidates=error.candidates) from error
    except InvalidRequestError as error:
        raise InvalidRequestError(_body(BAD_REQUEST, str(error)), candidates=error.candidates) from error


def _body(status: int, sentence: str) -> str:
    return f"status {status}: {compact_json({'error': sentence})}"


def slug(heading_path: tuple[str, ...]) -> str:
    """``guides/set-up``: lower-case letters and digits, any other run a hyphen, one segment a heading."""
    return "/".join(_segment(title) for title in heading_path)


def _segment(title: str) -> str:
    words = "".join(letter if letter.isalnum() else " " for letter in title.lower()).split()
    return "-".join(words)
