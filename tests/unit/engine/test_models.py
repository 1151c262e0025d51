"""Listing, downloading and choosing models, on an engine of fakes."""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmem_testkit.stored_models import install, small_preset, write_card
from mdmemd.embed.model_choice import NAME
from mdmemd.embed.model_library import FilesState
from mdmemd.embed.registry import HUB, ModelKind
from mdmemd.engine.events import Sleep
from mdmemd.errors import (
    InvalidRequestError,
    ModelUnavailableError,
    NotFoundError,
    OperatorError,
    RefusedError,
)
from mdmemd.model import ModelState, SearchMode
from mdmemd.search.page import Question

SAME_SIZE, CONTENTS = small_preset("same-size")
OTHER_SIZE, _ = small_preset("other-size", dimensions=48)
RERANKER, _ = small_preset("judge", kind=ModelKind.RERANKER)
QUESTION = Question("how do keys rotate")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[EngineWorld]:
    made = EngineWorld(tmp_path, presets=(SAME_SIZE, OTHER_SIZE, RERANKER))
    for spec in (SAME_SIZE, OTHER_SIZE):
        install(spec, CONTENTS, tmp_path / "models")
    made.files.write("/docs/keys.md", "# Keys\n\nRotate the keys monthly.\n\n# Soup\n\nBoil the water.\n")
    made.add("/docs")
    made.settle()
    yield made
    made.close()


def mode_of(world: EngineWorld) -> tuple[str, str | None]:
    state = world.engine.service.search(QUESTION).state
    return state.mode, state.degraded


def test_the_choice_is_there_after_a_restart(world: EngineWorld) -> None:
    world.engine.models.use("other-size")
    world.settle()
    world.save()
    world.restart()
    world.settle()
    assert world.engine.service.model().name == "other-size"
    assert world.engine.embedder.progress().embedded == 0, "the saved vectors are the new model's"
    assert mode_of(world) == ("hybrid", None)


def test_a_root_that_sleeps_through_a_change_wakes_with_the_new_model(world: EngineWorld) -> None:
    """M5: also beside a root that is awake, in one question."""
    world.files.write("/more/soup.md", "# Soup\n\nBoil the keys.\n")
    world.add("/more")
    world.save()
    view = world.engine.state.current.roots["docs"]
    world.engine.writer.post(Sleep("docs", view.snapshot.revision))
    world.settle()
    assert world.engine.state.current.roots["docs"].asleep
    world.engine.models.use("other-size")
    world.settle()
    assert world.engine.service.search(QUESTION, roots=("more",)).state.mode == "hybrid"
    mode_of(world)  # wakes it
    world.settle()
    assert mode_of(world) == ("hybrid", None)
    view = world.engine.state.current.roots["docs"]
    assert view.snapshot.embedded == view.snapshot.passages > 0


def test_an_edit_while_the_model_changes_is_embedded_once(world: EngineWorld) -> None:
    world.files.write("/docs/more.md", "# More\n\nAnother text.\n")
    world.engine.service.search(QUESTION)
    world.engine.writer.step(timeout_seconds=0)
    world.engine.models.use("other-size")
    world.settle()
    view = world.engine.state.current.roots["docs"]
    assert view.awaited_vectors == 0
    assert view.snapshot.embedded == view.snapshot.passages


def test_texts_that_one_model_cannot_embed_are_put_to_the_next(world: EngineWorld) -> None:
    """R5: a failure is of the model, and not for ever."""
    world.encoder.fails_on = {"More: poison"}
    world.files.write("/docs/more.md", "# More\n\npoison\n")
    world.engine.service.search(QUESTION)
    world.settle()
    assert world.engine.state.current.roots["docs"].failed_vectors == 1
    world.engine.models.use("same-size")
    world.settle()
    view = world.engine.state.current.roots["docs"]
    assert (view.failed_vectors, view.awaited_vectors) == (0, 0)
    assert view.snapshot.embedded == view.snapshot.passages


def test_a_model_that_does_not_load_changes_nothing(world: EngineWorld) -> None:
    """M1."""
    world.model_failure = ModelUnavailableError("Damaged.", remedy="Download it.")
    with pytest.raises(ModelUnavailableError, match="Damaged"):
        world.engine.models.use("same-size")
    world.settle()
    assert world.engine.service.model().name == world.engine.models.entries()[0].library.spec.name
    assert mode_of(world) == ("hybrid", None)
    assert NAME not in world.blobs.names()


def test_a_choice_that_cannot_be_saved_changes_nothing(world: EngineWorld) -> None:
    """T10."""
    world.blobs.fail_with = errno.ENOSPC
    with pytest.raises(OperatorError, match="cannot be saved"):
        world.engine.models.use("same-size")
    world.settle()
    assert world.engine.embedder.state().fingerprint == "fake"


