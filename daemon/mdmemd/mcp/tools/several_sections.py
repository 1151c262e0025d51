"""``read_section`` of several places: each text in a frame of its own, then what is not there and why.

The whole answer stays within ``ANSWER_TOKENS_MAX``, frames included: what does not fit is named, as is what
does not exist. Only where nothing could be read the answer is an error.
"""

from __future__ import annotations

from mdmemd.engine.multi_reading import MultiReader, ReadItem
from mdmemd.errors import InvalidRequestError, NotFoundError
from mdmemd.mcp.answer_budget import ANSWER_TOKENS_MAX
from mdmemd.mcp.quoting import framed, one_line
from mdmemd.mcp.service import Service
from mdmemd.mcp.tool import Call
from mdmemd.mcp.tools.document_lookup import look_up
from mdmemd.mcp.tools.section_source import section_source
from mdmemd.search.address import parse_address
from mdmemd.search.page import SectionText
from mdmemd.text.token_estimate import estimate_tokens

BYTES_MAX = 80_000
"""Of all texts, where the caller says nothing: ``ANSWER_TOKENS_MAX`` of English."""

MISSING_SHOWN = 40


def read_several(service: Service, call: Call, places: tuple[str, ...]) -> str:
    """The answer for places of which one is a pattern or that are several."""
    given = call.arguments
    include_subsections: bool = given["include_subsections"]
    if given["part"] is not None:
        raise InvalidRequestError(
            "'part' is of one section, and several places are asked for.",
            remedy="Name one place, or no part.",
        )

    def read(path: str, root: str) -> SectionText:
        return service.read(path, root=root, include_subsections=include_subsections)

    def read_one(address: str, root: str) -> SectionText:
        return read(address, root) if root else look_up(service, address, scope=call.scope, read=read)

    addresses = tuple(_with_heading(place, given["heading_path"]) for place in places)
    items = MultiReader(service, read_one=read_one, include_subsections=include_subsections).read(
        addresses, roots=call.scope.roots, max_bytes=given["max_bytes"] or BYTES_MAX
    )
    blocks, missing = _blocks(items, call)
    if not blocks:
        raise NotFoundError(" ".join(_shown(missing)))
    return "\n".join([*blocks, *_shown(missing), *([call.scope.note] if call.scope.note else [])])


def _with_heading(place: str, heading: str) -> str:
    address = parse_address(place)
    return place if not heading or address.heading or address.lines else f"{place}#{heading}"


def _blocks(items: tuple[ReadItem, ...], call: Call) -> tuple[list[str], list[str]]:
    """The frames that fit, and a line on each place without one."""
    left = ANSWER_TOKENS_MAX
    blocks: list[str] = []
    missing: list[str] = []
    for item in items:
        if item.section is None:
            missing.append(one_line(f"{item.address}: {item.error}"))
            continue
        block = framed(item.section.text, source=section_source(item.section), mark=call.mark)
        tokens = estimate_tokens(block)
        if tokens <= left:
            blocks.append(block)
            left -= tokens
        else:
            missing.append(
                one_line(f"{item.address}: Left out: {item.section.tokens} tokens. Read it alone.")
            )
    return blocks, missing


def _shown(missing: list[str]) -> list[str]:
    more = len(missing) - MISSING_SHOWN
    return [*missing[:MISSING_SHOWN], *([f"And {more} more: narrow the pattern."] if more > 0 else [])]
