"""What client and daemon have said to each other, as far as the shim must know to outlive a daemon.

Invariants: every request of the client gets exactly one reply, from the daemon or from here. Messages pass
unchanged and in order. When a daemon is lost, requests that are safe to repeat are asked again, once; others
are failed, because the lost daemon may have done them. A new daemon first gets the client's own
``initialize`` again, whose second reply the client never sees. Which tools may be repeated is taken from the
``tools/list`` that passed by, so the shim knows no tool by name.

Pure: no IO, no clock. Messages are JSON as bytes without a line end. One thread.
"""

from __future__ import annotations

import json
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INTERNAL_ERROR = -32603

REPLAY_ID = "mdmem-mcp/initialize-again"
"""The id of the repeated ``initialize``; no client counts like that."""

CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
"""Where a request carries the client's name in the protocol era without a handshake."""

CLIENT_NAME_CHARACTERS_MAX = 100

REPEATABLE_METHODS = frozenset(
    {
        "completion/complete",
        "initialize",
        "ping",
        "prompts/get",
        "prompts/list",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "server/discover",
        "subscriptions/listen",
        "tools/list",
    }
)


class _Message:
    """One message for the daemon.

    ``key`` is set on requests, ``is_again`` if an earlier daemon had it, ``is_replay`` if it is the shim's
    own.
    """

    __slots__ = ("is_again", "is_replay", "is_sent", "key", "line", "method", "tool")

    def __init__(
        self, line: bytes, *, key: tuple[type, object] | None = None, method: str = "", tool: str = ""
    ) -> None:
        self.line = line
        self.key = key
        self.method = method
        self.tool = tool
        self.is_sent = False
        self.is_again = False
        self.is_replay = False


