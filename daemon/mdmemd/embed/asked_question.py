"""A question that waits for its vector, and which models may give it. Immutable but for its future."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass

from mdmemd.errors import ModelUnavailableError
from mdmemd.model import FloatVector


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question that waits for its vector, and the fingerprints that this may have (none given: any)."""

    text: str
    made_by: frozenset[str]
    future: Future[FloatVector]

    def fits(self, fingerprint: str) -> bool:
        """Whether the model of this fingerprint may answer; else the question has got its end."""
        if self.made_by <= {fingerprint}:
            return True
        self.future.set_exception(
            ModelUnavailableError(
                "The passages have the vectors of another model and are being embedded again.",
                remedy="Ask again later; mdmemctl status shows how far that is.",
            )
        )
        return False


def recent_key(fingerprint: str, text: str) -> str:
    """Of a question among the recent ones: never that of another model (M6)."""
    return f"{fingerprint}\0{text}"


def anew(failure: ModelUnavailableError) -> ModelUnavailableError:
    """An exception of its own for each caller, since raising one writes to it."""
    return ModelUnavailableError(str(failure), remedy=failure.remedy)
