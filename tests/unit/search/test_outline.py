"""The heading tree: order, levels, parts as one node, preamble."""

from __future__ import annotations

from mdmem_testkit.search_world import SearchWorld
from mdmemd.search.outline import PREAMBLE_TITLE, outline
from mdmemd.search.page import OutlineNode


def _shape(nodes: tuple[OutlineNode, ...]) -> list[object]:
    return [(node.title, _shape(node.children)) for node in nodes]


def test_children_hang_below_their_heading_and_levels_may_be_skipped() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\na\n\n## B\n\nb\n\n#### C\n\nc\n\n## D\n\nd\n\n# E\n\ne\n")
    tree = outline("docs", world.document("a.md"))
    assert _shape(tree.nodes) == [("A", [("B", [("C", [])]), ("D", [])]), ("E", [])]
    assert (tree.root, tree.path, tree.title) == ("docs", "a.md", "A")


def test_lines_and_tokens_are_the_own_text_of_a_heading() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\na text\n\n## B\n\nb text\n")
    (node,) = outline("docs", world.document("a.md")).nodes
    assert node.lines == (1, 4)
    assert node.children[0].lines == (5, 7)
    assert node.heading_path == ("A",)
    assert node.children[0].heading_path == ("A", "B")


def test_the_preamble_is_a_first_node_of_level_0_without_children() -> None:
    world = SearchWorld()
    world.add("a.md", "before\n\n# A\n\na\n\n# B\n\nb\n")
    nodes = outline("docs", world.document("a.md")).nodes
    assert [(node.title, node.level) for node in nodes] == [(PREAMBLE_TITLE, 0), ("A", 1), ("B", 1)]
    assert nodes[0].children == ()
    assert nodes[0].heading_path == ()


def test_parts_of_one_section_are_one_node() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\n## Long\n\n" + ("word " * 60 + "\n\n") * 40 + "## Next\n\nx\n")
    document = world.document("a.md")
    parts = [section for section in document.sections if section.heading_path == ("A", "Long")]
    assert len(parts) > 1
    (top,) = outline("docs", document).nodes
    long, after = top.children
    assert long.parts == len(parts)
    assert after.parts == 1
    assert long.lines == (parts[0].lines.first, parts[-1].lines.last)
    assert long.tokens == sum(part.tokens for part in parts)


def test_a_document_without_headings_has_one_node() -> None:
    world = SearchWorld()
    world.add("a.md", "only text\n")
    (node,) = outline("docs", world.document("a.md")).nodes
    assert (node.title, node.level, node.parts) == (PREAMBLE_TITLE, 0, 1)


def test_an_empty_document_has_an_empty_outline() -> None:
    world = SearchWorld()
    world.add("a.md", "")
    assert outline("docs", world.document("a.md")).nodes == ()
