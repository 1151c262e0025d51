"""Files as they would be indexed, without a trace in the index."""

from __future__ import annotations

import errno

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine.root_options import RootOptions
from mdmemd.engine.root_reading import INLINE_BYTES_MAX
from mdmemd.errors import InvalidRequestError, NotFoundError, OperatorError, RefusedError
from mdmemd.model import ChunkMode
from mdmemd.sync.scope import FILE_BYTES_MAX


def test_any_file_of_any_place_is_shown_and_not_indexed(world: EngineWorld) -> None:
    world.files.write("/else/a.txt", "---\ntags: [x]\n---\n# A\n\nSee [b](sub/b.md#C).\n")
    document = world.engine.service.preview("/else/a.txt")
    assert document.properties == {"tags": ["x"]}
    assert [section.heading_path for section in document.sections] == [("A",)]
    assert [(link.path, link.heading) for link in document.links] == [("sub/b.md", "C")]
    world.settle()
    assert dict(world.engine.state.current.roots) == {}
    assert world.encoder.calls == []


def test_in_a_root_links_start_at_its_place_there(world: EngineWorld) -> None:
    world.files.write("/docs/guides/a.md", "# A\n\nSee [b](../b.md) and [c](../../c.md).\n")
    world.files.link("/shortcut", "/docs")
    world.add("/docs")
    for path in ("/docs/guides/a.md", "/docs/./guides/a.md", "/shortcut/guides/a.md"):
        assert [link.path for link in world.engine.service.preview(path).links] == ["b.md", None]


def test_the_inner_root_counts(world: EngineWorld) -> None:
    world.files.write("/docs/inner/a.md", "See [b](b.md).\n")
    world.add("/docs")
    world.add("/docs/inner")
    assert world.engine.service.preview("/docs/inner/a.md").links[0].path == "b.md"


def test_the_mode_is_that_of_the_root_unless_another_is_given(world: EngineWorld) -> None:
    text = "# A\n\nx\n\n## B\n\ny\n"
    world.files.write("/docs/a.md", text)
    world.files.write("/else/a.md", text)
    world.engine.service.add_root("/docs", options=RootOptions(chunk_mode=ChunkMode.WINDOW))
    preview = world.engine.service.preview
    assert len(preview("/docs/a.md").sections) == 1
    assert len(preview("/docs/a.md", chunk_mode=ChunkMode.HEADER).sections) == 2
    assert len(preview("/else/a.md").sections) == 2
    assert len(preview("/else/a.md", chunk_mode=ChunkMode.WINDOW).sections) == 1


def test_a_large_file_gets_a_parser_of_its_own_that_ends_with_the_call(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "# A\n" + "x\n" * INLINE_BYTES_MAX)
    assert world.engine.service.preview("/docs/a.md").title == "A"
    assert (world.parser.parsed, world.parser.closed) == (["a.md"], 1)


def test_where_nothing_can_be_parsed_it_says_so(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "x" * (INLINE_BYTES_MAX + 1))
    world.parser.fails_with = errno.EAGAIN
    with pytest.raises(OperatorError, match="cannot be parsed"):
        world.engine.service.preview("/docs/a.md")
    assert world.parser.closed == 1


@pytest.mark.parametrize(
    ("path", "error", "sentence"),
    [
        ("a.md", InvalidRequestError, "no absolute path"),
        ("/docs/a\0.md", InvalidRequestError, "no absolute path"),
        ("/docs/missing.md", NotFoundError, "There is no file"),
        ("/docs", RefusedError, "is a folder"),
        ("/docs/pipe", RefusedError, "cannot be read"),
        ("/docs/large.md", RefusedError, "larger than the 10 MiB"),
        ("/docs/closed.md", RefusedError, "cannot be read"),
    ],
)
def test_what_cannot_be_shown_is_one_sentence(
    world: EngineWorld, path: str, error: type[Exception], sentence: str
) -> None:
    world.files.make_fifo("/docs/pipe")
    world.files.write("/docs/large.md", b"x" * (FILE_BYTES_MAX + 1))
    world.files.write("/docs/closed.md", "# A\n")
    world.files.fail("/docs/closed.md", errno.EACCES)
    with pytest.raises(error, match=sentence):
        world.engine.service.preview(path)
