"""The one door to markdown-it-py: CommonMark blocks of a document as leaves, and single headings inline.

Only block structure is parsed, for speed; inline text stays raw. What differs from the library's defaults,
and why:

* Nesting deeper than ``NESTING_MAX`` is plain text instead of being dropped with the rest of the file, and
  recursion is bounded.
* A table is one leaf with its raw lines: a token for every cell would cost hundreds of megabytes for a long
  table.
* In MDX a fence ends the HTML block that it stands in: JSX tags wrap Markdown without blank lines.
* Document-level fences follow the recovery rule of ``text.fences``; opaque blocks of dialects come from
  ``text.dialects``.
* Tokens are turned into leaves block by block, so that memory does not grow with the length of the document.

Stateless apart from the rule tables, which are built once; safe to call on several threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import (
    StateBlock,
    blockquote,
    code,
    fence,
    heading,
    hr,
    html_block,
    lheading,
    list_block,
    reference,
    table,
)
from markdown_it.token import Token

from mdmemd.text.dialects import OpaqueBlocks
from mdmemd.text.fences import FenceScanner
from mdmemd.text.leaves import Leaf, LeafKind

NESTING_MAX = 100
"""Token levels (a list item is two) to which lists and quotes nest; each costs 2.5 interpreter frames."""

_BlockRule = Callable[[StateBlock, int, int, bool], bool]

_LEAF_KINDS = {
    "inline": LeafKind.PARAGRAPH,
    "fence": LeafKind.FENCE,
    "code_block": LeafKind.INDENTED_CODE,
    "html_block": LeafKind.HTML,
    "table": LeafKind.TABLE,
    "opaque": LeafKind.OPAQUE,
    "definition": LeafKind.DEFINITION,
    "hr": LeafKind.RULE,
}


_RAW_HTML = ("<!", "<?", "<pre", "<script", "<style", "<textarea")
"""Starts of HTML blocks whose content is no Markdown in MDX either."""


class UnparsableError(Exception):
    """The library failed on a document. Such a document is indexed as plain lines."""


class ParsedBlocks:
    """Leaves in the order of the file, and the targets of its reference definitions by normalised label."""

    __slots__ = ("_env", "leaves", "references")

    def __init__(self, leaves: list[Leaf], env: dict[str, Any]) -> None:
        self.leaves = leaves
        self.references: Mapping[str, str] = {
            label: str(reference["href"]) for label, reference in env.get("references", {}).items()
        }
        self._env = {"references": env.get("references", {})}

    def with_leaves(self, leaves: list[Leaf]) -> ParsedBlocks:
        """Other leaves with the same reference definitions."""
        return ParsedBlocks(leaves, self._env)

    def inline_tokens(self, content: str) -> list[tuple[str, str]]:
        """(type, content) of each inline piece of ``content``; an image gives its alternative text."""
        root = _MARKDOWN.parseInline(content, self._env)[0]
        return list(_flat_inline(root.children or []))


def parse_blocks(lines: Sequence[str], *, fences: FenceScanner, is_mdx: bool = False) -> ParsedBlocks:
    """Blocks of ``lines`` (without line ends).

    Raises:
        UnparsableError: the library could not cope with the document.
        MemoryError: there is no memory for it, which says nothing about the document.
    """
    env: dict[str, Any] = {
        "lines": lines,
        "fences": fences,
        "opaque": OpaqueBlocks(lines),
        "levels": set(),
        "is_mdx": is_mdx,
        "may_be_setext": _setext_candidates(lines),
    }
    try:
        return ParsedBlocks(_document_leaves(lines, env), env)
    except MemoryError:
        raise  # whoever set the limit tells it, see ``adapters.parse_process.child``
    except Exception as error:  # No document may stop the work, whatever the library makes of it.
        raise UnparsableError(f"{type(error).__name__}: {error}") from error


def _document_leaves(lines: Sequence[str], env: dict[str, Any]) -> list[Leaf]:
    """The library's own loop over top-level blocks, with the tokens of each converted and dropped at once."""
    tokens: list[Token] = []
    state = StateBlock("\n".join(lines) + "\n", _MARKDOWN, env, tokens)
    leaves: list[Leaf] = []
    end = min(state.lineMax, len(lines))
    line = state.skipEmptyLines(0)
    while line < end:
        state.line = line
        _block_rule(state, line, end, False)
        _append_leaves(leaves, tokens, lines, env["levels"])
        tokens.clear()
        line = state.skipEmptyLines(max(state.line, line + 1))
    return leaves


