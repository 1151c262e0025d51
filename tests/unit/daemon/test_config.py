"""Settings: every key works, and what is wrong is named."""

from __future__ import annotations

import pytest

from mdmemd.config import (
    EmbedSettings,
    McpSettings,
    ModelsSettings,
    RootsSettings,
    SearchSettings,
    WatchSettings,
    parse_settings,
)
from mdmemd.errors import OperatorError


def test_every_key_set_to_another_value_arrives() -> None:
    """C11."""
    text = "[search]\nfresh_budget_ms = 7\nkeep_questions = false\n[embed]\nthreads = 3\ncache_mb = 9\n"
    text += "[roots]\nhibernate_after_minutes = 5\nexclude = ['a', 'b/*']\n"
    text += "[watch]\nmode = 'polling'\nreconcile_minutes = 3\n"
    text += "[models]\nmirror = 'https://models.example/hub'\n[mcp]\ntools = 'markdex'\n"
    text = text.replace("[embed]", "rerank_model = '/models/judge'\n[embed]\nunload_after_minutes = 0")
    settings = parse_settings(text, path="c")
    assert settings.search == SearchSettings(7, keep_questions=False, rerank_model="/models/judge")
    assert settings.embed == EmbedSettings(threads=3, cache_mb=9, unload_after_minutes=0)
    assert settings.models == ModelsSettings(mirror="https://models.example/hub")
    assert settings.mcp == McpSettings(tools="markdex")
    assert settings.roots == RootsSettings(hibernate_after_minutes=5, exclude=("a", "b/*"))
    assert settings.watch == WatchSettings(mode="polling", reconcile_minutes=3)
    assert settings.warnings == ()


def test_unknown_sections_and_keys_are_warnings() -> None:
    settings = parse_settings("[serach]\nx = 1\n[embed]\nthread = 3\n", path="c")
    assert settings.warnings == ("c: unknown section [serach]", "c: unknown key embed.thread")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[search", "no valid TOML"),
        ("search = 1\n", "search is no section"),
        ("[embed]\nthreads = -1\n", "embed.threads is -1"),
        ("[roots]\nexclude = 'a'\n", "roots.exclude is 'a'"),
        ("[roots]\nexclude = [1]\n", "roots.exclude is [1]"),
        ("[mcp]\ntools = 'nonsense'\n", "mcp.tools is 'nonsense'"),
        ("[watch]\nmode = 'inotify'\n", "watch.mode is 'inotify'"),
        ("[watch]\nreconcile_minutes = 0\n", "watch.reconcile_minutes is 0"),
        ("[embed]\nthreads = true\n", "embed.threads is True"),
        ("[search]\nkeep_questions = 1\n", "search.keep_questions is 1"),
        ("[search]\nfresh_budget_ms = '7'\n", "search.fresh_budget_ms is '7'"),
        ("[search]\nrerank_model = 'judge'\n", "search.rerank_model is 'judge'"),
        ("[models]\nmirror = 'ftp://models'\n", "models.mirror is 'ftp://models'"),
        ("[models]\nmirror = 7\n", "models.mirror is 7"),
    ],
)
def test_wrong_values_are_errors_that_name_them(text: str, sentence: str) -> None:
    with pytest.raises(OperatorError, match=sentence.replace("[", r"\[")) as caught:
        parse_settings(text, path="c.toml")
    assert "c.toml" in str(caught.value)
    assert caught.value.remedy


def test_projects_name_their_roots() -> None:
    text = '[projects]\n"/home/me/shop" = ["shop", "handbook"]\n"~/notes" = ["*"]\n'
    settings = parse_settings(text, path="config.toml")
    assert settings.projects == {"/home/me/shop": ("shop", "handbook"), "~/notes": ("*",)}
    assert settings.warnings == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("projects = 1", "projects is no section"),
        ('[projects]\nshop = ["a"]', "'shop' is no absolute folder"),
        ('[projects]\n"/shop" = "a"', "'/shop' is no list of roots"),
        ('[projects]\n"/shop" = []', "'/shop' is no list of roots"),
        ('[projects]\n"/shop" = [1]', "'/shop' is no list of roots"),
    ],
)
def test_a_wrong_project_is_refused_with_an_example(text: str, message: str) -> None:
    with pytest.raises(OperatorError, match=message) as caught:
        parse_settings(text, path="config.toml")
    assert "[projects]" in caught.value.remedy
