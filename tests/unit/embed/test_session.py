from __future__ import annotations

import sys

import pytest

from mdmem_testkit.tiny_bert import TinyBert
from mdmemd.embed.session import open_session


def test_bytes_of_the_model_are_not_kept() -> None:
    """R2: they would double the memory of the built-in model's weights."""
    model = TinyBert().model()
    before = sys.getrefcount(model)
    session = open_session(model)
    assert sys.getrefcount(model) == before
    assert len(session.get_inputs()) == 3


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(Exception, match=r"(?i)protobuf"):
        open_session(b"no model")
