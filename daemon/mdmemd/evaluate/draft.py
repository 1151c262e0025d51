"""A proposal of a golden set out of questions that were really asked.

Each question gets the section that is answered now as ``relevant`` and the next ones as ``others``, for a
person to correct: an answer that labels itself proves nothing, so every question is ``checked: false`` and is
left out of an evaluation until somebody changes that. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mdmemd.evaluate.golden import SectionKey

ABOUT = (
    "A draft: for each question correct 'relevant' (from 'others', or by the section that answers, or "
    "put 'no_answer': true in its place), then set 'checked' to true. Unchecked questions are left out."
)


def draft(answers: Sequence[tuple[str, bool, Sequence[SectionKey]]]) -> str:
    """The file's text for questions, whether each is made of identifiers only, and the sections it got."""
    questions = [
        _question(number, query, sections, kind="identifier" if is_identifier else "question")
        for number, (query, is_identifier, sections) in enumerate(answers, start=1)
    ]
    return json.dumps({"about": ABOUT, "questions": questions}, ensure_ascii=False, indent=1) + "\n"


def _question(number: int, query: str, sections: Sequence[SectionKey], *, kind: str) -> dict[str, Any]:
    labels = [{"path": key.path, "heading_path": list(key.heading_path)} for key in sections]
    question: dict[str, Any] = {"id": f"q{number}", "query": query, "kind": kind, "checked": False}
    return question | {"relevant": labels[:1], "others": labels[1:]}
