"""The parameters by which a tool chooses documents, and the filter that they make. Pure; any thread."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mdmemd.mcp.parameters import Choice, Names, Parameter, Text
from mdmemd.model import DocumentKind
from mdmemd.search.page import Filter

ANY_KIND = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class Properties(Names):
    """Names that may also come as one object, ``{"status": "done"}``, or as that in JSON text."""

    def read(self, value: Any) -> tuple[str, ...]:
        """``key=value`` texts; a key with a list of values gives one text for each."""
        if isinstance(value, str) and value.lstrip().startswith("{"):
            try:
                value = json.loads(value)
            except ValueError:
                raise self.refusal(value, expected="key=value or an object") from None
        if isinstance(value, dict):
            value = [
                f"{key}={_plain(each)}"
                for key, given in value.items()
                for each in (given if isinstance(given, list) else [given])
            ]
        return Names.read(self, value)


PATH = Names(
    name="path",
    description="Only this folder, file or glob, relative to the root.",
    synonyms=("paths", "path_prefix", "directory", "dir", "folder", "file_path", "glob"),
)

FILTERS: tuple[Parameter, ...] = (
    Names(name="group", description="Only this top-level folder.", synonyms=("groups", "area")),
    Names(name="tag", description="Only with all these tags.", synonyms=("tags",)),
    Properties(
        name="property",
        description="Only with this key=value in the front matter.",
        synonyms=("properties", "prop", "props", "metadata", "filter", "filters", "front_matter"),
    ),
    Text(
        name="since",
        description="Dated since: 2026-03-01, 7d, 2w.",
        synonyms=("after", "date_from", "from_date", "start_date"),
    ),
    Text(name="before", synonyms=("until", "date_to", "to_date", "end_date")),
    Choice(
        name="kind",
        choices=(ANY_KIND, *(kind.value for kind in DocumentKind)),
        synonyms=("type", "doc_type", "document_type"),
    ),
    Text(name="links_to", description="Path of a document.", synonyms=("linking_to", "backlinks_of")),
    Text(name="linked_from", synonyms=("linked_by", "links_from", "links_of")),
)

FILTERS_AS_ELSEWHERE = tuple(replace(parameter, description="") for parameter in FILTERS)
"""For a tool whose description says where they are explained: the listing is read in every session."""


def filter_of(arguments: Mapping[str, Any], *, paths: tuple[str, ...]) -> Filter:
    """The filter of a call with the values of ``FILTERS``, and of ``PATH`` or what stands for it."""
    kind = arguments["kind"]
    return Filter(
        groups=arguments["group"],
        paths=paths,
        tags=arguments["tag"],
        properties=arguments["property"],
        since=arguments["since"].strip(),
        before=arguments["before"].strip(),
        kind="" if kind == ANY_KIND else kind,
        links_to=arguments["links_to"].strip(),
        linked_from=arguments["linked_from"].strip(),
    )


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
