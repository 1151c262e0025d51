"""Golden transcripts of every tool, also of its errors: what an agent reads, byte for byte.

``MDMEM_REWRITE_GOLDEN=1`` writes them anew; read the difference before it is committed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from mdmem_testkit.mcp_client import RawClient, talk
from mdmem_testkit.mcp_transcript import check, library, transcript

CALLS: Mapping[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "search_docs": (
        ("search_docs", {"query": "install"}),
        ("search_docs", {"q": "install", "top_k": "1", "root": "*"}),
        ("search_docs", {"query": "sourdough"}),
        ("search_docs", {"query": "install", "rot": "recipes"}),
        ("search_docs", {"query": "install", "root": "recipies"}),
        ("search_docs", {"query": "install", "limit": "many"}),
        ("search_docs", {"query": "install", "directory": "guides", "root": "*"}),
        ("search_docs", {"query": "install", "path": "notes/old"}),
        ("search_docs", {"query": "install", "kind": "note"}),
        ("search_docs", {}),
        ("search_docs", {"query": "install", "cwd": "docs"}),
        ("search_docs", {"query": "install", "cwd": "/elsewhere"}),
    ),
    "read_section": (
        ("read_section", {"file_path": "guides/install.md", "heading_path": "Install > Linux"}),
        ("read_section", {"path": "notes/meeting.md", "heading": "Note", "part": "2"}),
        ("read_section", {"file_path": "soup.md"}),
        ("read_section", {"file_path": "guides/install.md", "heading_path": "Windows"}),
        ("read_section", {"file_path": "guides/instal.md"}),
        ("read_section", {"file_path": "guides/install.md", "root": "*"}),
        ("read_section", {"file_path": "/etc/passwd"}),
        ("read_section", {"file_path": "../../etc/passwd", "root": "handbook"}),
    ),
    "get_document_outline": (
        ("get_document_outline", {"file_path": "guides/install.md"}),
        ("get_document_outline", {"file_path": "nothing.md"}),
    ),
    "list_documents": (
        ("list_documents", {}),
        ("list_documents", {"root": "*"}),
        ("list_documents", {"directory": "guides"}),
        ("list_documents", {"directory": "absent"}),
        ("list_documents", {"directory": "../secrets"}),
        ("list_documents", {"directory": "/etc"}),
    ),
    "reindex": (
        ("reindex", {}),
        ("reindex", {"file": "guides/install.md"}),
        ("reindex", {"path": "../elsewhere.md"}),
        ("reindex", {"root": "recipes,handbook", "rebuild": "true"}),
        ("reindex", {"path": "a.md", "root": "*"}),
        ("reindex", {"root": "recipies"}),
        ("reindex", {"force": "perhaps"}),
    ),
    "index_status": (("index_status", {}), ("index_status", {"verbose": True})),
}


@pytest.mark.parametrize("tool", CALLS)
def test_transcript(tool: str) -> None:
    check(tool, transcript(library(), CALLS[tool], project="/docs/handbook"))


def test_instructions() -> None:
    async def script(client: RawClient) -> str:
        instructions: str = (await client.initialize())["result"]["instructions"]
        return instructions + "\n"

    check("instructions", talk(library(), script, project="/docs/handbook"))
