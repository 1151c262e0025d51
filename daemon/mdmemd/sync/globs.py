"""The globs of a user: what ``exclude`` and ``include`` take, for a root or in a file of settings.

One glob is one line of git's pattern language as plain text: without ``/`` it matches names at any depth,
with one it starts at the root's folder, ``*`` stays within a name, ``**`` does not. A folder that matches
takes along what is in it. ``#`` has no meaning and there is no ``!``: what shall be brought back is said in a
``.mdmemignore`` file. Pure; any thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mdmemd.sync.patterns import Pattern, PatternList, parse_pattern

GLOBS_MAX = 200
GLOB_CHARACTERS_MAX = 1000


def glob_problem(glob: str) -> str | None:
    """What is wrong with a glob, to follow its text; ``None`` where it can be used."""
    if len(glob) > GLOB_CHARACTERS_MAX:
        return f"is longer than {GLOB_CHARACTERS_MAX} characters"
    if "\0" in glob or "\n" in glob:
        return "holds a character that no glob may hold"
    if glob.startswith("!"):
        return "begins with !; write that line into a .mdmemignore file"
    if ".." in glob.split("/"):
        return "leads out of the root by .."
    if _pattern(glob) is None:
        return "matches nothing: it is empty, or has a [ without ]"
    return None


class Globs:
    """Several globs: a path matches if one of them does."""

    def __init__(self, globs: Iterable[str]) -> None:
        """Globs with a ``glob_problem`` are left out: whoever took them in has told the user."""
        usable = [pattern for glob in globs if glob_problem(glob) is None and (pattern := _pattern(glob))]
        self.texts = tuple(pattern.text for pattern in usable)
        self._patterns = PatternList(usable)

    def match(self, path: str, name: str, *, is_folder: bool) -> str | None:
        """The glob that matches this entry itself."""
        if not self.texts:
            return None
        pattern = self._patterns.match(path, name, is_folder=is_folder)
        return pattern.text if pattern else None


def _pattern(glob: str) -> Pattern | None:
    text = glob.removeprefix("./")
    pattern = parse_pattern(f"\\{text}" if text.startswith("#") else text)
    return replace(pattern, text=glob) if pattern else None
