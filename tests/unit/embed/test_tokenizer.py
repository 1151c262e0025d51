from __future__ import annotations

import pytest

from mdmem_testkit.stored_models import files_of
from mdmemd.embed.registry import BUILT_IN, TokenizerKind
from mdmemd.embed.tokenizer import TextTokenizer

CLS, SEP = 101, 102


@pytest.fixture(scope="module")
def tokenizer() -> TextTokenizer:
    with open(files_of(BUILT_IN).verified_path(BUILT_IN.tokenizer), encoding="utf-8", newline="\n") as file:
        return TextTokenizer.of_file(file.read(), kind=TokenizerKind.WORDPIECE, tokens_max=8)


def test_known_ids(tokenizer: TextTokenizer) -> None:
    assert tokenizer.encode(["Hello, WORLD", ""]).ids == ([CLS, 7592, 1010, 2088, SEP], [CLS, SEP])


def test_accents_and_case_are_folded(tokenizer: TextTokenizer) -> None:
    plain, accented = tokenizer.encode(["cafe", "Café"]).ids
    assert plain == accented


@pytest.mark.parametrize(
    ("words", "cut"), [(6, 0), (7, 1), (5000, 1)], ids=["at the limit", "one over", "far over"]
)
def test_limit_counts_special_tokens(tokenizer: TextTokenizer, words: int, cut: int) -> None:
    """M11."""
    text = "word " * words
    tokenized = tokenizer.encode([text])
    assert tokenized.cut == cut
    assert tokenized.ids[0] == [CLS, *[2773] * 6, SEP]
    assert tokenizer.count(text) == words + 2


def test_cuts_are_counted_by_text(tokenizer: TextTokenizer) -> None:
    assert tokenizer.encode(["a", "b " * 20, "c " * 30, ""]).cut == 2


@pytest.mark.parametrize(
    ("words", "sizes", "is_cut"), [(0, [2], False), (6, [8], False), (7, [8, 3], False), (13, [8, 8], True)]
)
def test_windows_lose_nothing(tokenizer: TextTokenizer, words: int, sizes: list[int], is_cut: bool) -> None:
    """M11: each has the special tokens; together they are the text."""
    windows = tokenizer.windows("word " * words, count_max=2)
    assert [len(ids) for ids in windows.ids] == sizes
    assert all((ids[0], ids[-1]) == (CLS, SEP) for ids in windows.ids)
    assert sum(len(ids) - 2 for ids in windows.ids) == min(words, 12)
    assert windows.is_cut is is_cut


def test_lone_surrogate_is_replaced(tokenizer: TextTokenizer) -> None:
    """P14."""
    assert tokenizer.encode(["a \ud83d b"]).ids == tokenizer.encode(["a ? b"]).ids
