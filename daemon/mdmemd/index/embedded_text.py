"""The text that is embedded for a passage, and its identity.

Two passages with the same embedded text share one vector and one key, wherever in the root they stand. Pure;
any thread.
"""

from __future__ import annotations

import hashlib

from mdmemd.model import ParsedDocument, Passage, Section

CONTENT_ID_BYTES = 16


def embedded_text(document: ParsedDocument, section: Section, passage: Passage) -> str:
    """``breadcrumb: passage``, with the document's title where the section has no heading."""
    return f"{section.breadcrumb or document.title}: {passage.text}"


def content_id(text: str) -> bytes:
    """BLAKE2b-128 of the text: two of a million different texts meet with a probability below 1e-26."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=CONTENT_ID_BYTES).digest()
