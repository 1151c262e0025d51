"""What is kept of the documents of a segment besides their sections and passages.

What every walk and every hit asks for is there as it is (path, fingerprint, hash); the rest, which grows with
front matter and links, lies in arenas and is made into values when it is asked for. Each text of
``front_matter``, ``links`` and ``problems`` is a JSON list, empty where the document has none of it:

- ``front_matter``: properties, lines, tags, aliases, status, date;
- ``links``: each a list of target, path, heading, line, is_embed;
- ``problems``: each a list of kind, message, line.

Frozen; made by the writer, read by any thread.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mdmemd.index.arrays import IntArray
from mdmemd.index.text_arena import TextArena
from mdmemd.model import Fingerprint, IndexedFile, LineRange, Link, Problem


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a document says of itself; tags also from its text."""

    properties: Mapping[str, Any] | None = None
    lines: LineRange | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    status: str | None = None
    date: str | None = None


NO_FRONT_MATTER = FrontMatter()


@dataclass(frozen=True, slots=True, eq=False)
class DocumentColumns:
    """The documents of a segment, parallel columns.

    Attributes:
        paths: POSIX, relative to the root.
        fingerprints: as of the time when the segment was built or merged.
        content_hashes: BLAKE2b-128 of each file's bytes.
        titles: never empty.
        front_matter: see the module, as the two below.
        links: links out of the document.
        problems: what was wrong with the file.
    """

    paths: tuple[str, ...]
    fingerprints: tuple[Fingerprint, ...]
    content_hashes: tuple[bytes, ...]
    titles: TextArena
    front_matter: TextArena
    links: TextArena
    problems: TextArena

    @classmethod
    def of(cls, files: Sequence[IndexedFile]) -> DocumentColumns:
        """The columns of parsed files."""
        documents = [file.document for file in files]
        return cls(
            paths=tuple(file.path for file in files),
            fingerprints=tuple(file.fingerprint for file in files),
            content_hashes=tuple(file.content_hash for file in files),
            titles=TextArena.of(document.title for document in documents),
            front_matter=TextArena.of(
                _front_matter_text(
                    FrontMatter(
                        each.properties,
                        each.front_matter_lines,
                        each.tags,
                        each.aliases,
                        each.status,
                        each.date,
                    )
                )
                for each in documents
            ),
            links=TextArena.of(
                _text([[e.target, e.path, e.heading, e.line, e.is_embed] for e in each.links])
                for each in documents
            ),
            problems=TextArena.of(
                _text([[problem.kind, problem.message, problem.line] for problem in each.problems])
                for each in documents
            ),
        )

    def __len__(self) -> int:
        return len(self.paths)

    def front_matter_of(self, number: int) -> FrontMatter:
        """What a document says of itself."""
        text = self.front_matter[number]
        if not text:
            return NO_FRONT_MATTER
        properties, lines, tags, aliases, status, date = json.loads(text)
        return FrontMatter(
            properties=properties,
            lines=None if lines is None else LineRange(*lines),
            tags=tuple(tags),
            aliases=tuple(aliases),
            status=status,
            date=date,
        )

    def links_of(self, number: int) -> tuple[Link, ...]:
        """Links out of a document."""
        text = self.links[number]
        return tuple(Link(*link) for link in json.loads(text)) if text else ()

    def problems_of(self, number: int) -> tuple[Problem, ...]:
        """What was wrong with a file."""
        text = self.problems[number]
        return tuple(Problem(*problem) for problem in json.loads(text)) if text else ()


def merge_documents(
    parts: Sequence[tuple[DocumentColumns, IntArray, Mapping[int, Fingerprint]]],
) -> DocumentColumns:
    """The documents of several with these numbers, in the order given, with newer fingerprints if any."""
    return DocumentColumns(
        paths=tuple(each.paths[n] for each, chosen, _ in parts for n in chosen.tolist()),
        fingerprints=tuple(
            newer.get(n) or each.fingerprints[n] for each, chosen, newer in parts for n in chosen.tolist()
        ),
        content_hashes=tuple(each.content_hashes[n] for each, chosen, _ in parts for n in chosen.tolist()),
        titles=TextArena.joined([each.titles.take(chosen) for each, chosen, _ in parts]),
        front_matter=TextArena.joined([each.front_matter.take(chosen) for each, chosen, _ in parts]),
        links=TextArena.joined([each.links.take(chosen) for each, chosen, _ in parts]),
        problems=TextArena.joined([each.problems.take(chosen) for each, chosen, _ in parts]),
    )


def _front_matter_text(found: FrontMatter) -> str:
    if found == NO_FRONT_MATTER:
        return ""
    properties = None if found.properties is None else dict(found.properties)
    return _text([properties, found.lines, found.tags, found.aliases, found.status, found.date])


def _text(values: list[Any]) -> str:
    return json.dumps(values, separators=(",", ":")) if values else ""
