"""An index as one file: the same comes back, and nothing else is ever taken for one."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mdmem_testkit.documents import indexed_file
from mdmem_testkit.fake_archives import FakeSource
from mdmem_testkit.index_states import DIMENSIONS, ENCODER, MAKING, first_difference, sight, small_index
from mdmemd.index.image import RootImage
from mdmemd.index.root_index import RootIndex
from mdmemd.index.segment import Segment
from mdmemd.model import Fingerprint
from mdmemd.store.archive import ARCHIVE_KEY, ArchiveFacts, encode_archive, read_archive, read_facts
from mdmemd.store.columns import ColumnWriter
from mdmemd.store.piece import HEADER_BYTES, NewerFormatError, PieceError, PieceKind, read_header, seal
from mdmemd.store.segment_check import check_segment
from mdmemd.store.segment_codec import decode_segment, encode_segment


def facts_of(index: RootIndex) -> ArchiveFacts:
    snapshot = index.freeze()
    return ArchiveFacts(
        name="notes",
        chunk_mode=MAKING.chunk_mode,
        feature=MAKING.feature,
        text=MAKING.text,
        tokenizer=MAKING.tokenizer,
        model=MAKING.model,
        dimensions=MAKING.dimensions,
        vectors_by=ENCODER,
        documents=snapshot.documents,
        passages=snapshot.passages,
        embedded=snapshot.embedded,
        segments=0,
        vectors=0,
    )


def archive_of(index: RootIndex) -> bytes:
    return b"".join(encode_archive(index.freeze(), facts_of(index)))


def read(content: bytes, *, use_vectors: bool = True) -> RootImage:
    return read_archive(FakeSource(content), use_vectors=use_vectors).image


def pieces_of(content: bytes) -> list[tuple[PieceKind, bytes]]:
    """The pieces of an archive: kinds and bodies."""
    found = []
    while content:
        kind = PieceKind(content[8:12])
        length = read_header(content, kind)
        found.append((kind, content[HEADER_BYTES : HEADER_BYTES + length]))
        content = content[HEADER_BYTES + length + 16 :]
    return found


def joined(pieces: list[tuple[PieceKind, bytes]]) -> bytes:
    """An archive of these bodies, its checksums right: what somebody with ill intent would write."""
    content, checksums = b"", []
    for kind, body in pieces:
        if kind is PieceKind.ARCHIVE_END and body == b"?":
            body = json.dumps(checksums).encode()
        sealed = seal(kind, [body], root=ARCHIVE_KEY)
        checksums.append(sealed.checksum.hex())
        content += b"".join(sealed.parts)
    return content


def forged(index: RootIndex, change: Callable[[list[tuple[PieceKind, bytes]]], None]) -> bytes:
    """An archive with changed bodies that fits together again."""
    pieces = pieces_of(archive_of(index))
    pieces[-1] = (PieceKind.ARCHIVE_END, b"?")
    change(pieces)
    return joined(pieces)


def without_fingerprints(value: Any) -> Any:
    """A sight without what differs between machines."""
    if isinstance(value, Fingerprint):
        return None
    if isinstance(value, (tuple, list)):
        return tuple(without_fingerprints(each) for each in value)
    return value


@pytest.fixture(scope="module")
def index() -> RootIndex:
    return small_index()


def test_what_was_exported_comes_back(index: RootIndex) -> None:
    image = read(archive_of(index))
    snapshot = RootIndex.restored(image, dimensions=DIMENSIONS).freeze()
    expected = without_fingerprints(sight(index.freeze()))
    assert first_difference(without_fingerprints(sight(snapshot)), expected) is None
    assert {each.fingerprint.size for each in snapshot.iter_documents()} == {-1}


def test_without_vectors_the_words_come_back(index: RootIndex) -> None:
    snapshot = RootIndex.restored(read(archive_of(index), use_vectors=False), dimensions=DIMENSIONS).freeze()
    assert (snapshot.documents, snapshot.embedded) == (index.freeze().documents, 0)


def test_the_facts_can_be_read_alone(index: RootIndex) -> None:
    facts, _ = read_facts(FakeSource(archive_of(index)))
    assert (facts.name, facts.documents, facts.vectors_by) == ("notes", index.freeze().documents, ENCODER)


def test_an_empty_index_travels_too() -> None:
    image = read(archive_of(RootIndex(dimensions=DIMENSIONS)))
    assert RootIndex.restored(image, dimensions=DIMENSIONS).freeze().documents == 0


def test_nothing_deleted_travels() -> None:
    index = RootIndex(dimensions=DIMENSIONS)
    index.apply(
        files=[
            indexed_file(f"{number}.md", (("T",), f"word{number}"), properties={"k": f"word{number}"})
            for number in range(9)
        ],
        removed=(),
    )
    index.apply(files=(), removed=["3.md"])
    content = archive_of(index)
    assert b"word4" in content
    assert b"word3" not in content
    assert b"3.md" not in content


def test_no_absolute_path_is_in_it(index: RootIndex) -> None:
    assert MAKING.root.encode() not in archive_of(index).replace(b'"name": "notes"', b"")


def test_each_flipped_byte_is_noticed(index: RootIndex) -> None:
    """T10, F7: all of a small archive's header, and samples of the rest."""
    content = archive_of(index)
    choose = random.Random(1)
    places = {*range(400), *range(len(content) - 200, len(content)), *choose.sample(range(len(content)), 300)}
    for place in places:
        damaged = bytearray(content)
        damaged[place] ^= 1 << choose.randrange(8)
        with pytest.raises((PieceError, NewerFormatError)):
            read(bytes(damaged))


