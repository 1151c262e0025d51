"""Globs over the paths of documents, as regular expressions that take linear time on any path.

``*`` and ``?`` stand for characters within one name, ``[ab]`` and ``[!ab]`` for one of them, ``**`` as a
whole name for any number of folders. A glob without ``/`` is compared with each name along a path, any other
with the path from the root on; one that fits a folder fits everything below it. Case counts. The star rules
follow ``fnmatch``: of all stars but the last, the shortest fit is final, so nothing is ever tried twice.
Pure.
"""

from __future__ import annotations

import re

_WILD = re.compile(r"[*?]|\[!?[^\]/]+\]")
_ANY_FOLDERS = "(?:[^/]+/)*?"


def is_glob(text: str) -> bool:
    """Whether anything in it stands for something else than itself."""
    return _WILD.search(text) is not None


def literal_folder(glob: str) -> str:
    """The folder that every path which the glob fits lies in; empty for the root."""
    names = glob.strip("/").split("/")[:-1]
    wild = next((number for number, name in enumerate(names) if is_glob(name)), len(names))
    return "/".join(names[:wild])


def compile_glob(glob: str) -> re.Pattern[str]:
    """What ``fullmatch``es the root-relative paths of the documents that the glob means."""
    names = glob.strip("/").split("/")
    if "/" not in glob.rstrip("/"):
        names.insert(0, "**")
    runs: list[list[str]] = [[]]
    for name in names:
        if name == "**":
            runs.append([])
        else:
            runs[-1].append(_name_pattern(name))
    first, *others = ("/".join(run) for run in runs)
    others = [run for run in others[:-1] if run] + others[-1:]
    pattern = first
    if others:
        *inner, last = others
        pattern = first + "/" if first else ""
        pattern += "".join(f"(?>{_ANY_FOLDERS}{run}/)" for run in inner)
        pattern += f"{_ANY_FOLDERS}{last}" if last else "[^/]+"
    return re.compile(f"{pattern}(?:/.*)?", re.DOTALL)


def _name_pattern(name: str) -> str:
    """The pattern of one whole name."""
    pieces, end = [""], 0
    for match in _WILD.finditer(name):
        pieces[-1] += re.escape(name[end : match.start()])
        end = match.end()
        if match[0] == "*":
            pieces.append("")
        else:
            pieces[-1] += "[^/]" if match[0] == "?" else _character_class(match[0])
    pieces[-1] += re.escape(name[end:])
    first, *others = pieces
    pattern = first + "".join(f"(?>[^/]*?{piece})" for piece in others[:-1] if piece)
    return pattern + "".join(f"[^/]*{piece}" for piece in others[-1:]) + r"(?=/|\Z)"


def _character_class(text: str) -> str:
    is_negated = text.startswith("[!")
    inner = re.sub(r"[\\\[\]^&~|]", r"\\\g<0>", text[2:-1] if is_negated else text[1:-1])
    try:
        re.compile(f"[{inner}]")
    except re.error:  # a range that runs backwards
        return re.escape(text)
    return f"(?!/)[{'^' if is_negated else ''}{inner}]"
