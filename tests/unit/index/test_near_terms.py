"""Terms that somebody who mistyped may have meant."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mdmem_testkit.documents import page, words
from mdmemd.index.edit_distance import edit_distances
from mdmemd.index.filters import DocumentFilter, Places
from mdmemd.index.near_terms import NearTerm
from mdmemd.index.root_index import RootIndex
from mdmemd.index.scope import Scope


def index_of(**texts: str) -> RootIndex:
    """An index of pages, one segment each as long as no merge is due."""
    index = RootIndex(dimensions=4, tokenize=words)
    for path, text in texts.items():
        index.apply(files=[page(f"{path}.md", text)], removed=())
    return index


def near(index: RootIndex, word: str, edits: int = 2) -> list[tuple[str, int, int]]:
    found = Scope([("r", index.freeze())]).near_terms(word, edits=edits)
    return [(each.text, each.edits, len(each.refs)) for each in found]


def test_the_nearest_comes_first_then_what_most_sections_hold() -> None:
    index = index_of(
        a="configure configures", b="configured configure", c="reconfigure other", d="configures"
    )
    assert near(index, "configurd", edits=1) == [("configure", 1, 2), ("configured", 1, 1)]
    assert [text for text, _, _ in near(index, "configurd")] == ["configure", "configured", "configures"]


def test_what_nobody_holds_any_more_is_not_near() -> None:
    index = index_of(a="configure one two three", b="two")
    assert near(index, "configurd") == [("configure", 1, 1)]
    index.apply(files=[page("a.md", "one two")], removed=())
    assert near(index, "configurd") == []


def test_a_filter_applies() -> None:
    index = index_of(a="configure", b="other")
    behind = {"r": DocumentFilter(places=Places(globs=("b.md",)))}
    assert Scope([("r", index.freeze())], filters=behind).near_terms("configurd", edits=2) == []


def test_an_empty_index_has_no_terms() -> None:
    assert near(RootIndex(dimensions=4, tokenize=words), "anything") == []


@given(
    alphabet=st.sampled_from(("abc_9-", "éöñ", "абв", "🎈🎉")),
    data=st.data(),
    edits=st.integers(1, 2),
)
def test_no_near_term_is_missed(alphabet: str, data: st.DataObject, edits: int) -> None:
    """Neither lengths nor letters rule out what is near, in a script of any width."""
    texts = st.text(alphabet, min_size=1, max_size=9)
    vocabulary = data.draw(st.lists(texts, min_size=1, max_size=12))
    word = data.draw(texts)
    index = index_of(a=" ".join(vocabulary))
    expected = {
        text: int(distance)
        for text in {*vocabulary, "page", "a.md"}
        if (distance := edit_distances(word, [text], most=edits)[0]) <= edits
    }
    found: list[NearTerm] = Scope([("r", index.freeze())]).near_terms(word, edits=edits)
    assert {each.text: each.edits for each in found} == expected
