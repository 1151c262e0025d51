"""The daemon's values to wire structs and errors to codes, by hand. Pure; any thread.

A field is added to the wire here and in ``mdmem_proto.messages`` or not at all: inner types are never
serialised as they are.
"""

from __future__ import annotations

from mdmem_proto import messages as wire
from mdmem_proto.errors import ErrorCode
from mdmemd.engine.following import ChangeList
from mdmemd.engine.multi_reading import ReadItem
from mdmemd.engine.report import Answer, AnswerState, FileProblem, Listing, ModelStatus, Progress, RootStatus
from mdmemd.errors import (
    AmbiguousError,
    DaemonError,
    DownloadError,
    InvalidRequestError,
    ModelUnavailableError,
    NotFoundError,
    OperatorError,
    RefusedError,
    TooLargeError,
)
from mdmemd.model import ParsedDocument
from mdmemd.search.page import (
    NO_FILTER,
    Contribution,
    DocumentRow,
    Excerpt,
    Filter,
    Hit,
    Outline,
    OutlineNode,
    Place,
    SectionText,
)
from mdmemd.search.why import Why

_CODES: tuple[tuple[type[DaemonError], ErrorCode], ...] = (
    (InvalidRequestError, ErrorCode.INVALID_REQUEST),
    (NotFoundError, ErrorCode.NOT_FOUND),
    (AmbiguousError, ErrorCode.AMBIGUOUS),
    (RefusedError, ErrorCode.REFUSED),
    (OperatorError, ErrorCode.REFUSED),
    (TooLargeError, ErrorCode.TOO_LARGE),
    (ModelUnavailableError, ErrorCode.UNAVAILABLE),
    (DownloadError, ErrorCode.UNAVAILABLE),
)


