from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from mdmem_testkit.fake_files import FakeBlobs
from mdmemd.embed import file_hashes
from mdmemd.embed.file_hashes import NAME, FileHashes


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that counts as large."""
    monkeypatch.setattr(file_hashes, "REMEMBERED_BYTES_MIN", 100)
    path = tmp_path / "weights"
    path.write_bytes(b"w" * 1000)
    return path


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def change_unseen(path: Path, content: bytes) -> None:
    """As rot would: other bytes in the same inode, and all times the same but for the change time."""
    before = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_large_file_is_hashed_once(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = FakeBlobs()
    assert FileHashes(blobs).sha256(str(large)) == sha256(b"w" * 1000)
    monkeypatch.setattr(file_hashes.hashlib, "file_digest", None)  # type: ignore[attr-defined]
    assert FileHashes(blobs).sha256(str(large)) == sha256(b"w" * 1000)


def test_a_doubted_file_is_hashed_whatever_is_remembered(large: Path) -> None:
    """M2: what no stamp can notice."""
    blobs = FakeBlobs()
    FileHashes(blobs).sha256(str(large))
    blobs.replace(NAME, blobs.read(NAME).replace(sha256(b"w" * 1000).encode(), b"0" * 64))
    assert FileHashes(blobs).sha256(str(large)) == "0" * 64
    assert FileHashes(blobs).sha256(str(large), is_doubted=True) == sha256(b"w" * 1000)
    assert FileHashes(blobs).sha256(str(large)) == sha256(b"w" * 1000)


def test_a_change_that_keeps_size_and_time_is_noticed(large: Path) -> None:
    hashes = FileHashes(FakeBlobs())
    hashes.sha256(str(large))
    change_unseen(large, b"v" * 1000)
    assert hashes.sha256(str(large)) == sha256(b"v" * 1000)


def test_another_file_of_the_same_size_is_noticed(large: Path, tmp_path: Path) -> None:
    hashes = FileHashes(FakeBlobs())
    hashes.sha256(str(large))
    other = tmp_path / "other"
    other.write_bytes(b"o" * 1000)
    os.utime(other, ns=(large.stat().st_atime_ns, large.stat().st_mtime_ns))
    os.rename(other, large)
    assert hashes.sha256(str(large)) == sha256(b"o" * 1000)


def test_small_files_are_not_remembered(tmp_path: Path) -> None:
    blobs = FakeBlobs()
    (tmp_path / "card").write_bytes(b"small")
    assert FileHashes(blobs).sha256(str(tmp_path / "card")) == sha256(b"small")
    assert not blobs.names()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"format": 1, "files": {"a": {}}}', b'{"format": 9}']
)
def test_a_damaged_memory_costs_time_only(large: Path, content: bytes) -> None:
    blobs = FakeBlobs()
    blobs.replace(NAME, content)
    assert FileHashes(blobs).sha256(str(large)) == sha256(b"w" * 1000)
    assert str(large).encode() in blobs.read(NAME)


def test_a_full_disk_costs_time_only(large: Path) -> None:
    """T10."""
    blobs = FakeBlobs()
    blobs.fail_with = errno.ENOSPC
    assert FileHashes(blobs).sha256(str(large)) == sha256(b"w" * 1000)


def test_files_that_are_gone_are_forgotten(large: Path, tmp_path: Path) -> None:
    blobs = FakeBlobs()
    hashes = FileHashes(blobs)
    hashes.sha256(str(large))
    large.rename(tmp_path / "moved")
    hashes.sha256(str(tmp_path / "moved"))
    assert str(large).encode() not in blobs.read(NAME)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        FileHashes(FakeBlobs()).sha256(str(tmp_path / "nothing"))
