"""Filters against a look at every document: by listing, by words, by vectors, after any history of an index.

Covers S11 (names are literal), S14 (NFC and NFD), S19 (equal files), and that filters apply inside the search
(S7): what is found is what an unfiltered search finds, less the documents that are filtered out.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mdmem_testkit.documents import indexed_file, words
from mdmem_testkit.fake_checkpoint_disk import FakeCheckpointDisk
from mdmem_testkit.fake_clock import FakeClock
from mdmem_testkit.fake_files import FakeFiles
from mdmem_testkit.index_states import DIMENSIONS, ENCODER, MAKING, embed_all, vectors_of
from mdmem_testkit.time_zones import time_zone
from mdmemd.errors import AmbiguousError, NotFoundError
from mdmemd.index import neighbours
from mdmemd.index.matches import WeightedTerm
from mdmemd.index.root_index import RootIndex
from mdmemd.index.scope import Scope
from mdmemd.index.snapshot import RootSnapshot
from mdmemd.model import Fingerprint, IndexedFile, Link
from mdmemd.search.filtering import FilterResolver
from mdmemd.search.listing import list_documents
from mdmemd.search.page import Filter
from mdmemd.store.checkpoint import commit
from mdmemd.store.checkpoint_load import load

ROOT = "notes"
DAY_NS = 86_400 * 1_000_000_000
NFC, NFD = (unicodedata.normalize(form, "Möten") for form in ("NFC", "NFD"))
PATHS = (
    *("a.md", "a_b.md", "a-b.md", "a%.md", "A.md", "a[1].md", "docs/a.md", "docs/b.md", "docs/sub/a.md"),
    *("docs2/a.md", "docs/sub/deep/c.md", f"{NFC}/a.md", f"{NFD}/b.md", "old/docs/b.md"),
)
PLACES = (
    *("docs", "docs/", "./docs", "docs/sub", "a_b.md", "a%.md", "a[1].md", NFC, f"{NFD}/", "Docs", "nowhere"),
    *(
        "*.md",
        "a?b.md",
        "docs/*",
        "docs/**",
        "**/b.md",
        "docs/**/a.md",
        "docs*/*.md",
        "[!a]*/**",
        "sub",
        "s*b",
    ),
)
TAGS = ("ops", "Ops/Deploy", "käse", "a b")
PROPERTIES: tuple[tuple[str, Any], ...] = (
    *(("status", "Done"), ("status", ["draft", "done"]), ("nested", {"n": 1, "Ok": True}), ("status", None)),
    *(("n", 2.5), ("list", [{"x": "y"}, "z"])),
)
ASKED_PROPERTIES = (
    "status=done",
    "STATUS",
    "nested.n=1",
    "nested.ok=true",
    "status=null",
    "n=2.5",
    "list.x=y",
)
ASKED_PROPERTIES += ("list=z", "list=q", "nested=1", "owner")
DATES = (None, "2026-03-01", "2026-02-28", "2025-12-31")

documents = st.fixed_dictionaries(
    {
        "text": st.sampled_from(("alpha", "alpha beta", "beta\ngamma", "gamma\nalpha\nalpha")),
        "tags": st.lists(st.sampled_from(TAGS), max_size=2),
        "properties": st.lists(st.sampled_from(PROPERTIES), max_size=3),
        "memory": st.booleans(),
        "date": st.sampled_from(DATES),
        "links": st.lists(st.sampled_from((*PATHS, "[[b]]", "[[A]]", "[[sub/a]]")), max_size=3),
        "modified_days": st.integers(20_510, 20_520),
    }
)


@dataclass(frozen=True)
class Apply:
    files: dict[str, dict[str, Any]]
    removed: list[str]


@dataclass(frozen=True)
class Touch:
    path: str
    modified_days: int


changes = st.lists(
    st.one_of(
        st.builds(
            Apply,
            st.dictionaries(st.sampled_from(PATHS), documents, min_size=2, max_size=8),
            st.lists(st.sampled_from(PATHS), max_size=2),
        ),
        st.builds(Touch, st.sampled_from(PATHS), st.integers(20_510, 20_520)),
    ),
    min_size=1,
    max_size=6,
)


def several(*texts: str, most: int = 2) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(texts), min_size=1, max_size=most).map(tuple)


conditions = {
    "groups": several("docs", NFD, ".", "old", "sub"),
    "paths": several(*PLACES),
    "tags": several("OPS", "ops/deploy", "Käse", "#a b", "dep", most=1),
    "properties": several(*ASKED_PROPERTIES),
    "since": st.sampled_from(("2026-03-01", "2026-02", "3d")),
    "before": st.sampled_from(("2026-03-05",)),
    "kind": st.sampled_from(("memory", "document")),
    "links_to": st.sampled_from(("docs/b.md", "A.md", "docs/sub/a.md")),
    "linked_from": st.sampled_from(("a.md", "docs/a.md")),
}
filters = st.sets(st.sampled_from(sorted(conditions)), max_size=3).flatmap(
    lambda names: st.fixed_dictionaries({name: conditions[name] for name in names}).map(
        lambda given: Filter(**given)
    )
)
NOW = float(20_518 * 86_400 + 43_200)  # noon of 2026-03-06, in UTC


def made(path: str, spec: dict[str, Any]) -> IndexedFile:
    properties: dict[str, Any] = dict(spec["properties"])
    if spec["memory"]:
        properties |= {"id": "m1", "namespace": "n", "version": 1}
    file = indexed_file(
        path,
        (("Page",), spec["text"]),
        tags=tuple(spec["tags"]),
        properties=properties or None,
        date=spec["date"],
        links=tuple(map(link, spec["links"])),
    )
    return replace(file, fingerprint=written(spec["modified_days"]))


def link(target: str) -> Link:
    if target.startswith("[["):
        return Link(target[2:-2], f"{target[2:-2]}.md", None, 1)
    return Link(f"/{target}", target, None, 1)


def written(days: int) -> Fingerprint:
    return Fingerprint(1, days * DAY_NS + DAY_NS // 2, 1, 1, 1)


@dataclass
class History:
    """An index and the files that it must agree with."""

    index: RootIndex = field(default_factory=lambda: RootIndex(dimensions=DIMENSIONS, tokenize=words))
    files: dict[str, IndexedFile] = field(default_factory=dict)

    def do(self, change: Apply | Touch) -> None:
        if isinstance(change, Apply):
            new = {path: made(path, spec) for path, spec in change.files.items()}
            self.index.apply(files=list(new.values()), removed=change.removed)
            self.files = {path: each for path, each in self.files.items() if path not in change.removed} | new
            embed_all(self.index)
        elif change.path in self.files:
            newer = written(change.modified_days)
            self.index.touch(change.path, newer)
            self.files[change.path] = replace(self.files[change.path], fingerprint=newer)

    def restart(self) -> None:
        disk = FakeCheckpointDisk()
        commit(disk, self.index.freeze(), making=MAKING, vectors_by=ENCODER)
        image = load(disk, wanted=MAKING).image
        assert image is not None
        self.index = RootIndex.restored(image, dimensions=DIMENSIONS, tokenize=words)


# --- the oracle: the meaning of a filter, said again, and a look at each document ---------------------------


def composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


class Oracle:
    """What a filter means for these files; ``KeyError`` where it names what there is not."""

    def __init__(self, files: dict[str, IndexedFile]) -> None:
        self.files = list(files.values())
        self.by_path = {composed(path): file for path, file in files.items()}

    def chosen(self, asked: Filter) -> set[str]:
        tests = [self._group(asked.groups)] if asked.groups else []
        tests += [self._tag(tag) for tag in asked.tags]
        tests += self._properties(asked.properties)
        tests += [self._paths(asked.paths)] if asked.paths else []
        if asked.links_to:
            target = self._document(asked.links_to)
            tests.append(lambda file: target in self._targets(file))
        if asked.linked_from:
            targets = self._targets(self.by_path[self._document(asked.linked_from)])
            tests.append(lambda file: composed(file.path) in targets)
        since = {"": None, "2026-02": "2026-02-01", "3d": "2026-03-03"}.get(asked.since, asked.since)
        if since:
            tests.append(lambda file: dated(file) >= since)
        if asked.before:
            tests.append(lambda file: dated(file) < asked.before)
        if asked.kind:
            tests.append(lambda file: is_memory(file) == (asked.kind == "memory"))
        return {file.path for file in self.files if all(test(file) for test in tests)}

    def _some(self, test: Any) -> Any:
        if not any(map(test, self.files)):
            raise KeyError
        return test

    def _group(self, groups: Sequence[str]) -> Any:
        tests = []
        for group in map(composed, groups):
            if group == ".":
                tests.append(lambda file: "/" not in file.path)
            else:
                tests.append(
                    self._some(lambda file, group=group: composed(file.path).startswith(f"{group}/"))
                )
        return lambda file: any(test(file) for test in tests)

    def _tag(self, tag: str) -> Any:
        wanted = tag.casefold().removeprefix("#")
        return self._some(
            lambda file: any(f"{each.casefold()}/".startswith(f"{wanted}/") for each in file.document.tags)
        )

    def _properties(self, asked: Sequence[str]) -> list[Any]:
        by_key: dict[str, list[Any]] = {}
        for text in asked:
            key, _, value = text.casefold().partition("=")

            def holds(file: IndexedFile, key: str = key, value: str = value) -> bool:
                values = [each for name, each in pairs("", file.document.properties or {}) if name == key]
                return value in values if value else bool(values)

            by_key.setdefault(key, []).append(self._some(holds))
        return [lambda file, tests=tests: any(test(file) for test in tests) for tests in by_key.values()]

    def _paths(self, texts: Sequence[str]) -> Any:
        tests = []
        for text in texts:
            wanted = [part for part in composed(text).split("/") if part not in {"", "."}]

            def below(file: IndexedFile, wanted: list[str] = wanted) -> bool:
                return composed(file.path).split("/")[: len(wanted)] == wanted

            def fits(file: IndexedFile, wanted: list[str] = wanted) -> bool:
                parts = composed(file.path).split("/")
                return any(
                    fits_names(wanted if len(wanted) > 1 else ["**", *wanted], parts[:end])
                    for end in range(1, len(parts) + 1)
                )

            is_literal = any(map(below, self.files))
            tests.append(below if is_literal else self._some(fits if set(text) & set("*?[") else below))
        return lambda file: any(test(file) for test in tests)

    def _document(self, path: str) -> str:
        if path in self.by_path:
            return path
        fitting = [each for each in self.by_path if each.endswith(f"/{path}")]
        if len(fitting) != 1:
            raise KeyError
        return fitting[0]

    def _targets(self, file: IndexedFile) -> set[str]:
        targets = set()
        for each in file.document.links:
            path = composed(each.path or "")
            if path not in self.by_path and not each.target.startswith("/"):
                fitting = [
                    known for known in self.by_path if f"/{known}".lower().endswith(f"/{path}".lower())
                ]
                path = min(fitting, key=lambda known: (known.count("/"), len(known), known), default="")
            if path in self.by_path:
                targets.add(path)
        return targets - {composed(file.path)}


def fits_names(glob: list[str], parts: list[str]) -> bool:
    """Glob semantics by trying everything; a last ``**`` stands for at least one name."""
    if not glob:
        return not parts
    if glob[0] == "**":
        if len(glob) == 1:
            return bool(parts)
        return any(fits_names(glob[1:], parts[start:]) for start in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], glob[0]) and fits_names(glob[1:], parts[1:])


def pairs(key: str, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        inner = [(f"{key}.{name}".strip(".").casefold(), each) for name, each in value.items()]
        return [pair for name, each in inner for pair in pairs(name, each)]
    if isinstance(value, list):
        return [pair for each in value for pair in pairs(key, each)]
    return [(key, "null" if value is None else str(value).casefold())]


def dated(file: IndexedFile) -> str:
    days = file.fingerprint.mtime_ns // DAY_NS
    return file.document.date or date.fromordinal(date(1970, 1, 1).toordinal() + days).isoformat()


def is_memory(file: IndexedFile) -> bool:
    return {"id", "namespace", "version"} <= (file.document.properties or {}).keys()


# --- the tests ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", autouse=True)
def _utc() -> Iterator[None]:
    with time_zone("UTC"):
        yield


def resolver() -> FilterResolver:
    return FilterResolver(files=FakeFiles(), clock=FakeClock(now=NOW))


def hits(scope: Scope) -> tuple[dict[str, float], list[tuple[str, float]]]:
    """Documents with their scores by words, and by vectors, best first."""
    found = scope.keyword([WeightedTerm("alpha"), WeightedTerm("gamma", 0.5)])
    question = vectors_of(["question"])[0]
    near = scope.nearest(question, passages=1_000)
    by_words = {
        scope.section(ref).document.path: float(score)
        for ref, score in zip(found.refs, found.scores, strict=True)
    }
    by_vectors = [
        (scope.section(ref).document.path, round(float(cosine), 4))
        for ref, cosine in zip(near.refs, near.cosines, strict=True)
    ]
    return by_words, by_vectors


def check(snapshot: RootSnapshot, asked: Filter, expected: set[str]) -> None:
    roots = {ROOT: snapshot}
    found = resolver().resolve(asked, roots=roots, folders={ROOT: "/notes"})
    assert {row.path for row in list_documents(roots, filters=found)} == expected
    whole, scope = Scope([(ROOT, snapshot)]), Scope([(ROOT, snapshot)], filters=found)
    assert scope.filtered_sections == (len(expected) if found else None)  # one section each
    all_by_words, all_by_vectors = hits(whole)
    by_words, by_vectors = hits(scope)
    assert by_words == {path: score for path, score in all_by_words.items() if path in expected}
    assert by_vectors == [hit for hit in all_by_vectors if hit[0] in expected]
    nearest = scope.nearest(vectors_of(["question"])[0], passages=1)
    assert np.allclose(nearest.cosines, [cosine for _, cosine in by_vectors[:1]], atol=1e-3)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=changes, asked=st.lists(filters, min_size=1, max_size=4), restarts=st.booleans())
@pytest.mark.parametrize("gathered_max", [0, neighbours.GATHERED_MAX])
def test_a_filter_finds_what_a_look_at_every_document_finds(
    gathered_max: int, steps: list[Apply | Touch], asked: list[Filter], restarts: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "GATHERED_MAX", gathered_max)
        history = History()
        for step in steps:
            history.do(step)
        if restarts:
            history.restart()
        snapshot = history.index.freeze()
        for each in [*asked, *asked]:  # the second time they are remembered
            try:
                expected = Oracle(history.files).chosen(each)
            except KeyError:
                with pytest.raises((NotFoundError, AmbiguousError)):
                    resolver().resolve(each, roots={ROOT: snapshot}, folders={ROOT: "/notes"})
            else:
                check(snapshot, each, expected)
