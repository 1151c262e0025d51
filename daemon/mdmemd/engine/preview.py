"""What a file would be in the index, without indexing it.

Invariants: any readable file of any place and suffix, read once; nothing is kept. A small file is parsed
right here, a larger one in a parser of its own that ends with the call, so a preview neither waits for
indexing nor delays it. Called on the query pool.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping

from mdmemd.engine.root_reading import INLINE_BYTES_MAX
from mdmemd.errors import DaemonError, InvalidRequestError, NotFoundError, OperatorError, RefusedError
from mdmemd.model import ChunkMode, ParsedDocument, RootSpec
from mdmemd.ports import FileSystem, Parser
from mdmemd.search.locate import paths_in_roots
from mdmemd.sync.scope import FILE_BYTES_MAX
from mdmemd.text.document import parse_document


class Previewer:
    """Parses files for a look at them."""

    def __init__(self, *, files: FileSystem, make_parser: Callable[[], Parser]) -> None:
        self._files = files
        self._make_parser = make_parser

    def preview(
        self, path: str, *, chunk_mode: ChunkMode | None, roots: Mapping[str, RootSpec]
    ) -> ParsedDocument:
        """The document at an absolute path.

        In a root it is parsed as that root would: links start at its place there, and ``chunk_mode`` is the
        root's where none is given. Raises ``InvalidRequestError``, ``NotFoundError`` and ``RefusedError``.
        """
        if not os.path.isabs(path) or "\0" in path:
            raise InvalidRequestError(
                f"{path!r} is no absolute path.", remedy="Give the whole path of a file."
            )
        try:
            data, _ = self._files.read(path, bytes_max=FILE_BYTES_MAX)
        except OSError as error:
            raise self._unreadable(path, error) from error
        folders = {name: spec.path for name, spec in roots.items()}
        root, relative = next(
            paths_in_roots(path, folders=folders, files=self._files), (None, os.path.basename(path))
        )
        of_root = roots[root].chunk_mode if root is not None else ChunkMode.AUTO
        return self._parse(data, relative, chunk_mode or of_root)

    def _parse(self, data: bytes, path: str, chunk_mode: ChunkMode) -> ParsedDocument:
        if len(data) <= INLINE_BYTES_MAX:
            return parse_document(data, path=path, chunk_mode=chunk_mode)
        parser = self._make_parser()
        try:
            return parser.parse(data, path=path, chunk_mode=chunk_mode).document
        except OSError as error:
            raise OperatorError(
                f"The file cannot be parsed: {error.strerror}.",
                remedy="The machine has no process or memory left for it: ask again in a moment.",
            ) from error
        finally:
            parser.close()

    def _unreadable(self, path: str, error: OSError) -> DaemonError:
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            return NotFoundError(f"There is no file {path}.", remedy="Check the spelling.")
        if error.errno == errno.EFBIG:
            return RefusedError(
                f"{path} is larger than the {FILE_BYTES_MAX // 2**20} MiB that are indexed.",
                remedy="Split it, or preview a part of it.",
            )
        if self._files.is_directory(path):
            return RefusedError(
                f"{path} is a folder, and a preview shows one file.", remedy="Name a file in it."
            )
        return RefusedError(
            f"{path} cannot be read: {error.strerror}.", remedy="Name a plain file that you may read."
        )
