"""The model as ``status`` shows it: the choice, what the embedder says of it, and a change. Any thread."""

from __future__ import annotations

from mdmemd.embed.queue import EmbedQueue
from mdmemd.engine.chosen_model import ChosenModel
from mdmemd.engine.report import ModelStatus


def model_status(chosen: ChosenModel, embedder: EmbedQueue) -> ModelStatus:
    """The present moment."""
    model = chosen.identity
    state = embedder.state()
    progress = embedder.progress()
    detail = f"{state.failure} {state.failure.remedy}".strip() if state.failure else None
    if state.is_unloaded:
        detail = "unloaded after long idleness, and loaded again when it is needed"
    return ModelStatus(
        name=model.name,
        state=state.phase,
        dimensions=model.dimensions,
        fingerprint=state.fingerprint,
        detail=detail,
        computed=progress.embedded,
        from_cache=progress.from_cache,
        queued=progress.queued,
        passages_per_second=progress.passages_per_second,
        changing_to=chosen.next.name if chosen.next is not None else None,
    )


def cut_message(embedder: EmbedQueue) -> str | None:
    """What a person should know of passages that were too long, if there were any since the start."""
    cut = embedder.progress().cut
    if not cut:
        return None
    return f"The ends of {cut} passages are found by words only: they are too long for the model."