def test_each_length_but_the_right_one_is_noticed(index: RootIndex) -> None:
    content = archive_of(index)
    for length in {*range(300), *range(300, len(content), 97), *range(len(content) - 60, len(content))}:
        with pytest.raises(PieceError):
            read(content[:length])
    with pytest.raises(PieceError):
        read(content + b"\0")


def test_pieces_left_out_doubled_or_in_another_order_are_noticed(index: RootIndex) -> None:
    """T4."""
    pieces = pieces_of(archive_of(index))
    changed = [pieces[:at] + pieces[at + 1 :] for at in range(len(pieces))]
    changed += [[*pieces[: at + 1], *pieces[at:]] for at in range(len(pieces))]
    changed += [[pieces[0], pieces[2], pieces[1], *pieces[3:]]]
    for each in changed:
        with pytest.raises(PieceError):
            read(joined(each))


def test_pieces_of_two_archives_do_not_mix(index: RootIndex) -> None:
    other = small_index()
    mine, others = pieces_of(archive_of(index)), pieces_of(archive_of(other))
    at = next(number for number, (kind, _) in enumerate(mine) if kind is PieceKind.SEGMENT)
    with pytest.raises(PieceError):
        read(joined([*mine[:at], others[at], *mine[at + 1 :]]))


def test_a_size_that_is_a_lie_costs_no_memory(index: RootIndex) -> None:
    """X12: no more is asked for than the file holds."""
    content = bytearray(archive_of(index))
    content[32:40] = (1 << 62).to_bytes(8, "little")
    source = FakeSource(bytes(content))
    with pytest.raises(PieceError):
        read_archive(source, use_vectors=True)
    assert source.largest_read <= len(content)


@pytest.mark.parametrize(
    "change",
    [
        {"documents": 10**9},
        {"passages": 0},
        {"segments": 10**6},
        {"segments": -1},
        {"vectors": "2"},
        {"dimensions": 5},
        {"name": ["x"]},
        {"chunk_mode": "other"},
        {"unknown": 1},
    ],
    ids=str,
)
def test_facts_that_do_not_fit_are_refused(index: RootIndex, change: dict[str, object]) -> None:
    def alter(pieces: list[tuple[PieceKind, bytes]]) -> None:
        pieces[0] = (pieces[0][0], json.dumps(json.loads(pieces[0][1]) | change).encode())

    with pytest.raises(PieceError):
        read(forged(index, alter))


