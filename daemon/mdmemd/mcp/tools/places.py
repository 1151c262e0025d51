"""The parameter that names what is to be read: one place, or several as a list or comma-separated text.

A text with commas is a list only where each piece of it can be nothing but a place, so that a file called
``Tips, tricks.md`` or a heading with a comma stays whole. Pure; called on the event loop.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from mdmemd.errors import InvalidRequestError
from mdmemd.mcp.parameters import Parameter
from mdmemd.search.address import is_address

PLACES_MAX = 100
CHARACTERS_MAX = 4_096
"""Of one place, as on the wire."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places(Parameter):
    """Addresses (``search.address``) in the order given, each once."""

    @property
    def default(self) -> tuple[str, ...]:
        """Not given: none."""
        return ()

    def type_schema(self) -> dict[str, Any]:
        """A string, because that is what one place looks like; lists are taken too."""
        return {"type": "string"}

    def read(self, value: Any) -> tuple[str, ...]:
        """The places, without surrounding space."""
        items = _listed(value) if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise self.refusal(value, expected="a path or a list of paths")
        places = tuple(dict.fromkeys(item.strip() for item in items if item.strip()))
        if len(places) > PLACES_MAX or any(len(place) > CHARACTERS_MAX for place in places):
            raise InvalidRequestError(
                f"'{self.name}' takes {PLACES_MAX} places of {CHARACTERS_MAX:,} characters at most.",
                remedy="Read them in several calls, or use a glob.",
            )
        return places


def _listed(text: str) -> Any:
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except ValueError:
            return [text]
    pieces = [piece.strip() for piece in text.split(",")]
    return pieces if len(pieces) > 1 and all(map(is_address, pieces)) else [text]
