"""Models to the wire. Pure; any thread."""

from __future__ import annotations

from mdmem_proto import messages as wire
from mdmemd.engine.models import ModelEntry


def model_row(entry: ModelEntry) -> wire.ModelRow:
    """One model."""
    spec = entry.library.spec
    return wire.ModelRow(
        name=spec.name,
        kind=spec.kind.value,
        state=entry.library.state.value,
        in_use=entry.is_in_use,
        dimensions=spec.dimensions,
        tokens_max=spec.tokens_max,
        size_bytes=spec.size_bytes,
        licence=spec.licence.name,
        licence_url=spec.licence.url,
        licence_note=spec.licence.note,
        source=spec.source,
        revision=spec.hub.revision if spec.hub is not None else None,
        folder=entry.library.folder,
        detail=entry.library.detail,
        files=tuple(wire.ModelFileRow(file.path, file.size_bytes, file.sha256) for file in spec.files),
    )
