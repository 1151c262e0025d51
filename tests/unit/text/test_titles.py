"""Titles as plain text, and explicit anchors."""

from __future__ import annotations

import pytest

from mdmemd.text.block_parser import ParsedBlocks, parse_blocks
from mdmemd.text.fences import FenceScanner, Recovery
from mdmemd.text.titles import UNTITLED, plain_title

LINES = ["[r]: https://example.org 'x'"]
BLOCKS: ParsedBlocks = parse_blocks(LINES, fences=FenceScanner(LINES, Recovery.NONE))


def title(content: str, characters_max: int = 16_384) -> tuple[str, str]:
    return plain_title(content, blocks=BLOCKS, characters_max=characters_max)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("plain  text\there", "plain text here"),
        ("", UNTITLED),
        ("<!-- only a comment -->", UNTITLED),
        ('A [link](https://e.x/a_b "t") and ![alt *text*](i.png)', "A link and alt text"),
        (
            "`code` with ``back`tick`` and *em* **strong** ***both***",
            "code with back`tick and em strong both",
        ),
        ("Entities &amp; &lt;tag&gt; &#35; &copy; \\*not em\\*", "Entities & <tag> # © *not em*"),
        (
            "<https://auto.link> and [ref][r] and [missing][nope]",
            "https://auto.link and ref and [missing][nope]",
        ),
        ("~~strike~~ H~2~O ^sup^ ==mark== :tada: 🎉", "~~strike~~ H~2~O ^sup^ ==mark== :tada: 🎉"),
        ('<span class="x">in <b>html</b></span><br/>two<sub>2</sub>', "in html two2"),
        ("Option<T> and <details>", "Option<T> and <details>"),
        ('<img src="x" alt="A logo"> Project <a name="x"></a>', "A logo Project"),
        ("See [[Other note#Part|alias]], [[Note]] and ![[img.png]]", "See alias, Note and img.png"),
        ("`[[ -f x ]]` in bash", "[[ -f x ]] in bash"),
        ("Two\nlines", "Two lines"),
        ("Version {meta.title}", "Version {meta.title}"),
        ('{{% heading "prerequisites" %}}', '{{% heading "prerequisites" %}}'),
        ("{{ page.title }}", "{{ page.title }}"),
        ("Area in m ^2", "Area in m ^2"),
    ],
)
def test_plain_text(content: str, expected: str) -> None:
    assert title(content) == (expected, "")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Install {#setup}", ("Install", "setup")),
        ("Install {#setup .wide data-x=1}", ("Install", "setup")),
        ("Install {.wide}", ("Install", "")),
        ("Install {: #setup }", ("Install", "setup")),
        ('Install {id="setup"}', ("Install", "setup")),
        ("Install {/* #setup */}", ("Install", "setup")),
        ("`{#code}` {#id}", ("{#code}", "id")),
        ("Vault note ^title-block", ("Vault note", "^title-block")),
    ],
)
def test_anchor(content: str, expected: tuple[str, str]) -> None:
    assert title(content) == expected


def test_a_long_title_is_kept_up_to_its_limit() -> None:
    assert title("word " * 2_000)[0] == ("word " * 2_000).strip()
    assert title("a" * 100, characters_max=10)[0] == "a" * 10


@pytest.mark.parametrize(
    "content", ["[" * 900, "[](" * 300, "![" * 400, "*a _b " * 160, "`a``b" * 190, "<a" * 450]
)
def test_hostile_markup_is_left_as_it_is(content: str) -> None:
    """P20: neither recursion nor quadratic work."""
    assert title(content)[0]
