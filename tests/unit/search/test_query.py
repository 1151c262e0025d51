"""Taking questions apart: shapes of identifiers, phrases, exclusions, stop words, bounds; nothing is a syntax
error.
"""

from __future__ import annotations

import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mdmemd.errors import InvalidRequestError
from mdmemd.search.query import CONCEPTS_MAX, TERMS_MAX, ParsedQuery, parse_query


def _texts(query: ParsedQuery) -> list[str]:
    return [concept.text for concept in query.concepts]


def _identifiers(query: ParsedQuery) -> list[str]:
    return [concept.text for concept in query.concepts if concept.is_identifier]


@pytest.mark.parametrize(
    "name",
    [
        "--no-build-isolation",
        "--locked",
        "-a",
        "UV_LINK_MODE",
        "apply_secrets",
        "__init__",
        "2026.4.10",
        "foo::bar",
        "a.b.c",
        "onRenderTriggered",
        "HTTPServer",
        "ES2016",
        "ENOSPC",
    ],
)
def test_identifiers_are_known_by_their_shape(name: str) -> None:
    assert _identifiers(parse_query(f"where is {name} explained")) == [name]


def test_a_call_is_an_identifier_and_the_bare_word_is_not() -> None:
    assert _identifiers(parse_query("what does time() return")) == ["time"]
    assert _identifiers(parse_query("what does time return")) == []


@pytest.mark.parametrize("query", ["match-runtime = true", "match-runtime=true", 'match-runtime ="x"'])
def test_what_is_assigned_is_an_identifier(query: str) -> None:
    assert _identifiers(parse_query(f"why {query} here")) == ["match-runtime"]


@pytest.mark.parametrize("query", ["is a == b true", "x==y", "= alone"])
def test_a_comparison_assigns_nothing(query: str) -> None:
    assert _identifiers(parse_query(query)) == []


@pytest.mark.parametrize("word", ["GIL", "free-threaded", "Windows", "built-in", "版本", "C"])
def test_ordinary_words_are_no_identifiers(word: str) -> None:
    assert _identifiers(parse_query(f"about {word} here")) == []


def test_an_identifier_is_one_concept_with_its_parts_s2() -> None:
    (concept,) = parse_query("apply_secrets").concepts
    assert concept.names == ("apply_secrets",)
    assert concept.parts == ("apply", "secret")


@pytest.mark.parametrize("query", ["2026.4.10", '"2026.4.10"', '"1.0.21"'])
def test_dotted_versions_stay_whole_s3(query: str) -> None:
    (concept,) = parse_query(query).concepts
    assert concept.names == (query.strip('"'),)


def test_stop_words_never_decide_s6() -> None:
    assert _texts(parse_query("why is X not replying")) == ["X", "replying"]


def test_stop_words_are_kept_where_nothing_else_is_left_s20() -> None:
    assert _texts(parse_query("what is the")) == ["what", "is", "the"]


def test_repetitions_count_once_whatever_their_case() -> None:
    assert _texts(parse_query("Cache cache caches UV_CACHE uv_cache")) == ["Cache", "UV_CACHE"]


def test_phrases_are_insisted_on() -> None:
    query = parse_query('find "Exact   Phrase" now')
    assert query.phrases == ("exact phrase",)
    assert _texts(query) == ["Exact", "Phrase", "find", "now"]


@pytest.mark.parametrize("query", ['v-memo="[]"', 'print("hello")', 'a"b"', 'lone " quote', '""', '"?"'])
def test_quotes_that_mark_no_phrase_are_punctuation(query: str) -> None:
    assert parse_query(query).phrases == ()


def test_a_leading_dash_leaves_out() -> None:
    query = parse_query('cache -redis -"not this one"')
    assert _texts(query) == ["cache"]
    assert [concept.text for concept in query.excluded] == ["redis"]
    assert query.excluded_phrases == ("not this one",)
    assert query.text == "cache"


def test_flags_are_no_exclusions() -> None:
    query = parse_query("rg -g '*.toml' -a --hidden a - b")
    assert query.excluded == ()
    assert _identifiers(query) == ["-g", "-a", "--hidden"]


def test_a_question_of_nothing_but_an_exclusion_asks_for_it() -> None:
    query = parse_query("-Wall")
    assert query.excluded == ()
    assert _texts(query) == ["-Wall"]


def test_accents_fold_and_keep_their_exact_form_s14() -> None:
    (concept,) = parse_query("ocupación").concepts
    assert concept.names == ("ocupacion",)
    assert concept.parts == ("ocupación",)


