"""What holds for every question over every small world."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mdmem_testkit.search_world import SearchWorld
from mdmemd.errors import InvalidRequestError
from mdmemd.model import SearchMode
from mdmemd.search import candidates, keyword_evidence, ranking
from mdmemd.search.matched_passage import is_named
from mdmemd.search.page import Page
from mdmemd.search.query import parse_query
from mdmemd.text.tokens import terms

WORDS = (
    "cache",
    "UV_DIR",
    "install",
    "installing",
    "--locked",
    "1.0.21",
    "the",
    "café",
    "cafe",
    "版本号",
    "a.b",
)

_texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
_documents = st.dictionaries(
    st.sampled_from(("a.md", "b/c.md", "b.md", "z.md")),
    st.lists(st.tuples(_texts, _texts), min_size=1, max_size=4),
    min_size=1,
)
_questions = st.lists(st.sampled_from((*WORDS, '"the cache"', "-install", "?")), min_size=1, max_size=5).map(
    " ".join
)

quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _world(documents: dict[str, list[tuple[str, str]]], *, backwards: bool = False) -> SearchWorld:
    world = SearchWorld()
    for path in sorted(documents, reverse=backwards):
        world.add(path, "".join(f"# {title}\n\n{text}\n\n" for title, text in documents[path]))
    return world


def _shown(page: Page) -> list[tuple[str, int, float]]:
    return [(hit.path, hit.lines.first, hit.score) for hit in page.hits]


@quick
@given(documents=_documents, question=_questions, mode=st.sampled_from(SearchMode))
def test_a_page_is_ordered_verbatim_and_without_repetition(
    documents: dict[str, list[tuple[str, str]]], question: str, mode: SearchMode
) -> None:
    world = _world(documents)
    page = world.search(question, mode=mode, limit=50)
    scores = [hit.score for hit in page.hits]
    assert scores == sorted(scores, reverse=True)
    assert len({(hit.path, hit.heading_path) for hit in page.hits}) == len(page.hits)
    assert page.stale == ()
    for number, hit in enumerate(page.hits):
        is_quoted = hit.excerpt is not None
        assert is_quoted <= (number < 2 and mode is not SearchMode.EXACT)
        assert is_quoted or number > 0 or mode is SearchMode.EXACT
        if hit.excerpt is not None:
            data, _ = world.files.read(f"/docs/{hit.path}", bytes_max=1 << 20)
            lines = data.decode().splitlines(keepends=True)
            assert hit.excerpt.text == "".join(lines[hit.excerpt.lines.first - 1 : hit.excerpt.lines.last])


@quick
@given(documents=_documents, question=_questions, mode=st.sampled_from(SearchMode))
def test_the_answer_does_not_depend_on_the_order_of_indexing(
    documents: dict[str, list[tuple[str, str]]], question: str, mode: SearchMode
) -> None:
    forwards = _world(documents).search(question, mode=mode, limit=50)
    backwards = _world(documents, backwards=True).search(question, mode=mode, limit=50)
    assert _shown(forwards) == _shown(backwards)
    assert forwards.exact_sections == backwards.exact_sections


@pytest.fixture(scope="module")
def few_places() -> Iterator[None]:
    """Limits at which a few equal sections no longer all compete."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keyword_evidence, "KEYWORD_CANDIDATES", 2)
        patch.setattr(candidates, "VECTOR_CANDIDATES", 2)
        patch.setattr(ranking, "TITLES_READ_MAX", 1)
        yield


_paths = st.sampled_from(("a.md", "b/c.md", "b.md", "z.md", "z/a.md", "c.md"))
_versions = st.lists(
    st.sampled_from(("cache", "UV_DIR", "the cache", "café", "版本号")), min_size=1, max_size=3
)


@pytest.mark.usefixtures("few_places")
@quick
@given(
    edits=st.lists(st.tuples(_paths, st.none() | _versions), max_size=12),
    documents=st.dictionaries(_paths, _versions, min_size=2),
    question=st.sampled_from(("cache", "UV_DIR", "the cache", "cafe", "版本", "cache -UV_DIR", "never")),
    mode=st.sampled_from(SearchMode),
)
def test_an_index_grown_by_edits_answers_like_a_fresh_one(
    edits: list[tuple[str, list[str] | None]],
    documents: dict[str, list[str]],
    question: str,
    mode: SearchMode,
) -> None:
    """S12: also where more sections are equally good than compete; whole hits, scores and all, are equal."""
    grown, fresh = SearchWorld(), SearchWorld()
    for path, version in edits:
        grown.add(path, _text(version or ["cache"]))
        if version is None:
            grown.drop(path)
    for path in reversed(documents):
        grown.add(path, _text(documents[path]))
    for path in {path for path, _ in edits} - documents.keys():
        grown.drop(path)
    for path in sorted(documents):
        fresh.add(path, _text(documents[path]))
    assert _answer(grown, question, mode) == _answer(fresh, question, mode)


def _answer(world: SearchWorld, question: str, mode: SearchMode) -> Page:
    """All of it but the cursor's mark of the very index that it leads on in."""
    page = world.search(question, mode=mode, explain=True)
    return replace(page, cursor=page.cursor and page.cursor.partition(".")[0])


def _text(version: list[str]) -> str:
    return "".join(f"# {text}\n\n{text}\n\n" for text in version)


@quick
@given(documents=_documents, question=_questions)
def test_exact_sections_is_what_a_scan_of_all_texts_counts(
    documents: dict[str, list[tuple[str, str]]], question: str
) -> None:
    query = parse_query(question)
    texts = [
        f"{path} {sections[0][0]} {title} {text}"
        for path, sections in documents.items()
        for title, text in sections
    ]
    holding = sum(
        all(is_named(concept, found) for concept in query.concepts)
        and not any(is_named(concept, found) for concept in query.excluded)
        for found in map(frozenset, map(terms, texts))
        if query.concepts
    )
    assert _world(documents).search(question).exact_sections == holding


@quick
@given(question=st.text(min_size=1, max_size=60))
def test_no_question_fails(question: str) -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\ncache (UV_DIR) --locked\n")
    try:
        page = world.search(question)
    except InvalidRequestError:
        assert not question.strip() or not question.isprintable()
        return
    assert isinstance(page, Page)
