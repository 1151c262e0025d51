"""The public Python API: connect to the daemon, or start it, and ask.

Invariants: a client belongs to one thread at a time; a lost connection is opened again, once for a call,
and the request is sent again only where the method table says that this is safe; everything that is raised
is a ``mdmem.errors.MdmemError``. What the daemon says of itself in the handshake is kept in ``daemon``;
``notice`` is the sentence about a daemon of another build, never swallowed here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self, TypeVar

from mdmem.errors import ConnectionLostError, DaemonUnavailableError
from mdmem.link.deadline import Deadline
from mdmem.link.launch import START_TIMEOUT_SECONDS, dial_or_start
from mdmem.link.process_exit import ProcessExit
from mdmem.link.transport import Connection
from mdmem_proto import messages
from mdmem_proto.endpoint import Endpoint, resolve
from mdmem_proto.envelope import Answer, Event
from mdmem_proto.errors import EndpointError
from mdmem_proto.release import VERSION
from mdmem_proto.session import decode_event

WAIT_SILENCE_SECONDS = 300.0
"""Longest silence within ``wait_root`` and ``sync``; a root may take hours, but tells its progress."""

MAINTENANCE_SECONDS = 1_300.0
"""Longest wait for upkeep: each of its parts may write gigabytes, and has 600 s in the daemon."""

PREVIEW_SECONDS = 180.0
"""Longest wait for a preview: a hostile file gets 15 s of processor time, and as much again as plain text."""

FRESH_WAIT_SECONDS = 600.0
"""The longest that ``fresh`` may ask the daemon to wait."""

R = TypeVar("R", bound=messages.Message)


def connect(*, start: bool = True, timeout_seconds: float = START_TIMEOUT_SECONDS) -> Client:
    """A client of the daemon that the environment means (``MDMEM_HOME``, the XDG variables).

    Args:
        start: start the daemon if nobody listens; ``MDMEM_NO_START=1`` in the environment overrules it.
        timeout_seconds: for the start, and for each answer.

    Raises:
        DaemonNotRunningError: nobody listens and nothing may be started.
        DaemonUnavailableError: the daemon cannot be started or reached, stays silent, or speaks another
            protocol.
    """
    return Client(current_endpoint(), start=start, timeout_seconds=timeout_seconds)


def current_endpoint() -> Endpoint:
    """Where this environment's instance lives; raises ``DaemonUnavailableError`` where it cannot live."""
    try:
        return resolve(os.environ, platform=sys.platform, uid=os.getuid(), home=os.path.expanduser("~"))
    except EndpointError as error:
        raise DaemonUnavailableError(str(error), remedy=error.remedy) from error