class Conversation:
    """One session of one client, over any number of daemons, one after another."""

    def __init__(self) -> None:
        self.client_name = ""
        self.outbox_bytes = 0
        self._outbox: deque[_Message] = deque()
        self._waiting: dict[tuple[type, object] | None, _Message] = {}
        self._initialize: _Message | None = None
        self._initialized: _Message | None = None
        self._repeatable_tools: set[str] = set()

    @property
    def awaits_reply(self) -> bool:
        """Whether the client waits for something."""
        return bool(self._waiting)

    def from_client(self, line: bytes) -> bytes | None:
        """Take one line of the client; returns the reply where it is answered here."""
        if not line.strip():
            return None
        try:
            fields = json.loads(line.decode())
        except (ValueError, RecursionError) as error:
            return _error(None, PARSE_ERROR, f"This line is not JSON: {error}")
        message = self._understood(line, fields) if isinstance(fields, dict) else _Message(line)
        if message is not None:
            self._outbox.append(message)
            self.outbox_bytes += len(message.line)
        return None

    def stream_opened(self) -> None:
        """A daemon listens: put first what makes its new session the one that the client knows."""
        known = self._initialize
        if known is None or not known.is_sent or known.key in self._waiting:
            return
        again = json.dumps(json.loads(known.line) | {"id": REPLAY_ID}, ensure_ascii=False).encode()
        handshake = [again]
        if self._initialized is not None and self._initialized.is_sent:
            handshake.append(self._initialized.line)
        for line in reversed(handshake):
            message = _Message(line)
            message.is_replay = True
            self._put_first(message)

    def next_for_daemon(self) -> bytes | None:
        """The next message for an open stream; ``None`` where nothing waits."""
        if not self._outbox:
            return None
        message = self._outbox.popleft()
        self.outbox_bytes -= len(message.line)
        message.is_sent = True
        return message.line

    def from_daemon(self, payload: bytes) -> bytes | None:
        """Take one message of the daemon; returns it as a line where it is for the client."""
        try:
            fields = json.loads(payload)
        except (ValueError, RecursionError):
            fields = None  # the client may make more of it than we do
        if isinstance(fields, dict) and "method" not in fields:
            if fields.get("id") == REPLAY_ID:
                return None
            answered = self._waiting.pop(_key(fields.get("id")), None)
            if answered is not None and answered.method == "tools/list":
                self._learn_tools(fields.get("result"))
        return payload.replace(b"\n", b" ")  # line ends within JSON are white space between its tokens

    def daemon_lost(self) -> list[bytes]:
        """Queue again what the next daemon may be asked; returns the replies to what it may not."""
        sent = [message for message in self._waiting.values() if message.is_sent]
        again = [message for message in sent if self._is_repeatable(message) and not message.is_again]
        self._drop([message for message in self._outbox if message.is_replay])
        for message in reversed(again):
            message.is_sent, message.is_again = False, True
            self._put_first(message)
        return [self._failed(message, _lost_words(message)) for message in sent if message not in again]

    def fail_all(self, reason: str) -> list[bytes]:
        """Give up on everything that the client waits for; returns the replies."""
        self._outbox.clear()
        self.outbox_bytes = 0
        if self._initialize is not None and self._initialize.key in self._waiting:
            self._initialize = None
        return [self._failed(message, reason) for message in list(self._waiting.values())]

    def _understood(self, line: bytes, fields: dict[str, Any]) -> _Message | None:
        """The message as something to keep track of; ``None`` where it must not be sent."""
        method, key = fields.get("method"), _key(fields.get("id"))
        params = fields.get("params")
        params = params if isinstance(params, dict) else {}
        if not isinstance(method, str):
            return _Message(line)
        if "id" not in fields:
            return self._understood_notification(_Message(line, method=method), params)
        message = _Message(line, key=key, method=method, tool=str(params.get("name", "")))
        self._note_client(params)
        if key is not None:
            self._waiting[key] = message
        if method == "initialize":
            self._initialize = message
        return message

    def _understood_notification(self, message: _Message, params: dict[str, Any]) -> _Message | None:
        if message.method == "notifications/initialized":
            self._initialized = message
        elif message.method == "notifications/cancelled":
            cancelled = self._waiting.pop(_key(params.get("requestId")), None)
            if cancelled is not None and not cancelled.is_sent:
                self._drop([cancelled])
                return None
        return message

    def _put_first(self, message: _Message) -> None:
        self._outbox.appendleft(message)
        self.outbox_bytes += len(message.line)

    def _drop(self, messages: list[_Message]) -> None:
        for message in messages:
            self._outbox.remove(message)
            self.outbox_bytes -= len(message.line)

    def _note_client(self, params: dict[str, Any]) -> None:
        meta = params.get("_meta")
        info = params.get("clientInfo") or (meta.get(CLIENT_INFO_KEY) if isinstance(meta, dict) else None)
        name = info.get("name") if isinstance(info, dict) else None
        if isinstance(name, str) and not self.client_name:
            self.client_name = name[:CLIENT_NAME_CHARACTERS_MAX].encode(errors="replace").decode()

    def _learn_tools(self, result: object) -> None:
        tools = result.get("tools") if isinstance(result, dict) else None
        for tool in tools if isinstance(tools, list) else ():
            hints = tool.get("annotations") if isinstance(tool, dict) else None
            if isinstance(hints, dict) and True in (hints.get("readOnlyHint"), hints.get("idempotentHint")):
                self._repeatable_tools.add(str(tool.get("name")))

    def _is_repeatable(self, message: _Message) -> bool:
        if message.method == "tools/call":
            return message.tool in self._repeatable_tools
        return message.method in REPEATABLE_METHODS

    def _failed(self, message: _Message, reason: str) -> bytes:
        assert message.key is not None
        del self._waiting[message.key]
        return _error(message.key[1], INTERNAL_ERROR, reason)


def too_long(line_bytes_max: int) -> bytes:
    """The reply to a line that was dropped because of its length."""
    return _error(
        None, INVALID_REQUEST, f"A message may have at most {line_bytes_max} bytes; this one was dropped."
    )


def _key(message_id: object) -> tuple[type, object] | None:
    """What tells requests apart: JSON's 1 and "1" are different ids. ``None`` for what cannot be an id."""
    return (type(message_id), message_id) if type(message_id) in {int, str} else None


def _lost_words(message: _Message) -> str:
    if message.is_again:
        return f"The mdmem daemon ended twice while it worked on this {message.method}. Its log may say why."
    return (
        f"The mdmem daemon ended while it worked on this {message.method}, and may have done it or not. "
        "Look at the outcome before you ask again."
    )


def _error(message_id: object, code: int, text: str) -> bytes:
    error = {"jsonrpc": "2.0", "id": message_id, "error": {"code": code, "message": text}}
    return json.dumps(error).encode()
