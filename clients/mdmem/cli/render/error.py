"""An error as a person reads it, and as ``--json`` prints it: an object ``error`` with four fields."""

from __future__ import annotations

from mdmem.cli.render.style import block, line
from mdmem.errors import MdmemError


def render_error(error: MdmemError) -> str:
    """The sentence, the valid values nearest to what was asked, the remedy."""
    candidates = "".join(f"  {line(candidate)}\n" for candidate in error.candidates)
    remedy = f"{block(error.remedy)}\n" if error.remedy else ""
    return f"mdmemctl: {block(str(error))}\n{candidates}{remedy}"


def error_value(error: MdmemError) -> dict[str, dict[str, object]]:
    """The value for JSON."""
    return {
        "error": {
            "code": error.code,
            "message": str(error),
            "remedy": error.remedy,
            "candidates": list(error.candidates),
        }
    }
