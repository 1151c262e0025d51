"""A parser in this process, behind the same port and contract suite as the child process.

``gives_up`` names paths that come as plain windows with that problem; ``fails_with`` lets every parse fail as
where no process can be started; ``meanwhile`` happens while the next file is parsed. ``parsed`` records the
paths, ``closed`` how often it was closed.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

from mdmemd.index.term_columns import document_terms
from mdmemd.model import ChunkMode, ParsedFile, Problem
from mdmemd.text.document import parse_document, parse_plain
from mdmemd.text.tokens import terms


class FakeParser:
    """See the module."""

    def __init__(self) -> None:
        self.gives_up: dict[str, Problem] = {}
        self.fails_with: int | None = None
        self.meanwhile: Callable[[], None] | None = None
        self.parsed: list[str] = []
        self.closed = 0

    def parse(self, data: bytes, *, path: str, chunk_mode: ChunkMode) -> ParsedFile:
        """See the port."""
        code = errno.ECANCELED if self.closed else self.fails_with
        if code is not None:
            raise OSError(code, os.strerror(code))
        self.parsed.append(path)
        if self.meanwhile is not None:
            act, self.meanwhile = self.meanwhile, None
            act()
        if path in self.gives_up:
            document = parse_plain(data, path=path, problem=self.gives_up[path])
        else:
            document = parse_document(data, path=path, chunk_mode=chunk_mode)
        return ParsedFile(document, document_terms(document, path=path, tokenize=terms))

    def close(self) -> None:
        """See the port."""
        self.closed += 1
