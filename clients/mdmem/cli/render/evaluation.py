"""A run over a golden set: its figures beside the baselines, what changed, what was missed and why."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.cli.render.style import Style, breadcrumb, counted, line, table
from mdmem_proto.messages import EvalComparison, EvalQuestion, EvalResult, EvalSection

MISSES_SHOWN_MAX = 20
_NOT_FOUND = "-"


def render_evaluation(result: EvalResult, style: Style) -> str:
    """The whole report, ending in a line feed."""
    paragraphs = [_lines(_figures(result))]
    if result.comparison is not None:
        paragraphs.append(_lines(_comparison(result.comparison)))
    misses = [each for each in result.questions if each.right is False]
    if misses:
        shown = "".join(_miss(each, style) for each in misses[:MISSES_SHOWN_MAX])
        more = len(misses) - MISSES_SHOWN_MAX
        paragraphs.append(shown + (f"{counted(more, 'more miss')}es\n" if more > 0 else ""))
    paragraphs.append("".join(f"{style.dim(fact)}\n" for fact in _facts(result)))
    return "\n".join(paragraphs)


def _figures(result: EvalResult) -> list[str]:
    rows = [["SYSTEM", "KIND", "QUESTIONS", "MRR", "HIT@1", "HIT@3", "HIT@5", "HIT@10", "NDCG@5"]]
    for each in result.figures:
        shares = [each.hit1, each.hit3, each.hit5, each.hit10]
        hits = [
            _percent(share) if depth <= result.limit else ""
            for depth, share in zip((1, 3, 5, 10), shares, strict=True)
        ]
        names = [line(each.system), line(each.kind), str(each.questions)]
        rows.append([*names, f"{each.mrr:.3f}", *hits, f"{each.ndcg5:.3f}"])
    return table(rows, right=frozenset(range(2, 9)))


def _comparison(value: EvalComparison) -> list[str]:
    rows = [["MEASURE", "BEFORE", "AFTER", "CHANGE", "95 % INTERVAL"]]
    for each in value.differences:
        interval = f"{each.low:+.3f} .. {each.high:+.3f}"
        change = f"{each.after - each.before:+.3f}"
        rows.append([line(each.measure), f"{each.before:.3f}", f"{each.after:.3f}", change, interval])
    lines = table(rows, right=frozenset({1, 2, 3, 4}))
    lines.append(f"over {counted(value.questions, 'question')} of both runs")
    if value.unpaired:
        lines[-1] += f"; {value.unpaired} are in one of them only"
    lines += [
        f"{line(each.name)}: rank {_rank(each.before)} to {_rank(each.after)}" for each in value.changes
    ]
    return lines


def _miss(question: EvalQuestion, style: Style) -> str:
    missed = "not empty" if not question.answerable else "not on the page"
    head = missed if question.rank is None else f"rank {question.rank}"
    rows = [style.bold(f"{line(question.name)}: {line(question.query)}") + f"  ({head})"]
    rows += [f"   expected {line(label)}" for label in question.expected[:1]]
    rows += [f"   above    {_section(each)}" for each in question.above]
    return "".join(f"{row}\n" for row in rows)


def _section(section: EvalSection) -> str:
    return " > ".join(filter(None, (line(section.path), breadcrumb(section.heading_path))))


def _facts(result: EvalResult) -> Iterator[str]:
    yield (
        f"{result.mode}, pages of {result.limit}: "
        f"p50 {result.took_p50_ms:.1f} ms, p95 {result.took_p95_ms:.1f} ms"
    )
    yield (
        f"a default answer costs {result.tokens:.0f} tokens on average, median {result.tokens_median}, "
        f"p95 {result.tokens_p95}, at most {result.tokens_max}"
    )
    if result.empty_wanted:
        yield f"{result.empty_right} of {result.empty_wanted} pages that should be empty are"
    if result.answers_known:
        yield (
            f"answer held {result.answers_held} of {result.answers_known} in excerpts of first hits that "
            f"answer, {result.pages_held} of {result.pages_known} in default answers with such a section"
        )
        lost = [line(each.name) for each in result.questions if each.answer_held is False]
        if lost:
            more = len(lost) - MISSES_SHOWN_MAX
            shown = ", ".join(lost[:MISSES_SHOWN_MAX])
            yield f"answer not held by the excerpt: {shown}" + (f" and {more} more" if more > 0 else "")
    for note in result.notes:
        yield f"note: {line(note)}"


def _rank(rank: int | None) -> str:
    return _NOT_FOUND if rank is None else str(rank)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _lines(lines: list[str]) -> str:
    return "".join(f"{each}\n" for each in lines)
