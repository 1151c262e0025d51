"""From answers to what each question got."""

from __future__ import annotations

from mdmemd.evaluate.golden import GoldenAnswer, GoldenQuestion, GoldenSet, Label, Naming, SectionKey
from mdmemd.evaluate.judgement import judge
from mdmemd.evaluate.run import Answered, QuestionResult, judged, results, summary

SECTIONS = [SectionKey("docs", f"{name}.md", (name.upper(),)) for name in "abcde"]
A, B, C, D, E = SECTIONS


def result(
    question: GoldenQuestion, *hits: SectionKey, excerpt: str = "", text: str = "", tokens: int = 10
) -> QuestionResult:
    golden = GoldenSet((question,))
    answer = Answered(hits, 2.0, shown=hits[:5], excerpt=excerpt, text=text or excerpt, tokens=tokens)
    return results(golden, judge(golden, SECTIONS), {question.name: answer})[0]


def question(*, answer: str = "") -> GoldenQuestion:
    known = GoldenAnswer(((answer,),) if answer else ())
    return GoldenQuestion("q", "why", "k", (Label(Naming.HEADING, 3, "c.md", "C"),), known)


def test_a_first_hit_is_right_and_shows_nothing_above() -> None:
    found = result(question(answer="in the  end"), C, A, excerpt="It is\nin the\nend so.")
    assert (found.rank, found.ndcg, found.is_right, found.above) == (1, 1.0, True, ())
    assert found.holds_answer is True
    assert result(question(answer="elsewhere"), C, excerpt="It is so.").holds_answer is False
    assert result(question(), C).holds_answer is None


def test_what_stood_above_explains_a_miss() -> None:
    assert result(question(), A, B, C).above == (A, B)
    missed = result(question(answer="x"), A, B, D, E)
    assert (missed.rank, missed.is_right, missed.holds_answer, missed.above) == (None, False, None, (A, B, D))
    assert missed.expected == ("c.md > C",)


def test_a_page_holds_the_answer_wherever_it_is_quoted() -> None:
    second = result(question(answer="so"), A, C, excerpt="no", text="no\nit is so")
    assert (second.holds_answer, second.page_holds_answer) == (None, True)
    assert result(question(answer="so"), A, C, excerpt="no").page_holds_answer is False
    assert result(question(), A, C).page_holds_answer is None
    assert result(question(answer="so"), A, B, text="so").page_holds_answer is None, "not its section"
    deep = [SectionKey("docs", f"{number}.md", ("X",)) for number in range(5)]
    assert result(question(answer="so"), *deep, C).page_holds_answer is None, "not on the default page"


def test_an_empty_page_is_right_for_an_identifier_that_stands_nowhere() -> None:
    nowhere = GoldenQuestion("n", "X_Y", "identifier", (), is_identifier=True)
    assert result(nowhere).is_right is True
    assert result(nowhere, A).is_right is False
    assert result(GoldenQuestion("n", "why", "question", ()), A).is_right is None


def test_the_summary_counts_costs_of_all_and_figures_of_the_answerable() -> None:
    nowhere = GoldenQuestion("n", "X_Y", "identifier", (), is_identifier=True)
    known = question(answer="so")
    found = [result(known, C, excerpt="so"), result(known, A, C, text="no", tokens=40), result(nowhere)]
    total = summary("hybrid", found)
    assert (total.empty_wanted, total.empty_right, total.holdable, total.held) == (1, 1, 1, 1)
    assert (total.page_holdable, total.page_held) == (2, 1)
    assert (total.tokens_mean, total.tokens_median, total.tokens_p95, total.tokens_max) == (20.0, 10, 40, 40)
    assert (total.took_p50_ms, total.took_p95_ms) == (2.0, 2.0)
    assert (total.figures[0].questions, total.figures[0].mrr) == (2, 0.75)
    assert len(judged(found)) == 2
