"""Documents of a segment by the code of their path."""

from __future__ import annotations

from mdmem_testkit.search_world import SearchWorld
from mdmemd.index.path_codes import PathCodes
from mdmemd.index.snapshot import RootSnapshot
from mdmemd.text.section_id import path_code


def test_each_document_is_found_by_its_code() -> None:
    paths = [f"folder {number % 7}/{number}.md" for number in range(3_000)]
    codes = PathCodes(paths)
    for number, path in enumerate(paths):
        found = codes.documents(path_code(path))
        assert number in found
        assert all(path_code(paths[each]) == path_code(path) for each in found)
        assert found == sorted(found)
    assert sum(len(codes.documents(code)) for code in {path_code(path) for path in paths}) == len(paths)


def test_a_code_that_no_document_has_finds_none() -> None:
    assert PathCodes(["a.md"]).documents(path_code("a.md") ^ 1) == []
    assert PathCodes([]).documents(32_767) == []


def test_a_snapshot_gives_the_live_documents_of_all_segments() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\ntext\n")
    world.add("b.md", "# B\n\ntext\n")
    before = world.snapshots()["docs"]
    world.add("a.md", "# A again\n\ntext\n")
    world.drop("b.md")
    after = world.snapshots()["docs"]

    def paths(path: str, snapshot: RootSnapshot) -> list[tuple[str, str]]:
        return [(each.path, each.title) for each in snapshot.coded_documents(path_code(path))]

    assert paths("a.md", before) == [("a.md", "A")]
    assert paths("b.md", before) == [("b.md", "B")]
    assert paths("a.md", after) == [("a.md", "A again")]
    assert paths("b.md", after) == []
