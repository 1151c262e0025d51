"""Changes to one root."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from mdmem_testkit.documents import fingerprint, indexed_file, page, words
from mdmemd.index.matches import WeightedTerm
from mdmemd.index.root_index import RootIndex
from mdmemd.index.scope import Scope
from mdmemd.model import FloatMatrix, UnembeddedPassage, VectorKey

DIMENSIONS = 4


def make_index() -> RootIndex:
    return RootIndex(dimensions=DIMENSIONS, tokenize=words)


def some_vectors(count: int) -> FloatMatrix:
    return np.random.default_rng(1).standard_normal((count, DIMENSIONS)).astype(np.float32)


def embed(index: RootIndex, waiting: Sequence[UnembeddedPassage]) -> None:
    index.add_vectors([each.key for each in waiting], some_vectors(len(waiting)))


def paths_holding(index: RootIndex, term: str) -> list[str]:
    scope = Scope([("r", index.freeze())])
    return sorted(scope.section(ref).document.path for ref in scope.keyword([WeightedTerm(term)]).refs)


def test_of_a_one_line_edit_one_passage_is_embedded() -> None:
    index = make_index()
    embed(index, index.apply(files=[indexed_file("a.md", (("A",), "one\ntwo\nthree"))], removed=()))
    changed = index.apply(files=[indexed_file("a.md", (("A",), "one\nTWO\nthree"))], removed=())
    assert [each.text for each in changed] == ["A: TWO"]
    assert (index.freeze().passages, index.freeze().embedded) == (3, 2)


def test_identical_files_share_keys_and_one_stays_when_the_other_goes() -> None:
    """S19."""
    index = make_index()
    waiting = index.apply(files=[page("a.md", "same"), page("b.md", "same")], removed=())
    assert len(waiting) == 1
    embed(index, waiting)
    assert index.freeze().embedded == 2
    assert paths_holding(index, "same") == ["a.md", "b.md"]
    assert index.apply(files=[], removed=["a.md"]) == ()
    snapshot = index.freeze()
    assert (snapshot.documents, snapshot.embedded) == (1, 1)
    scope = Scope([("r", snapshot)])
    nearest = scope.nearest(some_vectors(1)[0], passages=5)
    assert [scope.section(ref).document.path for ref in nearest.refs] == ["b.md"]
    assert paths_holding(index, "same") == ["b.md"]


def test_a_moved_file_keeps_its_vectors() -> None:
    index = make_index()
    embed(index, index.apply(files=[indexed_file("a.md", (("A",), "one"))], removed=()))
    index.apply(files=[], removed=["a.md"])
    assert index.apply(files=[indexed_file("b.md", (("A",), "one"))], removed=()) == ()
    assert index.freeze().embedded == 1


def test_a_text_is_handed_out_once_and_asked_for_again_by_unembedded() -> None:
    index = make_index()
    first = index.apply(files=[page("a.md", "x")], removed=())
    assert index.apply(files=[page("b.md", "x"), page("c.md", "y")], removed=()) != first
    assert [each.text for each in index.unembedded()] == ["Page: x", "Page: y"]
    embed(index, first)
    assert [each.text for each in index.unembedded()] == ["Page: y"]


def test_a_vector_that_comes_too_late_is_skipped_and_the_text_handed_out_anew() -> None:
    index = make_index()
    late = index.apply(files=[page("a.md", "x")], removed=())
    index.apply(files=[], removed=["a.md"])
    embed(index, late)
    assert index.freeze().embedded == 0
    again = index.apply(files=[page("a.md", "x")], removed=())
    assert [each.text for each in again] == ["Page: x"]
    assert again[0].key != late[0].key
    assert index.freeze().embedded == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
def test_a_bad_vector_is_refused_with_its_whole_batch(bad: float) -> None:
    """F11."""
    index = make_index()
    waiting = index.apply(files=[page("a.md", "x"), page("b.md", "y")], removed=())
    rows = some_vectors(2)
    rows[1] = bad
    with pytest.raises(ValueError, match="NaN"):
        index.add_vectors([each.key for each in waiting], rows)
    assert index.freeze().embedded == 0
    assert len(index.unembedded()) == 2


def test_vectors_of_another_shape_are_refused() -> None:
    index = make_index()
    waiting = index.apply(files=[page("a.md", "x")], removed=())
    with pytest.raises(ValueError, match="dimensions"):
        index.add_vectors([waiting[0].key], np.ones((1, DIMENSIONS + 1), np.float32))
    with pytest.raises(ValueError, match="1 keys came with 2 vectors"):
        index.add_vectors([waiting[0].key], some_vectors(2))
    index.add_vectors([], np.zeros((0, DIMENSIONS), np.float32))
    assert index.freeze().embedded == 0


def test_a_key_given_twice_or_never_given_does_no_harm() -> None:
    """F11: usearch raises on a key that it has; a key's text never changes, so the first vector stays."""
    index = make_index()
    key = index.apply(files=[page("a.md", "x")], removed=())[0].key
    rows = np.eye(DIMENSIONS, dtype=np.float32)
    index.add_vectors([key, key, VectorKey(99)], rows[:3])
    index.add_vectors([key], rows[3:])
    snapshot = index.freeze()
    assert snapshot.embedded == 1
    assert Scope([("r", snapshot)]).nearest(rows[0], passages=1).cosines[0] == pytest.approx(1, abs=2e-3)


