"""Git's pattern language: a line of an ignore file to a regular expression, a list of lines to a decision.

Follows ``wildmatch.c`` and ``dir.c`` of git 2.39, quirks included; ``tests/property/test_git_agreement.py``
compares it with ``git check-ignore``. Git matches bytes: patterns and paths of ignore files come as
bytes decoded by ``octets``, one character a byte; a user's own globs come as plain text, where ``?`` is one
character.

Invariants: any text compiles; a pattern that git would never match is left out. Patterns of hostile files
cost polynomial time: what a star skips is not tried again (atomic groups), because the earliest place where
the text after it fits is always good enough within a folder name.
"""

from __future__ import annotations

import os
import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_STAR = r"[^/]*"
_ONE = r"[^/]"
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": re.escape(string.punctuation).replace("/", ""),
    "space": r"\t-\r ",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line that means something.

    ``text`` is as written and ``line`` its number in the file; a ``negated`` one brings back. ``regex`` is
    matched against the whole name where ``by_name``, else against the whole path from the folder of its file.
    ``tail`` is the literal text that every match ends with.
    """

    text: str
    line: int
    negated: bool
    folders_only: bool
    by_name: bool
    regex: str
    tail: str

    @property
    def shown(self) -> str:
        """The line as text, from the bytes that it was read as."""
        return self.text.encode("latin-1", "replace").decode("utf-8", "replace")


class PatternList:
    """The patterns of one file in order: the last that matches decides."""

    def __init__(
        self, patterns: Sequence[Pattern], *, ignores_case: bool = False, suffixes: Sequence[str] = ()
    ) -> None:
        """Where ``suffixes`` are given, only files with one of these endings (lower case) are asked about.

        So most lines of an ordinary ignore file cost nothing for files.
        """
        self._folders = _Matcher(patterns, ignores_case=ignores_case)
        for_files = [
            each for each in patterns if not each.folders_only and _may_end_with(each.tail, suffixes)
        ]
        self._files = _Matcher(for_files, ignores_case=ignores_case)

    def match(self, path: str, name: str, *, is_folder: bool) -> Pattern | None:
        """What decides on this entry itself; nothing is concluded from the folders around it."""
        return (self._folders if is_folder else self._files).match(path, name)


class _Matcher:
    """Asks one joined expression first, because most names match nothing."""

    def __init__(self, patterns: Sequence[Pattern], *, ignores_case: bool) -> None:
        self._flags = re.DOTALL | (re.IGNORECASE | re.ASCII if ignores_case else 0)
        self._patterns = [(each, re.compile(each.regex, self._flags)) for each in reversed(patterns)]
        self._any_name = self._join(each.regex for each in patterns if each.by_name)
        self._any_path = self._join(each.regex for each in patterns if not each.by_name)

    def match(self, path: str, name: str) -> Pattern | None:
        in_name = self._any_name is not None and self._any_name.fullmatch(name) is not None
        in_path = self._any_path is not None and self._any_path.fullmatch(path) is not None
        if not in_name and not in_path:
            return None
        for pattern, regex in self._patterns:
            if regex.fullmatch(name if pattern.by_name else path):
                return pattern
        return None

    def _join(self, regexes: Iterable[str]) -> re.Pattern[str] | None:
        joined = "|".join(f"(?:{regex})" for regex in regexes)
        return re.compile(joined, self._flags) if joined else None


def octets(path: str) -> str:
    """A path as git matches it: one character a byte."""
    return path if path.isascii() else os.fsencode(path).decode("latin-1")


def parse_patterns(text: str) -> tuple[Pattern, ...]:
    """The patterns of a whole ignore file, given as ``octets``."""
    text = text.removeprefix("\xef\xbb\xbf")
    lines = enumerate(text.split("\n"), start=1)
    found = (parse_pattern(line.removesuffix("\r"), line=number) for number, line in lines)
    return tuple(pattern for pattern in found if pattern is not None)


def parse_pattern(text: str, *, line: int = 0) -> Pattern | None:
    """One line; ``None`` for a comment, a blank line and what git never matches."""
    if text.startswith("#"):
        return None
    body = written = _without_trailing_spaces(text)
    negated = body.startswith("!")
    body = body.removeprefix("!")
    folders_only = body.endswith("/")
    body = body.removesuffix("/")
    by_name = "/" not in body
    body = body.removeprefix("/")
    tokens = _tokens(body, by_name=by_name) if body else None
    if tokens is None:
        return None
    return Pattern(written, line, negated, folders_only, by_name, _regex(tokens), _literal_tail(tokens))


def _without_trailing_spaces(text: str) -> str:
    """Spaces at the end do not count, but for an escaped one."""
    end = position = 0
    while position < len(text):
        is_escape = text[position] == "\\"
        is_space = text[position] == " "
        position += 2 if is_escape else 1
        if not is_space:
            end = position
    return text[:end]


@dataclass(frozen=True, slots=True)
class _Token:
    """A piece of a pattern; ``literal`` is the character where it is a plain one.

    ``kind`` is ``one`` (matches one character), ``star`` (any number within a name), ``folders`` (``**/``,
    any number of whole folders) or ``rest`` (``**`` at the end, anything).
    """

    kind: str
    regex: str
    literal: str = ""


def _tokens(body: str, *, by_name: bool) -> list[_Token] | None:
    """The pattern in pieces; ``None`` where git gives up on it."""
    tokens: list[_Token] = []
    position = 0
    while position < len(body):
        character = body[position]
        if character == "\\":
            if position + 1 == len(body):
                return None
            tokens.append(_literal(body[position + 1]))
            position += 2
        elif character == "?":
            tokens.append(_Token("one", _ONE))
            position += 1
        elif character == "[":
            found = _character_class(body, position)
            if found is None:
                return None
            regex, position = found
            tokens.append(_Token("one", regex))
        elif character == "*":
            token, position = _stars(body, position, tokens, by_name=by_name)
            tokens.append(token)
        else:
            tokens.append(_literal(character))
            position += 1
    return tokens


def _literal(character: str) -> _Token:
    return _Token("one", re.escape(character), character)


def _stars(body: str, start: int, before: Sequence[_Token], *, by_name: bool) -> tuple[_Token, int]:
    """One or more stars from ``start``, and where the pattern goes on."""
    end = start
    while end < len(body) and body[end] == "*":
        end += 1
    # Git compares the literal start of a pattern by itself and hands over the rest, so that stars behind it
    # stand at the start of what is left: `a**/b` is taken like `**/b` behind an `a`.
    is_literal_start = all(token.literal for token in before) and "\\" not in body[:start]
    is_bounded = is_literal_start or body[start - 1] == "/"
    if by_name or end - start == 1 or not is_bounded or (end < len(body) and body[end] != "/"):
        return _Token("star", _STAR), end
    if end == len(body):
        return _Token("rest", r".*"), end
    return _Token("folders", r"(?:.*/)?"), end + 1


def _character_class(body: str, start: int) -> tuple[str, int] | None:
    """The class that opens at ``start`` as an expression, and where the pattern goes on.

    ``None`` where it is not closed or names an unknown class: git matches nothing then.
    """
    position = start + 1
    negated = body[position : position + 1] in ("!", "^")
    position += negated
    members: list[str] = []
    previous: str | None = None
    while not members or body[position : position + 1] != "]":
        member = (
            _range(body, position, previous) or _named_class(body, position) or _one_member(body, position)
        )
        if member is None or not member[0]:
            return None
        regex, previous, position = member
        members.append(regex)
    return f"(?!/)[{'^' if negated else ''}{''.join(members)}]", position + 1


_Member = tuple[str, str | None, int]
"""What goes between the brackets, the character that may begin a range, and where the class goes on."""


def _range(body: str, position: int, previous: str | None) -> _Member | None:
    """``-`` and what follows it, where that makes a range; an inverted one holds only its first character."""
    if body[position : position + 1] != "-" or previous is None:
        return None
    last = body[position + 1 : position + 2]
    if last in ("", "]"):
        return None
    position += 2
    if last == "\\":
        last = body[position : position + 1]
        position += 1
    is_range = bool(last) and previous <= last
    return (f"{re.escape(previous)}-{re.escape(last)}" if is_range else re.escape(previous)), None, position


def _named_class(body: str, position: int) -> _Member | None:
    """``[:alpha:]`` and the like; an empty expression for a name that there is not."""
    end = body.find("]", position + 2)
    if not body.startswith("[:", position) or end < position + 3 or body[end - 1] != ":":
        return None
    return _CLASSES.get(body[position + 2 : end - 1], ""), None, end + 1


def _one_member(body: str, position: int) -> _Member | None:
    """A plain or an escaped character; ``None`` at the end of the pattern."""
    position += body.startswith("\\", position)
    character = body[position : position + 1]
    return (re.escape(character), character, position + 1) if character else None


def _regex(tokens: Sequence[_Token]) -> str:
    """The pieces in one expression for the whole text."""
    pieces: list[str] = []
    run: list[_Token] = []
    for token in tokens:
        if token.kind in ("folders", "rest"):
            pieces.append(_within_names(run, is_last=False) + token.regex)
            run = []
        else:
            run.append(token)
    return "".join([*pieces, _within_names(run, is_last=True)])


def _within_names(run: Sequence[_Token], *, is_last: bool) -> str:
    """Pieces without ``**``: each star but one at the very end takes the first place that fits, for good."""
    parts: list[str] = [""]
    for token in run:
        if token.kind == "star":
            parts.append("")
        else:
            parts[-1] += token.regex
    if len(parts) == 1:
        return parts[0]
    middle = "".join(f"(?>[^/]*?{part})" for part in parts[1:-1])
    last = f"{_STAR}{parts[-1]}" if is_last else f"(?>[^/]*?{parts[-1]})"
    return parts[0] + middle + last


def _literal_tail(tokens: Sequence[_Token]) -> str:
    tail: list[str] = []
    for token in reversed(tokens):
        if not token.literal or token.literal == "/":
            break
        tail.append(token.literal)
    return "".join(reversed(tail)).lower()


def _may_end_with(tail: str, suffixes: Sequence[str]) -> bool:
    return not suffixes or any(each.endswith(tail) or tail.endswith(each) for each in suffixes)