def error_code(error: DaemonError) -> ErrorCode:
    """The wire code of an error that has a remedy."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), ErrorCode.INTERNAL)


def asked_filter(value: wire.Filter | None) -> Filter:
    """A filter as the client wrote it down."""
    if value is None:
        return NO_FILTER
    return Filter(
        groups=value.groups,
        paths=value.paths,
        tags=value.tags,
        properties=value.properties,
        since=value.since,
        before=value.before,
        kind=value.kind,
        links_to=value.links_to,
        linked_from=value.linked_from,
    )


def search_result(answer: Answer) -> wire.SearchResult:
    """An answer."""
    return wire.SearchResult(
        query=answer.query,
        hits=tuple(hit(entry) for entry in answer.hits),
        state=answer_state(answer.state),
        cursor=answer.cursor,
        near_misses=tuple(hit(entry) for entry in answer.near_misses),
        did_you_mean=tuple(wire.Respelling(each.asked, each.written) for each in answer.did_you_mean),
    )


def hit(value: Hit) -> wire.Hit:
    """One section of an answer."""
    return wire.Hit(
        root=value.root,
        path=value.path,
        heading_path=value.heading_path,
        part=value.part,
        lines=value.lines,
        tokens=value.tokens,
        score=round(value.score, 4),
        kind=value.kind,
        excerpt=None if value.excerpt is None else _excerpt(value.excerpt),
        matched_passage=value.matched_passage,
        also_in=tuple(_place(each) for each in value.also_in),
        contributions=_contributions(value.contributions),
        lowered_for=value.lowered_for,
        id=value.id,
    )


def why_query_result(value: Why) -> wire.WhyQueryResult:
    """Where a section stands among the answers to a question."""
    return wire.WhyQueryResult(
        state=value.state.value,
        sentence=value.sentence,
        place=None if value.place is None else _place(value.place),
        rank=value.rank,
        score=None if value.score is None else round(value.score, 4),
        last_score=None if value.last_score is None else round(value.last_score, 4),
        contributions=_contributions(value.contributions),
    )


def _place(value: Place) -> wire.Place:
    return wire.Place(value.root, value.path, value.heading_path, value.part, value.lines, value.id)


def _contributions(values: tuple[Contribution, ...]) -> tuple[wire.Contribution, ...]:
    return tuple(wire.Contribution(each.what, round(each.value, 4)) for each in values)


def _excerpt(value: Excerpt) -> wire.Excerpt:
    return wire.Excerpt(value.lines, value.text, value.cut)


def answer_state(state: AnswerState) -> wire.AnswerState:
    """The state that an answer stands on."""
    return wire.AnswerState(
        mode=state.mode,
        degraded=state.degraded,
        fresh=state.fresh,
        pending_files=state.pending_files,
        documents=state.documents,
        sections=state.sections,
        passages=state.passages,
        embedded=state.embedded,
        coverage=state.coverage.value,
        keyword_match=state.keyword_match,
        exact_sections=state.exact_sections,
        took_ms=round(state.took_ms, 2),
        outstanding=state.outstanding,
        filtered_sections=state.filtered_sections,
        exact_files=state.exact_files,
    )


def read_result(section: SectionText) -> wire.ReadResult:
    """A section verbatim."""
    return wire.ReadResult(
        root=section.root,
        path=section.path,
        heading_path=section.heading_path,
        part=section.part,
        lines=section.lines,
        tokens=section.tokens,
        text=section.text,
        id=section.id,
    )


def read_many_result(items: tuple[ReadItem, ...]) -> wire.ReadManyResult:
    """Several sections."""
    return wire.ReadManyResult(items=tuple(_read_item(each) for each in items))


def _read_item(item: ReadItem) -> wire.ReadItem:
    return wire.ReadItem(
        item.address,
        None if item.section is None else read_result(item.section),
        item.error,
        None if item.failure is None else error_code(item.failure).value,
    )


def outline_result(value: Outline) -> wire.OutlineResult:
    """A heading tree."""
    return wire.OutlineResult(
        root=value.root,
        path=value.path,
        title=value.title,
        tokens=value.tokens,
        nodes=tuple(_node(entry) for entry in value.nodes),
    )


def _node(value: OutlineNode) -> wire.OutlineNode:
    return wire.OutlineNode(
        title=value.title,
        level=value.level,
        heading_path=value.heading_path,
        lines=value.lines,
        tokens=value.tokens,
        parts=value.parts,
        children=tuple(_node(entry) for entry in value.children),
        id=value.id,
    )


def preview_result(document: ParsedDocument) -> wire.PreviewResult:
    """A parsed document."""
    return wire.PreviewResult(
        front_matter=None if document.properties is None else dict(document.properties),
        title=document.title,
        sections=tuple(
            wire.PreviewSection(each.heading_path, each.level, each.part, each.lines, each.tokens)
            for each in document.sections
        ),
        passages=tuple(
            wire.PreviewPassage(each.section, each.lines, each.text) for each in document.passages
        ),
        links=tuple(
            wire.PreviewLink(each.target, each.path, each.heading, each.line, each.is_embed)
            for each in document.links
        ),
        tags=document.tags,
        problems=tuple(wire.PreviewProblem(each.kind, each.line, each.message) for each in document.problems),
    )


def list_result(listing: Listing) -> wire.ListResult:
    """A listing."""
    return wire.ListResult(
        documents=tuple(_row(entry) for entry in listing.documents),
        state=answer_state(listing.state),
    )


def _row(row: DocumentRow) -> wire.DocumentRow:
    return wire.DocumentRow(
        root=row.root,
        path=row.path,
        title=row.title,
        sections=row.sections,
        tokens=row.tokens,
        modified_at=row.modified_at,
        date=row.date,
    )


def problem_row(entry: FileProblem) -> wire.ProblemRow:
    """One problem of a root."""
    problem = entry.problem
    return wire.ProblemRow(path=entry.path, kind=problem.kind, line=problem.line, message=problem.message)


def root_info(status: RootStatus) -> wire.RootInfo:
    """One root."""
    return wire.RootInfo(
        name=status.name,
        path=status.path,
        state=status.state.value,
        documents=status.documents,
        sections=status.sections,
        passages=status.passages,
        embedded=status.embedded,
        pending_files=status.pending_files,
        problems=tuple(problem_row(entry) for entry in status.problems),
        problem_count=status.problem_count,
        chunk_mode=status.chunk_mode.value,
        detail=status.detail,
        watch_mode=status.watch.mode.value if status.watch else "",
        watch_reason=status.watch.reason if status.watch else None,
        watches=status.watch.watches if status.watch else 0,
    )


def changes_result(found: ChangeList) -> wire.ChangesResult:
    """Changes of roots."""
    return wire.ChangesResult(
        changes=tuple(
            wire.ChangeRow(
                tick=entry.change.tick,
                at=entry.change.at,
                root=entry.root,
                kind=entry.change.kind.value,
                path=entry.change.path,
                path_before=entry.change.path_before,
            )
            for entry in found.changes
        ),
        tick=found.tick,
        incomplete=found.incomplete,
    )


def model_info(status: ModelStatus) -> wire.ModelInfo:
    """The embedding model."""
    return wire.ModelInfo(
        name=status.name,
        state=status.state.value,
        dimensions=status.dimensions,
        fingerprint=status.fingerprint,
        detail=status.detail,
        computed=status.computed,
        from_cache=status.from_cache,
        queued=status.queued,
        passages_per_second=round(status.passages_per_second, 1),
        changing_to=status.changing_to,
    )


def progress_event(progress: Progress) -> wire.ProgressEvent:
    """How far a root is."""
    return wire.ProgressEvent(phase=progress.phase, done=progress.done, total=progress.total)
