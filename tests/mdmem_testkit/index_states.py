"""Small indexes to save, and what can be seen of an index: equal sights are equal answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mdmem_testkit.documents import indexed_file, words
from mdmemd.index.matches import WeightedTerm
from mdmemd.index.root_index import RootIndex
from mdmemd.index.scope import Scope
from mdmemd.index.snapshot import RootSnapshot
from mdmemd.model import ChunkMode, FloatMatrix, Link, Problem, RootSpec
from mdmemd.store.manifest import Making

DIMENSIONS = 16
SPEC = RootSpec("notes", "/notes")
MAKING = Making.now(SPEC, model="model", dimensions=DIMENSIONS)
OTHER_MAKING = Making.now(RootSpec("other", "/other", ChunkMode.AUTO), model="model", dimensions=DIMENSIONS)
ENCODER = "encoder"


def vectors_of(texts: Sequence[str], *, dimensions: int = DIMENSIONS) -> FloatMatrix:
    """A vector of its own for each text."""
    rows = [np.random.default_rng(list(text.encode())).standard_normal(dimensions) for text in texts]
    return np.array(rows, np.float32).reshape(-1, dimensions)


def embed_all(index: RootIndex) -> int:
    """Give all texts their vectors; returns how many there were."""
    waiting = index.unembedded()
    index.add_vectors([each.key for each in waiting], vectors_of([each.text for each in waiting]))
    return len(waiting)


def small_index() -> RootIndex:
    """Two segments, a deleted document, rich front matter, odd texts, and vectors for all."""
    index = RootIndex(dimensions=DIMENSIONS, tokenize=words)
    index.apply(
        files=[
            indexed_file("a.md", ((), "alpha beta"), (("Ä", "ö 🎈"), "gamma\nalpha"), tags=("x", "y")),
            indexed_file("b/old.md", (("Old",), "beta beta")),
            indexed_file(
                "b/rich.md",
                (("Rich",), "delta"),
                properties={"k": [1, 2.5, None, True, {"z": "ü"}], "big": 2**62},
                front_matter_lines=None,
                links=(Link("c.md#h", "b/c.md", "h", 3), Link("d", None, None, 4, is_embed=True)),
                problems=(Problem("kind", "message", 2),),
                status="draft",
                date="2024-01-01",
                aliases=("other",),
            ),
            *(indexed_file(f"more/{number}.md", (("More",), f"m{number} alpha")) for number in range(6)),
        ],
        removed=(),
    )
    index.apply(files=[indexed_file("c.md", (("C",), "alpha"), version=7)], removed=["b/old.md"])
    embed_all(index)
    return index


def grow(index: RootIndex, number: int) -> None:
    """One more edit: a new version of a file, another file, a touch, a removal, new vectors."""
    index.apply(
        files=[
            indexed_file("a.md", (("A",), f"alpha edit{number}"), version=100 + number),
            indexed_file(f"new/{number}.md", (("New",), f"beta new{number}")),
        ],
        removed=[f"more/{number}.md"],
    )
    embed_all(index)


def first_difference(left: object, right: object) -> tuple[object, object] | None:
    """The first values in which two sights differ: comparing them whole makes endless messages."""
    if isinstance(left, (tuple, list)) and isinstance(right, type(left)) and len(left) == len(right):
        found = (first_difference(*pair) for pair in zip(left, right, strict=True))
        return next((each for each in found if each is not None), None)
    return None if left == right else (left, right)


def sight(snapshot: RootSnapshot) -> object:
    """Everything that can be asked of a root, as plain values."""
    scope = Scope([("root", snapshot)])
    found = scope.keyword([WeightedTerm("alpha", 1.0), WeightedTerm("beta", 1.0)])
    handles = [scope.section(ref) for ref in found.refs]
    question = vectors_of(["question"], dimensions=snapshot.vectors.rows.dimensions)[0]
    near = scope.nearest(question, passages=1_000)
    near_handles = [scope.section(ref) for ref in near.refs]
    return (
        (snapshot.documents, snapshot.sections, snapshot.passages, snapshot.embedded, snapshot.total_lengths),
        [
            (
                *(each.path, each.title, each.fingerprint, each.content_hash, each.properties, each.tags),
                *(each.front_matter_lines, each.aliases, each.status, each.date, each.links, each.problems),
                each.sections,
                tuple(each.passages(number) for number in range(len(each.sections))),
            )
            for each in snapshot.iter_documents()
        ],
        sorted(
            (handle.document.path, handle.index, round(float(score), 4))
            for handle, score in zip(handles, found.scores, strict=True)
        ),
        sorted(
            (handle.document.path, handle.index, round(float(cosine), 3))
            for handle, cosine in zip(near_handles, near.cosines, strict=True)
        ),
    )
