"""Parameters and results of every request as typed msgspec structs, and the table of methods.

Invariants, which make old and new builds able to talk (the rules of ``PROTOCOL.md``, "Evolution"):
new fields come last and have defaults; a field's meaning never changes; unknown fields are ignored.
They travel inside the envelope of ``mdmem_proto.envelope``.

One module for each group of requests; ``methods`` has the table. Used by both programs, on any thread:
values are frozen. Conversion to the daemon's own types happens in ``mdmemd.server.convert``; nothing below
the server knows these types.
"""

from mdmem_proto.messages.daemon import DaemonInfo, McpOpenParams, ModelInfo, StatusResult
from mdmem_proto.messages.documents import (
    DocumentRow,
    ListParams,
    ListResult,
    OutlineNode,
    OutlineParams,
    OutlineResult,
    PreviewLink,
    PreviewParams,
    PreviewPassage,
    PreviewProblem,
    PreviewResult,
    PreviewSection,
    ReadParams,
    ReadResult,
)
from mdmem_proto.messages.following import (
    ChangeRow,
    ChangesParams,
    ChangesResult,
    SyncParams,
    SyncResult,
)
from mdmem_proto.messages.maintenance import (
    ExportParams,
    ExportResult,
    GcResult,
    ImportParams,
    ImportResult,
    IndexParams,
    IndexResult,
)
from mdmem_proto.messages.methods import METHODS, Method
from mdmem_proto.messages.roots import (
    ProblemRow,
    ProgressEvent,
    RootAddParams,
    RootAddResult,
    RootInfo,
    RootListResult,
    RootNameParams,
    RootWaitParams,
)
from mdmem_proto.messages.scoping import (
    RemovedRow,
    RootSetParams,
    RootShowResult,
    WhyPathParams,
    WhyPathResult,
)
from mdmem_proto.messages.search import Excerpt, Hit, SearchParams, SearchResult
from mdmem_proto.messages.values import (
    AnswerState,
    ChunkMode,
    Empty,
    FreshText,
    Globs,
    HitLimit,
    Lines,
    Message,
    Mode,
    PathText,
    QueryText,
    RootName,
    RootNames,
    WaitUntil,
    WatchChoice,
)

__all__ = [
    "METHODS",
    "AnswerState",
    "ChangeRow",
    "ChangesParams",
    "ChangesResult",
    "ChunkMode",
    "DaemonInfo",
    "DocumentRow",
    "Empty",
    "Excerpt",
    "ExportParams",
    "ExportResult",
    "FreshText",
    "GcResult",
    "Globs",
    "Hit",
    "HitLimit",
    "ImportParams",
    "ImportResult",
    "IndexParams",
    "IndexResult",
    "Lines",
    "ListParams",
    "ListResult",
    "McpOpenParams",
    "Message",
    "Method",
    "Mode",
    "ModelInfo",
    "OutlineNode",
    "OutlineParams",
    "OutlineResult",
    "PathText",
    "PreviewLink",
    "PreviewParams",
    "PreviewPassage",
    "PreviewProblem",
    "PreviewResult",
    "PreviewSection",
    "ProblemRow",
    "ProgressEvent",
    "QueryText",
    "ReadParams",
    "ReadResult",
    "RemovedRow",
    "RootAddParams",
    "RootAddResult",
    "RootInfo",
    "RootListResult",
    "RootName",
    "RootNameParams",
    "RootNames",
    "RootSetParams",
    "RootShowResult",
    "RootWaitParams",
    "SearchParams",
    "SearchResult",
    "StatusResult",
    "SyncParams",
    "SyncResult",
    "WaitUntil",
    "WatchChoice",
    "WhyPathParams",
    "WhyPathResult",
]
