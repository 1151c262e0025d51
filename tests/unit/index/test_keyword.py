"""What a question costs: the postings of its terms, however large the rest is."""

from __future__ import annotations

import pytest

from mdmem_testkit.documents import indexed_file, words
from mdmemd.index import keyword as keyword_module
from mdmemd.index.bm25 import FieldStatistics, saturated_frequency
from mdmemd.index.matches import WeightedTerm
from mdmemd.index.root_index import RootIndex
from mdmemd.index.scope import Scope
from mdmemd.index.text_arena import TextArena


class Touched:
    """Counts the postings that are scored and the terms whose bytes are looked at."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.postings = self.terms = 0
        piece = TextArena.piece

        def score(frequencies, lengths, sections, statistics: FieldStatistics):  # type: ignore[no-untyped-def]
            self.postings += len(sections)
            return saturated_frequency(frequencies, lengths, sections, statistics)

        def read(arena: TextArena, number: int) -> bytes:
            self.terms += 1
            return piece(arena, number)

        monkeypatch.setattr(keyword_module, "saturated_frequency", score)
        monkeypatch.setattr(TextArena, "piece", read)


def index_of(others: int) -> RootIndex:
    """Five sections with ``rare``, three of them with ``both``, among ``others`` of other words."""
    index = RootIndex(dimensions=4, tokenize=words)
    for number in range(5):
        text = "rare both" if number < 3 else "rare"
        index.apply(files=[indexed_file(f"rare{number}.md", (("x",), text))], removed=())
    index.apply(
        files=[indexed_file(f"{number}.md", (("x",), f"other w{number}")) for number in range(others)],
        removed=(),
    )
    return index


@pytest.mark.parametrize("others", [0, 10, 1_000])
def test_a_question_touches_the_postings_of_its_terms_alone(
    others: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = Scope([("root", index_of(others).freeze())])
    segments = len(scope.roots[0][1].segments)
    touched = Touched(monkeypatch)
    found = scope.keyword([WeightedTerm("rare"), WeightedTerm("both"), WeightedTerm("nowhere")])
    assert found.document_frequencies == (5, 3, 0)
    assert touched.postings == 8
    assert 2 <= touched.terms <= 2 * segments


def test_deleted_sections_are_not_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(100)
    index.apply(files=(), removed=["rare0.md"])
    scope = Scope([("root", index.freeze())])
    touched = Touched(monkeypatch)
    assert scope.keyword([WeightedTerm("rare")]).document_frequencies == (4,)
    assert touched.postings == 4
