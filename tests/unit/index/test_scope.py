"""Questions to one or more roots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from mdmem_testkit.documents import indexed_file, page, words
from mdmem_testkit.oracles import bm25
from mdmemd.index.arrays import IntArray
from mdmemd.index.matches import KeywordMatches, WeightedTerm
from mdmemd.index.root_index import RootIndex
from mdmemd.index.scope import Scope
from mdmemd.index.snapshot import RootSnapshot
from mdmemd.model import FloatVector, IndexedFile

DIMENSIONS = 4


def root(files: Sequence[IndexedFile], vectors: Mapping[str, Sequence[float]] | None = None) -> RootSnapshot:
    """A root of these files; ``vectors`` are by the last word of the embedded text."""
    index = RootIndex(dimensions=DIMENSIONS, tokenize=words)
    waiting = index.apply(files=files, removed=())
    chosen = [each for each in waiting if each.text.split()[-1] in (vectors or {})]
    rows = np.array([(vectors or {})[each.text.split()[-1]] for each in chosen], np.float32)
    index.add_vectors([each.key for each in chosen], rows.reshape(-1, DIMENSIONS))
    return index.freeze()


def direction(*values: float) -> FloatVector:
    return np.array(values, np.float32)


def ask(scope: Scope, *terms: str) -> KeywordMatches:
    return scope.keyword([WeightedTerm(term) for term in terms])


def places(scope: Scope, refs: IntArray) -> list[tuple[str, str, int]]:
    handles = [scope.section(ref) for ref in refs]
    return [(handle.root, handle.document.path, handle.index) for handle in handles]


def test_a_question_of_many_words_finds_sections_that_hold_some() -> None:
    """S6: common words that one section lacks do not hide it; coverage tells how much matched."""
    scope = Scope([("r", root([page("a.md", "slack not replying"), page("b.md", "why is it so")]))])
    matches = ask(scope, "why", "is", "slack", "not", "replying")
    assert places(scope, matches.refs[matches.top(1)]) == [("r", "a.md", 0)]
    assert matches.matched.tolist() == [0b11100, 0b00011]
    assert matches.coverage[0] == pytest.approx(0.6, abs=1e-6)
    assert matches.document_frequencies == (1, 1, 1, 1, 1)


def test_a_small_root_is_not_crowded_out_by_a_large_one() -> None:
    """S7: only the scope's roots are searched, so nothing outside takes a place."""
    large = root(
        [page(f"{number}.md", "word " * 9 + str(number)) for number in range(300)], {"7": [1, 0, 0, 0]}
    )
    small = root([page("small.md", "word x")], {"x": [0.9, 0.1, 0, 0]})
    scope = Scope([("small", small)])
    assert places(scope, ask(scope, "word").refs) == [("small", "small.md", 0)]
    nearest = scope.nearest(direction(1, 0, 0, 0), passages=1)
    assert places(scope, nearest.refs) == [("small", "small.md", 0)]
    both = Scope([("large", large), ("small", small)])
    assert both.sections == 301
    assert places(both, both.nearest(direction(1, 0, 0, 0), passages=2).refs) == [
        ("large", "7.md", 0),
        ("small", "small.md", 0),
    ]


def test_statistics_are_those_of_the_whole_scope() -> None:
    left = [page("a.md", "x y"), page("b.md", "x")]
    right = [page("c.md", "y z z"), indexed_file("d.md", (("Page",), "x"), ((), ""))]
    scope = Scope([("left", root(left)), ("right", root(right))])
    matches = ask(scope, "x", "z")
    expected = bm25([*left, *right], [("x", 1.0), ("z", 1.0)], tokenize=words)
    scores = zip(places(scope, matches.refs), matches.scores.tolist(), strict=True)
    found = {place[1:]: score for place, score in scores}
    assert found == pytest.approx({place: match.score for place, match in expected.items()}, rel=1e-5)


def test_a_better_match_scores_higher() -> None:
    """S8: keyword scores and cosines rise with the match."""
    files = [page("a.md", "x"), page("b.md", "x x y"), page("c.md", "x y z")]
    vectors = {"x": [1.0, 0, 0, 0], "y": [1.0, 1, 0, 0], "z": [-1.0, 0, 0, 0]}
    scope = Scope([("r", root(files, vectors))])
    matches = ask(scope, "x", "y", "z")
    assert places(scope, matches.refs[matches.top(1)]) == [("r", "c.md", 0)]
    nearest = scope.nearest(direction(1, 0, 0, 0), passages=3)
    assert [path for _, path, _ in places(scope, nearest.refs)] == ["a.md", "b.md", "c.md"]
    assert nearest.cosines.tolist() == pytest.approx([1, 0.5**0.5, -1], abs=2e-3)


def test_weights_and_unknown_words() -> None:
    scope = Scope([("r", root([page("a.md", "x"), page("b.md", "y")]))])
    plain = ask(scope, "x", "nowhere")
    heavy = scope.keyword([WeightedTerm("x", 2.0), WeightedTerm("nowhere")])
    assert heavy.scores[0] == pytest.approx(2 * plain.scores[0])
    assert heavy.idf.tolist() == plain.idf.tolist()
    assert plain.idf_mass == pytest.approx(plain.idf.sum())
    assert heavy.idf_mass == pytest.approx(2 * heavy.idf[0] + heavy.idf[1])
    assert heavy.coverage[0] == pytest.approx(2 * heavy.idf[0] / heavy.idf_mass)
    assert plain.document_frequencies == (1, 0)