def test_scripts_without_spaces_give_pairs_and_their_share() -> None:
    query = parse_query("怎么停掉 watcher")
    assert _texts(query) == ["怎么", "么停", "停掉", "watcher"]
    assert query.unspaced_share == 0.75
    assert parse_query("plain words").unspaced_share == 0.0


def test_pairs_across_the_border_of_two_chinese_words_are_not_asked_for() -> None:
    def words(text: str) -> list[list[str]]:
        assert text == "style 标签里直接用 组件的变量当颜色"
        return [["标签", "里", "直接", "用"], ["组件", "的", "变量", "当", "颜色"]]

    query = parse_query("style 标签里直接用 组件的变量当颜色", words=words)
    assert _texts(query) == ["style", "标签", "直接", "组件", "变量", "颜色"]
    assert query.chinese_share == query.unspaced_share == 5 / 6


def test_single_characters_may_be_a_word_that_is_not_known() -> None:
    query = parse_query("拖拽的项", words=lambda _: [["拖", "拽", "的", "项"]])
    assert _texts(query) == ["拖拽"]
    assert _texts(parse_query("的项", words=lambda _: [["的", "项"]])) == ["的项"]  # all that there is


def test_japanese_and_korean_are_unspaced_and_not_chinese() -> None:
    for question in ("設定ファイル", "설정 파일"):
        query = parse_query(question)
        assert (query.unspaced_share, query.chinese_share) == (1.0, 0.0)


@pytest.mark.parametrize("name", ["C#", "C++", "F#"])
def test_a_language_with_a_sign_is_not_the_letter(name: str) -> None:
    (concept,) = parse_query(name).concepts
    assert concept.is_identifier
    assert concept.names == (name.lower(),)


def test_identifier_share_counts_concepts() -> None:
    assert parse_query("UV_CACHE_DIR location").identifier_share == 0.5


@pytest.mark.parametrize("query", ["", " ", "\n\t ", "\x00", "\u200b\ufeff"])
def test_a_blank_question_is_refused_with_a_sentence_s20(query: str) -> None:
    with pytest.raises(InvalidRequestError, match="empty") as caught:
        parse_query(query)
    assert caught.value.remedy


def test_an_oversized_question_is_refused_with_a_sentence_s20() -> None:
    with pytest.raises(InvalidRequestError, match="1,000,000 characters"):
        parse_query("a" * 1_000_000)


def test_a_long_question_is_bounded() -> None:
    query = parse_query(" ".join(f"word{number}_x_y_z" for number in range(2_000)))
    assert 0 < len(query.concepts) <= CONCEPTS_MAX
    pairs = parse_query("".join(chr(0x4E00 + number) for number in range(1_000)))
    assert len(pairs.concepts) == TERMS_MAX
    for each in (query, pairs):
        assert sum(len(concept.names) + len(concept.parts) for concept in each.concepts) <= TERMS_MAX
    assert (
        len(parse_query("x " + " ".join(f"-word{number}" for number in range(2_000))).excluded)
        <= CONCEPTS_MAX
    )


@pytest.mark.parametrize(
    "query",
    ["what? a/b; c#", '"', "(", "*", "'", "\\", "a AND", "NEAR(", "col:", "^", "[", "{", "%", "\ud800x"],
)
def test_no_punctuation_is_a_syntax_error_s4(query: str) -> None:
    assert isinstance(parse_query(query), ParsedQuery)


def test_every_printable_character_is_accepted_s4() -> None:
    for code in [*range(0x3000), *range(0x3000, sys.maxunicode + 1, 17)]:
        character = chr(code)
        if character.isprintable() and not character.isspace():
            parse_query(character)
            if code < 0x300:
                parse_query(f'a{character} {character}b "{character}" -{character}')


@example("\u0591")  # an accent without a letter
@given(st.text(max_size=200))
def test_any_text_parses_within_the_bounds_or_is_blank(text: str) -> None:
    try:
        query = parse_query(text)
    except InvalidRequestError:
        return
    assert sum(len(concept.names) + len(concept.parts) for concept in query.concepts) <= TERMS_MAX
    assert all(concept.names and all(concept.names) for concept in query.concepts)
    query.text.encode("utf-8")


@given(
    st.lists(st.sampled_from(["cache", "UV_DIR", '"two words"', "-x", "-not", "版本号", "a.b"]), min_size=1)
)
def test_parsing_its_own_text_finds_the_same_concepts(pieces: list[str]) -> None:
    query = parse_query(" ".join(pieces))
    again = parse_query(query.text)
    assert {concept.names for concept in again.concepts} == {concept.names for concept in query.concepts}
