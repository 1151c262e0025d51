"""What maintenance has done, as a person reads it."""

from __future__ import annotations

from mdmem.cli.render.status import megabytes, render_root
from mdmem.cli.render.style import counted, line
from mdmem_proto.messages import ExportResult, GcResult, IndexResult


def render_freed(freed: GcResult) -> str:
    """What ``gc`` removed."""
    if not freed.files and not freed.bytes:
        disk = "nothing to remove"
    else:
        disk = f"removed {counted(freed.files, 'file')}, {megabytes(freed.bytes)} of disk"
    memory = f"; {megabytes(freed.memory_bytes)} of memory given back" if freed.memory_bytes else ""
    return f"{disk}{memory}\n"


def render_indexed(found: IndexResult, *, verb: str) -> str:
    """The roots that were looked at, or the file that was read."""
    if found.file is not None:
        return f"read {line(found.file)} of {line(found.roots[0].name)} again\n"
    if not found.roots:
        return "No roots yet: `mdmemctl root add PATH` registers a folder.\n"
    return "".join(f"{verb} {render_root(root)}\n" for root in found.roots)


def render_export(done: ExportResult) -> str:
    """What an export holds."""
    size = f"{counted(done.documents, 'document')}, {done.embedded:,} of {counted(done.passages, 'passage')}"
    return f"exported {line(done.root)} to {line(done.path)}: {size} with vectors, {megabytes(done.bytes)}\n"