def test_more_than_64_terms_count_though_they_have_no_bit() -> None:
    scope = Scope([("r", root([page("a.md", "last")]))])
    matches = ask(scope, *[f"no{number}" for number in range(70)], "last")
    assert matches.matched.tolist() == [0]
    assert matches.scores[0] > 0


@pytest.mark.parametrize("terms", [(), ("nowhere",), ("nowhere", "neither")])
def test_no_match(terms: tuple[str, ...]) -> None:
    for scope in (Scope([]), Scope([("r", root([]))]), Scope([("r", root([page("a.md", "x")]))])):
        matches = ask(scope, *terms)
        assert (len(matches.refs), len(matches.scores), len(matches.coverage)) == (0, 0, 0)
        assert matches.top(5).tolist() == []


def test_few_and_many_postings_give_the_same() -> None:
    """The union of postings is made in two ways; a deleted section takes part in neither."""
    texts = ["common rare" if number % 400 == 0 else "common" for number in range(1_200)]
    files = [page(f"{number:04}.md", text) for number, text in enumerate(texts)]
    index = RootIndex(dimensions=DIMENSIONS, tokenize=words)
    index.apply(files=files, removed=())
    index.apply(files=[], removed=["0400.md"])
    scope = Scope([("r", index.freeze())])
    few, many = ask(scope, "rare", "nowhere"), ask(scope, "rare", "nowhere", "common")
    assert [path for _, path, _ in places(scope, few.refs)] == ["0000.md", "0800.md"]
    assert many.document_frequencies == (2, 0, 1_199)
    assert len(many.refs) == 1_199
    assert many.refs[(many.matched & np.uint64(1)) > 0].tolist() == few.refs.tolist()


def test_the_best_passage_speaks_for_its_section() -> None:
    files = [indexed_file("a.md", (("A",), "p x\np y\np z"), (("B",), "q y"))]
    vectors = {"x": [0, 1.0, 0, 0], "y": [1.0, 0, 0, 0], "z": [1.0, 0.2, 0, 0]}
    scope = Scope([("r", root(files, vectors))])
    nearest = scope.nearest(direction(1, 0, 0, 0), passages=9)
    assert nearest.refs.tolist() == [0, 1]
    assert nearest.passages.tolist() == [1, 0]
    handle = scope.section(0)
    assert handle.passages[1].lines == (2, 2)
    assert handle.record == handle.document.sections[0]
    one = scope.nearest(direction(1, 0, 0, 0), passages=1)
    assert one.refs.tolist() == [0]


def test_best_passages_of_given_sections_in_their_order() -> None:
    files = [indexed_file("a.md", (("A",), "p x\np y"), (("B",), "q none"), (("C",), ""))]
    scope = Scope([("r", root(files, {"x": [1.0, 0, 0, 0], "y": [0, 1.0, 0, 0]}))])
    best = scope.best_passages(direction(0, 1, 0, 0), np.array([2, 1, 0, 0]))
    assert best.refs.tolist() == [2, 1, 0, 0]
    assert best.passages.tolist() == [-1, -1, 1, 1]
    assert np.isnan(best.cosines[:2]).all()
    assert best.cosines[2:].tolist() == pytest.approx([1, 1], abs=2e-3)
    assert scope.best_passages(direction(0, 1, 0, 0), np.zeros(0, np.int64)).refs.tolist() == []


def test_one_text_in_many_places_is_found_in_all_of_them() -> None:
    files = [page(f"{number:02}.md", "same x") for number in range(30)]
    scope = Scope([("r", root(files, {"x": [1.0, 0, 0, 0]}))])
    every = scope.nearest(direction(1, 0, 0, 0), passages=30)
    assert every.refs.tolist() == list(range(30))


def test_which_of_equal_sections_are_found_does_not_depend_on_the_order_of_indexing() -> None:
    """S12: by vectors and by words, where not all of them have room."""
    files = [page(f"{number:02}.md", "same x") for number in range(30)]
    index = RootIndex(dimensions=DIMENSIONS, tokenize=words)
    for file in reversed(files):
        for waiting in index.apply(files=[file], removed=()):
            index.add_vectors([waiting.key], np.array([[1.0, 0, 0, 0]], np.float32))
    scopes = [Scope([("r", each)]) for each in (index.freeze(), root(files, {"x": [1.0, 0, 0, 0]}))]
    by_vectors = [each.nearest(direction(1, 0, 0, 0), passages=7).refs for each in scopes]
    matches = [ask(each, "same") for each in scopes]
    by_words = [
        each.refs[each.top(7, place_keys=scope.place_keys)]
        for each, scope in zip(matches, scopes, strict=True)
    ]
    for found in (by_vectors, by_words):
        grown, fresh = (set(places(*pair)) for pair in zip(scopes, found, strict=True))
        assert grown == fresh
        assert len(fresh) == 7


def test_wrong_questions() -> None:
    scope = Scope([("r", root([page("a.md", "x")], {"x": [1.0, 0, 0, 0]}))])
    with pytest.raises(IndexError):
        scope.section(1)
    with pytest.raises(IndexError):
        scope.section(-1)
    with pytest.raises(ValueError, match="at least 1"):
        scope.nearest(direction(1, 0, 0, 0), passages=0)
    with pytest.raises(ValueError, match="dimensions"):
        scope.nearest(direction(1, 0), passages=1)
    with pytest.raises(ValueError, match="zero"):
        scope.nearest(direction(0, 0, 0, 0), passages=1)
