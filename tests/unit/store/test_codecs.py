"""Pieces, columns and the codecs on top of them; runs of vectors; names."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem_testkit.index_states import MAKING, small_index
from mdmemd.index.live_segment import LiveSegment
from mdmemd.index.merge import merge_segments
from mdmemd.index.text_arena import TextArena
from mdmemd.index.text_table import TextTable
from mdmemd.model import ChunkMode, Fingerprint
from mdmemd.store import layout
from mdmemd.store.columns import ColumnReader, ColumnWriter
from mdmemd.store.manifest import Use, decide
from mdmemd.store.piece import FORMAT, HEADER_BYTES, NewerFormatError, PieceError, PieceKind, seal, unseal
from mdmemd.store.segment_codec import decode_segment, encode_segment, fingerprint_rows, fingerprints_of
from mdmemd.store.vectors_codec import RUN_ROWS_MAX, plan_runs

ROOT = layout.root_key("/notes")


def body_of(parts: list[bytes | memoryview]) -> memoryview:
    return memoryview(b"".join(parts))


# --- pieces -------------------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=20), max_size=4))
def test_a_piece_is_opened_as_it_was_sealed(parts: list[bytes]) -> None:
    piece = seal(PieceKind.SEGMENT, parts, root=ROOT)
    content = b"".join(piece.parts)
    assert len(content) == piece.size_bytes
    assert bytes(unseal(PieceKind.SEGMENT, content, root=ROOT)) == b"".join(parts)


def test_every_flip_and_every_cut_of_a_piece_is_noticed() -> None:
    content = b"".join(seal(PieceKind.CHANGES, [b"some body"], root=ROOT).parts)
    for place in range(len(content)):
        for bit in range(8):
            flipped = bytearray(content)
            flipped[place] ^= 1 << bit
            with pytest.raises(PieceError):
                unseal(PieceKind.CHANGES, bytes(flipped), root=ROOT)
        with pytest.raises(PieceError):
            unseal(PieceKind.CHANGES, content[:place], root=ROOT)
    with pytest.raises(PieceError):
        unseal(PieceKind.CHANGES, content + b"\0", root=ROOT)


def test_a_whole_piece_of_elsewhere_is_not_opened() -> None:
    content = b"".join(seal(PieceKind.CHANGES, [b"body"], root=ROOT).parts)
    with pytest.raises(PieceError, match="elsewhere"):
        unseal(PieceKind.SEGMENT, content, root=ROOT)
    with pytest.raises(PieceError, match="elsewhere"):
        unseal(PieceKind.CHANGES, content, root=layout.root_key("/other"))


@pytest.mark.parametrize(("number", "error"), [(FORMAT + 1, NewerFormatError), (FORMAT - 1, PieceError)])
def test_other_formats_are_told_apart(
    number: int, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """T14."""
    monkeypatch.setattr("mdmemd.store.piece.FORMAT", number)
    content = b"".join(seal(PieceKind.MANIFEST, [b"{}"], root=ROOT).parts)
    monkeypatch.undo()
    assert struct.unpack_from("<I", content, 12) == (number,)
    with pytest.raises(error):
        unseal(PieceKind.MANIFEST, content, root=ROOT)


# --- columns ------------------------------------------------------------------------------------------------


@given(st.lists(st.text(st.characters(codec=None), max_size=8), max_size=8))
def test_any_texts_come_back(texts: list[str]) -> None:
    writer = ColumnWriter()
    writer.texts(texts)
    writer.arena(TextArena.of(texts))
    table, numbers = TextTable.of(dict.fromkeys(texts))
    writer.table(table)
    reader = ColumnReader(body_of(writer.parts))
    assert reader.texts() == texts
    assert list(reader.arena()) == texts
    again = reader.table()
    assert [again.find(text) for text in dict.fromkeys(texts)] == numbers.tolist()
    reader.end()


@pytest.mark.parametrize("lengths", [[2], [2, 2], [4, -1]])
def test_texts_that_do_not_fit_their_lengths_are_refused(lengths: list[int]) -> None:
    writer = ColumnWriter()
    writer.array("<i4", np.array(lengths))
    writer.array("|u1", np.zeros(3, np.uint8))
    with pytest.raises(PieceError, match="lengths"):
        ColumnReader(body_of(writer.parts)).arena()


@pytest.mark.parametrize(
    ("dtype", "array"),
    [
        ("<i4", np.arange(5)),
        ("<i8", np.zeros((0, 3))),
        ("<u8", np.array([2**64 - 1], np.uint64)),
        ("|u1", np.arange(12).reshape(3, 4).T),
        ("<f2", np.ones((2, 3))),
    ],
)
def test_arrays_come_back(dtype: str, array: np.ndarray) -> None:  # type: ignore[type-arg]
    writer = ColumnWriter()
    writer.array(dtype, array)
    writer.array("|u1", np.array([7]))
    body = body_of(writer.parts)
    assert len(body) % 8 == 0
    reader = ColumnReader(body)
    assert np.array_equal(reader.array(dtype, *array.shape), array.astype(dtype))
    assert reader.array("|u1", -1).tolist() == [7]
    reader.end()


def test_columns_that_are_not_as_expected_are_refused() -> None:
    writer = ColumnWriter()
    writer.array("<i4", np.arange(6).reshape(2, 3))
    body = body_of(writer.parts)
    for dtype, shape in (("<i8", (2, 3)), ("<i4", (6,)), ("<i4", (2, 4)), ("<i4", (-1,))):
        with pytest.raises(PieceError):
            ColumnReader(body).array(dtype, *shape)
    for end in range(len(body)):
        with pytest.raises(PieceError):
            ColumnReader(body[:end]).array("<i4", 2, 3)
    with pytest.raises(PieceError):
        ColumnReader(body).end()


# --- segments -----------------------------------------------------------------------------------------------


def test_a_segment_comes_back_column_by_column() -> None:
    views = small_index().freeze().segments
    merged = merge_segments([LiveSegment.restored(view).merge_input() for view in views])
    for segment in (*(view.segment for view in views), merged):
        again = decode_segment(body_of(encode_segment(segment)))
        assert again.identity == segment.identity
        assert again.documents.paths == segment.documents.paths
        assert again.documents.content_hashes == segment.documents.content_hashes
        assert again.documents.fingerprints == segment.documents.fingerprints
        for name in ("titles", "front_matter", "links", "problems"):
            assert list(getattr(again.documents, name)) == list(getattr(segment.documents, name))
        assert list(again.sections.headings.texts) == list(segment.sections.headings.texts)
        assert list(again.sections.anchors) == list(segment.sections.anchors)
        assert list(again.postings.vocabulary.texts) == list(segment.postings.vocabulary.texts)
        pairs = [
            (again.section_starts, segment.section_starts),
            (again.sections.headings.hashes, segment.sections.headings.hashes),
            (again.sections.heading_numbers, segment.sections.heading_numbers),
            (again.sections.heading_starts, segment.sections.heading_starts),
            (again.postings.vocabulary.hashes, segment.postings.vocabulary.hashes),
            (again.sections.numbers, segment.sections.numbers),
            (again.sections.lengths, segment.sections.lengths),
            (again.sections.passage_starts, segment.sections.passage_starts),
            (again.passages.numbers, segment.passages.numbers),
            (again.passages.kinds, segment.passages.kinds),
            (again.passages.keys, segment.passages.keys),
            (again.passages.content_ids, segment.passages.content_ids),
            (again.postings.starts, segment.postings.starts),
            (again.postings.sections, segment.postings.sections),
            *zip(again.postings.frequencies, segment.postings.frequencies, strict=True),
        ]
        assert again.attributes.paths == segment.attributes.paths
        for name in ("by_path", "days", "modified_ns", "kinds"):
            pairs.append((getattr(again.attributes, name), getattr(segment.attributes, name)))
        for name in ("tags", "properties", "links", "notes", "names"):
            left_map, right_map = getattr(again.attributes, name), getattr(segment.attributes, name)
            assert left_map.texts == right_map.texts
            pairs += [(left_map.starts, right_map.starts), (left_map.documents, right_map.documents)]
        for left, right in pairs:
            assert left.dtype == right.dtype
            assert np.array_equal(left, right)


@given(st.tuples(*[st.integers(-(2**63), 2**63 - 1)] * 2), st.tuples(*[st.integers(0, 2**64 - 1)] * 3))
def test_fingerprints_come_back(times: tuple[int, int], numbers: tuple[int, int, int]) -> None:
    size, inode, device = numbers
    made = Fingerprint(size, *times, inode, device)
    assert fingerprints_of(fingerprint_rows([made])) == [made]


# --- runs of vectors ----------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 50_000), max_size=30))
def test_runs_cover_all_rows_and_few_are_written_again(added: list[int]) -> None:
    """T11."""
    runs: list[range] = []
    count = written = 0
    for rows in added:
        count += rows
        planned = plan_runs(runs, count)
        written += sum(len(run) for run in planned if run not in runs)
        runs = planned
        edges = [0, *(run.stop for run in runs)]
        assert [run.start for run in runs] == edges[:-1]
        assert edges[-1] == count
        assert all(0 < len(run) <= RUN_ROWS_MAX for run in runs)
    assert written <= 17 * count  # each row once for every doubling of its run
    assert len(runs) <= 17 + 2 * count / RUN_ROWS_MAX


# --- what can be used ---------------------------------------------------------------------------------------


def test_what_of_a_generation_can_be_used() -> None:
    table = [
        ({}, Use.ALL),
        ({"root": "/other"}, Use.NOTHING),
        ({"chunk_mode": ChunkMode.WINDOW}, Use.NOTHING),
        ({"feature": 99}, Use.NOTHING),
        ({"text": 99}, Use.NOTHING),
        ({"tokenizer": 99}, Use.NOTHING),
        ({"model": "other"}, Use.WORDS),
        ({"dimensions": 5}, Use.WORDS),
        ({"dimensions": 5, "text": 99}, Use.NOTHING),
    ]
    for change, use in table:
        decision = decide(replace(MAKING, **change), MAKING)  # type: ignore[arg-type]
        assert decision.use is use
        assert bool(decision.reason) == (use is not Use.ALL)


# --- names --------------------------------------------------------------------------------------------------


def test_only_our_own_files_are_ever_obsolete() -> None:
    ours = [
        layout.manifest_name(3),
        layout.changes_name(123456789),
        layout.segment_name(bytes(8)),
        layout.vectors_name(bytes(8), 0, 12),
        ".segment-0000000000000000.tmp",
    ]
    others = ["CURRENT", "notes.md", "segment-xyz", "manifest-1", "manifest-00000001.old", "vectors-1-2-3"]
    assert layout.obsolete([*ours, *others], kept=set()) == ours
    assert layout.obsolete(ours, kept={ours[0]}) == ours[1:]
    assert layout.generation_of(ours[0]) == 3
    assert layout.generation_of(ours[1]) == 123456789
    assert layout.generation_of(ours[2]) is None


def test_current_is_one_exact_line() -> None:
    assert layout.current_manifest(layout.current_content(layout.manifest_name(7))) == "manifest-00000007"
    name = b"manifest-00000007"
    for content in (b"", b"\n", name, name + b"\n\n", b"changes-00000007\n", b"\xff\n"):
        assert layout.current_manifest(content) is None


def test_the_header_has_the_size_that_the_page_says() -> None:
    assert HEADER_BYTES == 40
