"""A configuration file of another program, changed so that nothing else in it is lost.

Invariants: a change is one atomic replacement of the file that a link leads to, with the file's permissions;
the content before is kept beside it (``.mdmem-backup``); what cannot be read and written back without losing
something (comments in JSON, a file that does not parse) is refused and left as it is; nothing is written
where nothing changes. Called by the command line.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
from collections.abc import Callable
from typing import Any

from mdmem.errors import RefusedError

BACKUP_SUFFIX = ".mdmem-backup"
NEW_FILE_MODE = 0o600
"""These files may hold other servers' secrets."""

Table = dict[str, Any]


def change_json(path: str, change: Callable[[Table], None], *, dry_run: bool = False) -> bool:
    """Apply ``change`` to the object in a JSON file, made if it is not there; returns whether it changed.

    The order of keys and the indentation are kept. Raises ``RefusedError`` where the file is no plain JSON
    object or cannot be written.
    """
    before = _read(path)
    try:
        value = json.loads(before) if before.strip() else {}
    except ValueError as error:
        raise RefusedError(
            f"{path} is no plain JSON ({error}), so it was left as it is.",
            remedy="Repair it, or add the entry by hand: `mdmemctl mcp print` shows it.",
        ) from error
    if not isinstance(value, dict):
        raise RefusedError(
            f"{path} does not hold a JSON object, so it was left as it is.",
            remedy="Move it away, or add the entry by hand: `mdmemctl mcp print` shows it.",
        )
    _change_table(path, value, change)
    if before.strip() and json.loads(before) == value:
        return False
    after = json_text(value, indent=_indentation(before))
    if not dry_run:
        _replace(path, before, after)
    return True


def change_toml(path: str, change: Callable[[Table], None], *, dry_run: bool = False) -> bool:
    """The same for a TOML file, whose comments and layout are kept."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    before = _read(path)
    try:
        document = tomlkit.parse(before)
    except TOMLKitError as error:
        raise RefusedError(
            f"{path} is no valid TOML ({error}), so it was left as it is.",
            remedy="Repair it, or add the entry by hand: `mdmemctl mcp print` shows it.",
        ) from error
    _change_table(path, document, change)
    after = tomlkit.dumps(document)
    if after == before:
        return False
    if not dry_run:
        _replace(path, before, after)
    return True


def json_text(value: Table, *, indent: int | str = 2) -> str:
    """A JSON file with this content."""
    return json.dumps(value, indent=indent, ensure_ascii=False) + "\n"


def toml_text(value: Table) -> str:
    """A TOML file with this content."""
    import tomlkit

    return tomlkit.dumps(value)


def _change_table(path: str, table: Table, change: Callable[[Table], None]) -> None:
    try:
        change(table)
    except (AttributeError, TypeError) as error:
        raise RefusedError(
            f"{path} has another shape than its program documents, so it was left as it is.",
            remedy="Add the entry by hand: `mdmemctl mcp print` shows it.",
        ) from error


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise RefusedError(f"{path} cannot be read: {error}.", remedy="Repair it first.") from error


def _indentation(text: str) -> int | str:
    """That of the first indented line; two spaces where there is none."""
    for line in text.splitlines():
        blank = line[: len(line) - len(line.lstrip())]
        if blank and line.strip():
            return blank
    return 2


def _replace(path: str, before: str, after: str) -> None:
    target = os.path.realpath(path)
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else NEW_FILE_MODE
        if before:
            _write(target + BACKUP_SUFFIX, before, mode)
        _write(target, after, mode)
    except OSError as error:
        raise RefusedError(
            f"{path} cannot be written: {error.strerror}.", remedy="Repair its permissions."
        ) from error


def _write(path: str, text: str, mode: int) -> None:
    """Write to a temporary name, sync, rename: a reader sees the old file or the new one."""
    descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".mdmem-")
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
