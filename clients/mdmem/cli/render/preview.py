"""A file as it would be indexed: what is in it, a table of its sections, its problems."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from mdmem.cli.render.style import Style, breadcrumb, counted, line, table
from mdmem_proto.messages import PreviewPassage, PreviewProblem, PreviewResult, PreviewSection


def render_preview(result: PreviewResult, style: Style, *, shows_passages: bool) -> str:
    """The whole preview; with ``shows_passages`` each section is followed by its passages."""
    paragraphs = [f"{style.bold(line(result.title))}\n{style.dim(_facts(result))}\n"]
    if result.sections:
        paragraphs.append("\n".join(_section_lines(result)) + "\n")
    if shows_passages:
        paragraphs += _passage_paragraphs(result, style)
    if result.problems:
        paragraphs.append("".join(f"{_problem(each)}\n" for each in result.problems))
    return "\n".join(paragraphs)


def _facts(result: PreviewResult) -> str:
    tokens = sum(section.tokens for section in result.sections)
    counts = [(result.sections, "section"), (result.passages, "passage"), (result.links, "link")]
    numbers = [counted(len(items), noun) for items, noun in counts]
    facts = [", ".join([*numbers, counted(tokens, "token")])]
    if result.front_matter is not None:
        facts.append(f"front matter: {', '.join(map(line, result.front_matter)) or 'empty'}")
    if result.tags:
        facts.append(f"tags: {', '.join(map(line, result.tags))}")
    return "; ".join(facts)


def _section_lines(result: PreviewResult) -> list[str]:
    passages = Counter(passage.section for passage in result.passages)
    rows = [["LINES", "TOKENS", "PASSAGES", "HEADING"]]
    for number, section in enumerate(result.sections):
        first, last = section.lines
        rows.append([f"{first}-{last}", f"{section.tokens:,}", str(passages[number]), _heading(section)])
    return table(rows, right=frozenset({0, 1, 2}))


def _heading(section: PreviewSection) -> str:
    """The section's own heading, indented by the depth of its path."""
    title = breadcrumb(section.heading_path[-1:] or ("(no heading)",), section.part)
    return "  " * max(len(section.heading_path) - 1, 0) + title


def _passage_paragraphs(result: PreviewResult, style: Style) -> Iterator[str]:
    by_section: defaultdict[int, list[PreviewPassage]] = defaultdict(list)
    for passage in result.passages:
        by_section[passage.section].append(passage)
    for number, passages in by_section.items():
        section = result.sections[number]
        head = breadcrumb(section.heading_path, section.part) or "(no heading)"
        texts = "".join(f"{_lines(passage)}: {line(passage.text)}\n" for passage in passages)
        yield f"{style.bold(head)}\n{texts}"


def _lines(passage: PreviewPassage) -> str:
    first, last = passage.lines
    return str(first) if first == last else f"{first}-{last}"


def _problem(problem: PreviewProblem) -> str:
    where = "" if problem.line is None else f" in line {problem.line}"
    return f"problem{where}: {line(problem.message)} ({line(problem.kind)})"
