"""Reading: heading tiers, parts without a seam, subsections, whole documents; never stale."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mdmem_testkit.search_world import SearchWorld
from mdmemd.errors import AmbiguousError, InvalidRequestError, NotFoundError
from mdmemd.search.outline import PREAMBLE_TITLE, outline
from mdmemd.search.page import OutlineNode, SectionText, StaleFile
from mdmemd.search.reading import Reader, match_heading

TEXT = """\
before

# Guide

intro

## Install

install text

### From source

source text

## Use

use text

# Other

## Install

other install
"""


def _read(
    world: SearchWorld, heading: str = "", *, part: int | None = None, include_subsections: bool = False
) -> SectionText:
    reader = Reader(files=world.files)
    found = reader.find("a.md", roots=world.snapshots(), folders=world.folders)
    text = reader.read(
        found,
        folder=world.folders["docs"],
        heading=heading,
        part=part,
        include_subsections=include_subsections,
    )
    assert isinstance(text, SectionText)
    return text


@pytest.fixture
def world() -> SearchWorld:
    world = SearchWorld()
    world.add("a.md", TEXT)
    return world


def test_a_section_is_its_own_text_verbatim(world: SearchWorld) -> None:
    text = _read(world, "Guide > Install")
    assert text.text == "## Install\n\ninstall text\n\n"
    assert text.lines == (7, 10)
    assert (text.heading_path, text.part, text.path) == (("Guide", "Install"), None, "a.md")
    assert text.tokens > 0


def test_subsections_follow_on_request_until_the_level_is_left(world: SearchWorld) -> None:
    text = _read(world, "Guide > Install", include_subsections=True)
    assert text.lines == (7, 14)
    assert text.text.endswith("source text\n\n")
    assert _read(world, "Guide", include_subsections=True).lines == (3, 18)
    assert _read(world, "Guide").lines == (3, 6)


def test_no_heading_is_the_whole_document(world: SearchWorld) -> None:
    text = _read(world)
    assert text.text == TEXT
    assert text.lines == (1, TEXT.count("\n"))


def test_the_preamble_has_a_name(world: SearchWorld) -> None:
    assert _read(world, PREAMBLE_TITLE).text == "before\n\n"


def test_a_title_alone_is_enough_where_it_is_unique(world: SearchWorld) -> None:
    assert _read(world, "From source").heading_path == ("Guide", "Install", "From source")
    assert _read(world, "Install > From source").lines == (11, 14)


def test_an_ambiguous_title_lists_what_it_fits(world: SearchWorld) -> None:
    with pytest.raises(AmbiguousError) as caught:
        _read(world, "Install")
    assert caught.value.candidates == ("Guide > Install", "Other > Install")


def test_an_unknown_heading_lists_what_there_is(world: SearchWorld) -> None:
    with pytest.raises(NotFoundError, match="Nowhere") as caught:
        _read(world, "Nowhere")
    assert "Guide > Use" in caught.value.candidates
    assert caught.value.remedy


def test_candidates_are_capped() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\n" + "".join(f"## H{number}\n\nx\n\n" for number in range(100)))
    with pytest.raises(NotFoundError) as caught:
        _read(world, "Nowhere")
    assert len(caught.value.candidates) == 40


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("A > b", [1]),
        ("A > B", [2]),
        ("a>B", [2, 1]),
        ("A>b", [1]),
        ("a > b", [1, 2]),
        ("Step 1 -> Step 2", [3]),
        ("step 1 ->step 2", [3]),
        ("Result<T, E>", [4]),
        ("B", [2]),
        ("", []),
        ("> B", []),
    ],
)
def test_the_first_tier_with_any_match_decides(heading: str, expected: list[int]) -> None:
    breadcrumbs = ["A", "A > b", "A > B", "A > Step 1 -> Step 2", "A > Result<T, E>"]
    assert sorted(match_heading(breadcrumbs, heading)) == sorted(expected)


def test_parts_are_joined_without_a_seam_and_readable_one_by_one() -> None:
    world = SearchWorld()
    body = "".join(f"Paragraph {number}: " + "word " * 60 + "\n\n" for number in range(40))
    world.add("a.md", f"# A\n\n## Long\n\n{body}## Next\n\nx\n")
    whole = _read(world, "Long")
    assert whole.part is None
    assert whole.text == f"## Long\n\n{body}"
    first = _read(world, "Long", part=1)
    second = _read(world, "A > Long (Part 2)")
    assert (first.part, second.part) == (1, 2)
    assert whole.text.startswith(first.text + second.text)
    with pytest.raises(NotFoundError, match="part 99"):
        _read(world, "Long", part=99)


def test_a_part_needs_a_heading_where_there_are_several(world: SearchWorld) -> None:
    with pytest.raises(InvalidRequestError):
        _read(world, part=1)


def test_windows_of_a_document_without_headings_are_parts_of_it() -> None:
    world = SearchWorld()
    world.add("a.md", "".join(f"line {number}\n" for number in range(1, 301)))
    text = _read(world, part=2)
    assert text.part == 2
    assert text.text.startswith(f"line {text.lines.first}\n")
    assert _read(world, PREAMBLE_TITLE).text == _read(world).text


def test_a_changed_or_vanished_file_is_stale_and_a_touched_one_is_not(world: SearchWorld) -> None:
    reader = Reader(files=world.files)
    found = reader.find("a.md", roots=world.snapshots(), folders=world.folders)
    world.files.write("/docs/a.md", TEXT, mtime_ns=7)
    assert isinstance(reader.read(found, folder="/docs", heading="Use"), SectionText)
    world.files.write("/docs/a.md", TEXT.replace("use", "USE"))
    assert reader.read(found, folder="/docs", heading="Use") == StaleFile("docs", "a.md")
    assert reader.read(found, folder="/docs") == StaleFile("docs", "a.md")
    world.files.remove("/docs/a.md")
    assert reader.read(found, folder="/docs", heading="Use") == StaleFile("docs", "a.md")


def test_lines_are_the_files_own_whatever_its_line_ends_s18() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\r\n\r\nx\x0cy\u2028z\r\n\r\n" + "filler\r\n" * 895 + "## Deep\r\n\r\ndeep\r\n")
    text = _read(world, "Deep")
    assert text.lines == (900, 902)
    assert text.text == "## Deep\r\n\r\ndeep\r\n"


def test_a_section_is_read_by_its_id_from_every_answer(world: SearchWorld) -> None:
    """A5: what an answer calls a section is what reading takes."""
    found = Reader(files=world.files).find("a.md", roots=world.snapshots(), folders=world.folders)
    nodes = list(_walk(outline(found.root, found.document).nodes))
    assert len({node.id for node in nodes}) == len(nodes) == 7
    for node in nodes:
        text = _read(world, node.id)
        assert (text.heading_path, text.lines, text.id) == (node.heading_path, node.lines, node.id)
    for hit in world.search("install text").hits:
        assert _read(world, hit.id).heading_path == hit.heading_path
    assert _read(world).id is None


def test_an_id_takes_subsections_and_parts(world: SearchWorld) -> None:
    install = _read(world, "Guide > Install")
    assert install.id is not None
    assert "source text" in _read(world, install.id, include_subsections=True).text
    world.add("a.md", "# Long\n\n" + "word " * 3000 + "\n\n" + "last " * 3000 + "\n")
    second = _read(world, "Long", part=2)
    assert second.id == f"{_read(world, 'Long').id}.2"
    assert _read(world, second.id) == second
    with pytest.raises(NotFoundError, match="has no part 99"):
        _read(world, f"{_read(world, 'Long').id}.99")


def test_a_stale_id_of_a_file_is_answered_with_its_sections(world: SearchWorld) -> None:
    old = _read(world, "Guide > Use").id
    assert old is not None
    world.add("a.md", TEXT.replace("## Use", "## Usage"))
    with pytest.raises(
        NotFoundError, match=r"a\.md has no section with the id .*changed or removed"
    ) as caught:
        _read(world, old)
    assert "Guide > Usage" in caught.value.candidates


def test_a_heading_that_looks_like_an_id_is_a_heading(world: SearchWorld) -> None:
    world.add("a.md", TEXT + "\n# ^00000000\n\nodd\n")
    assert _read(world, "^00000000").heading_path == ("^00000000",)


def test_ids_that_coincide_in_a_document_are_ambiguous(
    world: SearchWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mdmemd.search.locate.section_id", lambda *_, part: "^00000000")
    with pytest.raises(AmbiguousError) as caught:
        _read(world, "^00000000")
    assert "Guide > Use" in caught.value.candidates


def test_the_nearest_headings_come_first(world: SearchWorld) -> None:
    with pytest.raises(NotFoundError) as caught:
        _read(world, "Guide > form source")
    assert caught.value.candidates[0] == "Guide > Install > From source"
    with pytest.raises(NotFoundError) as caught:
        _read(world, "sourc")
    assert caught.value.candidates[-1] == "Other > Install", "then all others"


def _walk(nodes: tuple[OutlineNode, ...]) -> Iterator[OutlineNode]:
    for node in nodes:
        yield node
        yield from _walk(node.children)
