"""A golden set in the one form that everything here works on: questions, and what would answer them.

Invariants: frozen; every question either has a label of grade 3 or is ``unanswerable``; a label says which
sections it means by a rule, since formats name sections differently, and ``judgement`` looks them up. Made
by ``formats``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

ANSWERS = 3
"""Grade of a section that answers; 2 is as good but not the one expected, 1 answers a part."""


class SectionKey(NamedTuple):
    """A section without its parts: what a label means and what a hit is compared by."""

    root: str
    path: str
    heading_path: tuple[str, ...]


class Naming(StrEnum):
    """How a label names sections."""

    HEADING = "heading"
    """The section ``heading`` (``A > B``) of the document ``path``; of any document where that is empty."""

    SLUG = "slug"
    """Each section whose heading path as a slug contains ``heading``."""

    DOCUMENT = "document"
    """Each section of the documents whose path contains ``path``."""


@dataclass(frozen=True, slots=True)
class Label:
    """One thing that answers a question. ``path`` is the whole root-relative path or its last parts."""

    naming: Naming
    grade: int
    path: str = ""
    heading: str = ""

    def means(self, key: SectionKey) -> bool:
        """Whether the section is one of those that this label names."""
        match self.naming:
            case Naming.HEADING:
                return self.heading == breadcrumb(key.heading_path) and f"/{key.path}".endswith(
                    f"/{self.path}" if self.path else ""
                )
            case Naming.SLUG:
                return self.heading in slug(key.heading_path)
            case Naming.DOCUMENT:
                return self.path.lower() in key.path.lower()

    def __str__(self) -> str:
        """As a person names it."""
        if self.naming is Naming.SLUG:
            return f"*{self.heading}*"
        return " > ".join(filter(None, (self.path, self.heading)))


@dataclass(frozen=True, slots=True)
class GoldenAnswer:
    """What a reader must see to have the answer: one of the ``alternatives``, of which all texts are needed.

    Texts are compared without regard to white space; no alternatives: nothing is known.
    """

    alternatives: tuple[tuple[str, ...], ...] = ()

    def is_held_by(self, text: str) -> bool:
        """Whether a text answers."""
        flat = _flat(text)
        return any(all(_flat(part) in flat for part in each) for each in self.alternatives)


UNKNOWN_ANSWER = GoldenAnswer()


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """One labelled question.

    Attributes:
        name: its id in the file, else its number.
        query: what is asked.
        kind: group that is reported by itself.
        labels: what answers it, in the order of the file; empty where nothing does.
        answer: what the page must quote.
        is_identifier: of an unanswerable question, whether an empty page is the right answer to it.
    """

    name: str
    query: str
    kind: str
    labels: tuple[Label, ...]
    answer: GoldenAnswer = UNKNOWN_ANSWER
    is_identifier: bool = False

    @property
    def is_answerable(self) -> bool:
        """Whether any section is expected."""
        return bool(self.labels)


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """``unchecked`` counts the proposals of a draft that nobody has confirmed; they are not questions."""

    questions: tuple[GoldenQuestion, ...]
    unchecked: int = 0


def breadcrumb(heading_path: tuple[str, ...]) -> str:
    """The heading path as one line."""
    return " > ".join(heading_path)


def slug(heading_path: tuple[str, ...]) -> str:
    """Levels joined by ``/``; in each, whatever is no letter or digit is one ``-``."""
    return "/".join(_OTHER.sub("-", heading.lower()).strip("-") for heading in heading_path)


def _flat(text: str) -> str:
    return " ".join(text.split())


_OTHER = re.compile(r"[\W_]+")
