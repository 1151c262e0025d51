"""The table of methods: what each request carries and gives back."""

from __future__ import annotations

import msgspec

from mdmem_proto.messages.daemon import McpOpenParams, StatusResult
from mdmem_proto.messages.documents import (
    ListParams,
    ListResult,
    OutlineParams,
    OutlineResult,
    PreviewParams,
    PreviewResult,
    ReadManyParams,
    ReadManyResult,
    ReadParams,
    ReadResult,
)
from mdmem_proto.messages.evaluation import EvalDraftParams, EvalDraftResult, EvalParams, EvalResult
from mdmem_proto.messages.following import ChangesParams, ChangesResult, SyncParams, SyncResult
from mdmem_proto.messages.maintenance import (
    ExportParams,
    ExportResult,
    GcResult,
    ImportParams,
    ImportResult,
    IndexParams,
    IndexResult,
)
from mdmem_proto.messages.models import ModelDownloadParams, ModelListResult, ModelNameParams, ModelRow
from mdmem_proto.messages.roots import (
    RootAddParams,
    RootAddResult,
    RootInfo,
    RootListResult,
    RootNameParams,
    RootWaitParams,
)
from mdmem_proto.messages.scoping import RootSetParams, RootShowResult, WhyPathParams, WhyPathResult
from mdmem_proto.messages.search import SearchParams, SearchResult, WhyQueryParams, WhyQueryResult
from mdmem_proto.messages.values import Empty, Message


class Method(msgspec.Struct, frozen=True):
    """One row of the method table: what travels, and whether it may be sent again after a lost connection."""

    params: type[Message]
    result: type[Message]
    idempotent: bool


METHODS: dict[str, Method] = {
    "search": Method(SearchParams, SearchResult, idempotent=True),
    "read": Method(ReadParams, ReadResult, idempotent=True),
    "read.many": Method(ReadManyParams, ReadManyResult, idempotent=True),
    "outline": Method(OutlineParams, OutlineResult, idempotent=True),
    "preview": Method(PreviewParams, PreviewResult, idempotent=True),
    "list": Method(ListParams, ListResult, idempotent=True),
    "eval": Method(EvalParams, EvalResult, idempotent=True),
    "eval.draft": Method(EvalDraftParams, EvalDraftResult, idempotent=True),
    "roots.add": Method(RootAddParams, RootAddResult, idempotent=True),
    "roots.list": Method(Empty, RootListResult, idempotent=True),
    "roots.remove": Method(RootNameParams, Empty, idempotent=False),
    "roots.set": Method(RootSetParams, RootInfo, idempotent=False),
    "roots.show": Method(RootNameParams, RootShowResult, idempotent=True),
    "why.path": Method(WhyPathParams, WhyPathResult, idempotent=True),
    "why.query": Method(WhyQueryParams, WhyQueryResult, idempotent=True),
    "roots.wait": Method(RootWaitParams, RootInfo, idempotent=True),
    "sync": Method(SyncParams, SyncResult, idempotent=True),
    "changes": Method(ChangesParams, ChangesResult, idempotent=True),
    "index": Method(IndexParams, IndexResult, idempotent=True),
    "gc": Method(Empty, GcResult, idempotent=True),
    "export": Method(ExportParams, ExportResult, idempotent=False),
    "import": Method(ImportParams, ImportResult, idempotent=False),
    "models.list": Method(Empty, ModelListResult, idempotent=True),
    "models.verify": Method(ModelNameParams, ModelRow, idempotent=True),
    "models.use": Method(ModelNameParams, ModelRow, idempotent=True),
    "models.download": Method(ModelDownloadParams, ModelRow, idempotent=True),
    "status": Method(Empty, StatusResult, idempotent=True),
    "stop": Method(Empty, Empty, idempotent=False),
    "mcp.open": Method(McpOpenParams, Empty, idempotent=False),
}
