"""The blocks of a whole document: fences recovered, and dialects read that CommonMark takes for code.

* Fence recovery (rule in ``text.fences``) costs at most two more parses, only where a suspect fence was met.
* The indented content of a MkDocs admonition or tab (``!!! note``, ``=== "Tab"``) is code for CommonMark. It
  is replaced by the blocks that it holds, so that its paragraphs, lists and links are found; its headings
  open no sections, as those in quotes and lists do not.
* ``import`` and ``export`` statements of an MDX file are no prose: they give no tags and no links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mdmemd.model import Problem
from mdmemd.text.block_parser import ParsedBlocks, parse_blocks
from mdmemd.text.dialects import is_module_code, opens_admonition
from mdmemd.text.fences import FenceScanner, Recovery
from mdmemd.text.leaves import Leaf, LeafKind

_ADMONITION_DEPTH_MAX = 8


def document_blocks(lines: Sequence[str], *, path: str) -> tuple[ParsedBlocks, tuple[Problem, ...]]:
    """The blocks of ``lines`` (without line ends), and the fences that were never closed.

    Raises:
        UnparsableError: the Markdown library could not cope with the document.
    """
    is_mdx = path.lower().endswith(".mdx")
    blocks, fences = _recovered(lines, is_mdx=is_mdx)
    leaves: Iterable[Leaf] = _with_admonitions(blocks.leaves, depth=0)
    if is_mdx:
        leaves = _with_module_code(leaves)
    return blocks.with_leaves(list(leaves)), tuple(_problems(fences))


def _recovered(lines: Sequence[str], *, is_mdx: bool) -> tuple[ParsedBlocks, FenceScanner]:
    """The parse with the furthest fence recovery that still finds every heading found without one."""
    fences = FenceScanner(lines, Recovery.NONE)
    blocks = parse_blocks(lines, fences=fences, is_mdx=is_mdx)
    if fences.recoverable:
        found = _heading_starts(blocks)
        for recovery in (Recovery.ALL, Recovery.UNCLOSED):
            attempt_fences = FenceScanner(lines, recovery)
            attempt = parse_blocks(lines, fences=attempt_fences, is_mdx=is_mdx)
            if found <= _heading_starts(attempt):
                return attempt, attempt_fences
    return blocks, fences


def _heading_starts(blocks: ParsedBlocks) -> set[int]:
    return {leaf.start for leaf in blocks.leaves if leaf.kind is LeafKind.HEADING}


def _problems(fences: FenceScanner) -> Iterator[Problem]:
    for line in fences.recovered:
        yield Problem(
            "unclosed_fence", "code fence without end; it was ended before the next heading", line + 1
        )
    for line in fences.unclosed:
        yield Problem("unclosed_fence", "code fence without end; it runs to the end of the file", line + 1)


def _with_admonitions(leaves: Iterable[Leaf], *, depth: int) -> Iterator[Leaf]:
    is_inside = False
    for leaf in leaves:
        is_top_level = leaf.item < 0 and not leaf.is_quoted
        if is_inside and leaf.kind is LeafKind.INDENTED_CODE and is_top_level:
            yield from _content(leaf, depth=depth + 1)
            continue
        is_paragraph = leaf.kind is LeafKind.PARAGRAPH and is_top_level
        is_inside = is_paragraph and depth < _ADMONITION_DEPTH_MAX and opens_admonition(leaf.content)
        yield leaf


def _content(code: Leaf, *, depth: int) -> Iterator[Leaf]:
    lines = code.content.split("\n")
    inner = parse_blocks(lines, fences=FenceScanner(lines, Recovery.NONE)).leaves
    for leaf in _with_admonitions(inner, depth=depth):
        yield leaf._replace(
            kind=LeafKind.PARAGRAPH if leaf.kind is LeafKind.HEADING else leaf.kind,
            start=leaf.start + code.content_start,
            end=leaf.end + code.content_start,
            block_start=code.block_start,
            block_end=code.block_end,
            content_start=leaf.content_start + code.content_start,
            item=leaf.item + code.content_start if leaf.item >= 0 else -1,
            level=0,
        )


def _with_module_code(leaves: Iterable[Leaf]) -> Iterator[Leaf]:
    for leaf in leaves:
        is_code = leaf.kind is LeafKind.PARAGRAPH and leaf.item < 0 and is_module_code(leaf.content)
        yield leaf._replace(kind=LeafKind.OPAQUE) if is_code else leaf
