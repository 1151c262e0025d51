"""Labels find their sections, and pages are judged by them."""

from __future__ import annotations

import math

import pytest

from mdmemd.errors import InvalidRequestError
from mdmemd.evaluate.golden import GoldenQuestion, GoldenSet, Label, Naming, SectionKey, slug
from mdmemd.evaluate.judgement import Judgement, judge

INTRO = SectionKey("docs", "guide/a.md", ("A",))
NAMES = SectionKey("docs", "guide/a.md", ("A", "Go: naming & style"))
OTHER = SectionKey("docs", "b.md", ("B", "Names"))
PREAMBLE = SectionKey("docs", "b.md", ())
ALL = (INTRO, NAMES, OTHER, PREAMBLE)


def judged(*labels: Label) -> Judgement:
    golden = GoldenSet((GoldenQuestion("q", "why", "question", labels),))
    return judge(golden, ALL)["q"]


@pytest.mark.parametrize(
    ("label", "meant"),
    [
        (Label(Naming.HEADING, 3, "guide/a.md", "A"), {INTRO}),
        (Label(Naming.HEADING, 3, "a.md", "A"), {INTRO}),
        (Label(Naming.HEADING, 3, "", "B > Names"), {OTHER}),
        (Label(Naming.HEADING, 3, "b.md", ""), {PREAMBLE}),
        (Label(Naming.SLUG, 3, heading="naming-style"), {NAMES}),
        (Label(Naming.SLUG, 3, heading="a/go-naming"), {NAMES}),
        (Label(Naming.DOCUMENT, 3, path="GUIDE/"), {INTRO, NAMES}),
    ],
)
def test_a_label_means_its_sections(label: Label, meant: set[SectionKey]) -> None:
    assert judged(label).labels == ((3, frozenset(meant)),)


def test_a_path_is_matched_by_whole_names() -> None:
    with pytest.raises(InvalidRequestError):
        judged(Label(Naming.HEADING, 3, "uide/a.md", "A"))


def test_labels_that_name_no_section_are_an_error_that_lists_them() -> None:
    """C2."""
    labels = (Label(Naming.HEADING, 3, "a.md", "A"), Label(Naming.HEADING, 1, "gone.md", "X"))
    with pytest.raises(InvalidRequestError, match=r"name no indexed section: 1, first gone\.md") as caught:
        judged(*labels)
    assert caught.value.candidates == ("gone.md > X (question q)",)
    assert "--root" in caught.value.remedy


def test_a_slug_joins_levels() -> None:
    assert slug(("Go: naming & style", "Füße")) == "go-naming-style/füße"


def test_the_rank_is_that_of_the_first_section_that_answers() -> None:
    judgement = judged(Label(Naming.HEADING, 3, "", "B > Names"), Label(Naming.HEADING, 2, "", "A"))
    assert judgement.rank([INTRO, NAMES, OTHER]) == 3
    assert judgement.rank([INTRO]) is None
    assert judgement.rank([]) is None


def test_ndcg_counts_grades_by_their_place() -> None:
    judgement = judged(Label(Naming.HEADING, 3, "", "B > Names"), Label(Naming.HEADING, 1, "", "A"))
    assert judgement.ndcg([OTHER, INTRO]) == pytest.approx(1.0)
    assert judgement.ndcg([INTRO, OTHER]) == pytest.approx((1 + 7 / math.log2(3)) / (7 + 1 / math.log2(3)))
    assert judgement.ndcg([NAMES] * 5 + [OTHER]) == 0.0


def test_a_label_of_many_sections_counts_once() -> None:
    judgement = judged(Label(Naming.DOCUMENT, 3, path="guide/"))
    assert judgement.ndcg([INTRO, NAMES]) == pytest.approx(1.0)
    assert judgement.ndcg([NAMES, INTRO]) == pytest.approx(1.0)
