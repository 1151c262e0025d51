"""The list of roots and what is in them, as methods of the client.

One thread at a time; errors are ``mdmem.errors``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mdmem.link.line import Line
from mdmem.link.progress_events import progress_to
from mdmem_proto import messages

WAIT_SILENCE_SECONDS = 300.0
"""Longest silence within ``wait_root`` and ``sync``; a root may take hours, but tells its progress."""


class RootRequests(Line):
    """See the module."""

    def add_root(
        self,
        path: str,
        *,
        name: str = "",
        chunk_mode: messages.ChunkMode = "auto",
        exclude: Sequence[str] = (),
        include: Sequence[str] = (),
        watch: messages.WatchChoice = "auto",
    ) -> messages.RootAddResult:
        """Register the absolute folder ``path``; raises ``RefusedError`` for one that may not be a root."""
        params = messages.RootAddParams(
            path=path,
            name=name,
            chunk_mode=chunk_mode,
            exclude=tuple(exclude),
            include=tuple(include),
            watch=watch,
        )
        return self._call("roots.add", params, messages.RootAddResult)

    def set_root(
        self,
        name: str,
        *,
        new_name: str = "",
        chunk_mode: messages.ChunkMode | None = None,
        exclude: Sequence[str] | None = None,
        include: Sequence[str] | None = None,
        watch: messages.WatchChoice | None = None,
    ) -> messages.RootInfo:
        """Rename a root or change its options; what is ``None`` stays. Raises ``NotFoundError``."""
        params = messages.RootSetParams(
            name=name,
            new_name=new_name,
            chunk_mode=chunk_mode,
            exclude=None if exclude is None else tuple(exclude),
            include=None if include is None else tuple(include),
            watch=watch,
        )
        return self._call("roots.set", params, messages.RootInfo)

    def show_root(self, name: str) -> messages.RootShowResult:
        """A root, its options and what its rules take away. Raises ``NotFoundError``."""
        return self._call("roots.show", messages.RootNameParams(name=name), messages.RootShowResult)

    def why_path(self, path: str) -> messages.WhyPathResult:
        """Whether the file or folder at the absolute ``path`` is indexed, and by which rule it is not."""
        return self._call("why.path", messages.WhyPathParams(path=path), messages.WhyPathResult)

    def list_roots(self) -> tuple[messages.RootInfo, ...]:
        """All registered roots by name."""
        return self._call("roots.list", messages.Empty(), messages.RootListResult).roots

    def remove_root(self, name: str) -> None:
        """Forget a root; its files are not touched. Raises ``NotFoundError`` for an unknown name."""
        self._call("roots.remove", messages.RootNameParams(name=name), messages.Empty)

    def wait_root(
        self,
        name: str,
        *,
        until: messages.WaitUntil = "embedded",
        on_progress: Callable[[messages.ProgressEvent], None] | None = None,
    ) -> messages.RootInfo:
        """Wait until a root is keyword-searchable or has every passage embedded, however long that takes."""
        params = messages.RootWaitParams(name=name, until=until)
        return self._call(
            "roots.wait",
            params,
            messages.RootInfo,
            timeout_seconds=WAIT_SILENCE_SECONDS,
            on_event=progress_to(on_progress),
        )

    def sync(
        self,
        *,
        roots: Sequence[str] = (),
        until: messages.WaitUntil = "keyword",
        on_progress: Callable[[messages.ProgressEvent], None] | None = None,
    ) -> tuple[messages.RootInfo, ...]:
        """Wait until all that was saved before is searchable by words, or ``embedded`` as well."""
        params = messages.SyncParams(roots=tuple(roots), until=until)
        return self._call(
            "sync",
            params,
            messages.SyncResult,
            timeout_seconds=WAIT_SILENCE_SECONDS,
            on_event=progress_to(on_progress),
        ).roots

    def changes(
        self, *, roots: Sequence[str] = (), since_tick: int | None = None, since_time: float | None = None
    ) -> messages.ChangesResult:
        """What changed after a tick, or at and after a time (unix seconds); else all that is remembered."""
        params = messages.ChangesParams(roots=tuple(roots), since_tick=since_tick, since_time=since_time)
        return self._call("changes", params, messages.ChangesResult)
