"""The baseline finds what grep finds."""

from __future__ import annotations

from mdmemd.evaluate.golden import SectionKey
from mdmemd.evaluate.plain_grep import grep


def key(name: str) -> SectionKey:
    return SectionKey("docs", name, ("H",))


TEXTS = [
    (key("a.md"), "Set LINK_MODE to copy. copy"),
    (key("b.md"), "copying files"),
    (key("c.md"), "nothing here"),
    (key("d.md"), "link_mode copy"),
]


def names(query: str, *, limit: int = 10) -> list[str]:
    (found,) = grep([query], iter(TEXTS), limit=limit)
    return [each.path for each in found]


def test_more_words_then_more_occurrences_then_the_path() -> None:
    assert names("how do I set the copy link_mode?") == ["a.md", "d.md", "b.md"]
    assert names("(copy)") == ["a.md", "b.md", "d.md"]
    assert names("copy link_mode", limit=1) == ["a.md"]


def test_stop_words_find_nothing_unless_nothing_else_is_asked() -> None:
    assert names("the zebra") == []
    assert names("to") == ["a.md"]


def test_a_section_in_parts_counts_once() -> None:
    (found,) = grep(["x"], [(key("a.md"), "x"), (key("a.md"), "x x")], limit=5)
    assert found == [key("a.md")]


def test_each_query_has_its_own_page() -> None:
    first, second = grep(["nothing", "files"], iter(TEXTS), limit=2)
    assert [each.path for each in first + second] == ["c.md", "b.md"]