def _append_leaves(leaves: list[Leaf], tokens: list[Token], lines: Sequence[str], levels: set[int]) -> None:
    if not tokens:
        return
    first = tokens[0]
    block_start, block_end = first.map or (0, 0)
    if first.type == "heading_open":
        level = int(first.tag[1])
        levels.add(level)
        block = (block_start, block_end)
        leaves.append(Leaf(LeafKind.HEADING, *block, *block, block_start, tokens[1].content, level=level))
        return
    while block_end > block_start + 1 and not lines[block_end - 1].strip(" \t"):
        block_end -= 1
    _append_nested(leaves, tokens, lines, (block_start, block_end))


def _append_nested(
    leaves: list[Leaf], tokens: list[Token], lines: Sequence[str], block: tuple[int, int]
) -> None:
    item = item_level = -1
    quote_depth = 0
    for token in tokens:
        kind = _LEAF_KINDS.get(token.type)
        if kind is not None:
            start, end = token.map or block
            end = min(end, block[1])
            content = token.content
            content_start = start
            if kind is LeafKind.FENCE:
                content_start += 1
            elif kind is LeafKind.DEFINITION:
                content = "\n".join(lines[start:end])
            leaves.append(Leaf(kind, start, end, *block, content_start, content, item, quote_depth > 0))
        elif token.type == "list_item_open":
            if item < 0:
                item = (token.map or block)[0]
                item_level = token.level
        elif token.type == "list_item_close":
            if token.level == item_level:
                item = item_level = -1
        elif token.type == "blockquote_open":
            quote_depth += 1
        elif token.type == "blockquote_close":
            quote_depth -= 1


def _flat_inline(tokens: list[Token]) -> Iterator[tuple[str, str]]:
    for token in tokens:
        if token.type == "image":
            yield from _flat_inline(token.children or [])
        else:
            yield token.type, token.content


def _bounded(rule: _BlockRule) -> _BlockRule:
    """``rule``, declining beyond ``NESTING_MAX``: the text is then taken by a rule that does not recurse."""

    def bounded_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return state.level < NESTING_MAX and rule(state, start, end, silent)

    return bounded_rule


def _by_first_character(*rules: tuple[str, _BlockRule]) -> _BlockRule:
    """The first of ``rules`` that matches; each is tried on lines that start with its characters, "" any."""
    characters = {character for starts, _ in rules for character in starts}
    anywhere = tuple(rule for starts, rule in rules if not starts)
    by_character = {
        character: tuple(rule for starts, rule in rules if not starts or character in starts)
        for character in characters
    }

    def dispatched_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        first = state.src[state.bMarks[start] + state.tShift[start]]
        for rule in by_character.get(first, anywhere):  # noqa: SIM110 - a generator costs more than the rules
            if rule(state, start, end, silent):
                return True
        return False

    return dispatched_rule


def _block_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return (code if state.is_code_block(start) else _unindented_block_rule)(state, start, end, silent)


def _paragraph_rule(state: StateBlock, start: int, _end: int, _silent: bool) -> bool:
    """The library's paragraph, as one token instead of three: nobody here asks where a paragraph opens."""
    line = start + 1
    parent_type, state.parentType = state.parentType, "paragraph"
    while line < state.lineMax and not state.isEmpty(line):
        # A line indented by four columns continues the paragraph; a block quote judged those below zero.
        is_continuation = state.sCount[line] - state.blkIndent > 3 or state.sCount[line] < 0
        if not is_continuation and _paragraph_end_rule(state, line, state.lineMax, True):
            break
        line += 1
    state.parentType = parent_type
    token = state.push("inline", "", 0)
    token.content = state.getLines(start, line, state.blkIndent, False).strip(" \t\n")
    token.map = [start, line]
    state.line = line
    return True


def _setext_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return bool(state.env["may_be_setext"][start]) and lheading(state, start, end, silent)


def _setext_candidates(lines: Sequence[str]) -> bytearray:
    """For each line whether a line that ends like an underline follows before the next blank line."""
    candidates = bytearray(len(lines) + 1)
    follows = 0
    for index in range(len(lines) - 1, -1, -1):
        candidates[index] = follows
        text = lines[index].rstrip(" \t")
        follows = (follows or text[-1] in "-=") if text else 0
    return candidates