class Client:
    """One open line to the daemon; use it as a context manager."""

    def __init__(self, endpoint: Endpoint, *, start: bool, timeout_seconds: float) -> None:
        self._endpoint = endpoint
        self._start = start
        self._timeout_seconds = timeout_seconds
        self._connection = self._open(start=start)

    @property
    def daemon(self) -> Answer:
        """Version, process, interpreter and state of the daemon, as it said in the handshake."""
        return self._connection.daemon

    @property
    def socket_path(self) -> str:
        """The socket of this client's instance."""
        return self._endpoint.socket_path

    @property
    def notice(self) -> str | None:
        """One sentence with the remedy where the daemon is of another version or environment."""
        daemon = self.daemon
        if daemon.version == VERSION and _folder(daemon.interpreter) == _folder(sys.executable):
            return None
        return (
            f"the daemon is version {daemon.version} of {daemon.interpreter}, this program {VERSION} of "
            f"{sys.executable}; `mdmemctl stop` ends it, and the next command starts the matching one."
        )

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
            on_event=_progress_to(on_progress),
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
            on_event=_progress_to(on_progress),
        ).roots

    def changes(
        self, *, roots: Sequence[str] = (), since_tick: int | None = None, since_time: float | None = None
    ) -> messages.ChangesResult:
        """What changed after a tick, or at and after a time (unix seconds); else all that is remembered."""
        params = messages.ChangesParams(roots=tuple(roots), since_tick=since_tick, since_time=since_time)
        return self._call("changes", params, messages.ChangesResult)

    def index(self, *, name: str = "", path: str = "", force: bool = False) -> messages.IndexResult:
        """Have a root, or the root or file at an absolute path, looked at now; all roots with neither.

        Comes back when the work is begun; ``wait_root`` waits for it. Raises ``NotFoundError``.
        """
        params = messages.IndexParams(name=name, path=path, force=force)
        return self._call("index", params, messages.IndexResult, timeout_seconds=MAINTENANCE_SECONDS)

    def gc(self) -> messages.GcResult:
        """Remove what no root needs."""
        return self._call("gc", messages.Empty(), messages.GcResult, timeout_seconds=MAINTENANCE_SECONDS)

    def export_root(self, root: str, path: str, *, force: bool = False) -> messages.ExportResult:
        """Have the index of a root written to an absolute path; an existing file only with ``force``.

        Raises ``NotFoundError``, and ``RefusedError`` where it cannot be written or is not complete.
        """
        params = messages.ExportParams(root=root, path=path, force=force)
        return self._call("export", params, messages.ExportResult, timeout_seconds=MAINTENANCE_SECONDS)

    def import_root(self, path: str, *, folder: str, name: str = "") -> messages.ImportResult:
        """Register the absolute ``folder`` with the exported index in the file at the absolute ``path``.

        Raises ``InvalidRequestError`` for a file that is no whole export, ``RefusedError`` for one that this
        version cannot use, and what ``add_root`` raises.
        """
        params = messages.ImportParams(path=path, folder=folder, name=name)
        return self._call("import", params, messages.ImportResult, timeout_seconds=MAINTENANCE_SECONDS)

    def status(self) -> messages.StatusResult:
        """The whole state of the daemon."""
        return self._call("status", messages.Empty(), messages.StatusResult)

    def stop(self) -> None:
        """Stop the daemon and return when its process has ended.

        Raises:
            DaemonNotRunningError: there is none any more.
            DaemonUnavailableError: it has not ended in time.
        """
        if not self._connection.is_open():
            self._reopen(start=False)
        pid = self.daemon.pid
        try:
            process = ProcessExit(pid)
        except OSError as error:
            raise DaemonUnavailableError(
                f"The daemon's process {pid} cannot be watched from here: {error.strerror}.",
                remedy="It may have just ended, or run in another container: stop it there.",
            ) from error
        with process:
            deadline = Deadline(self._timeout_seconds)
            with suppress(ConnectionLostError):  # it may be gone before its reply is read
                self._connection.call("stop", messages.Empty(), messages.Empty, deadline=deadline)
            self.close()
            if not process.wait(deadline):
                raise DaemonUnavailableError(
                    f"The daemon was asked to stop and has not ended within {deadline.seconds:g} s.",
                    remedy=f"`kill -9 {pid}` ends it; nothing is lost by that.",
                )

    def close(self) -> None:
        """End the connection; the next call opens it again."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _patience(self, fresh: str) -> float:
        """How long to wait for an answer that itself may wait for the disk."""
        return self._timeout_seconds + (FRESH_WAIT_SECONDS if fresh.startswith("wait") else 0.0)

    def _reopen(self, *, start: bool) -> None:
        self._connection.close()
        self._connection = self._open(start=start)

    def _open(self, *, start: bool) -> Connection:
        try:
            return self._greet(start=start)
        except ConnectionLostError:  # it was just stopping: the next one is there, or may be started
            return self._greet(start=start)

    def _greet(self, *, start: bool) -> Connection:
        connected = dial_or_start(self._endpoint, start=start, timeout_seconds=self._timeout_seconds)
        return Connection(connected, lock_path=self._endpoint.lock_path)

    def _call(
        self,
        method: str,
        params: messages.Message,
        result: type[R],
        *,
        timeout_seconds: float | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> R:
        seconds = self._timeout_seconds if timeout_seconds is None else timeout_seconds
        if not self._connection.is_open():
            self._reopen(start=self._start)
        try:
            return self._connection.call(
                method, params, result, deadline=Deadline(seconds), on_event=on_event
            )
        except ConnectionLostError as error:
            if not messages.METHODS[method].idempotent:
                raise ConnectionLostError(
                    f"The daemon went away during {method}, which may or may not have been carried out.",
                    remedy="Look, for example with `mdmemctl root list`, before you run it again.",
                ) from error
        self._reopen(start=self._start)
        return self._connection.call(method, params, result, deadline=Deadline(seconds), on_event=on_event)


def _progress_to(
    on_progress: Callable[[messages.ProgressEvent], None] | None,
) -> Callable[[Event], None]:
    """Hands ``progress`` events on."""

    def pass_on(event: Event) -> None:
        if event.name == "progress" and on_progress is not None:
            on_progress(decode_event(event, messages.ProgressEvent))

    return pass_on


def _folder(interpreter: str) -> str:
    """The environment of an interpreter, whose name in it may differ (``python``, ``python3``)."""
    return os.path.realpath(os.path.dirname(interpreter))
