"""The list of roots survives power cuts, nonsense and newer versions."""

from __future__ import annotations

import errno
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem_testkit.fake_clock import FakeClock
from mdmem_testkit.fake_files import FakeBlobs, PowerLostError
from mdmemd.errors import OperatorError
from mdmemd.model import ChunkMode, RootSpec, WatchChoice
from mdmemd.store.roots_file import NAME, RootsFile

ONE = RootSpec("one", "/docs/one")
TWO = RootSpec("zwei-ü", "/docs/zwei ü", ChunkMode.WINDOW, ("drafts", "a/*"), ("docs",), WatchChoice.POLLING)


def make(blobs: FakeBlobs) -> RootsFile:
    return RootsFile(blobs, FakeClock(now=5.0))


def test_no_file_is_no_roots() -> None:
    assert make(FakeBlobs()).load().roots == ()


def test_what_was_saved_is_loaded() -> None:
    blobs = FakeBlobs()
    make(blobs).save([ONE, TWO])
    assert make(blobs).load().roots == (ONE, TWO)


def test_a_list_from_before_an_option_has_its_default() -> None:
    blobs = FakeBlobs()
    blobs.replace(NAME, b'{"format": 1, "roots": [{"name": "one", "path": "/docs/one"}]}')
    assert RootsFile(blobs, FakeClock()).load().roots == (ONE,)


def test_a_power_cut_at_any_moment_leaves_the_old_or_the_new_list() -> None:
    for operations in range(5):
        blobs = FakeBlobs()
        make(blobs).save([ONE])
        blobs.operations_left = operations
        try:
            make(blobs).save([ONE, TWO])
            acknowledged = True
        except PowerLostError:
            acknowledged = False
        blobs.lose_power()
        roots = make(blobs).load().roots
        assert roots == ((ONE, TWO) if acknowledged else (ONE,))


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"format": 1}', b'{"format": 1, "roots": [{"name": 5, "path": "/x"}]}', b"\xff\x00"],
)
def test_an_unreadable_list_is_kept_aside_and_reported(content: bytes) -> None:
    blobs = FakeBlobs()
    blobs.replace(NAME, content)
    loaded = make(blobs).load()
    assert loaded.roots == ()
    assert loaded.message is not None
    assert "mdmemctl root add" in loaded.message
    assert blobs.names() == {f"{NAME}.unreadable-5"}
    assert blobs.read(f"{NAME}.unreadable-5") == content


@given(st.integers(0), st.integers(0, 255))
def test_any_flipped_byte_is_a_list_or_a_message(position: int, value: int) -> None:
    blobs = FakeBlobs()
    make(blobs).save([ONE, TWO])
    content = bytearray(blobs.read(NAME))
    content[position % len(content)] = value
    blobs.replace(NAME, bytes(content))
    try:
        loaded = make(blobs).load()
    except OperatorError:
        assert json.loads(content)["format"] > 1
        return
    assert loaded.message is not None or len(loaded.roots) == 2


def test_a_newer_format_is_refused_and_left_alone() -> None:
    """T14."""
    blobs = FakeBlobs()
    content = json.dumps({"format": 2, "roots": "new"}).encode()
    blobs.replace(NAME, content)
    with pytest.raises(OperatorError, match="newer mdmem"):
        make(blobs).load()
    assert blobs.read(NAME) == content


def test_a_full_disk_is_a_sentence_and_keeps_the_list() -> None:
    """T10."""
    blobs = FakeBlobs()
    make(blobs).save([ONE])
    blobs.fail_with = errno.ENOSPC
    with pytest.raises(OperatorError, match="cannot be saved: No space left") as caught:
        make(blobs).save([])
    assert "nothing was changed" in caught.value.remedy
    assert make(blobs).load().roots == (ONE,)
