"""The identity of an embedded text across files, roots, worktrees and restarts. Pure; any thread."""

from __future__ import annotations

import hashlib

CONTENT_ID_BYTES = 16


def content_id(model_fingerprint: str, text: str) -> bytes:
    """BLAKE2b-128 of the model's fingerprint and the text: equal ids mean the same vector.

    The fingerprint is closed with a NUL, which it never contains, so that no other pair gives the same bytes.
    """
    identity = model_fingerprint.encode() + b"\0" + text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(identity, digest_size=CONTENT_ID_BYTES).digest()
