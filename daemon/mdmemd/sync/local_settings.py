"""``.mdmem.toml`` in the folder of a root: what those who wrote the documents want left out. Pure.

It comes with a checkout that nobody may have looked at, so it can only narrow: leave files out, and index
smaller files only. It names no folder outside, runs nothing and changes no other setting. Keys::

    exclude = ["drafts", "api/generated/**"]   # globs, as `exclude` of a root
    file_kib_max = 512                         # larger files are left out; 1 to 10240

Whatever else stands in it is a problem that ``status`` shows, and the rest of the file counts.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

from mdmemd.sync.globs import GLOBS_MAX, glob_problem

NAME = ".mdmem.toml"
BYTES_MAX = 64 * 1024
FILE_KIB_MAX = 10 * 1024


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """What the file says; ``file_bytes_max`` is ``None`` without a limit; ``problems`` are sentences."""

    exclude: tuple[str, ...] = ()
    file_bytes_max: int | None = None
    problems: tuple[str, ...] = ()


def parse_local_settings(content: bytes) -> LocalSettings:
    """The settings of the file's content; a file that is no TOML says nothing but a problem."""
    try:
        document = tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        return LocalSettings(problems=(f"no valid TOML, so it is not used: {_short(error)}",))
    known = ("exclude", "file_kib_max")
    problems = [f"the key {key!r} means nothing here" for key in document if key not in known]
    exclude = _exclude(document.get("exclude", []), problems)
    size = document.get("file_kib_max")
    if size is not None and (type(size) is not int or not 1 <= size <= FILE_KIB_MAX):
        problems.append(f"file_kib_max takes a whole number from 1 to {FILE_KIB_MAX}")
        size = None
    return LocalSettings(exclude, None if size is None else size * 1024, tuple(problems))


def _exclude(value: Any, problems: list[str]) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(glob, str) for glob in value):
        problems.append("exclude takes a list of globs")
        return ()
    if len(value) > GLOBS_MAX:
        problems.append(f"exclude has more than {GLOBS_MAX} globs; the others are not used")
    usable: list[str] = []
    for glob in value[:GLOBS_MAX]:
        if problem := glob_problem(glob):
            problems.append(f"the glob {glob[:80]!r} {problem}")
        else:
            usable.append(glob)
    return tuple(usable)


def _short(error: Exception) -> str:
    return str(error).split("\n")[0][:200]
