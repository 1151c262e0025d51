"""Any sequence of changes ends in the index of a fresh build; snapshots on the way keep their answers.

Changes are edits, removals, renames, vectors, upkeep, and restarts after whole or interrupted saves; merges
and successors of the vectors come of them.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdmem_testkit.documents import fingerprint, indexed_file, words
from mdmem_testkit.fake_checkpoint_disk import FakeCheckpointDisk
from mdmem_testkit.fake_files import PowerLostError
from mdmem_testkit.oracles import OracleMatch, Place, bm25, nearest, passage_text
from mdmemd.index import text_table
from mdmemd.index import vectors as vectors_module
from mdmemd.index.matches import WeightedTerm
from mdmemd.index.root_index import RootIndex
from mdmemd.index.scope import Scope
from mdmemd.index.snapshot import RootSnapshot
from mdmemd.model import FloatVector, IndexedFile, RootSpec, VectorKey
from mdmemd.store.checkpoint import commit
from mdmemd.store.checkpoint_load import load
from mdmemd.store.manifest import Making

DIMENSIONS = 16
MAKING = Making.now(RootSpec("root", "/root"), model="model", dimensions=DIMENSIONS)
TERMS = (("alpha", 1.0), ("beta", 0.5), ("nowhere", 1.0), ("one", 2.0), ("é🎈", 1.5), ("alphaa", 1.0))
EVERY_PASSAGE = 1_000

TEXTS = ["alpha", "beta", "beta beta", "\ngamma\ndelta", "one\n", "", "alphaa é🎈 alph"]
HEADINGS: list[tuple[str, ...]] = [(), ("Alpha",), ("Alpha", "one"), ("beta", "two", "one")]
PATHS = ["a.md", "A.md", "b/a_b.md", "b/a-b.md", "c.md", "d/e/f.md"]

section_specs = st.tuples(
    st.sampled_from(HEADINGS), st.lists(st.sampled_from(TEXTS), max_size=4).map(" ".join)
)
paths = st.sampled_from(PATHS)
versions = st.lists(section_specs, min_size=1, max_size=5)


@dataclass(frozen=True)
class Apply:
    files: dict[str, list[tuple[tuple[str, ...], str]]]
    removed: list[str]


@dataclass(frozen=True)
class Touch:
    path: str
    version: int


@dataclass(frozen=True)
class Embed:
    count: int


@dataclass(frozen=True)
class Tidy:
    rows: int


@dataclass(frozen=True)
class Rename:
    old: str
    new: str


@dataclass(frozen=True)
class Restart:
    """After a save that power ends after so many operations of the disk (``None``: not before its end)."""

    operations: int | None


Change = Apply | Touch | Embed | Tidy | Rename | Restart

changes = st.lists(
    st.one_of(
        st.builds(Apply, st.dictionaries(paths, versions, max_size=3), st.lists(paths, max_size=2)),
        st.builds(Touch, paths, st.integers(2, 99)),
        st.builds(Embed, st.integers(1, 40)),
        st.builds(Tidy, st.integers(1, 9)),
        st.builds(Rename, paths, paths),
        st.builds(Restart, st.one_of(st.none(), st.integers(0, 30))),
    ),
    min_size=1,
    max_size=25,
)


@dataclass
class History:
    """An index and the plain facts that it must agree with."""

    index: RootIndex = field(default_factory=lambda: RootIndex(dimensions=DIMENSIONS, tokenize=words))
    files: dict[str, IndexedFile] = field(default_factory=dict)
    waiting: dict[VectorKey, str] = field(default_factory=dict)
    vectors: dict[str, FloatVector] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    disk: FakeCheckpointDisk = field(default_factory=FakeCheckpointDisk)

    def do(self, change: Change) -> None:
        if isinstance(change, Apply):
            self._apply([indexed_file(path, *specs) for path, specs in change.files.items()], change.removed)
        elif isinstance(change, Rename):
            if change.old in self.files:
                self._apply([replace(self.files[change.old], path=change.new)], [change.old])
        elif isinstance(change, Restart):
            self._restart(change.operations)
        elif isinstance(change, Touch):
            self.index.touch(change.path, fingerprint(change.version))
            if change.path in self.files:
                newer = fingerprint(change.version)
                self.files[change.path] = replace(self.files[change.path], fingerprint=newer)
        elif isinstance(change, Tidy):
            self.index.tidy(rows=change.rows)
        else:
            self._embed(change.count)

    def live_texts(self) -> set[str]:
        documents = [file.document for file in self.files.values()]
        return {passage_text(each, passage) for each in documents for passage in each.passages}

    def _apply(self, files: Sequence[IndexedFile], removed: Collection[str]) -> None:
        stayed = self.live_texts()
        handed_out = self.index.apply(files=files, removed=removed)
        for path in removed:
            self.files.pop(path, None)
        self.files.update((file.path, file) for file in files)
        self.seen |= self.live_texts()
        assert not {each.key for each in handed_out} & set(self.waiting), "a key was handed out twice"
        self.waiting.update((each.key, each.text) for each in handed_out)
        back = self.live_texts() - stayed
        lost = back & {each.text for each in self.index.unembedded()}  # a vector may go with the last passage
        self.vectors = {text: vector for text, vector in self.vectors.items() if text not in lost}

    def _restart(self, operations: int | None) -> None:
        """Save, load, and read again what differs, as the first look does."""
        self.disk.stop_after(operations)
        with contextlib.suppress(PowerLostError):
            commit(self.disk, self.index.freeze(), making=MAKING, vectors_by="encoder")
        self.disk.lose_power(random.Random(operations))
        image = load(self.disk, wanted=MAKING).image
        self.index = RootIndex(dimensions=DIMENSIONS, tokenize=words)
        if image is not None:
            self.index = RootIndex.restored(image, dimensions=DIMENSIONS, tokenize=words)
        known = self.index.known()
        wanted = {path: (file.fingerprint, file.content_hash) for path, file in self.files.items()}
        self.index.apply(
            files=[self.files[path] for path in wanted if known.get(path) != wanted[path]],
            removed=[path for path in known if path not in wanted],
        )
        self.waiting = {each.key: each.text for each in self.index.unembedded()}
        # The generation before may still have a vector that was lost since.
        self.vectors = {text: vector_of(text) for text in self.seen - set(self.waiting.values())}

    def _embed(self, count: int) -> None:
        keys = list(self.waiting)[:count]
        rows = np.array([vector_of(self.waiting[key]) for key in keys], np.float32).reshape(-1, DIMENSIONS)
        lacking = {each.key for each in self.index.unembedded()}
        self.index.add_vectors(keys, rows)
        assert not {each.key for each in self.index.unembedded()} & set(keys)
        for key in keys:
            text = self.waiting.pop(key)
            if key in lacking:
                self.vectors[text] = vector_of(text)


def vector_of(text: str) -> FloatVector:
    seed = int.from_bytes(text.encode()[-6:], "big") + len(text)
    return np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)


QUESTION = vector_of("the question")


def keyword_answer(snapshot: RootSnapshot) -> dict[Place, OracleMatch]:
    scope = Scope([("root", snapshot)])
    matches = scope.keyword([WeightedTerm(text, weight) for text, weight in TERMS])
    handles = [scope.section(ref) for ref in matches.refs]
    values = zip(matches.scores, matches.matched, strict=True)
    return {
        (handle.document.path, handle.index): OracleMatch(float(score), int(matched))
        for handle, (score, matched) in zip(handles, values, strict=True)
    }


def vector_answer(snapshot: RootSnapshot) -> dict[Place, float]:
    scope = Scope([("root", snapshot)])
    matches = scope.nearest(QUESTION, passages=EVERY_PASSAGE)
    handles = [scope.section(ref) for ref in matches.refs]
    again = scope.best_passages(QUESTION, matches.refs)
    assert np.array_equal(again.cosines, matches.cosines)
    for handle, position in zip(handles, again.passages, strict=True):
        assert 0 <= position < len(handle.passages)
    best = scope.nearest(QUESTION, passages=1)
    assert np.array_equal(best.cosines, matches.cosines[:1])
    return {
        (handle.document.path, handle.index): float(cosine)
        for handle, cosine in zip(handles, matches.cosines, strict=True)
    }


def listing(snapshot: RootSnapshot) -> list[object]:
    return [
        [
            *(each.path, each.title, each.fingerprint, each.content_hash, each.sections),
            *(each.passages(number) for number in range(len(each.sections))),
        ]
        for each in snapshot.iter_documents()
    ]


def check(history: History, snapshot: RootSnapshot) -> None:
    files = list(history.files.values())
    fresh_index = RootIndex(dimensions=DIMENSIONS, tokenize=words)
    fresh_index.apply(files=files, removed=())
    fresh = fresh_index.freeze()
    assert listing(snapshot) == listing(fresh)
    assert (snapshot.documents, snapshot.sections, snapshot.passages) == (
        fresh.documents,
        fresh.sections,
        fresh.passages,
    )
    assert snapshot.total_lengths == fresh.total_lengths
    keyword = keyword_answer(snapshot)
    assert keyword == keyword_answer(fresh)
    expected = bm25(files, TERMS, tokenize=words)
    assert keyword.keys() == expected.keys()
    for place, match in keyword.items():
        assert match.matched == expected[place].matched
        assert match.score == pytest.approx(expected[place].score, rel=1e-4)
    ranked = nearest(files, history.vectors, QUESTION)
    assert snapshot.embedded == len(ranked)
    unembedded = {each.text for each in history.index.unembedded()}
    assert unembedded == history.live_texts() - set(history.vectors)
    best: dict[Place, float] = {}
    for cosine, place, _ in ranked:
        best.setdefault(place, cosine)
    assert vector_answer(snapshot) == pytest.approx(best, abs=2e-3)
    assert {path: known[0] for path, known in history.index.known().items()} == {
        path: file.fingerprint for path, file in history.files.items()
    }


@pytest.fixture(params=[4, 1_000], ids=["graph", "exact and colliding"], scope="module")
def small_limits(request: pytest.FixtureRequest) -> Iterator[None]:
    """Limits at which a few vectors need a graph, and a few dead ones a successor in several steps.

    Where no graph is built, terms and headings share three hashes.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors_module, "EXACT_ROWS_MAX", request.param)
        if request.param == 1_000:
            patch.setattr(text_table, "text_hash", lambda piece: bytes([sum(piece) % 3, *bytes(7)]))
        patch.setattr(vectors_module, "DEAD_MIN", 0)
        patch.setattr(vectors_module, "COPY_ROWS", 3)
        yield


