"""Answers over watched roots: fresh without a walk, or honest about what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.errors import InvalidRequestError, NotFoundError
from mdmemd.model import SearchMode
from mdmemd.search.page import Question


@pytest.fixture
def running(tmp_path: Path) -> Iterator[EngineWorld]:
    """A watched root and an engine with its threads, and a generous budget: the fakes answer at once."""
    made = EngineWorld(tmp_path, fresh_budget_ms=10_000, watched=True)
    made.files.write("/docs/soup.md", "# Soup\n\nSimmer the lentils slowly.\n")
    made.files.write("/docs/bread.md", "# Bread\n\nBake the dough.\n")
    made.add("/docs")
    made.engine.start()
    yield made
    made.engine.stop()


@pytest.fixture
def still(tmp_path: Path) -> Iterator[EngineWorld]:
    """The same without threads, and no time at all."""
    made = EngineWorld(tmp_path, watched=True)
    made.files.write("/docs/soup.md", "# Soup\n\nSimmer the lentils slowly.\n")
    made.add("/docs")
    yield made
    made.close()


def ask(world: EngineWorld, word: str, fresh: str = "") -> list[str]:
    answer = world.engine.service.search(Question(word, mode=SearchMode.KEYWORD), fresh=fresh)
    return [hit.path for hit in answer.hits]


def test_every_save_before_the_question_is_in_the_answer(running: EngineWorld) -> None:
    """W2, T3, C9."""
    files, service = running.files, running.engine.service
    files.write("/docs/new.md", "# Bees\n\nThe hive hums.\n")
    answer = service.search(Question("hive"))
    assert (answer.hits[0].path, answer.state.fresh, answer.state.outstanding) == ("new.md", True, None)
    files.write("/docs/new.md", "# Bees\n\nThe swarm hums.\n")
    assert ask(running, "hive") == []
    assert ask(running, "swarm") == ["new.md"]
    files.move("/docs/new.md", "/docs/deep/old.md")
    assert ask(running, "swarm") == ["deep/old.md"]
    files.remove("/docs/deep")
    assert ask(running, "swarm") == []
    assert service.search(Question("swarm")).state.fresh


def test_no_question_walks_a_watched_root(running: EngineWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> list[object]:
        raise AssertionError(f"{path} was listed")

    monkeypatch.setattr(running.files, "list_directory", refuse)
    scanned_at = running.engine.state.current.roots["docs"].scanned_at
    running.clock.advance(60.0)
    assert ask(running, "lentils") == ["soup.md"]
    running.files.write("/docs/soup.md", "# Soup\n\nNow with carrots.\n")
    assert ask(running, "carrots") == ["soup.md"]
    assert running.engine.service.search(Question("carrots")).state.fresh
    assert running.engine.state.current.roots["docs"].scanned_at == scanned_at


def test_read_outline_and_listing_see_the_last_save(running: EngineWorld) -> None:
    service = running.engine.service
    running.files.write("/docs/soup.md", "# Soup\n\n## Carrots\n\nGrate them.\n")
    assert service.read("soup.md", heading="Carrots").text == "## Carrots\n\nGrate them.\n"
    running.files.write("/docs/later.md", "# Later\n")
    assert [row.path for row in service.documents().documents] == ["bread.md", "later.md", "soup.md"]
    running.files.remove("/docs/later.md")
    with pytest.raises(NotFoundError):
        service.outline("later.md")


def test_off_waits_for_nothing_and_says_so_and_still_quotes_nothing_stale(running: EngineWorld) -> None:
    running.files.write("/docs/soup.md", "# Soup\n\nNow with carrots.\n")
    catch_ups = running.watcher.catch_ups
    answer = running.engine.service.search(Question("bake dough"), fresh="off")
    assert answer.hits[0].path == "bread.md"
    assert not answer.state.fresh
    assert "as asked" in (answer.state.outstanding or "")
    assert running.watcher.catch_ups == catch_ups
    assert ask(running, "lentils", fresh="off") == []


def test_a_watcher_that_does_not_answer_is_told(still: EngineWorld) -> None:
    still.watcher.catches_up = False
    state = still.engine.service.search(Question("lentils", mode=SearchMode.KEYWORD)).state
    assert not state.fresh
    assert "watcher of files did not answer" in (state.outstanding or "")


def test_with_no_time_for_the_writer_the_answer_says_so(still: EngineWorld) -> None:
    still.files.write("/docs/soup.md", "# Soup\n\nNow with carrots.\n")
    answer = still.engine.service.search(Question("lentils", mode=SearchMode.KEYWORD))
    assert answer.hits == ()
    assert not answer.state.fresh
    assert "latest changes are still being read" in (answer.state.outstanding or "")
    still.settle()
    assert ask(still, "carrots") == ["soup.md"]


def test_an_unknown_word_for_fresh_is_a_sentence(still: EngineWorld) -> None:
    for ask_ in (
        still.engine.service.documents,
        lambda fresh: still.engine.service.read("soup.md", fresh=fresh),
    ):
        with pytest.raises(InvalidRequestError, match="fresh is 'soon'"):
            ask_(fresh="soon")
