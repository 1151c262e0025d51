from __future__ import annotations

import errno

import pytest

from mdmem_testkit.fake_files import FakeBlobs
from mdmemd.embed.model_choice import NAME, Choice, ModelChoice
from mdmemd.errors import OperatorError
from mdmemd.model import ModelIdentity

OTHER = ModelIdentity("other", "0" * 32, 1)
MINE = Choice(ModelIdentity("/models/mine", "f" * 32, 768), next=OTHER)


def test_what_was_chosen_is_read() -> None:
    blobs = FakeBlobs()
    assert ModelChoice(blobs).read() is None
    ModelChoice(blobs).write(MINE)
    assert ModelChoice(blobs).read() == MINE


DAMAGED = [
    b"",
    b"[]",
    b"{}",
    b'{"format": 2}',
    b'{"format": 1, "name": "x"}',
    b"\xff",
    b'{"format": 1, "name": "x", "fingerprint": "f", "dimensions": 1, "next": {}}',
]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_choice_is_no_other_choice(content: bytes) -> None:
    """M6: the built-in model in its place would embed everything anew, in silence."""
    blobs = FakeBlobs()
    blobs.replace(NAME, content)
    with pytest.raises(OperatorError, match="cannot be read") as caught:
        ModelChoice(blobs).read()
    assert "Move that file away" in caught.value.remedy


def test_a_full_disk_keeps_the_old_choice() -> None:
    """T10."""
    blobs = FakeBlobs()
    ModelChoice(blobs).write(MINE)
    blobs.fail_with = errno.ENOSPC
    with pytest.raises(OperatorError, match="No space left"):
        ModelChoice(blobs).write(Choice(OTHER))
    blobs.fail_with = None
    assert ModelChoice(blobs).read() == MINE