def _fence_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if silent or state.level > 0:
        return fence(state, start, end, silent)
    if state.is_code_block(start) or state.src[state.bMarks[start] + state.tShift[start]] not in "`~":
        return False
    lines = state.env["lines"]
    found = state.env["fences"].scan(start, heading_levels=state.env["levels"])
    if found is None:
        return False
    state.line = found.end
    token = state.push("fence", "code", 0)
    token.info = found.info
    token.content = "\n".join(lines[start + 1 : found.end - found.is_closed])
    token.map = [start, found.end]
    return True


def _html_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    html_end = _mdx_html_end(state, start, end) if state.env["is_mdx"] and not silent else end
    return html_block(state, start, html_end, silent)


def _mdx_html_end(state: StateBlock, start: int, end: int) -> int:
    if state.src.startswith(_RAW_HTML, state.bMarks[start] + state.tShift[start]):
        return end
    line = start + 1
    while line < end and not state.isEmpty(line):
        if fence(state, line, end, True):
            return line
        line += 1
    return end


def _opaque_rule(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    if state.level > 0:
        return False
    position = state.bMarks[start] + state.tShift[start]
    if state.src[position : position + 2] not in ("$$", "%%", "{{", "{%") or state.is_code_block(start):
        return False
    end = state.env["opaque"].end(start)
    if end is None:
        return False
    if not silent:
        state.line = end
        token = state.push("opaque", "", 0)
        token.content = "\n".join(state.env["lines"][start:end])
        token.map = [start, end]
    return True


def _table_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if start + 1 >= end or state.src[state.bMarks[start + 1] + state.tShift[start + 1]] not in "|-:":
        return False
    if not table(state, start, end, True):
        return False
    if silent:
        return True
    parent_type, state.parentType = state.parentType, "table"
    line = start + 2
    while line < end and not state.isEmpty(line) and state.sCount[line] >= state.blkIndent:
        starts_with_pipe = state.src[state.bMarks[line] + state.tShift[line]] == "|"
        if state.is_code_block(line) or (not starts_with_pipe and _quote_end_rule(state, line, end, True)):
            break
        line += 1
    state.parentType = parent_type
    token = state.push("table", "table", 0)
    token.content = state.getLines(start, line, state.blkIndent, False)
    token.map = [start, line]
    state.line = line
    return True


_quote_rule = _bounded(blockquote)
_list_rule = _bounded(list_block)
_LIST_ENDS = (("`~", _fence_rule), (">", _quote_rule), ("*-_", hr))
_QUOTE_ENDS = (*_LIST_ENDS, ("*+-0123456789", _list_rule), ("<", _html_rule), ("#", heading))
_PARAGRAPH_ENDS = (("$%{", _opaque_rule), ("", _table_rule), *_QUOTE_ENDS)
_list_end_rule = _by_first_character(*_LIST_ENDS)
_quote_end_rule = _by_first_character(*_QUOTE_ENDS)
_paragraph_end_rule = _by_first_character(*_PARAGRAPH_ENDS)
_unindented_block_rule = _by_first_character(
    *_PARAGRAPH_ENDS, ("[", reference), ("", _setext_rule), ("", _paragraph_rule)
)


def _markdown() -> MarkdownIt:
    """The library with one rule per chain: those above, which look the library's rules up by character."""
    markdown = MarkdownIt("commonmark", {"maxNesting": 10 * NESTING_MAX, "inline_definitions": True})
    ruler = markdown.block.ruler
    ruler.before("table", "block", _block_rule)
    ruler.push("list_end", _list_end_rule, {"alt": ["list"]})
    ruler.push("quote_end", _quote_end_rule, {"alt": ["blockquote"]})
    ruler.push("paragraph_end", _paragraph_end_rule, {"alt": ["paragraph", "reference"]})
    # The library asks whether "code" is enabled to know what an indented line is.
    ruler.enableOnly(["block", "code", "list_end", "quote_end", "paragraph_end"])
    # The library fills its rule caches on first use, without a lock: two first parses at once could see half.
    ruler.getRules("")
    markdown.parseInline("*fill* the `caches`")
    return markdown


_MARKDOWN = _markdown()
