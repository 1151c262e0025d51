"""The folders that a client says it works in, where the session's project is only a guess.

The order is: a folder that the client named when it started the shim, then the client's own list of folders
(``roots/list``), then the shim's working folder. Invariants: the client is asked when a call first needs to
know, and again only after it has said that its folders changed; a client that cannot tell, does not answer
within ``ANSWER_SECONDS`` or names nothing usable leaves the guess as it is. Event loop; one object for each
session.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from urllib.parse import unquote, urlsplit

ANSWER_SECONDS = 2.0
FOLDERS_MAX = 16

Ask = Callable[[], Awaitable[list[str] | None]]
"""The client's folders as ``file:`` URIs; ``None`` where it cannot tell."""


class ClientFolders:
    """See the module."""

    def __init__(self, project: str, *, is_guess: bool) -> None:
        self._project = project
        self._is_guess = is_guess
        self._folders: tuple[str, ...] | None = None
        self._asking = asyncio.Lock()

    async def folders(self, ask: Ask) -> tuple[str, ...]:
        """Absolute folders that this session works in, the first one being the most likely; may be empty."""
        async with self._asking:
            if self._folders is None:
                offered = await self._offered(ask) if self._is_guess else ()
                self._folders = offered or ((self._project,) if self._project else ())
            return self._folders

    def changed(self) -> None:
        """The client has said that its folders are others now."""
        self._folders = None

    async def _offered(self, ask: Ask) -> tuple[str, ...]:
        try:
            uris = await asyncio.wait_for(ask(), ANSWER_SECONDS)
        except TimeoutError:
            return ()
        found = [folder for uri in uris or () if (folder := _folder(uri)) is not None]
        return tuple(dict.fromkeys(found))[:FOLDERS_MAX]


def _folder(uri: str) -> str | None:
    """The absolute path in a ``file:`` URI of this machine."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    path = unquote(parts.path)
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"} or not os.path.isabs(path):
        return None
    return None if "\0" in path else os.path.normpath(path)
