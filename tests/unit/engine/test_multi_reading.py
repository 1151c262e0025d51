"""Several places in one call: each has its text or its own sentence."""

from __future__ import annotations

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine.multi_reading import MultiReader
from mdmemd.errors import InvalidRequestError, NotFoundError

TEXT = "# A\n\nalpha\n\n## More\n\nbeta\n\n### Deep\n\ngamma\n"


@pytest.fixture
def read(world: EngineWorld) -> EngineWorld:
    world.files.write("/docs/a.md", TEXT)
    world.files.write("/docs/sub/b.md", "# B\n\nother äöü\n")
    world.files.write("/docs/sub/c.md", "# C\n\nthird\n")
    world.add("/docs")
    return world


def test_each_address_has_its_text_or_its_own_sentence(read: EngineWorld) -> None:
    items = MultiReader(read.engine.service).read(
        ("a.md#More", "gone.md", "a.md:2-3", "a.md#Nope", "a.md:0", "a.md:99"), max_bytes=10_000
    )
    texts = [each.section.text if each.section else None for each in items]
    assert texts == ["## More\n\nbeta\n\n", None, "\nalpha\n", None, None, None]
    errors = [each.error or "" for each in items]
    for error, part in zip(errors, ["", "gone.md", "", "Nope", "no lines", "11 lines"], strict=True):
        assert part in error
        assert bool(error) is bool(part)


def test_a_glob_reads_each_document_that_it_matches(read: EngineWorld) -> None:
    items = MultiReader(read.engine.service).read(("sub/*.md", "nope/*.md"), max_bytes=10_000)
    assert [each.address for each in items] == ["sub/b.md", "sub/c.md", "nope/*.md"]
    assert items[2].error
    assert [each.section.text for each in items if each.section] == [
        "# B\n\nother äöü\n",
        "# C\n\nthird\n",
    ]


def test_the_limit_counts_bytes_and_what_does_not_fit_is_told(read: EngineWorld) -> None:
    size = len("# B\n\nother äöü\n".encode())
    reader = MultiReader(read.engine.service)
    first, second = reader.read(("sub/b.md", "sub/c.md"), max_bytes=size)
    assert first.section is not None
    assert second.error == "Left out: it has 11 bytes, and 0 were left of the limit."
    first, second = reader.read(("sub/b.md", "sub/c.md"), max_bytes=size - 1)
    assert first.error is not None
    assert second.section is not None


def test_subsections_come_where_they_are_asked_for(read: EngineWorld) -> None:
    (item,) = MultiReader(read.engine.service).read(
        ("a.md#More",), include_subsections=True, max_bytes=10_000
    )
    assert item.section is not None
    assert item.section.text.endswith("gamma\n")


def test_lines_are_those_of_the_file_s18(read: EngineWorld) -> None:
    found = read.engine.service.read("a.md:7-99")
    assert (found.lines, found.text) == ((7, 11), "".join(TEXT.splitlines(keepends=True)[6:]))
    hit = read.engine.service.read("a.md", heading="More")
    assert read.engine.service.read(f"a.md:{hit.lines.first}-{hit.lines.last}").text == hit.text


def test_a_place_is_named_once(read: EngineWorld) -> None:
    with pytest.raises(InvalidRequestError, match="names a place"):
        read.engine.service.read("a.md#More", heading="A")
    with pytest.raises(NotFoundError):
        read.engine.service.read("a.md#Nope")
