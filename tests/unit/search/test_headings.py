"""The headings of whole roots: each once, sorted, without preambles and parts."""

from __future__ import annotations

from mdmem_testkit.search_world import SearchWorld
from mdmemd.search.headings import heading_paths


def test_each_heading_path_comes_once() -> None:
    world = SearchWorld()
    world.add("b.md", "before\n\n# B\n\n## Long\n\n" + ("word " * 60 + "\n\n") * 40)
    world.add("a.md", "# B\n\n## A\n\nx\n")
    assert heading_paths(world.snapshots().values()) == (("B",), ("B", "A"), ("B", "Long"))
