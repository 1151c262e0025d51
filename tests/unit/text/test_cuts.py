"""Where long texts are cut (P10, P12, P13, P14)."""

from __future__ import annotations

import pytest

from mdmemd.text.cuts import LINE_CUTS, PROSE_CUTS, Cut, first_cut, pieces


def cut(text: str, limit: int, cuts: tuple[Cut, ...] = PROSE_CUTS) -> list[str]:
    spans = list(pieces(text, limit, cuts=cuts))
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(0 < end - start <= limit for start, end in spans)
    return [text[start:end] for start, end in spans]


def test_prose_is_cut_after_a_sentence_rather_than_a_line() -> None:
    assert cut("One two three. Four\nfive six seven", 20) == ["One two three. ", "Four\nfive six seven"]


def test_code_is_cut_after_a_line() -> None:
    assert cut("a = 1. 2\nb = 3\nc = 4", 16, LINE_CUTS) == ["a = 1. 2\nb = 3\n", "c = 4"]


def test_a_cjk_sentence_ends_without_a_space() -> None:
    assert cut("今日は晴れです。明日は雨でしょう", 12) == ["今日は晴れです。", "明日は雨でしょう"]


@pytest.mark.parametrize("text", [" " + "a" * 200, "日本語" * 9, "a" * 1_000])
@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_tiny_limits_end(text: str, limit: int) -> None:
    """P12, P13."""
    assert cut(text, limit)


@pytest.mark.parametrize(
    "cluster",
    [
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "e\u0301\u0302",
        "\U0001f44d\U0001f3fd",
        "\U0001f1e9\U0001f1ea",
        "각",
        "\u2764\ufe0f",
    ],
)
def test_a_character_as_a_reader_sees_it_stays_whole(cluster: str) -> None:
    """P14: every piece is made of whole clusters, wherever the limit falls."""
    for lead in range(12):
        text = "x" * lead + cluster * 20
        for piece in cut(text, 20):
            assert piece.lstrip("x").replace(cluster, "") == ""


def test_a_cluster_longer_than_the_limit_is_cut_all_the_same() -> None:
    assert len(cut("a" + "\u0301" * 1_000, 50)) >= 20


def test_a_beginning_ends_after_a_word_and_never_within_a_character() -> None:
    """P14."""
    flags = "\U0001f1e9\U0001f1ea" * 8
    assert first_cut("one two three", 9) == len("one two ")
    assert first_cut("short", 9) == len("short")
    assert first_cut(flags, 7) == 6
