"""Parameters as other systems advertise them: defaults in the schema, no bounds, empty text allowed.

A tool whose callers were written for another system moves numbers into their bounds by itself, and says
itself what an empty text means. Pure; called on the event loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mdmemd.mcp.parameters import Text, WholeNumber

LEAST = -(2**31)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainText(Text):
    """A text that may be empty; the schema names the default of one that may be left out."""

    may_be_empty: bool = True

    def type_schema(self) -> dict[str, Any]:
        """A string with its default."""
        return {"type": "string"} if self.required else {"type": "string", "default": ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class NullableText(PlainText):
    """A text whose default is ``null``, which reads as empty."""

    def type_schema(self) -> dict[str, Any]:
        """A string or null."""
        return {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainNumber(WholeNumber):
    """A whole number without bounds."""

    minimum: int = LEAST

    def type_schema(self) -> dict[str, Any]:
        """An integer with its default, if it has one."""
        default = {} if self.default_number is None else {"default": self.default_number}
        return {"type": "integer"} | default
