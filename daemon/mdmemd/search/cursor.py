"""Where the next page of an answer begins, as a text that means nothing to who carries it.

Stateless: the daemon keeps nothing for it. It holds a position in the stream of ``admission`` and a hash of
the question and of the indexes that answered, since positions mean nothing in another stream. Invariant: a
cursor of another question, or of an index that has changed since, is refused and never answered wrongly.
Pure; called on the query pool.
"""

from __future__ import annotations

import hashlib
import re

from mdmemd.errors import InvalidRequestError
from mdmemd.index.scope import Scope
from mdmemd.search.page import Question

_CURSOR = re.compile(r"(?P<position>[0-9a-f]{1,8})\.(?P<asked>[0-9a-f]{8})(?P<indexed>[0-9a-f]{8})")


def make_cursor(position: int, scope: Scope, question: Question) -> str:
    """The cursor of the page that begins at ``position``."""
    return f"{position:x}.{_asked(question)}{_indexed(scope)}"


def start_of(scope: Scope, question: Question) -> int:
    """The position at which the page for ``question`` begins.

    Raises ``InvalidRequestError`` where its cursor is none, or is not one of this question and this index.
    """
    if not question.cursor:
        return 0
    found = _CURSOR.fullmatch(question.cursor)
    if found is None:
        raise InvalidRequestError(
            "The cursor is none that an answer gave.", remedy="Pass it as it was given, or leave it out."
        )
    if found["asked"] != _asked(question):
        raise InvalidRequestError(
            "The cursor is that of another question.",
            remedy="Repeat the question, mode and filter of its page, or leave it out.",
        )
    if found["indexed"] != _indexed(scope):
        raise InvalidRequestError(
            "The index has changed since the page with this cursor, so its order no longer holds.",
            remedy="Ask again without the cursor.",
        )
    return int(found["position"], 16)


def _asked(question: Question) -> str:
    return _short_hash(repr((question.query, question.mode.value, question.filter)))


def _indexed(scope: Scope) -> str:
    return _short_hash(repr([(name, snapshot.revision) for name, snapshot in scope.roots]))


def _short_hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
