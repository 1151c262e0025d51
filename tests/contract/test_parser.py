"""What every parser promises, over the fake and the child process."""

from __future__ import annotations

import errno
from collections.abc import Iterator

import pytest

from mdmem_testkit.fake_parser import FakeParser
from mdmemd.adapters.parse_process.process import ParseProcess
from mdmemd.index.term_columns import document_terms
from mdmemd.model import ChunkMode
from mdmemd.ports import Parser
from mdmemd.text.document import parse_document
from mdmemd.text.tokens import terms

pytestmark = pytest.mark.e2e

DOCUMENTS = {
    "nothing": b"",
    "plain": "# Título\n\nA [link](b.md#c), ![image](i.png) and `code`. 🐍\n\n- one\n- two\n".encode(),
    "properties": b"---\nn: 99999999999999999999\nf: .inf\nd: 2024-05-06\nl: [a, {b: null}]\n---\n# A\n",
    "surrogates": b'{"title": "a\\ud83d", "tags": ["\\ud83d"]}\n\n# A\n',
    "bytes": b"\xff\xfe\x00\xd8a\x00",
    "many": b"".join(b"# H%d\n\nterm%d [x](%d.md)\n\n" % (n, n, n) for n in range(5000)),
    "one line": b"word " * 50_000,
}


@pytest.fixture(params=[FakeParser, ParseProcess], ids=["fake", "process"], scope="module")
def parser(request: pytest.FixtureRequest) -> Iterator[Parser]:
    made: Parser = request.param()
    yield made
    made.close()


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("mode", ChunkMode)
def test_it_gives_what_the_text_package_finds_and_the_terms_of_that(
    parser: Parser, name: str, mode: ChunkMode
) -> None:
    data = DOCUMENTS[name]
    parsed = parser.parse(data, path="folder/a.md", chunk_mode=mode)
    document = parse_document(data, path="folder/a.md", chunk_mode=mode)
    assert parsed.document == document
    assert parsed.terms == document_terms(document, path="folder/a.md", tokenize=terms)


@pytest.mark.parametrize("make", [FakeParser, ParseProcess], ids=["fake", "process"])
def test_after_close_it_parses_no_more(make: type[Parser]) -> None:
    parser = make()
    parser.parse(b"# A\n", path="a.md", chunk_mode=ChunkMode.AUTO)
    parser.close()
    parser.close()
    with pytest.raises(OSError) as caught:
        parser.parse(b"# A\n", path="a.md", chunk_mode=ChunkMode.AUTO)
    assert caught.value.errno == errno.ECANCELED
