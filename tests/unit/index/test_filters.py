"""Selections: remembered for one state of a segment, few at a time, and true to that state for ever."""

from __future__ import annotations

from mdmem_testkit.documents import indexed_file, words
from mdmemd.index import filters
from mdmemd.index.filters import DocumentFilter, Moment, Selection, Selections
from mdmemd.index.matches import WeightedTerm
from mdmemd.index.root_index import RootIndex
from mdmemd.index.scope import Scope
from mdmemd.index.snapshot import RootSnapshot
from mdmemd.model import Fingerprint


def index_of(*names: str) -> RootIndex:
    index = RootIndex(dimensions=4, tokenize=words)
    files = [indexed_file(f"{name}.md", (("T",), "alpha"), (("U",), "beta"), tags=(name,)) for name in names]
    index.apply(files=files, removed=())
    return index


def sections(snapshot: RootSnapshot, chosen: DocumentFilter) -> int:
    return Scope([("r", snapshot)], filters={"r": chosen}).filtered_sections or 0


def test_a_selection_is_made_once_and_the_oldest_is_forgotten() -> None:
    made: list[DocumentFilter] = []
    selections = Selections()

    def get(number: int) -> None:
        chosen = DocumentFilter(tags=(str(number),))

        def select() -> Selection:
            made.append(chosen)
            return Selection(index_of("a").freeze().segments[0].live_documents, 1)

        selections.get(chosen, select)

    for number in (*range(filters.REMEMBERED_MAX), 0, filters.REMEMBERED_MAX, 0, 1):
        get(number)
    assert [int(each.tags[0]) for each in made] == [*range(filters.REMEMBERED_MAX), filters.REMEMBERED_MAX, 1]


def test_a_snapshot_keeps_its_selection_when_documents_go_s19() -> None:
    index = index_of("a", "b", "c")
    chosen = DocumentFilter(only=("a.md", "b.md"))
    before = index.freeze()
    assert sections(before, chosen) == 4
    index.apply(files=(), removed=["a.md"])
    assert sections(index.freeze(), chosen) == 2
    assert sections(before, chosen) == 4


def test_a_touch_moves_a_document_in_time() -> None:
    index = index_of("a", "b")
    late = DocumentFilter(since=Moment(day=10, ns=1_000))
    assert sections(index.freeze(), late) == 0
    index.touch("b.md", Fingerprint(1, 1_000, 1, 1, 1))
    assert sections(index.freeze(), late) == 2
    assert sections(index.freeze(), DocumentFilter(before=Moment(day=10, ns=1_000))) == 2


def test_scores_and_frequencies_do_not_depend_on_the_filter() -> None:
    snapshot = index_of("a", "b", "c").freeze()
    whole = Scope([("r", snapshot)]).keyword([WeightedTerm("alpha")])
    one = Scope([("r", snapshot)], filters={"r": DocumentFilter(tags=("b",))}).keyword(
        [WeightedTerm("alpha")]
    )
    assert (one.document_frequencies, one.found_frequencies) == ((3,), (1,))
    assert one.idf.tolist() == whole.idf.tolist()
    assert one.scores.tolist() == whole.scores[whole.refs == one.refs[0]].tolist()


def test_a_root_without_a_filter_is_searched_whole() -> None:
    roots = [("r", index_of("a").freeze()), ("s", index_of("a").freeze())]
    scope = Scope(roots, filters={"r": DocumentFilter(only=())})
    assert scope.filtered_sections == 2
    assert [scope.section(ref).root for ref in scope.keyword([WeightedTerm("alpha")]).refs] == ["s"]
