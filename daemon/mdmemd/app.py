"""The composition root: the one module that names concrete adapters.

``run`` reads top to bottom as the daemon's life.

Lock, socket, list of roots, readiness; then everything slow behind it: the model, the index, the MCP SDK. A
failure before readiness is told to whoever started the daemon and ends it with a status; a signal or a
``stop`` request ends it in the reverse order. Main thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib
import logging
import os
import resource
import secrets
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from mdmem_proto import messages as wire
from mdmem_proto.endpoint import Endpoint
from mdmem_proto.release import VERSION
from mdmemd.adapters.git import Git
from mdmemd.adapters.http_fetcher import HttpFetcher
from mdmemd.adapters.installed_lexicon import InstalledLexicon
from mdmemd.adapters.parse_process.process import ParseProcess
from mdmemd.adapters.posix_archives import PosixArchives
from mdmemd.adapters.posix_blobs import PosixBlobs
from mdmemd.adapters.posix_checkpoints import PosixCheckpoints
from mdmemd.adapters.posix_files import PosixFiles
from mdmemd.adapters.process_lock import ProcessLock, make_private_folder
from mdmemd.adapters.process_memory import rss_bytes
from mdmemd.adapters.readiness import Readiness
from mdmemd.adapters.system_clock import SystemClock
from mdmemd.adapters.unix_socket import ListeningSocket, peer_uid
from mdmemd.adapters.watching.system import system_watcher
from mdmemd.config import Settings, parse_settings
from mdmemd.embed.heap import share_arenas
from mdmemd.embed.loading import load_encoder
from mdmemd.embed.model_files import STORE
from mdmemd.embed.reranker import load_reranker
from mdmemd.embed.vector_cache import VectorCache
from mdmemd.engine.assembly import Engine, Outside, assemble, maintain
from mdmemd.engine.maintenance import Maintenance
from mdmemd.engine.model_parts import ModelsOutside
from mdmemd.errors import OperatorError
from mdmemd.server.connection import Connections, McpStream, Send
from mdmemd.server.handlers.backend import Backend, DaemonIdentity
from mdmemd.server.listener import Listener
from mdmemd.server.reachability import INTERVAL_SECONDS, Reachability

log = logging.getLogger(__name__)

T = TypeVar("T")

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_ALREADY_RUNNING = 3

OPEN_FILES = 4096

QUERY_THREADS = 4
"""More only wait for the interpreter lock: the parts of a question that release it are short."""

LONG_THREADS = 2
"""For downloads and checks of models: one that takes an hour must not keep another from being chosen."""

SWITCH_INTERVAL_SECONDS = 0.001
"""How long a thread may keep the interpreter from another that wants it (default 0.005): a question asked
while files are parsed waits for this several times."""


class AlreadyRunningError(OperatorError):
    """Another daemon holds the lock of this instance."""


def run(endpoint: Endpoint, *, readiness: Readiness) -> int:
    """Live as the daemon of this instance; returns the exit status."""
    lock = ProcessLock(endpoint.lock_path)
    try:
        for folder in (endpoint.data_folder, endpoint.run_folder, os.path.dirname(endpoint.socket_path)):
            make_private_folder(folder)
        if not lock.acquire(socket_path=endpoint.socket_path):
            raise AlreadyRunningError(
                f"A daemon of this instance is running already (process {lock.holder() or 'unknown'}).",
                remedy="Use it, or stop it first: mdmemctl stop",
            )
        listening = ListeningSocket(endpoint.socket_path)
        settings = _settings(endpoint)
        engine, maintenance = _engine(endpoint, settings)
        engine.roots.load()
    except OperatorError as error:
        kind = "already_running" if isinstance(error, AlreadyRunningError) else "failed"
        log.error("%s %s", error, error.remedy)
        readiness.failed(str(error), remedy=error.remedy, kind=kind)
        return EXIT_ALREADY_RUNNING if kind == "already_running" else EXIT_FAILED
    _allow_open_files()
    share_arenas()
    sys.setswitchinterval(SWITCH_INTERVAL_SECONDS)
    try:
        asyncio.run(
            _serve(
                endpoint,
                engine,
                maintenance,
                tools=settings.mcp.tools,
                lock=lock,
                listening=listening,
                readiness=readiness,
            )
        )
    finally:
        lock.release()
    return EXIT_OK


def _settings(endpoint: Endpoint) -> Settings:
    path = f"{endpoint.config_folder}/config.toml"
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as error:
        raise OperatorError(
            f"{path} cannot be read: {error}.", remedy="Repair it or move it away; all keys have defaults."
        ) from error
    settings = parse_settings(text, path=path)
    for warning in settings.warnings:
        log.warning("%s", warning)
    return settings


def _engine(endpoint: Endpoint, settings: Settings) -> tuple[Engine, Maintenance]:
    clock = SystemClock()
    lexicon = InstalledLexicon(PosixBlobs(endpoint.cache_folder))
    outside = Outside(
        files=PosixFiles(),
        clock=clock,
        blobs=PosixBlobs(endpoint.data_folder),
        cache_blobs=PosixBlobs(endpoint.cache_folder),
        archives=PosixArchives(),
        checkpoints=PosixCheckpoints(f"{endpoint.cache_folder}/index"),
        models=_models_outside(endpoint, settings, clock, lexicon),
        words=lexicon.words,
        open_cache=lambda: VectorCache(
            f"{endpoint.cache_folder}/vectors.sqlite", clock=clock, bytes_max=settings.embed.cache_mb * 2**20
        ),
        make_parser=ParseProcess,
        watcher=system_watcher(endpoint.run_folder),
        repositories=Git(),
        home=os.path.expanduser("~"),
    )
    engine = assemble(outside, settings=settings)
    return engine, maintain(engine, outside)


def _models_outside(
    endpoint: Endpoint, settings: Settings, clock: SystemClock, lexicon: InstalledLexicon
) -> ModelsOutside:
    threads = settings.embed.threads
    folder = f"{endpoint.data_folder}/{STORE}"
    return ModelsOutside(
        load_encoder=lambda files: load_encoder(
            files,
            threads=threads,
            graphs=PosixBlobs(endpoint.cache_folder),
            gloss=lexicon.gloss,
        ),
        load_reranker=lambda files: load_reranker(files, threads=threads, clock=clock),
        folder=folder,
        blobs=PosixBlobs(folder),
        fetcher=HttpFetcher(),
    )


async def _serve(
    endpoint: Endpoint,
    engine: Engine,
    maintenance: Maintenance,
    *,
    tools: str,
    lock: ProcessLock,
    listening: ListeningSocket,
    readiness: Readiness,
) -> None:
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    pool = ThreadPoolExecutor(QUERY_THREADS, thread_name_prefix="query")
    long_pool = ThreadPoolExecutor(LONG_THREADS, thread_name_prefix="long")
    mcp = asyncio.ensure_future(asyncio.to_thread(_import_mcp))
    listener = Listener(
        _connections(
            endpoint,
            engine,
            maintenance,
            pool=pool,
            long_pool=long_pool,
            mcp=mcp,
            tools=tools,
            stop=stopping.set,
        ),
        peer_uid=peer_uid,
    )
    engine.start()
    await listener.start(listening.socket)
    places = [listening]

    async def listen_again() -> ListeningSocket:
        make_private_folder(os.path.dirname(endpoint.socket_path))
        places.append(ListeningSocket(endpoint.socket_path))
        await listener.start(places[-1].socket)
        return places[-1]

    reachability = Reachability(
        listening, owns_lock=lock.is_current, listen_again=listen_again, stop=stopping.set
    )
    guard = asyncio.create_task(_keep_checking(reachability))
    readiness.ready(socket_path=endpoint.socket_path)
    log.info("mdmemd %s serves %s", VERSION, endpoint.socket_path)
    try:
        await stopping.wait()
    finally:
        readiness.stopping()
        guard.cancel()
        await listener.close()
        for place in places:
            place.remove()
        await asyncio.to_thread(engine.stop)
        for executor in (pool, long_pool):
            executor.shutdown(wait=False, cancel_futures=True)
        await asyncio.wait([mcp])
        log.info("mdmemd has stopped")


def _connections(
    endpoint: Endpoint,
    engine: Engine,
    maintenance: Maintenance,
    *,
    pool: ThreadPoolExecutor,
    long_pool: ThreadPoolExecutor,
    mcp: asyncio.Future[Callable[..., McpStream]],
    tools: str,
    stop: Callable[[], None],
) -> Connections:
    """What all connections share. Called on the event loop."""
    loop = asyncio.get_running_loop()

    async def run_blocking(function: Callable[[], T], /) -> T:
        return await loop.run_in_executor(pool, function)

    async def run_long(function: Callable[[], T], /) -> T:
        return await loop.run_in_executor(long_pool, function)

    async def open_mcp(params: wire.McpOpenParams, send: Send) -> McpStream:
        make = await asyncio.shield(mcp)
        return make(
            engine.service,
            run_blocking,
            indexing=maintenance.indexing,
            state_changes=state_changes,
            project=params.project,
            client=params.client,
            is_guess=params.is_guess,
            tools=params.tools or tools,
            send=send,
        )

    def state_changes(callback: Callable[[], None]) -> Callable[[], None]:
        return engine.state.subscribe(functools.partial(loop.call_soon_threadsafe, callback))

    identity = DaemonIdentity(
        version=VERSION,
        instance=secrets.token_hex(8),
        started_at=engine.clock.time(),
        socket_path=endpoint.socket_path,
        log_path=endpoint.log_path,
        rss_bytes=rss_bytes,
    )
    return Connections(
        backend=Backend(
            *(engine.service, engine.following, engine.scoping, identity),
            *(maintenance, engine.evaluator, engine.why_query, engine.models),
        ),
        run_blocking=run_blocking,
        run_long=run_long,
        open_mcp=open_mcp,
        stop=stop,
        state_changes=state_changes,
    )


def _allow_open_files() -> None:
    """Raise the soft limit of open files: macOS gives 256, as many as there may be connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def _keep_checking(reachability: Reachability) -> None:
    while True:
        await asyncio.sleep(INTERVAL_SECONDS)
        await reachability.check()


def _import_mcp() -> Callable[..., McpStream]:
    """The MCP session class. Its SDK takes most of a second to import, so that happens behind readiness."""
    module = importlib.import_module("mdmemd.mcp.session")
    module.warm_up()
    session: Callable[..., McpStream] = module.McpSession
    return session
