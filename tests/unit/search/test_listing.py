"""Listings: order, literal prefixes, what a row says."""

from __future__ import annotations

import pytest

from mdmem_testkit.search_world import SearchWorld
from mdmemd.errors import InvalidRequestError
from mdmemd.search.listing import list_documents


def _paths(world: SearchWorld, prefix: str = "") -> list[str]:
    return [f"{row.root}:{row.path}" for row in list_documents(world.snapshots(), prefix=prefix)]


@pytest.fixture
def world() -> SearchWorld:
    world = SearchWorld()
    for path in ("b.md", "docs/a.md", "docs-old/a.md", "docs/sub/c.md", "do%s/x.md"):
        world.add(path, "# A\n\ntext\n\n## B\n\ntext\n")
    world.add("z.md", "# Z\n\ntext\n", root="notes")
    return world


def test_documents_stand_in_path_order_root_after_root(world: SearchWorld) -> None:
    assert _paths(world) == [
        "docs:b.md",
        "docs:do%s/x.md",
        "docs:docs/a.md",
        "docs:docs/sub/c.md",
        "docs:docs-old/a.md",
        "notes:z.md",
    ]


@pytest.mark.parametrize("prefix", ["docs", "docs/", "./docs", "docs//"])
def test_a_prefix_is_a_folder_and_not_the_beginning_of_a_name(world: SearchWorld, prefix: str) -> None:
    assert _paths(world, prefix) == ["docs:docs/a.md", "docs:docs/sub/c.md"]


def test_a_prefix_may_be_a_file_or_name_nothing_and_is_literal_s11(world: SearchWorld) -> None:
    assert _paths(world, "docs/a.md") == ["docs:docs/a.md"]
    assert _paths(world, "none") == []
    assert _paths(world, "do%s") == ["docs:do%s/x.md"]
    assert _paths(world, "doc_") == []


def test_a_prefix_cannot_leave_the_root_x4(world: SearchWorld) -> None:
    with pytest.raises(InvalidRequestError):
        _paths(world, "docs/../..")


def test_a_row_says_what_a_document_is(world: SearchWorld) -> None:
    world.files.write("/docs/t.md", "")
    world.add("t.md", "# Title\n\ntext\n\n## B\n\ntext\n")
    (row,) = list_documents(world.snapshots(), prefix="t.md")
    assert (row.title, row.sections) == ("Title", 2)
    assert row.tokens > 0
    assert row.modified_at == world.document("t.md").fingerprint.mtime_ns / 1e9
