"""Models with real processes: a hub of the test's own, the daemon that downloads, and the command."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmem_testkit.model_server import Fault, ModelServer
from mdmem_testkit.private_daemon import Instance
from mdmem_testkit.stored_models import install, small_preset, write_card
from mdmemd.embed.registry import BGE_SMALL

pytestmark = pytest.mark.e2e

CEILING_SECONDS = 60.0


@pytest.fixture
def hub(instance: Instance) -> Iterator[ModelServer]:
    """Where this instance downloads from: a hub that has other bytes than those that are pinned."""
    with ModelServer.running() as server:
        config = instance.home / "config"
        config.mkdir(parents=True)
        (config / "config.toml").write_text(f'[models]\nmirror = "{server.base_url}"\n')
        size = BGE_SMALL.weights.size_bytes
        server.offer(BGE_SMALL, {"tokenizer.json": bytes(711_396), "onnx/model.onnx": bytes(size)})
        yield server


def test_a_folder_is_chosen_searched_and_kept(instance: Instance, documents: Path, tmp_path: Path) -> None:
    """M5, M6, M10: another model of another size, at once and after a restart."""
    instance.ctl("root", "add", str(documents), "--wait")
    folder = write_card(tmp_path / "my model")
    chosen = instance.json("model", "use", str(folder), "--wait")
    assert (chosen["name"], chosen["in_use"], chosen["dimensions"]) == (str(folder), True, 32)
    found = instance.json("search", "rolling back a bad release")
    assert (found["state"]["mode"], found["state"]["degraded"]) == ("hybrid", None)
    assert found["hits"][0]["path"] == "guides/deploy.md"
    instance.ctl("stop")
    status = instance.json("status")["model"]
    instance.ctl("root", "add", str(documents), "--wait")
    status = instance.json("status")["model"]
    assert (status["name"], status["state"], status["dimensions"]) == (str(folder), "ready", 32)
    assert status["computed"] == 0, "the saved vectors are used"
    # A model that changes under its name is told, and not used.
    instance.ctl("stop")
    write_card(folder, pooling="cls")
    found = instance.json("search", "rolling back a bad release")
    assert found["state"]["mode"] == "keyword"
    assert "changed since it was chosen" in found["state"]["degraded"]
    assert found["hits"]
    instance.ctl("model", "use", "all-MiniLM-L6-v2-int8")
    instance.ctl("root", "add", str(documents), "--wait")
    assert instance.json("search", "rolling back a bad release")["state"]["mode"] == "hybrid"


def test_a_hub_with_other_bytes_is_found_out(instance: Instance, hub: ModelServer) -> None:
    """M2: of the right size, all zeros."""
    refused = instance.ctl("model", "download", "bge-small", check=False)
    assert refused.code == 5
    assert "Licence: MIT" in refused.err
    assert not hub.requests
    failed = instance.ctl("model", "download", "bge-small", "--yes", check=False)
    assert failed.code == 3
    assert "tokenizer.json of bge-small cannot be downloaded" in failed.err
    assert "differs from the pinned content" in failed.err
    assert not [*(instance.home / "data/models").rglob("*.json")]
    assert instance.ctl("model", "use", "bge-small", check=False).code == 4


def test_a_client_that_goes_away_ends_the_transfer(instance: Instance, hub: ModelServer) -> None:
    hub.fail("tokenizer.json", Fault(stall_after=100_000))
    pid = instance.pid()
    process = instance.spawn("mdmem", "model", "download", "bge-small", "--yes")
    assert hub.stalled.wait(CEILING_SECONDS)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=CEILING_SECONDS)
    assert process.returncode == 130
    assert instance.pid() == pid
    assert instance.json("model", "list")["models"][0]["in_use"]
    hub.closing.set()


def test_what_was_copied_by_hand_is_verified(instance: Instance) -> None:
    """M13: an installation without a network, in the data folder and not in a temporary one."""
    folder = Path(instance.json("model", "path", "bge-small")["folder"])
    assert folder.parent == instance.home / "data/models"
    spec, contents = small_preset("bge-small", hub=BGE_SMALL.hub)
    assert install(spec, contents, folder.parent) == folder
    wrong = instance.ctl("model", "verify", "bge-small", check=False)
    assert wrong.code == 3
    assert "instead of 133,093,490" in wrong.err


def test_pins_are_those_of_the_files(instance: Instance, tmp_path: Path) -> None:
    folder = write_card(tmp_path / "mine")
    printed = instance.ctl("model", "pin", str(folder)).out.splitlines()[1:]
    sums = "\n".join(f"{row.split()[0]}  {folder / row.split()[2]}" for row in printed)
    check = subprocess.run(
        ["sha256sum", "--check", "--strict"], input=sums, text=True, capture_output=True, check=False
    )
    assert check.returncode == 0, check.stderr
    assert check.stdout.count(": OK") == 2
