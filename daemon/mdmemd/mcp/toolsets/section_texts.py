"""The text of each hit, for systems whose search answers with whole sections and not with pointers.

Read from the file after the search. What is no longer what the hit says is left out: nothing stale is quoted.
Query pool.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mdmemd.errors import AmbiguousError, NotFoundError
from mdmemd.mcp.service import Service
from mdmemd.search.outline import PREAMBLE_TITLE
from mdmemd.search.page import Hit, SectionText


def with_texts(
    service: Service, hits: Iterable[Hit], *, include_subsections: bool = False
) -> Iterator[tuple[Hit, SectionText]]:
    """Each hit with its section, or its part of one, or, with subsections, all of it."""
    for hit in hits:
        heading = " > ".join(hit.heading_path) or PREAMBLE_TITLE
        part = None if include_subsections else hit.part
        try:
            section = service.read(
                hit.path,
                heading=heading,
                root=hit.root,
                part=part,
                include_subsections=include_subsections,
                fresh="off",
            )
        except (NotFoundError, AmbiguousError):
            continue  # edited since the search, or two headings that only differ in where a '>' stands
        yield hit, section
