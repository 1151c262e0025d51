"""Front matter: the YAML, TOML or JSON block at the very start of a document.

What counts as one:

* YAML: the first line is ``---``, a later line is ``---`` or ``...``, and what lies between is empty, or a
  mapping with text keys, or at least looks like one line by line (keys, list items, comments, indented lines,
  closing brackets). A ``# x`` line with blank lines around it is a Markdown heading, and a single ``note:
  ...`` line is an admonition between two rules: neither is front matter.
* TOML: between two ``+++`` lines. JSON: an object that starts with the file and is followed by a blank line
  or nothing.

A block that is one but does not parse gives no properties and one problem; the body is never affected. Values
come out plain: str, int, float, bool, None, lists and dicts of these; dates as they are written.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from mdmemd.model import LineRange, Problem
from mdmemd.text.limits import ParseLimits
from mdmemd.text.properties import plain_mapping

_KEY_LINE = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\W\d][^:#\[\]{}]*)\s*:(?:\s|\Z)""")
_OTHER_LINE = re.compile(r"(?:\s|#|-(?:\s|\Z)|[\]}])")
_JSON_START = re.compile(r"""\{\s*(?:"[^"\n]*"\s*:|\}\s*\Z|\}\n)""")
_MARKDOWN_HEADING = re.compile(r"#{1,6}\s+\S")
_ADMONITION_KEY = re.compile(
    r"(?:note|warning|tip|todo|important|caution|hint|see also|example)\s*:", re.IGNORECASE
)


class _YamlLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Safe loader without dates and merge keys: a date may be impossible, nested merges may explode."""


_LOADER_ERRORS = (
    yaml.YAMLError,
    *(ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError),
)
"""The loader's own errors, and what a wrong value under an explicit tag (``!!int ""``) leads to."""

_UNWANTED_TAGS = ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:merge")
_YamlLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _UNWANTED_TAGS]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The lines of the block with its delimiters, and what it says."""

    lines: LineRange
    properties: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def find_front_matter(lines: Sequence[str], *, limits: ParseLimits) -> FrontMatter | None:
    """The front matter of a document given as lines without line ends; ``None`` where it has none.

    Never raises.
    """
    if not lines:
        return None
    first = lines[0].rstrip()
    if first == "---":
        return _yaml(lines, limits)
    if first == "+++":
        return _toml(lines, limits)
    if first.startswith("{"):
        return _json(lines, limits)
    return None


def _closing_line(lines: Sequence[str], closings: tuple[str, ...], limits: ParseLimits) -> int | None:
    characters = 0
    for index in range(1, len(lines)):
        if lines[index].rstrip() in closings:
            return index
        characters += len(lines[index])
        if characters > limits.front_matter_characters_max:
            return None
    return None


def _yaml(lines: Sequence[str], limits: ParseLimits) -> FrontMatter | None:
    end = _closing_line(lines, ("---", "..."), limits)
    if end is None:
        return None
    block = lines[1:end]
    if not any(line.strip() for line in block):
        return FrontMatter(LineRange(1, end + 1))
    if _is_markdown(block):
        return None
    try:
        loaded = yaml.load("\n".join(block) + "\n", Loader=_YamlLoader)  # noqa: S506 - derived from the safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        return _malformed(block, end, f"YAML: {error.problem}", 2 + mark.line if mark else 1)
    except _LOADER_ERRORS as error:
        return _malformed(block, end, f"YAML: {error}", 1)
    if isinstance(loaded, dict) and all(isinstance(key, str) for key in loaded):
        return FrontMatter(LineRange(1, end + 1), plain_mapping(loaded))
    if loaded is None:
        return FrontMatter(LineRange(1, end + 1))
    return _malformed(block, end, "YAML: not a mapping with text keys", 1)


def _is_markdown(block: Sequence[str]) -> bool:
    """Whether lines between two rules are a heading or an admonition, though they may parse as YAML."""
    padded = ["", *block, ""]
    for index in range(1, len(padded) - 1):
        is_alone = not padded[index - 1].strip() and not padded[index + 1].strip()
        if is_alone and _MARKDOWN_HEADING.match(padded[index]):
            return True
    filled = [line for line in block if line.strip()]
    return len(filled) == 1 and _ADMONITION_KEY.match(filled[0]) is not None


def _malformed(block: Sequence[str], end: int, message: str, line: int) -> FrontMatter | None:
    filled = [text for text in block if text.strip()]
    if not any(_KEY_LINE.match(text) for text in filled):
        return None
    if not all(_KEY_LINE.match(text) or _OTHER_LINE.match(text) for text in filled):
        return None
    return _with_problem(end, message, line)


def _with_problem(end: int, message: str, line: int) -> FrontMatter:
    problem = Problem("front_matter", f"the front matter was not understood, {message}", line)
    return FrontMatter(LineRange(1, end + 1), problems=(problem,))


def _toml(lines: Sequence[str], limits: ParseLimits) -> FrontMatter | None:
    end = _closing_line(lines, ("+++",), limits)
    if end is None:
        return None
    return _loaded(lambda: tomllib.loads("\n".join(lines[1:end])), end, "TOML")


def _json(lines: Sequence[str], limits: ParseLimits) -> FrontMatter | None:
    if _JSON_START.match("\n".join(lines[:2])) is None:
        return None
    end = 0 if lines[0].rstrip().endswith("}") else _closing_line(lines, ("}",), limits)
    if end is None or (end + 1 < len(lines) and lines[end + 1].strip()):
        return None
    if len(lines[0]) > limits.front_matter_characters_max:
        return None
    return _loaded(lambda: json.loads("\n".join(lines[: end + 1])), end, "JSON")


def _loaded(load: Callable[[], Any], end: int, language: str) -> FrontMatter:
    try:
        loaded = load()
    except (ValueError, RecursionError) as error:
        return _with_problem(end, f"{language}: {error}", 1)
    return FrontMatter(LineRange(1, end + 1), plain_mapping(loaded))
