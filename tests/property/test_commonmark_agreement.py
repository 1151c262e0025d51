"""Headings against an independent CommonMark parser.

Compared on documents without a stated difference: recovery of fences is off, and there is no dialect block,
no table (which the other parser does not have) and no link label over several lines (where an underline in it
is read differently).
"""

from __future__ import annotations

import commonmark  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from mdmemd.text.block_parser import parse_blocks
from mdmemd.text.fences import FenceScanner, Recovery
from mdmemd.text.leaves import LeafKind

_INDENTED = [
    "   ### C",
    "    # code",
    "\t# code",
    "  - nested",
    "  # under item",
    "   lazy",
    "   ```",
    "-\ttab",
    ">\ttab",
    "- ",
]
_DEFINITIONS = ["[r]: /url\n", "[r]: /url 'title'\n"]
_FLUSH = """
# A
## B ##
####### no
#no
#
text
more text
===
---
- - -
***
_ _ _
- item
- # in item
1. one
2) two
10. ten
+ plus
* star
> quote
> # in quote
>
> > deep
```
```js
````
~~~
```` x
<div>
</div>
<!--
-->
<pre>
x</pre>
<script>
x</script>
<?php
?>
<b>x</b>
\\# no
""".splitlines()
_LINE = st.sampled_from([*_FLUSH, "", *_INDENTED, *_DEFINITIONS])


def _other_headings(text: str) -> list[tuple[int, int]]:
    """(0-based line, level) of document-level headings."""
    found = []
    node = commonmark.Parser().parse(text).first_child
    while node is not None:
        if node.t == "heading":
            found.append((node.sourcepos[0][0] - 1, node.level))
        node = node.nxt
    return found


@settings(max_examples=200, deadline=None)
@given(pieces=st.lists(_LINE, max_size=14))
def test_headings_are_those_of_another_commonmark_parser(pieces: list[str]) -> None:
    text = "\n".join(pieces)
    lines = text.split("\n")
    leaves = parse_blocks(lines, fences=FenceScanner(lines, Recovery.NONE)).leaves
    found = [(leaf.start, leaf.level) for leaf in leaves if leaf.kind is LeafKind.HEADING]
    assert found == _other_headings(text + "\n")