def test_a_failed_model_is_replaced_by_another(tmp_path: Path) -> None:
    """M1: what waited for vectors all along gets them."""
    world = EngineWorld(tmp_path, presets=(SAME_SIZE,))
    install(SAME_SIZE, CONTENTS, tmp_path / "models")
    world.model_failure = ModelUnavailableError("Gone.", remedy="Reinstall.")
    world.files.write("/docs/keys.md", "# Keys\n\nRotate the keys monthly.\n")
    world.add("/docs")
    world.settle()
    assert mode_of(world)[0] == "keyword"
    world.model_failure = None
    world.engine.models.use("same-size")
    world.settle()
    assert mode_of(world) == ("hybrid", None)
    view = world.engine.state.current.roots["docs"]
    assert view.awaited_vectors == 0
    world.close()


def test_a_damaged_choice_is_told_and_no_model_taken_instead(world: EngineWorld) -> None:
    """M6."""
    world.blobs.replace(NAME, b"{")
    world.restart()
    world.settle()
    status = world.engine.service.model()
    assert status.state is ModelState.FAILED
    assert status.detail is not None
    assert "model.json" in status.detail
    assert mode_of(world)[0] == SearchMode.KEYWORD


def test_a_folder_of_the_user_is_chosen_as_it_is(world: EngineWorld, tmp_path: Path) -> None:
    """M5: one that changes afterwards is told, and not used in silence."""
    folder = write_card(tmp_path / "mine")
    world.engine.models.use(str(folder))
    world.settle()
    assert [entry.library.spec.name for entry in world.engine.models.entries() if entry.is_in_use] == [
        str(folder)
    ]
    write_card(folder, pooling="cls")
    world.restart()
    world.settle()
    status = world.engine.service.model()
    assert (status.name, status.state) == (str(folder), ModelState.FAILED)
    assert status.detail is not None
    assert "have changed since it was chosen" in status.detail
    assert f"mdmemctl model use {folder}" in status.detail
    world.engine.models.use(str(folder))
    world.settle()
    assert mode_of(world) == ("hybrid", None)


def test_a_folder_that_is_gone_is_told(world: EngineWorld, tmp_path: Path) -> None:
    folder = write_card(tmp_path / "mine")
    world.engine.models.use(str(folder))
    world.settle()
    folder.rename(tmp_path / "unmounted")
    world.restart()
    world.settle()
    status = world.engine.service.model()
    assert status.state is ModelState.FAILED
    assert status.detail is not None
    assert "has no model card" in status.detail
    assert all(not entry.is_in_use for entry in world.engine.models.entries())


def test_what_cannot_be_chosen_is_told(world: EngineWorld, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no model named"):
        world.engine.models.use("nothing")
    with pytest.raises(InvalidRequestError, match="is a reranker"):
        world.engine.models.use("judge")
    install_folder = tmp_path / "models" / SAME_SIZE.folder_name
    install_folder.rename(tmp_path / "elsewhere")
    with pytest.raises(NotFoundError, match="is not here yet") as caught:
        world.engine.models.use("same-size")
    assert caught.value.remedy == "Download it: mdmemctl model download same-size"


def test_a_licence_must_be_named(world: EngineWorld) -> None:
    with pytest.raises(RefusedError, match=r"Apache-2\.0 \(https://.*must be agreed to"):
        download(world, licence="")
    assert not world.fetcher.requests


def test_a_download_is_checked_and_marked(world: EngineWorld, tmp_path: Path) -> None:
    offer(world)
    (tmp_path / "models" / SAME_SIZE.folder_name / "onnx/model.onnx").unlink()
    entry = download(world)
    assert entry is FilesState.READY
    assert len(world.fetcher.requests) == 1


def test_a_repair_of_the_model_in_use_loads_it(world: EngineWorld, tmp_path: Path) -> None:
    """M1: no restart is needed, and nothing is fetched by itself."""
    world.engine.models.use("same-size")
    world.settle()
    world.restart()
    world.model_failure = ModelUnavailableError("Damaged.", remedy="Download it.")
    (tmp_path / "models" / SAME_SIZE.folder_name / "onnx/model.onnx").write_bytes(b"damaged")
    world.settle()
    assert mode_of(world)[0] == "keyword"
    assert not world.fetcher.requests
    offer(world)
    world.model_failure = None
    download(world)
    world.settle()
    assert mode_of(world) == ("hybrid", None)


def offer(world: EngineWorld) -> None:
    for path, content in CONTENTS.items():
        assert SAME_SIZE.hub is not None
        world.fetcher.files[f"{HUB}/test/tiny/resolve/{SAME_SIZE.hub.revision}/{path}"] = content


def download(world: EngineWorld, *, licence: str = "Apache-2.0") -> FilesState:
    entry = world.engine.models.download(
        "same-size", licence=licence, progress=lambda *_: None, cancelled=threading.Event()
    )
    return entry.library.state
