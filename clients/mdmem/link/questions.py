"""Questions and documents, as methods of the client.

One thread at a time; errors are ``mdmem.errors``.
"""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.link.line import Line
from mdmem_proto import messages

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
    ) -> messages.SearchResult:
        """The best sections for a question, best first; no ``roots`` means all. ``limit`` is 1 to 50.

        ``fresh`` says how long to wait for changes on disk: empty for the daemon's budget, ``off``, ``wait``
        or ``wait=SECONDS``.

        Raises:
            NotFoundError: a root or a name in the filter does not exist; ``candidates`` are the nearest.
        """
        params = messages.SearchParams(
            query=query, roots=tuple(roots), limit=limit, mode=mode, fresh=fresh, filter=where
        )
        return self._call("search", params, messages.SearchResult, timeout_seconds=self._patience(fresh))

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
