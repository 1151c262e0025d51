"""Documents as a person reads them: the heading tree of one, a list of many, and where a section is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdmem.cli.render.style import Style, block, breadcrumb, counted, line, place, table
from mdmem_proto.messages import ListResult, OutlineNode, OutlineResult, ReadItem, ReadManyResult, ReadResult


def render_outline(result: OutlineResult, style: Style) -> str:
    """One line per heading: lines, tokens, id, title indented by depth."""
    head = f"{style.bold(line(result.path))}  {style.dim(line(result.root))}\n{line(result.title)}\n"
    rows = [["LINES", "TOKENS", "ID", "HEADING"], *_outline_rows(result.nodes, depth=0)]
    return head + "\n" + "\n".join(table(rows, right=frozenset({0, 1}))) + "\n"


def render_listing(result: ListResult, style: Style) -> str:
    """One line per document: tokens, path, title; the root too where several are listed."""
    if not result.documents:
        return "No documents.\n"
    rows = [["TOKENS", "ROOT", "PATH", "TITLE"]]
    rows += [[f"{row.tokens:,}", line(row.root), line(row.path), line(row.title)] for row in result.documents]
    if len({row.root for row in result.documents}) == 1:
        rows = [[tokens, path, title] for tokens, _root, path, title in rows]
    lines = table(rows, right=frozenset({0}))
    total = sum(row.tokens for row in result.documents)
    summary = f"{counted(len(result.documents), 'document')}, {counted(total, 'token')}"
    return "\n".join([*lines, style.dim(summary)]) + "\n"


def render_read(result: ReadResult, style: Style) -> str:
    """The text, verbatim; only a terminal is protected from control characters and given a last line end."""
    if not style.terminal:
        return result.text
    text = block(result.text)
    return text if text.endswith("\n") else text + "\n"


def render_read_many(result: ReadManyResult, style: Style) -> str:
    """Each text under the place that it stands at, or why there is none."""
    return "\n".join(_item(item, style) for item in result.items)


def _item(item: ReadItem, style: Style) -> str:
    if item.section is None:
        return f"{style.bold(line(item.address))}: {line(item.error or '')}\n"
    text = block(item.section.text)
    return f"{render_place(item.section, style)}\n{text}{'' if text.endswith(chr(10)) else chr(10)}"


def render_place(result: ReadResult, style: Style) -> str:
    """Where the text that was read stands, and its id where it is a section."""
    crumb = breadcrumb(result.heading_path, result.part)
    where = f"{style.bold(place(result.path, result.lines))}  {style.dim(line(result.root))}"
    where += f"  {style.dim(line(result.id))}" if result.id else ""
    return f"{where}\n{crumb}\n" if crumb else f"{where}\n"


def _outline_rows(nodes: Sequence[OutlineNode], *, depth: int) -> Iterator[list[str]]:
    for node in nodes:
        first, last = node.lines
        title = line(node.title) or "(preamble)"
        parts = f" ({node.parts} parts)" if node.parts > 1 else ""
        yield [f"{first}-{last}", f"{node.tokens:,}", line(node.id), f"{'  ' * depth}{title}{parts}"]
        yield from _outline_rows(node.children, depth=depth + 1)
