"""``daemon/CHECKPOINT.md`` against the code and against the saved indexes of every format."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from mdmem_testkit.fake_checkpoint_disk import FakeCheckpointDisk
from mdmemd.index.filters import DocumentFilter
from mdmemd.index.root_index import RootIndex
from mdmemd.store import layout, piece
from mdmemd.store.checkpoint import current_manifest
from mdmemd.store.checkpoint_load import load
from mdmemd.store.columns import TYPES
from mdmemd.store.manifest import FEATURE
from mdmemd.store.vectors_codec import decode_vectors

PROJECT = Path(__file__).parents[2]
PAGE = (PROJECT / "daemon/CHECKPOINT.md").read_text()
FIXTURES = PROJECT / "tests/golden/checkpoints"
ROOT = "/notes"


def disk_of(fixture: Path) -> FakeCheckpointDisk:
    disk = FakeCheckpointDisk()
    for file in fixture.iterdir():
        disk.put(layout.root_folder(ROOT), file.name, file.read_bytes())
    return disk


@pytest.mark.parametrize("number", range(1, piece.FORMAT + 1))
def test_a_saved_index_of_every_format_is_used_or_refused_without_a_wrong_answer(number: int) -> None:
    """T14."""
    disk = disk_of(FIXTURES / str(number))
    if number < piece.FORMAT:
        assert current_manifest(disk, root=ROOT) is None
        return
    manifest = current_manifest(disk, root=ROOT)
    assert manifest is not None
    loaded = load(disk, wanted=manifest.making)
    assert loaded.problems == ()
    assert loaded.image is not None
    snapshot = RootIndex.restored(loaded.image, dimensions=4).freeze()
    (document,) = snapshot.iter_documents()
    assert (document.path, document.title, document.tags) == ("deploy.md", "Deploy", ("ops",))
    assert [section.heading_path for section in document.sections] == [("Deploy",), ("Deploy", "Undo")]
    assert (snapshot.passages, snapshot.embedded) == (2, 2)
    (view,) = snapshot.segments
    assert view.selection(DocumentFilter(tags=("ops",), only=("deploy.md",))).count == 2


def test_the_example_is_the_fixture_and_means_what_is_said() -> None:
    block = PAGE.split("```")[1]
    rows = re.findall(r"^[0-9a-f]{8}((?: {1,2}[0-9a-f]{2}){1,16})", block, re.MULTILINE)
    content = bytes.fromhex("".join(rows))
    assert content == (FIXTURES / f"{piece.FORMAT}/vectors-0000000000000001-0-3").read_bytes()
    body = piece.unseal(piece.PieceKind.VECTORS, content, root=layout.root_key(ROOT))
    assert len(body) == 80
    keys, vectors = decode_vectors(body, dimensions=4)
    assert keys.tolist() == [0, 1, 2]
    assert np.allclose(vectors, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0.6, 0.8]], atol=1e-3)


def test_the_page_names_what_there_is() -> None:
    for kind in piece.PieceKind:
        assert f"`{kind.value.decode()}`" in PAGE
    for name in TYPES:
        assert f"`{name}`" in PAGE
    assert f"`{piece.MAGIC.decode()}`" in PAGE
    assert re.search(rf"^\| 12 \| 4 \| format: {piece.FORMAT} \|$", PAGE, re.MULTILINE)
    history = PAGE.split("## 9. History")[1]
    formats, features = history.split("| feature |")
    assert len(re.findall(r"^\| \d+ \|", formats, re.MULTILINE)) == piece.FORMAT
    assert len(re.findall(r"^\| \d+ \|", features, re.MULTILINE)) == FEATURE
    changelog = (PROJECT / "CHANGELOG.md").read_text()
    assert f"Saved index format {piece.FORMAT}" in changelog
