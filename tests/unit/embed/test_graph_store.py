from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mdmem_testkit.fake_files import FakeBlobs
from mdmemd.embed.graph_check import CHECK_TEXTS
from mdmemd.embed.graph_store import CompiledGraph, GraphStore

WEIGHTS = "ab" * 32
GRAPH = CompiledGraph(
    model=bytes(range(256)) * 4,
    references=np.random.default_rng(0).random((len(CHECK_TEXTS), 6), np.float32),
)


def store(blobs: FakeBlobs, *, fingerprint: str = "one") -> GraphStore:
    return GraphStore(blobs, weights_sha256=WEIGHTS, fingerprint=fingerprint, dimensions=6)


def kept() -> tuple[FakeBlobs, str]:
    """Blobs with the graph, and its name."""
    blobs = FakeBlobs()
    store(blobs).write(GRAPH)
    (name,) = blobs.names()
    return blobs, name


def test_nothing_is_there_at_first() -> None:
    assert store(FakeBlobs()).read() is None


def test_what_was_kept_is_found() -> None:
    blobs, name = kept()
    found = store(blobs).read()
    assert found is not None
    assert found.model == GRAPH.model
    np.testing.assert_array_equal(found.references, GRAPH.references)
    assert name.startswith("compiled-abab")


@pytest.mark.parametrize("at", [0, 31, 32, 100, 400, -1])
def test_a_flipped_bit_is_noticed(at: int) -> None:
    blobs, name = kept()
    content = bytearray(blobs.read(name))
    content[at] ^= 1
    blobs.replace(name, bytes(content))
    assert store(blobs).read() is None


@pytest.mark.parametrize("length", [0, 1, 31, 32, 33, 200, 1000])
def test_a_truncated_graph_is_noticed(length: int) -> None:
    """M1."""
    blobs, name = kept()
    blobs.replace(name, blobs.read(name)[:length])
    assert store(blobs).read() is None


def test_zeros_at_the_end_are_noticed() -> None:
    """M2."""
    blobs, name = kept()
    content = blobs.read(name)
    blobs.replace(name, content[:500] + bytes(len(content) - 500))
    assert store(blobs).read() is None


def test_a_graph_of_another_fingerprint_is_not_used_and_is_replaced() -> None:
    """M5: of an older compiler, say."""
    blobs, name = kept()
    other = store(blobs, fingerprint="two")
    assert other.read() is None
    other.write(replace(GRAPH, model=b"another"))
    assert blobs.names() == {name}
    found = other.read()
    assert found is not None
    assert found.model == b"another"
    assert store(blobs).read() is None
