"""Several places in one call: each has its text or its own sentence."""

from __future__ import annotations

from functools import partial

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine.multi_reading import PLACES_MAX, MultiReader, ReadItem
from mdmemd.errors import InvalidRequestError, NotFoundError, TooLargeError
from mdmemd.search.page import SectionText

TEXT = "# A\n\nalpha\n\n## More\n\nbeta\n\n### Deep\n\ngamma\n"


@pytest.fixture
def written(world: EngineWorld) -> EngineWorld:
    world.files.write("/docs/a.md", TEXT)
    world.files.write("/docs/sub/b.md", "# B\n\nother äöü\n")
    world.files.write("/docs/sub/c.md", "# C\n\nthird\n")
    return world


@pytest.fixture
def read(written: EngineWorld) -> EngineWorld:
    written.add("/docs")
    return written


def _read(
    world: EngineWorld, *addresses: str, max_bytes: int = 10_000, include_subsections: bool = False
) -> tuple[ReadItem, ...]:
    service = world.engine.service

    def read_one(address: str, root: str) -> SectionText:
        return service.read(address, root=root, include_subsections=include_subsections)

    reader = MultiReader(service, read_one=read_one, include_subsections=include_subsections)
    return reader.read(addresses, max_bytes=max_bytes)


def _texts(items: tuple[ReadItem, ...]) -> list[str | None]:
    return [each.section.text if each.section else None for each in items]


def test_each_address_has_its_text_or_its_own_sentence(read: EngineWorld) -> None:
    items = _read(read, "a.md#More", "gone.md", "a.md:2-3", "a.md#Nope", "a.md:0", "a.md:99")
    assert _texts(items) == ["## More\n\nbeta\n\n", None, "\nalpha\n", None, None, None]
    errors = [each.error or "" for each in items]
    for error, part in zip(errors, ["", "gone.md", "", "Nope", "no lines", "11 lines"], strict=True):
        assert part in error
        assert bool(error) is bool(part)


def test_a_miss_names_what_is_near(read: EngineWorld) -> None:
    (heading, document) = _read(read, "a.md#Mor", "sub/bb.md")
    assert (heading.error or "").endswith("Candidates: 'A > More', 'A', 'A > More > Deep'.")
    assert (document.error or "").endswith("Candidates: 'sub/b.md'.")


def test_a_glob_reads_each_document_that_it_matches(read: EngineWorld) -> None:
    items = _read(read, "sub/*.md", "nope/*.md")
    assert [each.address for each in items] == ["sub/b.md", "sub/c.md", "nope/*.md"]
    assert items[2].error
    assert _texts(items) == ["# B\n\nother äöü\n", "# C\n\nthird\n", None]


def test_a_glob_with_lines_reads_them_of_each_document(read: EngineWorld) -> None:
    items = _read(read, "sub/*.md:3")
    assert [each.address for each in items] == ["sub/b.md:3-3", "sub/c.md:3-3"]
    assert _texts(items) == ["other äöü\n", "third\n"]


def test_a_pattern_of_headings_reads_the_sections_that_it_fits(written: EngineWorld) -> None:
    written.files.write("/docs/sub/d.md", "# D\n\n## More of it\n\nd\n\n## Else\n\ne\n")
    written.add("/docs")
    items = _read(written, "**/*.md#more*", "a.md#*", "sub/*.md#Nothing*", "*.md#More")
    assert [each.address for each in items] == [
        "a.md#A > More", "sub/d.md#D > More of it",
        "a.md#A", "a.md#A > More", "a.md#A > More > Deep",
        "sub/*.md#Nothing*", "a.md#A > More",
    ]  # fmt: skip
    assert [each.address for each in items if each.section is None] == ["sub/*.md#Nothing*"]
    assert items[5].error == "No indexed document has a section 'Nothing*': 'sub/*.md#Nothing*'."
    for item in items:
        if item.section is not None:  # what an item is called reads just that
            assert written.engine.service.read(item.address) == item.section


def test_a_pattern_of_headings_takes_any_name_of_its_document(read: EngineWorld) -> None:
    items = _read(read, "b.md#B*", "/docs/sub/b.md#*", "b.md#X*", "gone.md#X*")
    assert [each.address for each in items] == ["b.md#B", "/docs/sub/b.md#B", "b.md#X*", "gone.md#X*"]
    assert _texts(items) == ["# B\n\nother äöü\n", "# B\n\nother äöü\n", None, None]
    assert "sub/b.md has no section 'X*'" in (items[2].error or "")
    assert "No indexed document is named 'gone.md'" in (items[3].error or "")