def test_replacing_and_removing_in_one_call() -> None:
    index = make_index()
    index.apply(files=[page("a.md", "old"), page("b.md", "old"), page("c.md", "old")], removed=())
    index.apply(files=[page("a.md", "first"), page("a.md", "new")], removed=["a.md", "b.md", "unknown.md"])
    assert paths_holding(index, "old") == ["c.md"]
    assert paths_holding(index, "new") == ["a.md"]
    assert paths_holding(index, "first") == []
    assert index.freeze().documents == 2


def test_known_follows_the_index() -> None:
    index = make_index()
    known = index.known()
    file = page("a.md", "x", version=1)
    index.apply(files=[file, page("b.md", "y")], removed=())
    index.touch("a.md", fingerprint(5))
    index.apply(files=[], removed=["b.md"])
    assert dict(known) == {"a.md": (fingerprint(5), file.content_hash)}
    assert len(known) == 1
    assert "b.md" not in known


def test_a_touch_survives_merging() -> None:
    index = make_index()
    index.apply(files=[page("a.md", "x")], removed=())
    index.touch("a.md", fingerprint(5))
    for number in range(10):
        index.apply(files=[page(f"{number}.md", "x")], removed=())
    assert len(index.freeze().segments) < 5
    assert index.known()["a.md"][0] == fingerprint(5)


def test_segments_stay_few_under_single_edits_and_large_ones_are_left_alone() -> None:
    index = make_index()
    index.apply(files=[page(f"{number:03}.md", "x") for number in range(500)], removed=())
    largest = index.freeze().segments[0].segment
    for number in range(100):
        index.apply(files=[page(f"{number:03}.md", "y")], removed=())
        assert len(index.freeze().segments) <= 9
        assert index.freeze().segments[0].segment is largest
    assert index.freeze().sections == 500


def test_deleted_sections_are_cleared_away() -> None:
    index = make_index()
    index.apply(files=[page(f"{number:03}.md", "x") for number in range(100)], removed=())
    index.apply(files=[], removed=[f"{number:03}.md" for number in range(50)])
    assert [view.segment.section_count for view in index.freeze().segments] == [50]
    index.apply(files=[], removed=[f"{number:03}.md" for number in range(50, 100)])
    snapshot = index.freeze()
    assert snapshot.segments == ()
    assert (snapshot.documents, snapshot.sections, snapshot.total_lengths) == (0, 0, (0, 0, 0))


def test_freeze_shares_what_did_not_change() -> None:
    index = make_index()
    index.apply(files=[page(f"{number}.md", "x") for number in range(9)], removed=())
    first = index.freeze()
    index.apply(files=[page("0.md", "y")], removed=())
    second, third = index.freeze(), index.freeze()
    assert second.segments[0].segment is first.segments[0].segment
    assert second.segments == third.segments
