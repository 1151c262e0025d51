"""The text that is embedded for a passage, and its identity.

Two passages with the same embedded text share one vector and one key, wherever in the root they stand. Pure;
any thread.
"""

from __future__ import annotations

from mdmemd.model import ParsedDocument, Passage, Section


def embedded_text(document: ParsedDocument, section: Section, passage: Passage) -> str:
    """``breadcrumb: passage``, with the document's title where the section has no heading."""
    return f"{section.breadcrumb or document.title}: {passage.text}"
