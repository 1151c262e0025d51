"""What a word is: identifiers whole and by part, folding, stemming, scripts without spaces, bounds."""

from __future__ import annotations

import threading
import time

import pytest

from mdmemd.text import tokens
from mdmemd.text.tokens import TERM_CHARS_MAX, fold, has_unspaced, root, singular, terms, units


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("--no-build-isolation", ["--no-build-isolation", "no-build-isolation", "no", "build", "isolation"]),
        ("--locked", ["--locked", "locked", "lock"]),
        ("-a", ["-a", "a"]),
        ("UV_LINK_MODE", ["uv_link_mode", "uv", "link", "mode"]),
        ("2026.4.10", ["2026.4.10", "2026", "4", "10"]),
        ("foo::bar()", ["foo::bar", "foo", "bar"]),
        ("a.b.c", ["a.b.c", "b.c", "a", "b", "c"]),
        ("std::vec::Vec", ["std::vec::vec", "vec::vec", "std", "vec", "vec"]),
        ("v3.14.1", ["v3.14.1", "3.14.1", "v3", "14", "1"]),
        ("C++ and C#", ["c++", "c", "and", "c#", "c"]),
        (
            "onRenderTriggered",
            ["onrendertriggered", "onrendertrigger", "on", "render", "triggered", "trigger"],
        ),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("v-on:click", ["v-on", "v", "on", "click"]),
        ("docs/pip/index.md", ["doc", "pip", "index.md", "index", "md"]),
        ("page.html#anchor", ["page.html", "page", "html", "anchor"]),
    ],
)
def test_compounds_are_found_whole_and_by_part(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_underscores_survive_whole_and_by_part_s2() -> None:
    assert terms("apply_secrets") == ["apply_secrets", "apply", "secret"]
    assert terms("__init__") == ["__init__", "init"]


def test_dotted_versions_are_terms_s3() -> None:
    assert "2026.4.10" in terms("released as 2026.4.10.")
    assert "1.0.21" in terms('version "1.0.21"')
    assert terms("title 3.1.") == ["title", "titl", "3.1", "3", "1"]


@pytest.mark.parametrize("text", ["Möten", "Mo\u0308ten"])
def test_accents_fold_and_the_exact_form_stays_s14(text: str) -> None:
    assert terms(text) == ["moten", "möten"]
    assert terms("moten") == ["moten"]


def test_case_width_and_ligatures_fold() -> None:
    assert terms("STRASSE") == terms("strasse")
    assert "strasse" in terms("Straße")
    assert terms("ＡＢＣ") == ["abc"]
    assert fold("É") == "e"


def test_unspaced_scripts_are_pairs_and_leave_latin_apart() -> None:
    assert terms("中文ABC版本3.5") == ["中文", "abc", "版本", "3.5", "3", "5"]
    assert terms("中文字") == ["中文", "文字"]
    assert terms("值") == ["值"]
    assert terms("がいこく") == ["がい", "いこ", "こく"]
    assert terms("ไทย") == ["ไท", "ทย"]
    assert has_unspaced("a 中")
    assert not has_unspaced("naïve")


def test_indic_vowel_signs_belong_to_their_word() -> None:
    assert terms("हिन्दी") == ["हिन्दी"]


@pytest.mark.parametrize("text", ["crate's", "crate’s"])
def test_apostrophes_leave_the_head_of_a_word(text: str) -> None:
    assert terms(text) == terms("crate")


def test_markup_and_punctuation_are_no_terms() -> None:
    assert terms("|---|:--:| *** --- ... :: _ __ - `` \x00 ( ) \" ' #") == []


@pytest.mark.parametrize(
    "forms",
    [
        ("cache", "caches", "cached", "caching"),
        ("stop", "stops", "stopped", "stopping"),
        ("query", "queries"),
        ("process", "processes", "processed"),
        ("index", "indexes", "indexing"),
        ("match", "matches", "matching"),
        ("install", "installs", "installed", "installing"),
        ("agree", "agreed", "agreeing"),
    ],
)
def test_inflections_share_a_root(forms: tuple[str, ...]) -> None:
    assert len({root(singular(form)) for form in forms}) == 1


def test_a_word_is_known_by_its_singular_and_its_root() -> None:
    assert terms("Settings") == ["setting", "set"]
    assert terms("install") == ["install"]


@pytest.mark.parametrize(
    "word", ["this", "bus", "class", "red", "ring", "uv", "sed", "string", "v2", "los", "são"]
)
def test_short_and_irregular_words_keep_their_shape(word: str) -> None:
    assert root(singular(word)) == word


def test_units_tell_the_whole_from_its_parts() -> None:
    (flag,) = units("--no-cache")
    assert flag.names == ("--no-cache", "no-cache")
    assert flag.parts == ("no", "cache", "cach")
    assert [unit.names for unit in units("中文字 x")] == [("中文",), ("文字",), ("x",)]


def test_units_and_terms_agree() -> None:
    text = "Set UV_LINK_MODE=copy for `foo::Bar` in über-größe 版本 --x.y don't C++"
    from_units = [term for unit in units(text) for term in (*unit.names, *unit.parts)]
    assert terms(text) == from_units


def test_long_words_are_known_by_their_first_characters() -> None:
    blob = "A9" * 50_000
    assert max(map(len, terms(blob))) == TERM_CHARS_MAX
    assert terms(blob) == terms(blob[:-2])
    assert len(terms("x" * 64)[0]) == 64


@pytest.mark.parametrize("unit", ["a.", "a-", "_", "-", "中", "a_b.", "aB", "::", "é", "'s"])
def test_hostile_runs_take_linear_time(unit: str) -> None:
    started = time.process_time()
    terms(unit * (400_000 // len(unit)))
    assert time.process_time() - started < 15  # some 1 s; quadratic ones took a minute


def test_the_table_of_known_tokens_stays_bounded_and_right_on_many_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tokens, "_TABLE_ENTRIES_MAX", 64)
    text = " ".join(f"word_{number}" for number in range(2_000))
    expected = [term for number in range(2_000) for term in (f"word_{number}", "word", str(number))]
    wrong: list[int] = []

    def check(number: int) -> None:
        for _ in range(5):
            if terms(text) != expected:
                wrong.append(number)

    threads = [threading.Thread(target=check, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(tokens._TABLE) <= 64 + len(threads)
