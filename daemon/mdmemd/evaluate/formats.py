"""The text of a golden set file to a ``GoldenSet``. Pure.

Four formats, told apart by their shape:

* own: a list of questions, or ``{"questions": [...]}``. A question is ``{"query", "relevant": [{"path",
  "heading_path"}]}``, without ``heading_path`` any section of the document, and optionally ``id``, ``kind``,
  ``partial`` (as ``relevant``, grade 1), ``checked`` (false: a proposal, left out), ``no_answer`` (true: no
  section answers it, and where ``kind`` is ``identifier`` an empty page is right).
* markdown-memory: ``{split: {kind: [{"query", "expected": "file.md::A > B", "also_valid": {label:
  grade}}]}}`` with questions without an answer under the kind ``no_answer``.
* markdex: ``{"queries": [{"query", "relevant_heading_contains": [part of a slug]}]}``.
* qmd: ``{"queries": [{"query", "expected_substring": part of a path, "difficulty"}]}``.

In all of them a question may have an ``answer``: the text that must be quoted to answer it, or a list of such
texts, of which one is enough; one that is itself a list needs all of its texts.

Every fault is an ``InvalidRequestError`` that names the place in the file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from mdmemd.errors import InvalidRequestError
from mdmemd.evaluate.golden import ANSWERS, GoldenAnswer, GoldenQuestion, GoldenSet, Label, Naming

QUESTIONS_MAX = 5000
"""More would keep a thread of the daemon for many minutes."""

PARTIAL = 1

_MARKDOWN_MEMORY_PREAMBLE = "[Overview / Preamble]"
"""What markdown-memory calls the text before the first heading, whose heading path is empty."""


def parse_golden(text: str) -> GoldenSet:
    """The questions of a file. Raises ``InvalidRequestError`` that says what is wrong where."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise _invalid(f"The golden set is no JSON: {error}.") from error
    try:
        found = list(_questions(document))
    except (KeyError, TypeError, AttributeError) as error:
        raise _invalid(f"The golden set has none of the known shapes ({error}).") from error
    checked = tuple(question for question in found if question is not None)
    if not checked:
        if found:
            raise _invalid(
                f"All {len(found)} questions of the golden set are proposals.",
                remedy='Correct their "relevant" sections and set "checked" to true.',
            )
        raise _invalid("The golden set has no questions.")
    names = Counter(question.name for question in checked)
    if (repeated := names.most_common(1)[0])[1] > 1:
        raise _invalid(f"Two questions of the golden set have the id {repeated[0]}.")
    if len(checked) > QUESTIONS_MAX:
        raise _invalid(f"The golden set has {len(checked):,} questions; at most {QUESTIONS_MAX:,} are asked.")
    return GoldenSet(checked, unchecked=len(found) - len(checked))


def _questions(document: Any) -> Iterator[GoldenQuestion | None]:
    """The questions in order; ``None`` for a proposal that nobody has checked."""
    if isinstance(document, dict) and "queries" in document:
        for number, entry in enumerate(document["queries"], start=1):
            yield _markdex(entry, number) if "relevant_heading_contains" in entry else _qmd(entry, number)
    elif isinstance(document, list) or "questions" in document:
        entries = document if isinstance(document, list) else document["questions"]
        for number, entry in enumerate(entries, start=1):
            yield _own(entry, number) if entry.get("checked", True) else None
    else:
        splits = {name: kinds for name, kinds in document.items() if isinstance(kinds, dict)}
        for split, kinds in splits.items():
            for kind, entries in kinds.items():
                for number, entry in enumerate(entries, start=1):
                    name = f"{split}/{kind}/{number}"
                    yield _markdown_memory(entry, name, kind if len(splits) == 1 else f"{split}/{kind}")


def _own(entry: dict[str, Any], number: int) -> GoldenQuestion:
    name = str(entry.get("id", number))
    kind = _text(entry.get("kind", "question"), f"kind of {name}")
    labels = [_own_label(each, ANSWERS, name) for each in entry.get("relevant", [])]
    partial = [_own_label(each, PARTIAL, name) for each in entry.get("partial", [])]
    is_unanswerable = entry.get("no_answer") is True
    if is_unanswerable == bool(labels):
        raise _invalid(f'Question {name} needs either "relevant" sections or "no_answer": true.')
    return GoldenQuestion(
        name=name,
        query=_text(entry["query"], f"query of {name}"),
        kind=kind,
        labels=() if is_unanswerable else (*labels, *partial),
        answer=_answer(entry, name),
        is_identifier=is_unanswerable and kind == "identifier",
    )


def _own_label(entry: dict[str, Any], grade: int, name: str) -> Label:
    path = _text(entry["path"], f"path of a label of {name}")
    if "heading_path" not in entry:
        return Label(Naming.DOCUMENT, grade, path=path)
    return Label(Naming.HEADING, grade, path=path, heading=" > ".join(entry["heading_path"]))


def _markdown_memory(entry: dict[str, Any], name: str, kind: str) -> GoldenQuestion:
    graded = {entry["expected"]: ANSWERS} if "expected" in entry else {}
    graded |= {label: grade for label, grade in entry.get("also_valid", {}).items() if label not in graded}
    labels = []
    for label, grade in graded.items():
        path, _, heading = label.rpartition("::")
        heading = "" if heading == _MARKDOWN_MEMORY_PREAMBLE else heading
        labels.append(Label(Naming.HEADING, grade, path=path, heading=heading))
    return GoldenQuestion(
        name=name,
        query=_text(entry["query"], f"query of {name}"),
        kind=kind,
        labels=tuple(labels),
        answer=_answer(entry, name),
        is_identifier=not labels and entry.get("shape") == "identifier",
    )


def _markdex(entry: dict[str, Any], number: int) -> GoldenQuestion:
    parts = [_text(part, f"heading of {number}") for part in entry["relevant_heading_contains"]]
    if not parts:
        raise _invalid(f"Question {number} has no relevant headings.")
    labels = tuple(Label(Naming.SLUG, ANSWERS, heading=part.lower()) for part in parts)
    return GoldenQuestion(
        name=str(number),
        query=_text(entry["query"], f"query of {number}"),
        kind="question",
        labels=labels,
        answer=_answer(entry, str(number)),
    )


def _qmd(entry: dict[str, Any], number: int) -> GoldenQuestion:
    path = _text(entry["expected_substring"], f"expected_substring of {number}")
    kind = _text(entry.get("difficulty", "question"), f"difficulty of {number}")
    label = Label(Naming.DOCUMENT, ANSWERS, path=path)
    return GoldenQuestion(
        name=str(number),
        query=_text(entry["query"], f"query of {number}"),
        kind=kind,
        labels=(label,),
        answer=_answer(entry, str(number)),
    )


def _answer(entry: dict[str, Any], name: str) -> GoldenAnswer:
    given = entry.get("answer", [])
    place = f"answer of {name}"
    alternatives = given if isinstance(given, list) else [given]
    parts = [each if isinstance(each, list) and each else [each] for each in alternatives]
    return GoldenAnswer(tuple(tuple(_text(part, place) for part in each) for each in parts))


def _text(value: object, place: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _invalid(f"The {place} must be a text that is not blank.")
    return value


def _invalid(message: str, *, remedy: str = "") -> InvalidRequestError:
    return InvalidRequestError(
        message, remedy=remedy or "The README shows the format; mdmemctl eval draft makes an example."
    )
