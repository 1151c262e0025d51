"""The identity of a vector across files, roots, worktrees, restarts and machines. Pure; any thread."""

from __future__ import annotations

import hashlib

from mdmemd.text.content_id import content_id

VECTOR_ID_BYTES = 16


def vector_id(model_fingerprint: str, text: str) -> bytes:
    """The identity of what a model makes of a text: equal ids mean the same vector."""
    return vector_id_of(model_fingerprint, content_id(text))


def vector_id_of(model_fingerprint: str, text_id: bytes) -> bytes:
    """The same where only the text's ``content_id`` is known.

    BLAKE2b-128 of the model's fingerprint and the id. The fingerprint is closed with a NUL, which it never
    contains, so that no other pair gives the same bytes.
    """
    return hashlib.blake2b(model_fingerprint.encode() + b"\0" + text_id, digest_size=VECTOR_ID_BYTES).digest()
