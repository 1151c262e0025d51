"""Chinese words and their glosses, with a small dictionary."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmemd.text.lexicon import HAN, Lexicon, is_chinese

LEXICON = Lexicon.of(
    {
        "组件": "module",
        "标签": "label",
        "签": "sign",
        "研究": "research",
        "研究生": "graduate student",
        "生命": "life",
        "起源": "origin",
        "命": "fate",
        "里": "inside",
        "的": "target",
        "一心想着的那件事情": "too long to be a word",
    }
)


def test_a_text_is_glossed_word_by_word_around_what_is_not_chinese() -> None:
    assert LEXICON.gloss("`<style>` 标签里的组件: v-bind") == "`<style>` label inside module : v-bind"


@pytest.mark.parametrize(
    "text", ["plain words", "Zeitüberschreitung", "コンポーネントの組件", "컴포넌트", "", "  two  spaces "]
)
def test_what_is_not_chinese_stays_as_it_is(text: str) -> None:
    assert LEXICON.gloss(text) == text
    assert LEXICON.words(text) == []
    assert not is_chinese(text)


def test_the_cut_with_fewer_words_wins_from_either_end() -> None:
    assert LEXICON.words("研究生命起源") == [["研究", "生命", "起源"]]  # from the start: 研究生 命 起源
    assert LEXICON.words("标签组件，签") == [["标签", "组件"], ["签"]]


def test_unknown_characters_are_words_without_a_gloss() -> None:
    assert LEXICON.words("龘组件") == [["龘", "组件"]]
    assert LEXICON.gloss("龘组件") == "module"
    assert "too long" not in LEXICON.gloss("一心想着的那件事情")


def test_an_image_gives_the_same_lexicon() -> None:
    again = Lexicon.from_image(LEXICON.image)
    assert again.gloss("研究生命起源") == LEXICON.gloss("研究生命起源") == "research life origin"


@given(st.text(st.sampled_from("组件标签研究生命起源的里龘a -，の")))
def test_words_joined_are_the_runs(text: str) -> None:
    runs = HAN.findall(text) if is_chinese(text) else []
    assert ["".join(words) for words in LEXICON.words(text)] == runs
    assert not HAN.search(LEXICON.gloss(text)) or not is_chinese(text)
