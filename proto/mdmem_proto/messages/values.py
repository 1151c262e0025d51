"""What the messages of several groups share: limited texts, choices, and the base of all structs."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from mdmem_proto.limits import (
    CURSOR_CHARACTERS_MAX,
    FILTER_VALUES_MAX,
    FRESH_CHARACTERS_MAX,
    GLOB_CHARACTERS_MAX,
    GLOBS_MAX,
    PAGE_TOKENS_MAX,
    PATH_CHARACTERS_MAX,
    QUERY_CHARACTERS_MAX,
    READ_ADDRESSES_MAX,
    READ_BYTES_MAX,
    ROOT_NAME_CHARACTERS_MAX,
    ROOTS_PER_REQUEST_MAX,
    SEARCH_HITS_MAX,
)

# Types with a limit, which decoding checks (making a message does not).
QueryText = Annotated[str, Meta(max_length=QUERY_CHARACTERS_MAX)]
PathText = Annotated[str, Meta(max_length=PATH_CHARACTERS_MAX)]
RootName = Annotated[str, Meta(max_length=ROOT_NAME_CHARACTERS_MAX)]
RootNames = Annotated[tuple[RootName, ...], Meta(max_length=ROOTS_PER_REQUEST_MAX)]
FreshText = Annotated[str, Meta(max_length=FRESH_CHARACTERS_MAX)]
Glob = Annotated[str, Meta(max_length=GLOB_CHARACTERS_MAX)]
Globs = Annotated[tuple[Glob, ...], Meta(max_length=GLOBS_MAX)]
FilterTexts = Annotated[tuple[PathText, ...], Meta(max_length=FILTER_VALUES_MAX)]
PageTokens = Annotated[int, Meta(ge=0, le=PAGE_TOKENS_MAX)]
CursorText = Annotated[str, Meta(max_length=CURSOR_CHARACTERS_MAX)]
Addresses = Annotated[tuple[PathText, ...], Meta(max_length=READ_ADDRESSES_MAX)]
ReadBytes = Annotated[int, Meta(ge=1, le=READ_BYTES_MAX)]
HitLimit = Annotated[int, Meta(ge=1, le=SEARCH_HITS_MAX)]

Lines = tuple[int, int]
"""First and last line, 1-based, inclusive."""

Mode = Literal["hybrid", "keyword", "semantic", "exact"]
ChunkMode = Literal["auto", "header", "window"]
WatchChoice = Literal["auto", "events", "polling"]
WaitUntil = Literal["keyword", "embedded"]


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """Base of all wire structs: maps by field name; defaults are left out; unknown fields are ignored."""


class Empty(Message, frozen=True):
    """No parameters, or nothing to say."""


class Filter(Message, frozen=True):
    """Which documents may answer; conditions of different fields must all hold, empty ones are none.

    ``groups``: top-level folders (``.``: no folder), and ``paths``: folders, files or globs; one of them is
    enough. ``tags``: all of them, a tag means those nested below it too. ``properties``: ``KEY=VALUE``, or
    ``KEY`` for any value; one of the values of each key. ``since`` and ``before`` (not included): an ISO
    date, ``today``, ``yesterday``, ``7d``, ``2w``; compared with the date that the document gives itself,
    else with when its file was written. ``kind``: ``document`` or ``memory``. ``links_to``, ``linked_from``:
    the path of a document. A name that does not exist is ``not_found``, with the nearest ones.
    """

    groups: FilterTexts = ()
    paths: FilterTexts = ()
    tags: FilterTexts = ()
    properties: FilterTexts = ()
    since: PathText = ""
    before: PathText = ""
    kind: PathText = ""
    links_to: PathText = ""
    linked_from: PathText = ""


class AnswerState(Message, frozen=True, omit_defaults=False):
    """What an answer is worth: how it was made and how much of the searched roots stands behind it.

    ``mode`` is the one really used; ``degraded`` says why it is not the one asked for. ``fresh`` is true when
    every save that finished before the question is in the answer; else ``outstanding`` says what is not.
    ``coverage`` is ``complete``, ``partial`` (keywords or vectors still being indexed) or ``empty``.
    ``keyword_match`` is ``matched``, ``no_match`` (no section holds any term), ``filtered`` (some do, none
    well enough or none that the filter lets through), ``no_terms`` or ``unavailable``. ``exact_sections``
    counts the sections behind the filter that hold every term of the question and none that it leaves out,
    in ``exact_files`` files: the mode ``exact`` lists them all, but for those without a phrase that was asked
    for or with one that was left out.
    ``filtered_sections`` counts all sections behind the filter, null where nothing was filtered.
    """

    mode: str
    degraded: str | None
    fresh: bool
    pending_files: int
    documents: int
    sections: int
    passages: int
    embedded: int
    coverage: str
    keyword_match: str
    exact_sections: int
    took_ms: float
    outstanding: str | None = None
    filtered_sections: int | None = None
    exact_files: int = 0
