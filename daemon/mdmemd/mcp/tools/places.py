"""The parameter that names what is to be read: one place, or several as a list or comma-separated text.

A text with commas is a list only where each piece of it can be nothing but a place, so that a file called
``Tips, tricks.md`` or a heading with a comma stays whole. Pure; called on the event loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mdmemd.errors import InvalidRequestError
from mdmemd.mcp.parameters import Names
from mdmemd.search.address import is_address

PLACES_MAX = 100
CHARACTERS_MAX = 4_096
"""Of one place, as on the wire."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places(Names):
    """Addresses (``search.address``) in the order given, each once."""

    what: str = "path"

    def read(self, value: Any) -> tuple[str, ...]:
        """The places, without surrounding space."""
        places = Names.read(self, value)  # super() knows another class than the one that slots make
        if len(places) > PLACES_MAX or any(len(place) > CHARACTERS_MAX for place in places):
            raise InvalidRequestError(
                f"'{self.name}' takes {PLACES_MAX} places of {CHARACTERS_MAX:,} characters at most.",
                remedy="Read them in several calls, or use a glob.",
            )
        return places

    def pieces(self, text: str) -> list[str]:
        """Several only where each can be nothing but a place."""
        pieces = Names.pieces(self, text)
        return pieces if len(pieces) > 1 and all(is_address(piece.strip()) for piece in pieces) else [text]
