"""Models as a person reads them."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.cli.render.style import Style, line, table
from mdmem_proto.messages import ModelRow

REVISION_DIGITS = 12


def render_models(models: Sequence[ModelRow], style: Style) -> str:
    """A table, then what is wrong with each."""
    rows = [["MODEL", "STATE", "KIND", "SIZE", "DIMENSIONS", "TOKENS", "LICENCE"]]
    rows += [_row(model) for model in models]
    lines = table(rows, right=frozenset({3, 4, 5}))
    return "\n".join([*lines, *(trouble for model in models for trouble in _troubles(model, style))]) + "\n"


def render_model(model: ModelRow, style: Style) -> str:
    """One model in one line, and what is wrong with it."""
    facts = f"{_state(model)}, {_megabytes(model)}, {line(model.folder)}"
    return "\n".join([f"{line(model.name)}: {facts}", *_troubles(model, style)]) + "\n"


def render_pins(model: ModelRow) -> str:
    """Revision, and size and sha256 of each file, one a line, as ``sha256sum`` has them at the end."""
    head = f"{line(model.name)} {line(model.revision or '(no revision)')}"
    files = [f"{each.sha256}  {each.size_bytes:>13,}  {line(each.path)}" for each in model.files]
    return "\n".join([head, *files]) + "\n"


def licence_text(model: ModelRow) -> str:
    """What to know before a download."""
    where = f"{line(model.source)} at {line((model.revision or '')[:REVISION_DIGITS])}"
    lines = [
        f"{line(model.name)}: {_megabytes(model)} from {where}",
        f"Licence: {line(model.licence)}, {line(model.licence_url)}",
    ]
    return "\n".join([*lines, line(model.licence_note)] if model.licence_note else lines) + "\n"


def _row(model: ModelRow) -> list[str]:
    numbers = [_megabytes(model), f"{model.dimensions:,}", f"{model.tokens_max:,}"]
    return [line(model.name), _state(model), model.kind, *numbers, line(model.licence)]


def _state(model: ModelRow) -> str:
    words = {"absent": "not downloaded"}
    return f"{words.get(model.state, model.state)}{', in use' if model.in_use else ''}"


def _troubles(model: ModelRow, style: Style) -> list[str]:
    return [style.bold(f"! {line(model.name)}: {line(model.detail)}")] if model.detail else []


def _megabytes(model: ModelRow) -> str:
    return f"{model.size_bytes / 1e6:,.1f} MB"
