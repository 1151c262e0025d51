"""The daemon itself, and the session of an agent."""

from __future__ import annotations

from mdmem_proto.messages.roots import RootInfo
from mdmem_proto.messages.values import Message, PathText


class DaemonInfo(Message, frozen=True, omit_defaults=False):
    """The daemon itself; ``started_at`` is unix seconds."""

    version: str
    pid: int
    started_at: float
    rss_bytes: int
    instance: str
    interpreter: str
    socket: str
    log: str | None


class ModelInfo(Message, frozen=True, omit_defaults=False):
    """The embedding model; ``state``: ``loading``, ``ready`` or ``failed`` (then ``detail`` says why).

    ``changing_to`` is the model that takes its place when all roots have its vectors.
    """

    name: str
    state: str
    dimensions: int
    fingerprint: str
    detail: str | None
    computed: int = 0
    from_cache: int = 0
    queued: int = 0
    passages_per_second: float = 0.0
    changing_to: str | None = None


class StatusResult(Message, frozen=True, omit_defaults=False):
    """The whole state of the daemon."""

    daemon: DaemonInfo
    model: ModelInfo
    roots: tuple[RootInfo, ...]
    messages: tuple[str, ...]


class McpOpenParams(Message, frozen=True):
    """``mcp.open``: turn this connection into a stream of MCP messages after the reply.

    ``project`` is the absolute folder that the session works in, empty where unknown; ``is_guess`` says that
    nobody named it, so that folders which the client itself names count more. ``tools`` names a tool set
    (``mdmem_proto.tool_sets``); empty for that of the daemon's settings.
    """

    project: PathText = ""
    client: str = ""
    is_guess: bool = False
    tools: str = ""
