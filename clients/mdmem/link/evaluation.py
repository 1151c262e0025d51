"""Golden sets, as methods of the client.

One thread at a time; errors are ``mdmem.errors``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mdmem.link.line import Line
from mdmem.link.progress_events import progress_to
from mdmem_proto import messages

EVAL_SECONDS = 1800.0
"""Longest wait for a golden set: thousands of questions, each asked three times, and all files read once."""


class EvaluationRequests(Line):
    """See the module."""

    def evaluate(
        self,
        params: messages.EvalParams,
        *,
        on_progress: Callable[[messages.ProgressEvent], None] | None = None,
    ) -> messages.EvalResult:
        """Ask a golden set; ``InvalidRequestError`` lists labels that name no section as ``candidates``."""
        return self._call(
            "eval",
            params,
            messages.EvalResult,
            timeout_seconds=EVAL_SECONDS,
            on_event=progress_to(on_progress),
        )

    def draft_evaluation(self, *, roots: Sequence[str] = (), questions: int = 50) -> messages.EvalDraftResult:
        """A golden set of the latest questions, each with the section that answers now, to be corrected."""
        params = messages.EvalDraftParams(roots=tuple(roots), questions=questions)
        return self._call("eval.draft", params, messages.EvalDraftResult, timeout_seconds=EVAL_SECONDS)
