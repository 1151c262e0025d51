"""The passage that answers: words decide, the vectors' choice has a head start."""

from __future__ import annotations

from mdmem_testkit.search_world import SearchWorld
from mdmemd.search.matched_passage import matched_passage
from mdmemd.search.query import parse_query
from mdmemd.text.source import SourceText

TEXT = "# A\n\nnothing of it\n\nalpha alone\n\nalpha beta and UV_DIR\n\nuv dir apart\n\nalpha beta again\n"


def _matched(question: str, *, chosen: int | None = None) -> int:
    world = SearchWorld()
    world.add("a.md", TEXT)
    concepts = parse_query(question).concepts
    return matched_passage(
        SourceText.decode(TEXT.encode()),
        world.document("a.md").passages(0),
        concepts=concepts,
        idf=[1.0] * len(concepts),
        chosen=chosen,
    )


def test_the_first_passage_with_most_of_the_question_wins() -> None:
    assert _matched("alpha") == 1
    assert _matched("alpha beta") == 2
    assert _matched("UV_DIR") == 2


def test_nothing_named_is_the_first_passage_or_the_vectors_choice() -> None:
    assert _matched("omega") == 0
    assert _matched("omega", chosen=3) == 3


def test_the_vectors_choice_gives_way_only_to_clearly_more_words() -> None:
    assert _matched("alpha", chosen=4) == 4
    assert _matched("alpha beta omega psi", chosen=0) == 0
    assert _matched("alpha beta omega", chosen=0) == 2
