"""Questions and documents. Called on the query pool."""

from __future__ import annotations

from mdmem_proto import messages as wire
from mdmemd.engine.multi_reading import MultiReader
from mdmemd.model import ChunkMode, SearchMode
from mdmemd.search.page import Question, SectionText
from mdmemd.server import convert
from mdmemd.server.handlers.backend import Backend


def search(backend: Backend, params: wire.SearchParams) -> wire.SearchResult:
    """One question."""
    question = Question(
        params.query,
        limit=params.limit,
        mode=SearchMode(params.mode),
        filter=convert.asked_filter(params.filter),
        max_tokens=params.max_tokens,
        expand=params.expand,
        cursor=params.cursor,
        explain=params.explain,
    )
    return convert.search_result(backend.service.search(question, roots=params.roots, fresh=params.fresh))


def why_query(backend: Backend, params: wire.WhyQueryParams) -> wire.WhyQueryResult:
    """Where a document stands among the answers to a question."""
    question = Question(
        params.query,
        limit=params.limit,
        mode=SearchMode(params.mode),
        filter=convert.asked_filter(params.filter),
    )
    return convert.why_query_result(
        backend.why_query.why(question, params.path, heading=params.heading, roots=params.roots)
    )


def read(backend: Backend, params: wire.ReadParams) -> wire.ReadResult:
    """One section verbatim."""
    return convert.read_result(
        backend.service.read(
            params.path,
            heading=params.heading,
            root=params.root,
            part=params.part,
            include_subsections=params.include_subsections,
            fresh=params.fresh,
        )
    )


def read_many(backend: Backend, params: wire.ReadManyParams) -> wire.ReadManyResult:
    """Several sections."""

    def read_one(address: str, root: str) -> SectionText:
        return backend.service.read(
            address,
            root=root or params.root,
            include_subsections=params.include_subsections,
            fresh=params.fresh,
        )

    return convert.read_many_result(
        MultiReader(
            backend.service,
            read_one=read_one,
            include_subsections=params.include_subsections,
            fresh=params.fresh,
        ).read(
            params.addresses,
            roots=(params.root,) if params.root else (),
            max_bytes=params.max_bytes,
        )
    )


def outline(backend: Backend, params: wire.OutlineParams) -> wire.OutlineResult:
    """A heading tree."""
    return convert.outline_result(backend.service.outline(params.path, root=params.root, fresh=params.fresh))


def preview(backend: Backend, params: wire.PreviewParams) -> wire.PreviewResult:
    """A file as it would be indexed."""
    mode = ChunkMode(params.chunk_mode) if params.chunk_mode is not None else None
    return convert.preview_result(backend.service.preview(params.path, chunk_mode=mode))


def list_documents(backend: Backend, params: wire.ListParams) -> wire.ListResult:
    """The documents."""
    return convert.list_result(
        backend.service.documents(
            roots=params.roots,
            prefix=params.prefix,
            where=convert.asked_filter(params.filter),
            fresh=params.fresh,
        )
    )
