"""Questions and documents, as methods of the client.

One thread at a time; errors are ``mdmem.errors``.
"""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.errors import InvalidRequestError
from mdmem.link.line import Line
from mdmem_proto import messages
from mdmem_proto.limits import QUERY_CHARACTERS_MAX

PREVIEW_SECONDS = 180.0
"""Longest wait for a preview: a hostile file gets 15 s of processor time, and as much again as plain text."""


class QuestionRequests(Line):
    """See the module."""

    def search(
        self,
        query: str,
        *,
        roots: Sequence[str] = (),
        limit: int = 5,
        mode: messages.Mode = "hybrid",
        where: messages.Filter | None = None,
        fresh: str = "",
        max_tokens: int = 0,
        expand: bool = False,
        cursor: str = "",
        explain: bool = False,
    ) -> messages.SearchResult:
        """The best sections for a question, best first; no ``roots`` means all. ``limit`` is 1 to 50.

        ``fresh`` says how long to wait for changes on disk: empty for the daemon's budget, ``off``, ``wait``
        or ``wait=SECONDS``. ``max_tokens``, ``expand``, ``cursor`` and ``explain`` as in
        ``messages.SearchParams``.

        Raises:
            InvalidRequestError: the question is empty or too long, the cursor is of another one, or the
                index has changed since.
            NotFoundError: a root or a name in the filter does not exist; ``candidates`` are the nearest.
        """
        params = messages.SearchParams(
            query=_within_limit(query),
            roots=tuple(roots),
            limit=limit,
            mode=mode,
            fresh=fresh,
            filter=where,
            max_tokens=max_tokens,
            expand=expand,
            cursor=cursor,
            explain=explain,
        )
        return self._call("search", params, messages.SearchResult, timeout_seconds=self._patience(fresh))

    def why_query(
        self,
        query: str,
        path: str,
        *,
        heading: str = "",
        roots: Sequence[str] = (),
        limit: int = 5,
        mode: messages.Mode = "hybrid",
        where: messages.Filter | None = None,
    ) -> messages.WhyQueryResult:
        """Where the best section of a document stands among the answers to ``query``, and why.

        Raises:
            InvalidRequestError: the question is empty or too long.
            NotFoundError: no such file, heading or root.
        """
        params = messages.WhyQueryParams(
            query=_within_limit(query),
            path=path,
            heading=heading,
            roots=tuple(roots),
            limit=limit,
            mode=mode,
            filter=where,
        )
        return self._call("why.query", params, messages.WhyQueryResult)

    def read(
        self,
        path: str,
        *,
        heading: str = "",
        root: str = "",
        part: int | None = None,
        include_subsections: bool = False,
        fresh: str = "",
    ) -> messages.ReadResult:
        """One section verbatim, or the whole file without ``heading``; ``fresh`` as in ``search``.

        ``path`` may say it all: ``PATH#HEADING``, ``PATH:10-40``, or the ``id`` of a section.

        Raises:
            NotFoundError: no such document or section, or several; ``candidates`` lists what there is.
        """
        params = messages.ReadParams(
            path=path,
            heading=heading,
            root=root,
            part=part,
            include_subsections=include_subsections,
            fresh=fresh,
        )
        return self._call("read", params, messages.ReadResult, timeout_seconds=self._patience(fresh))

    def read_many(
        self,
        addresses: Sequence[str],
        *,
        root: str = "",
        include_subsections: bool = False,
        max_bytes: int = 262_144,
        fresh: str = "",
    ) -> messages.ReadManyResult:
        """Each place that ``addresses`` name, ``max_bytes`` for all texts together.

        An address is ``PATH``, ``PATH#HEADING``, ``PATH:10-40``, ``^ID`` or a pattern, as in
        ``messages.ReadManyParams``. One that cannot be read costs only its own text: its item has the
        sentence why.
        """
        params = messages.ReadManyParams(
            addresses=tuple(addresses),
            root=root,
            include_subsections=include_subsections,
            max_bytes=max_bytes,
            fresh=fresh,
        )
        return self._call("read.many", params, messages.ReadManyResult, timeout_seconds=self._patience(fresh))

    def outline(self, path: str, *, root: str = "", fresh: str = "") -> messages.OutlineResult:
        """The heading tree of one document; raises ``NotFoundError`` like ``read``."""
        params = messages.OutlineParams(path=path, root=root, fresh=fresh)
        return self._call("outline", params, messages.OutlineResult, timeout_seconds=self._patience(fresh))

    def preview(self, path: str, *, chunk_mode: messages.ChunkMode | None = None) -> messages.PreviewResult:
        """Any readable file, by its absolute path, as it would be indexed; nothing is indexed.

        Raises:
            NotFoundError: there is no such file.
            RefusedError: it is no plain file, larger than what is indexed, or not readable.
        """
        params = messages.PreviewParams(path=path, chunk_mode=chunk_mode)
        return self._call("preview", params, messages.PreviewResult, timeout_seconds=PREVIEW_SECONDS)

    def list_documents(
        self,
        *,
        roots: Sequence[str] = (),
        prefix: str = "",
        where: messages.Filter | None = None,
        fresh: str = "",
    ) -> messages.ListResult:
        """The documents in path order; ``prefix`` is a folder or file relative to the root."""
        params = messages.ListParams(roots=tuple(roots), prefix=prefix, fresh=fresh, filter=where)
        return self._call("list", params, messages.ListResult, timeout_seconds=self._patience(fresh))


def _within_limit(query: str) -> str:
    """The question, which the daemon would refuse in words of the wire if it were too long."""
    if len(query) > QUERY_CHARACTERS_MAX:
        raise InvalidRequestError(
            f"The question has {len(query):,} characters; {QUERY_CHARACTERS_MAX:,} are allowed.",
            remedy="Give the part that matters.",
        )
    return query
