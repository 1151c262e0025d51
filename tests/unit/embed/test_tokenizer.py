from __future__ import annotations

import pytest

from mdmemd.embed.model_files import verified_path
from mdmemd.embed.registry import BUILT_IN
from mdmemd.embed.tokenizer import WordPieceTokenizer

CLS, SEP = 101, 102


@pytest.fixture(scope="module")
def tokenizer() -> WordPieceTokenizer:
    with open(verified_path(BUILT_IN.vocabulary), encoding="utf-8", newline="\n") as file:
        return WordPieceTokenizer(file.read(), tokens_max=8)


def test_known_ids(tokenizer: WordPieceTokenizer) -> None:
    assert tokenizer.encode(["Hello, WORLD", ""]).ids == ([CLS, 7592, 1010, 2088, SEP], [CLS, SEP])


def test_accents_and_case_are_folded(tokenizer: WordPieceTokenizer) -> None:
    plain, accented = tokenizer.encode(["cafe", "Café"]).ids
    assert plain == accented


@pytest.mark.parametrize(
    ("words", "cut"), [(6, 0), (7, 1), (5000, 1)], ids=["at the limit", "one over", "far over"]
)
def test_limit_counts_special_tokens(tokenizer: WordPieceTokenizer, words: int, cut: int) -> None:
    """M11."""
    text = "word " * words
    tokenized = tokenizer.encode([text])
    assert tokenized.cut == cut
    assert tokenized.ids[0] == [CLS, *[2773] * 6, SEP]
    assert tokenizer.count(text) == words + 2


def test_cuts_are_counted_by_text(tokenizer: WordPieceTokenizer) -> None:
    assert tokenizer.encode(["a", "b " * 20, "c " * 30, ""]).cut == 2


def test_lone_surrogate_is_replaced(tokenizer: WordPieceTokenizer) -> None:
    """P14."""
    assert tokenizer.encode(["a \ud83d b"]).ids == tokenizer.encode(["a ? b"]).ids