@pytest.mark.usefixtures("small_limits")
@given(history_of=changes)
@settings(max_examples=40, deadline=None)
def test_history_does_not_show(history_of: list[Change]) -> None:
    """S10, S19, F12, D14: whatever was added, replaced, removed and embedded, in whichever order."""
    live_through(history_of)


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("seed", range(3))
def test_long_history_does_not_show(seed: int) -> None:
    """The same over many changes, so that segments merge and successors take over."""
    choose = random.Random(seed)
    history_of: list[Change] = []
    for _ in range(40):
        files = {
            choose.choice(PATHS): [
                (choose.choice(HEADINGS), " ".join(choose.choices(TEXTS, k=choose.randint(0, 5))))
                for _ in range(choose.randint(0, 4))
            ]
            for _ in range(choose.randint(0, 3))
        }
        history_of += [
            Apply(files, choose.choices(PATHS, k=choose.randint(0, 2))),
            Embed(choose.randint(0, 9)),
            Tidy(choose.randint(1, 9)),
        ]
        history_of.append(Touch(choose.choice(PATHS), choose.randint(2, 99)))
        history_of.append(Rename(choose.choice(PATHS), choose.choice(PATHS)))
        if choose.random() < 0.2:
            history_of.append(Restart(choose.choice([None, choose.randint(0, 30)])))
    live_through(history_of)


def live_through(history_of: Sequence[Change]) -> None:
    """Check every state, and at the end that no snapshot taken on the way has changed."""
    history = History()
    kept: list[tuple[RootSnapshot, object]] = []
    for change in history_of:
        history.do(change)
        snapshot = history.index.freeze()
        check(history, snapshot)
        kept.append((snapshot, (listing(snapshot), keyword_answer(snapshot), vector_answer(snapshot))))
    for snapshot, answers in kept:
        assert (listing(snapshot), keyword_answer(snapshot), vector_answer(snapshot)) == answers
