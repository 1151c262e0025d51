"""What holds for every document: nothing is lost, nothing raises, line ends do not matter."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mdmem_testkit.document_invariants import check_document, may_have_windows
from mdmemd.model import ChunkMode, ParsedDocument, Problem
from mdmemd.text.cuts import LINE_CUTS, PROSE_CUTS, pieces
from mdmemd.text.document import parse_document, parse_plain
from mdmemd.text.limits import ParseLimits
from mdmemd.text.source import SourceText

_WORDS = (
    "alpha",
    "beta.",
    "*em*",
    "`code`",
    "[l](b.md)",
    "[[n]]",
    "#tag",
    "漢字。",
    "👨‍👩‍👧",
    "<b>",
    "&amp;",
    "|",
)
_PROSE = st.lists(st.sampled_from(_WORDS), max_size=12).map(" ".join)
_CONTAINERS = ("", "", "- ", "  - ", "1. ", "> ", "    ", "\t", "    - ", "> - ")
_MARKERS = ("", "# ", "## ", "###### ", "| ", "!!! note ", "::: tip ", "[r]: ", "```js ")
_LONE_LINES = """
---
===
***
```
   ```
~~~
````md
|a|b|
|-|-|
<div>
</div>
<!--
-->
<pre>
$$
%%
+++
...
{
}
#
title: x
{{< highlight x >}}
{{< /highlight >}}
""".splitlines()
_STARTED = st.tuples(st.sampled_from(_CONTAINERS), st.sampled_from(_MARKERS), _PROSE).map("".join)
_LINE = st.one_of(st.sampled_from([*_LONE_LINES, "\x0c", "\u2028"]), _STARTED)
_DOCUMENT = st.lists(_LINE, max_size=40).map("\n".join)
_LIMITS = st.builds(
    ParseLimits,
    section_tokens_max=st.sampled_from([3, 12, 40, 800]),
    passage_characters_max=st.sampled_from([7, 40, 600]),
    window_lines=st.sampled_from([3, 8, 80]),
    window_overlap_lines=st.sampled_from([0, 2]),
    window_tokens_max=st.sampled_from([5, 60, 2_400]),
    runt_lines=st.sampled_from([1, 5]),
)
_MODES = st.sampled_from(list(ChunkMode))
_quick = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _parse(data: bytes, mode: ChunkMode, limits: ParseLimits, path: str = "a/b.md") -> ParsedDocument:
    document = parse_document(data, path=path, chunk_mode=mode, limits=limits)
    has_windows = mode is ChunkMode.WINDOW or (mode is ChunkMode.AUTO and may_have_windows(document))
    check_document(document, data, has_windows=has_windows, limits=limits)
    return document


@_quick
@given(text=_DOCUMENT, mode=_MODES, limits=_LIMITS, path=st.sampled_from(["a/b.md", "c.mdx"]))
def test_every_document_keeps_all_its_text_in_order(
    text: str, mode: ChunkMode, limits: ParseLimits, path: str
) -> None:
    _parse(text.encode(), mode, limits, path)


@_quick
@given(data=st.binary(max_size=300), mode=_MODES)
def test_no_bytes_raise(data: bytes, mode: ChunkMode) -> None:
    _parse(data, mode, ParseLimits())


@_quick
@given(text=st.text(max_size=200), mode=_MODES)
def test_no_text_raises(text: str, mode: ChunkMode) -> None:
    _parse(text.encode("utf-8", "surrogatepass"), mode, ParseLimits())


@_quick
@given(text=_DOCUMENT, mode=_MODES, limits=_LIMITS)
def test_the_style_of_line_ends_does_not_matter(text: str, mode: ChunkMode, limits: ParseLimits) -> None:
    results = []
    for end in ("\n", "\r\n", "\r"):
        document = _parse(text.replace("\n", end).encode(), mode, limits)
        texts = [section.text.replace(end, "\n") for section in document.sections]
        sections = [
            (section.heading_path, section.level, section.part, section.lines, section.tokens)
            for section in document.sections
        ]
        results.append((texts, sections, document.passages, document.links, document.tags, document.problems))
    assert results[0] == results[1] == results[2]


@_quick
@given(text=_DOCUMENT, limits=_LIMITS)
def test_headings_do_not_depend_on_the_limits(text: str, limits: ParseLimits) -> None:
    small = _parse(text.encode(), ChunkMode.HEADER, limits)
    usual = _parse(text.encode(), ChunkMode.HEADER, ParseLimits())
    assert list(dict.fromkeys(section.heading_path for section in small.sections)) == list(
        dict.fromkeys(section.heading_path for section in usual.sections)
    )


@_quick
@given(words=st.lists(st.text("abcäß漢", min_size=1, max_size=30), min_size=1, max_size=60), limits=_LIMITS)
def test_passages_say_every_word_of_their_section(words: list[str], limits: ParseLimits) -> None:
    """In a document of paragraphs, lists and code, all letters come out, in order."""
    starts = ("", "- ", "> ", "    ", "", "* ")
    lines = [starts[index % len(starts)] + word for index, word in enumerate(words)]
    document = _parse("\n\n".join(lines).encode(), ChunkMode.HEADER, limits)
    said = "".join(passage.text for passage in document.passages)
    assert re.sub(r"\W", "", said) == re.sub(r"\W", "", "".join(words))


@_quick
@given(
    text=st.text("ab .\n漢\u0301\u200d👍🏽", max_size=120), limit=st.integers(1, 20), is_code=st.booleans()
)
def test_pieces_tile_the_text(text: str, limit: int, is_code: bool) -> None:
    spans = list(pieces(text, limit, cuts=LINE_CUTS if is_code else PROSE_CUTS))
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(0 < end - start <= limit for start, end in spans)


@_quick
@given(data=st.binary(max_size=200))
def test_plain_windows_lose_nothing(data: bytes) -> None:
    document = parse_plain(data, path="x.md", problem=Problem("timeout", "took too long"))
    check_document(document, data, has_windows=True)


@_quick
@given(data=st.binary(max_size=200))
def test_lines_join_to_the_decoded_text(data: bytes) -> None:
    source = SourceText.decode(data)
    text = "".join(source.lines)
    assert "\0" not in text
    assert all(line.strip("\r\n") == line.rstrip("\r\n") or line[0] in "\r\n" for line in source.lines)
    assert text.encode().decode() == text
