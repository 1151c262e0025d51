"""Faults of search and ranking that systems of this kind have had, provoked where a user meets them.

One tree for all of them, asked by the command, over RPC and by an agent's tool. S12 has a file of its own
(``test_same_answers.py``).
"""

from __future__ import annotations

import asyncio
import json
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from mdmem.errors import InvalidRequestError
from mdmem.link.client import connect
from mdmem_testkit.agent_session import agent, text_of
from mdmem_testkit.private_daemon import Instance
from mdmem_testkit.stored_models import write_card

pytestmark = pytest.mark.e2e

SMALL_SECTIONS = 5
LARGE_SECTIONS = 20_000

FILES = {
    "names.md": "# Names\n\nCall `apply_secrets` from `__init__` with `--error-on-warnings`.\n",
    "parts.md": "# Parts\n\napply init error on warnings 2026 4 10, 1 0 21\n",
    "versions.md": '# Versions\n\nSince 2026.4.10 and "1.0.21" it works.\n',
    "bot.md": "# Bot\n\nThe bot stops replying after a network change.\n",
    "why.md": "# Why\n\nThis is why it is not what it was.\n",
    "espacio.md": "# Espacio\n\nla ocupación del espacio\n",
    "espacio2.md": "# Espacio sin acento\n\nla ocupacion del espacio\n",
    "principle.md": "# Principle\n\nLe Châtelier found it.\n",
    unicodedata.normalize("NFD", "Möten/dagordning.md"): "# Dagordning\n\nprotokoll\n",
    unicodedata.normalize("NFC", "Möten/närvaro.md"): "# Närvaro\n\nprotokoll\n",
    "about.md": "# About 3.1. and more\n\n3.1. 3.1. 3.1. 3.1. 3.1.\n",
    "title.md": "# Zeta\n\n## 3.1.\n\nshort\n",
    "2026-06-16.md": "# With dashes\n\nday\n",
    "2026_06_16.md": "# With underscores\n\nday\n",
    "README.md": "# Upper\n\nreadmeword\n",
    "readme.md": "# Lower\n\nreadmeword\n",
    "a b.md": "# Space\n\nevictword one\n",
    "a_b.md": "# Underscore\n\nevictword two\n",
    "a-b.md": "# Dash\n\nevictword three\n",
    "equal1.md": "# Equal\n\ntwinword\n",
    "equal2.md": "# Equal\n\ntwinword\n",
    "long.md": "firstlineword\n" + "\nfiller\n" * 449 + "\nlinenineword\n",
}


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    folder = tmp_path_factory.mktemp("faults")
    made = Instance(folder / "home")
    tree = folder / "tree"
    for path, text in FILES.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    made.ctl("root", "add", str(tree), "--name", "tree", "--wait")
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _home(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MDMEM_HOME", str(instance.home))


def tree_of(instance: Instance) -> Path:
    return instance.home.parent / "tree"


def called(instance: Instance, *calls: tuple[str, dict[str, Any]], tools: str = "") -> list[tuple[str, bool]]:
    """Texts of an agent's tool calls, and whether each is an error."""

    async def main() -> list[tuple[str, bool]]:
        async with agent(instance, tree_of(instance), tools=tools) as client:
            found = [await client.call_tool(tool, arguments) for tool, arguments in calls]
            return [(text_of(each), each.is_error) for each in found]

    return asyncio.run(main())


def paths(instance: Instance, question: str, *options: str) -> list[str]:
    """The documents that the command finds, those of equal text included."""
    hits = instance.json("search", *options, "--", question)["hits"]
    return [path for hit in hits for path in (hit["path"], *(each["path"] for each in hit["also_in"]))]


FIRST = [
    ("S2", "apply_secrets", "names.md"),
    ("S2", "secrets", "names.md"),
    ("S2", "__init__", "names.md"),
    ("S3", "2026.4.10", "versions.md"),
    ("S3", '"1.0.21"', "versions.md"),
    ("S4", '"--error-on-warnings"', "names.md"),
    ("S6", "why is X not replying", "bot.md"),
    ("S14", "chatelier", "principle.md"),
    ("S14", "ocupación", "espacio.md"),
    ("S15", "3.1.", "title.md"),
]


@pytest.mark.parametrize(("fault", "question", "path"), FIRST)
def test_the_command_finds_it_first(instance: Instance, fault: str, question: str, path: str) -> None:
    """S2, S3, S4, S6, S14, S15."""
    assert paths(instance, question)[0] == path


def test_accents_need_not_be_typed(instance: Instance) -> None:
    """S14."""
    for question in ("ocupacion", "ocupación"):
        assert set(paths(instance, question, "--mode", "keyword")) == {"espacio.md", "espacio2.md"}


def test_an_agent_finds_it_first(instance: Instance) -> None:
    """S2, S3, S4, S6, S14, S15."""
    answers = called(instance, *(("search_docs", {"query": question}) for _, question, _ in FIRST))
    for (text, is_error), (fault, question, path) in zip(answers, FIRST, strict=True):
        assert not is_error, text
        assert json.loads(text)["results"][0]["path"] == path, (fault, question)


ODD = (
    "what? a/b; c#",
    '"',
    "(",
    "*",
    "'",
    "\\",
    "a AND (",
    "NEAR(a b)",
    "%",
    "col:x",
    "x' OR 1=1",
    "-",
    "🎈",
)


def test_nothing_that_is_typed_is_a_syntax_error(instance: Instance) -> None:
    """S4."""
    for question in ODD:
        assert instance.json("search", "--", question)["query"] == question
    for text, is_error in called(instance, *(("search_docs", {"query": each}) for each in ODD)):
        assert not is_error, text


def test_a_small_root_is_not_crowded_out(instance: Instance, tmp_path: Path) -> None:
    """S7: 20,000 sections say more of the word than the five that are asked."""
    large, small = tmp_path / "large", tmp_path / "small"
    for folder, sections, times in ((large, LARGE_SECTIONS, 3), (small, SMALL_SECTIONS, 1)):
        folder.mkdir()
        text = "crowdword " * times
        many = "".join(f"# Part {number}\n\n{text}{number}\n\n" for number in range(sections))
        (folder / "all.md").write_text(many)
        instance.ctl("root", "add", str(folder), "--name", folder.name, "--wait=keyword")
    try:
        for narrow in ("--root=small", f"--path={small}/all.md"):
            found = instance.json("search", "crowdword", narrow, "--mode", "keyword")
            assert len(found["hits"]) == SMALL_SECTIONS
            assert found["state"]["exact_sections"] == SMALL_SECTIONS
        every = instance.json("search", "crowdword")["state"]["exact_sections"]
        assert every == LARGE_SECTIONS + SMALL_SECTIONS
    finally:
        instance.ctl("root", "remove", "large")
        instance.ctl("root", "remove", "small")


def test_a_better_match_never_scores_lower(instance: Instance) -> None:
    """S8: in every mode scores fall from hit to hit, and more of the question scores more."""
    for mode in ("hybrid", "keyword", "semantic"):
        hits = instance.json("search", "bot stops replying", "--mode", mode)["hits"]
        scores = [hit["score"] for hit in hits]
        assert scores == sorted(scores, reverse=True)
    questions = ("bot lamp", "bot stops")
    less, more = (instance.json("search", each, "--mode", "keyword")["hits"][0] for each in questions)
    assert (less["path"], more["path"]) == ("bot.md", "bot.md")
    assert less["score"] < more["score"]


def test_names_that_differ_little_are_documents_of_their_own(instance: Instance) -> None:
    """S10."""
    assert set(paths(instance, "evictword", "--mode", "keyword")) == {"a b.md", "a_b.md", "a-b.md"}
    listed = {row["path"] for row in instance.json("ls")["documents"]}
    for name in ("README.md", "readme.md", "a b.md", "a_b.md", "a-b.md"):
        if name != "readme.md" or len(list(tree_of(instance).glob("[Rr][Ee]*"))) > 1:  # one file on macOS
            assert name in listed
            assert instance.json("read", name)["text"] == FILES[name]


def test_names_are_literal(instance: Instance) -> None:
    """S11: by the command and by an agent's tool."""
    for name in ("2026-06-16.md", "2026_06_16.md"):
        assert instance.json("read", name)["text"] == FILES[name]
        assert paths(instance, "day", "--path", name) == [name]
    refused = instance.ctl("read", "2026%06%16.md", check=False)
    assert (refused.code != 0, "2026" in refused.err) == (True, True)
    (text, is_error), (_, is_wrong) = called(
        instance, ("read_section", {"path": "2026_06_16.md"}), ("read_section", {"path": "2026%06%16.md"})
    )
    assert ("# With underscores" in text, is_error, is_wrong) == (True, False, True)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_folder_is_filtered_by_in_any_unicode_form(instance: Instance, form: Any) -> None:
    """S14."""
    folder = unicodedata.normalize(form, "Möten/")
    assert len(paths(instance, "protokoll", "--path", folder)) == 2
    ((text, _),) = called(instance, ("search_docs", {"query": "protokoll", "path": folder}))
    assert len(json.loads(text)["results"]) == 2


def test_the_lines_of_a_hit_are_those_of_the_file(instance: Instance) -> None:
    """S18: what search calls a line, read shows; the first line, and one beyond 900."""
    lines = FILES["long.md"].splitlines()
    for word, number in (("firstlineword", 1), ("linenineword", len(lines))):
        hit = instance.json("search", word)["hits"][0]
        first, last = hit["excerpt"]["lines"]
        assert first <= number <= last
        read = instance.json("read", f"long.md:{number}-{number}")
        assert (read["text"].rstrip("\n"), read["lines"]) == (word, [number, number])
        ((found, _), (text, is_error)) = called(
            instance,
            ("search_docs", {"query": word}),
            ("read_section", {"path": f"long.md:{number}-{number}"}),
        )
        row = json.loads(found)["results"][0]
        first, last = map(int, row.get("content_lines", row["lines"]).split("-"))
        assert first <= number <= last
        assert (word in text, is_error) == (True, False)
    assert len(lines) >= 900


def test_of_two_equal_files_one_stays_when_the_other_goes(instance: Instance) -> None:
    """S19."""
    assert paths(instance, "twinword", "--mode", "exact") == ["equal1.md", "equal2.md"]
    gone = tree_of(instance) / "equal1.md"
    gone.unlink()
    try:
        assert paths(instance, "twinword", "--mode", "exact", "--fresh", "wait") == ["equal2.md"]
    finally:
        gone.write_text(FILES["equal1.md"])
    assert paths(instance, "twinword", "--mode", "exact", "--fresh", "wait") == ["equal1.md", "equal2.md"]


@pytest.mark.parametrize("question", ["", "   ", "\t\n", "x" * 1_000_000])
def test_a_blank_or_enormous_question_is_refused_with_a_sentence(instance: Instance, question: str) -> None:
    """S20: over RPC, by an agent, and by the command as far as the system lets it be typed."""
    with connect() as client, pytest.raises(InvalidRequestError) as caught:
        client.search(question)
    assert "question" in str(caught.value) or "query" in str(caught.value)
    ((text, is_error),) = called(instance, ("search_docs", {"query": question}))
    assert is_error
    assert "query" in text or "question" in text
    assert "Traceback" not in text
    refused = instance.ctl("search", "--", question[:100_000], check=False)
    assert refused.code not in (0, 1)
    assert refused.err.startswith("mdmemctl: ")
    assert len(refused.err) < 1_000


def test_stop_words_alone_are_answered(instance: Instance) -> None:
    """S20."""
    assert paths(instance, "this is why it is not")[0] == "why.md"


SETS: Sequence[tuple[str, str, dict[str, str]]] = (
    ("", "search_docs", {"query": "replying"}),
    ("markdown-memory", "search_docs", {"query": "replying"}),
    ("docsearch", "search_docs", {"query": "replying"}),
    ("markdex", "search", {"collection": "tree", "query": "replying"}),
)


def test_without_its_model_every_surface_answers_by_words_and_says_so(tmp_path: Path) -> None:
    """S16."""
    made = Instance(tmp_path / "home")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "bot.md").write_text(FILES["bot.md"])
    try:
        made.ctl("root", "add", str(tree), "--name", "tree", "--wait")
        card = write_card(tmp_path / "model")
        made.ctl("model", "use", str(card), "--wait")
        made.ctl("stop")
        for path in card.iterdir():
            path.unlink()
        found = made.json("search", "replying")
        assert found["state"]["mode"] == "keyword"
        assert found["state"]["degraded"].startswith("keyword only: ")
        assert [hit["path"] for hit in found["hits"]] == ["bot.md"]
        reason = found["state"]["degraded"]
        assert reason in " ".join(made.ctl("search", "replying").out.split())
        for tools, tool, arguments in SETS:
            ((text, is_error),) = called(made, (tool, arguments), tools=tools)
            assert not is_error, (tools, text)
            assert "replying" in text
            assert "keyword only: " in text, tools
    finally:
        made.close()