def test_deeply_nested_facts_are_refused(index: RootIndex) -> None:
    def alter(pieces: list[tuple[PieceKind, bytes]]) -> None:
        pieces[0] = (pieces[0][0], b"[" * 100_000)

    with pytest.raises(PieceError):
        read(forged(index, alter))


def with_segment(index: RootIndex, change: Callable[[Segment], Segment]) -> bytes:
    """An archive whose first segment was changed, and that fits together."""

    def alter(pieces: list[tuple[PieceKind, bytes]]) -> None:
        segment = change(decode_segment(memoryview(pieces[1][1])))
        pieces[1] = (PieceKind.SEGMENT, b"".join(bytes(part) for part in encode_segment(segment)))

    return forged(index, alter)


@pytest.mark.parametrize(
    "path",
    ["../out.md", "/etc/out.md", "a/../../out.md", "a//b.md", "./a.md", "a\0.md", "out.txt", ""],
)
def test_paths_outside_the_root_are_refused(path: str) -> None:
    """X4."""
    index = RootIndex(dimensions=DIMENSIONS)
    index.apply(files=[indexed_file(path, (("T",), "word"))], removed=())
    with pytest.raises(PieceError, match="no path of a document"):
        read(archive_of(index))


@pytest.mark.parametrize(
    "change",
    [
        lambda s: replace(s, section_starts=s.section_starts[::-1].copy()),
        lambda s: replace(s, section_starts=s.section_starts + 1),
        lambda s: replace(s, postings=replace(s.postings, sections=s.postings.sections + 10_000)),
        lambda s: replace(s, postings=replace(s.postings, sections=s.postings.sections - 10_000)),
        lambda s: replace(s, passages=replace(s.passages, kinds=s.passages.kinds + np.uint8(200))),
        lambda s: replace(s, passages=replace(s.passages, keys=s.passages.keys - 100)),
        lambda s: replace(s, passages=replace(s.passages, keys=s.passages.keys + 2**30)),
        lambda s: replace(s, passages=replace(s.passages, numbers=-s.passages.numbers)),
        lambda s: replace(
            s, sections=replace(s.sections, passage_starts=s.sections.passage_starts[::-1].copy())
        ),
    ],
)
def test_numbers_out_of_range_are_refused(index: RootIndex, change: Callable[[Segment], Segment]) -> None:
    """A query would look outside its columns."""
    with pytest.raises(PieceError):
        read(with_segment(index, change))


def test_every_segment_that_is_written_passes() -> None:
    for view in small_index().freeze().segments:
        check_segment(view.segment)


@pytest.mark.parametrize("rows", ["nan", "long", "twice", "far"])
def test_vectors_that_cannot_be_are_refused(index: RootIndex, rows: str) -> None:
    """F11."""

    def alter(pieces: list[tuple[PieceKind, bytes]]) -> None:
        at = next(number for number, (kind, _) in enumerate(pieces) if kind is PieceKind.VECTORS)
        vectors = np.zeros((2, DIMENSIONS), np.float16)
        vectors[:, 0] = {"nan": np.nan, "long": 2}.get(rows, 1)
        writer = ColumnWriter()
        writer.array("<i4", np.array({"twice": [1, 1], "far": [0, 2**31 - 1]}.get(rows, [0, 1])))
        writer.array("<f2", vectors)
        pieces[at] = (PieceKind.VECTORS, b"".join(bytes(part) for part in writer.parts))

    with pytest.raises(PieceError, match="vector"):
        read(forged(index, alter))


def test_a_newer_format_is_told_apart(index: RootIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """T14."""
    monkeypatch.setattr("mdmemd.store.piece.FORMAT", 99)
    content = archive_of(index)
    monkeypatch.undo()
    with pytest.raises(NewerFormatError):
        read_facts(FakeSource(content))
