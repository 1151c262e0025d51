"""Why a document is in an answer or not: the question's side and the file's."""

from __future__ import annotations

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.errors import NotFoundError
from mdmemd.search.page import Filter, Question
from mdmemd.search.why import WhyState


@pytest.fixture
def asked(world: EngineWorld) -> EngineWorld:
    world.files.write("/docs/a.md", "# A\n\nalpha here\n\n## More\n\nalpha alpha beta\n")
    world.files.write("/docs/b.md", "# B\n\nother\n")
    world.files.write("/docs/empty.md", "")
    world.files.write("/docs/.gitignore", "out/\n")
    world.files.write("/docs/out/x.md", "# X\n\nalpha\n")
    world.add("/docs")
    return world


def test_the_best_section_speaks_unless_one_is_named(asked: EngineWorld) -> None:
    explain = asked.engine.why_query
    found = explain.why(Question("alpha beta"), "a.md")
    assert found.place is not None
    assert (found.state, found.place.heading_path) == (WhyState.SHOWN, ("A", "More"))
    found = explain.why(Question("alpha beta", limit=1), "a.md", heading="A")
    assert found.place is not None
    assert (found.state, found.place.heading_path) == (WhyState.BELOW, ("A",))


def test_a_file_that_is_no_document_is_explained_by_the_rules(asked: EngineWorld) -> None:
    found = asked.engine.why_query.why(Question("alpha"), "/docs/out/x.md")
    assert found.state is WhyState.NOT_INDEXED
    assert "out/" in found.sentence
    assert asked.engine.why_query.why(Question("alpha"), "out/x.md").sentence == found.sentence


def test_a_document_behind_the_filter_is_told(asked: EngineWorld) -> None:
    found = asked.engine.why_query.why(Question("alpha", filter=Filter(paths=("b.md",))), "a.md")
    assert found.state is WhyState.FILTERED


def test_an_empty_document_is_told(asked: EngineWorld) -> None:
    assert asked.engine.why_query.why(Question("alpha"), "empty.md").state is WhyState.UNMATCHED


def test_names_that_do_not_exist_are_errors(asked: EngineWorld) -> None:
    with pytest.raises(NotFoundError):
        asked.engine.why_query.why(Question("alpha"), "nowhere.md")
    with pytest.raises(NotFoundError):
        asked.engine.why_query.why(Question("alpha"), "a.md", heading="Nope")
