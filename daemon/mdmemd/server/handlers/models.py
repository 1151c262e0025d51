"""Models. ``list_models`` is called on the query pool, the others on the threads for long work."""

from __future__ import annotations

from mdmem_proto import messages as wire
from mdmemd.server.convert_models import model_row
from mdmemd.server.handlers.backend import Backend


def list_models(backend: Backend, params: wire.Empty) -> wire.ModelListResult:
    """All models."""
    del params
    return wire.ModelListResult(models=tuple(model_row(entry) for entry in backend.models.entries()))


def verify(backend: Backend, params: wire.ModelNameParams) -> wire.ModelRow:
    """Hash the files of a model."""
    return model_row(backend.models.verify(params.name))


def use(backend: Backend, params: wire.ModelNameParams) -> wire.ModelRow:
    """Choose a model."""
    return model_row(backend.models.use(params.name))
