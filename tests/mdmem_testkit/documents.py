"""Parsed files for tests of the index, written down in a line or two."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from mdmemd.model import (
    Fingerprint,
    IndexedFile,
    LineRange,
    ParsedDocument,
    Passage,
    PassageKind,
    Section,
)

SectionSpec = tuple[tuple[str, ...], str]
"""Heading path and text; each line of the text is one passage."""


def indexed_file(path: str, *sections: SectionSpec, version: int = 1, **document: Any) -> IndexedFile:
    """A file of these sections; ``document`` are further fields of the parsed document."""
    made, passages, line = [], [], 1
    for number, (heading_path, text) in enumerate(sections):
        lines = text.split("\n")
        made.append(
            Section(
                heading_path=heading_path,
                level=len(heading_path),
                part=None,
                lines=LineRange(line, line + len(lines) - 1),
                text=text,
                tokens=len(text) // 4,
            )
        )
        for offset, passage in enumerate(lines):
            where = LineRange(line + offset, line + offset)
            if passage.strip():
                passages.append(Passage(number, PassageKind.PARAGRAPH, where, where, passage))
        line += len(lines)
    parsed = ParsedDocument(
        title=document.pop("title", path), sections=tuple(made), passages=tuple(passages), **document
    )
    content_hash = hashlib.blake2b(repr(sections).encode(), digest_size=16).digest()
    return IndexedFile(path, fingerprint(version), content_hash, parsed)


def fingerprint(version: int) -> Fingerprint:
    """A fingerprint of its own for each version."""
    return Fingerprint(size=version, mtime_ns=version, ctime_ns=version, inode=version, device=1)


def page(path: str, text: str, *, version: int = 1) -> IndexedFile:
    """A file of one section under one heading."""
    return indexed_file(path, (("Page",), text), version=version)


def words(text: str) -> Sequence[str]:
    """A tokenizer that a reader can do in the head."""
    return text.split()
