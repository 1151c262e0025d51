"""The number of the wire protocol: which ones this build speaks, and how two builds agree on one.

It answers "can we talk", nothing else: the checkpoint has its own two numbers, and the version of the program
is for people.

History, one line per number:

1. first protocol: frames, handshake, requests by id, events, ``mcp.open``
"""

PROTOCOL_MIN = 1
"""Oldest protocol number that this build still speaks."""

PROTOCOL_MAX = 1
"""Newest protocol number that this build speaks."""


def choose(offer_min: int, offer_max: int) -> int | None:
    """The highest number that both an offer of ``offer_min..offer_max`` and this build speak.

    ``None`` where there is none.
    """
    chosen = min(offer_max, PROTOCOL_MAX)
    return chosen if chosen >= max(offer_min, PROTOCOL_MIN) else None