def test_names_with_signs_of_patterns_are_taken_as_they_stand(written: EngineWorld) -> None:
    written.files.write("/docs/notes/[draft] x.md", "# Why is it so?\n\none\n\n# Same\n\n# Same\n\ntwo\n")
    written.files.write("/docs/d.md", "# 2 * 3\n\nsix\n\n# 2 times 3\n\nno\n")
    written.add("/docs")
    items = _read(
        written,
        "notes/[draft] x.md#Same [2]",
        "[draft] x.md#Why is it so?",
        "d.md#2 * 3",
        "notes/[draft] x.md",
    )
    assert _texts(items)[:3] == ["# Same\n\ntwo\n", "# Why is it so?\n\none\n\n", "# 2 * 3\n\nsix\n\n"]
    assert items[3].section is not None


def test_places_of_several_roots_are_told_apart_by_their_root(read: EngineWorld) -> None:
    read.files.write("/other/sub/b.md", "# B\n\nelsewhere\n")
    read.add("/other")
    items = _read(read, "sub/b*")
    assert [each.address for each in items] == ["docs/sub/b.md", "other/sub/b.md"]
    assert [read.engine.service.read(each.address) for each in items] == [each.section for each in items]


def test_ids_are_addresses(read: EngineWorld) -> None:
    more = read.engine.service.read("a.md", heading="More")
    (alone, with_path, stale) = _read(read, f"{more.id}", f"a.md#{more.id}", "a.md#^00000000")
    assert alone.section == with_path.section == more
    assert "no section with the id ^00000000" in (stale.error or "")
    assert "'A > More'" in (stale.error or "")


def test_the_limit_counts_bytes_and_what_does_not_fit_is_told(read: EngineWorld) -> None:
    size = len("# B\n\nother äöü\n".encode())
    first, second = _read(read, "sub/b.md", "sub/c.md", max_bytes=size)
    assert first.section is not None
    assert isinstance(second.failure, TooLargeError)
    assert second.error == (
        "Left out: it has 11 bytes, and 0 were left of the limit. Read it by itself, or allow more bytes."
    )
    first, second = _read(read, "sub/b.md", "sub/c.md", max_bytes=size - 1)
    assert first.error is not None
    assert second.section is not None


def test_a_document_is_read_once_however_many_of_its_sections_fit(
    read: EngineWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []
    original = read.files.read

    def counting(path: str, *, bytes_max: int) -> object:
        reads.append(path)
        return original(path, bytes_max=bytes_max)

    monkeypatch.setattr(read.files, "read", counting)
    assert len(_read(read, "*.md#*")) == 5
    assert sorted(reads) == ["/docs/a.md", "/docs/sub/b.md", "/docs/sub/c.md"]


def test_patterns_that_match_too_much_are_refused(written: EngineWorld) -> None:
    half = "".join(f"# H{number}\n\nx\n\n" for number in range(PLACES_MAX // 2))
    written.files.write("/docs/big/a.md", half)
    written.files.write("/docs/big/b.md", half)
    written.add("/docs")
    assert len(_read(written, "big/*.md#*", max_bytes=1)) == PLACES_MAX
    with pytest.raises(InvalidRequestError, match="over 1,000 places"):
        _read(written, "big/*.md#*", "a.md")


def test_subsections_come_where_they_are_asked_for(read: EngineWorld) -> None:
    (item,) = _read(read, "a.md#More", include_subsections=True)
    assert item.section is not None
    assert item.section.text.endswith("gamma\n")


def test_lines_are_those_of_the_file_s18(read: EngineWorld) -> None:
    found = read.engine.service.read("a.md:7-99")
    assert (found.lines, found.text) == ((7, 11), "".join(TEXT.splitlines(keepends=True)[6:]))
    assert found.id is None
    hit = read.engine.service.read("a.md", heading="More")
    assert read.engine.service.read(f"a.md:{hit.lines.first}-{hit.lines.last}").text == hit.text


def test_a_place_is_named_once(read: EngineWorld) -> None:
    service = read.engine.service
    with pytest.raises(InvalidRequestError, match="names a place"):
        service.read("a.md#More", heading="A")
    for each in (partial(service.read, "a.md:1", part=1), partial(service.read, "a.md:1", heading="A")):
        with pytest.raises(InvalidRequestError, match="names a place"):
            each()
    with pytest.raises(NotFoundError):
        service.read("a.md#Nope")
