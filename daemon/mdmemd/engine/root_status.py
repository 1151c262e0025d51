"""From one root's view to what ``status`` shows of it.

Pure: the state is derived from facts each time and never stored.
"""

from __future__ import annotations

from mdmemd.engine.report import ModelStatus, Progress, RootState, RootStatus
from mdmemd.engine.state import RootView
from mdmemd.model import ModelState
from mdmemd.sync.exclusion import Removed, ScopeReport

PROBLEMS_SHOWN_MAX = 20
RULES_TOLD_MAX = 3


def root_state(view: RootView, model: ModelStatus) -> RootState:
    """Where the root is in its life.

    Vectors that a failed model will never make do not keep a root from being ready.
    """
    if view.asleep:
        return RootState.ASLEEP
    if view.rebuilt is not None:
        new = root_state(view.rebuilt, model)
        return RootState.EMBEDDING if new is RootState.EMBEDDING else RootState.INDEXING
    if view.missing is not None:
        return RootState.MISSING
    if not view.scanned or view.pending_files:
        return RootState.INDEXING
    if view.snapshot.documents == 0:
        return RootState.EMPTY
    if (view.awaited_vectors or model.changing_to) and model.state is not ModelState.FAILED:
        return RootState.EMBEDDING
    return RootState.READY


def root_status(view: RootView, model: ModelStatus) -> RootStatus:
    """All that ``status`` shows."""
    state = root_state(view, model)
    return RootStatus(
        name=view.spec.name,
        path=view.spec.path,
        state=state,
        documents=view.snapshot.documents,
        sections=view.snapshot.sections,
        passages=view.snapshot.passages,
        embedded=view.snapshot.embedded,
        pending_files=view.pending_files,
        problems=view.problems[:PROBLEMS_SHOWN_MAX],
        problem_count=len(view.problems),
        chunk_mode=view.spec.chunk_mode,
        detail=_detail(view, state, model),
        watch=view.watch,
    )


def progress(view: RootView) -> Progress:
    """How far the root is: first its files, then its passages."""
    view = view.rebuilt or view
    if not view.scanned or view.pending_files:
        return Progress("index", view.indexed_files, view.indexed_files + view.pending_files)
    return Progress("embed", view.snapshot.embedded, view.snapshot.passages)


def _nothing_left(rules: ScopeReport) -> str:
    """Why a root has no documents: what its rules took away, or that there is no Markdown at all."""
    taken = [each for each in rules.removed if each.reason.rule not in ("built_in", "nested_root")]
    if not taken:
        return "no Markdown was found in it (.md, .markdown, .mdx)"
    told = [f"{_amount(each)} {each.reason.sentence}" for each in taken[:RULES_TOLD_MAX]]
    more = f"; and by {len(taken) - RULES_TOLD_MAX} more rules" if len(taken) > RULES_TOLD_MAX else ""
    return f"no Markdown is left of it: {'; '.join(told)}{more}"


def _amount(removed: Removed) -> str:
    counts = ((removed.files, "file"), (removed.folders, "folder"))
    return " and ".join(f"{number} {kind}{'' if number == 1 else 's'}" for number, kind in counts if number)


def _detail(view: RootView, state: RootState, model: ModelStatus) -> str | None:
    sentences: list[str] = []
    if view.missing is not None:
        sentences.append(view.missing)
    elif state is RootState.EMPTY:
        sentences.append(_nothing_left(view.rules))
    elif model.state is ModelState.FAILED and view.awaited_vectors:
        sentences.append(f"keyword search only: {model.detail}")
    if view.failed_vectors:
        sentences.append(f"{view.failed_vectors} texts could not be embedded and are found by keywords only")
    if view.rebuilt is not None and model.changing_to is not None:
        new = view.rebuilt.snapshot
        sentences.append(
            f"{new.embedded} of {new.passages} passages have vectors of the model to come; "
            "those of the old one answer until all have"
        )
    elif view.rebuilt is not None:
        sentences.append("its index is being made anew; the old one answers until that is complete")
    if view.nested_in is not None:
        sentences.append(f"lies inside the root {view.nested_in}; its files are listed here and not there")
    return "; ".join(sentences) or None
