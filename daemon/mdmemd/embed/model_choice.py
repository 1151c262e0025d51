"""Which model the user has chosen: user data, kept apart from settings because a command changes it.

Format: one blob, ``NAME``: JSON, ``{"format": 1, "name": TEXT, "fingerprint": TEXT, "dimensions": NUMBER}``:
the model's name (or the absolute path of its folder), and what indexes have to know of it, so that they stay
what they are while a folder is out of reach. While a change is under way, ``next`` holds the same three of
the model to come, so that the next start goes on with it. No blob means the built-in model. Read at the
start, written by a change; any thread, one call at a time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from mdmemd.errors import OperatorError
from mdmemd.model import ModelIdentity
from mdmemd.ports import BlobStore

NAME = "model.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Choice:
    """The model in use, and the one that shall take its place, if any."""

    model: ModelIdentity
    next: ModelIdentity | None = None


class ModelChoice:
    """The choice in ``blobs``."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs

    def read(self) -> Choice | None:
        """The chosen model, ``None`` before any choice.

        Raises ``OperatorError`` where it cannot be told: guessing would embed anew.
        """
        try:
            document = json.loads(self._blobs.read(NAME))
            if document["format"] != FORMAT:
                raise ValueError(f"it has format {document['format']} instead of {FORMAT}")
            to_come = document.get("next")
            return Choice(_identity(document), _identity(to_come) if to_come is not None else None)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise OperatorError(
                f"The choice of the model in {NAME} of the data folder cannot be read: {error}.",
                remedy="Move that file away, which chooses the built-in model, or restore it.",
            ) from error

    def write(self, choice: Choice) -> None:
        """Durable when it returns. Raises ``OperatorError``; the old choice stands then."""
        content: dict[str, Any] = {"format": FORMAT, **_fields(choice.model)}
        if choice.next is not None:
            content["next"] = _fields(choice.next)
        try:
            self._blobs.replace(NAME, json.dumps(content).encode())
        except OSError as error:
            raise OperatorError(
                f"The choice of {(choice.next or choice.model).name} cannot be saved ({error.strerror}).",
                remedy="Free some space, or repair the permissions of the data folder, and run it again.",
            ) from error


def _fields(model: ModelIdentity) -> dict[str, Any]:
    return {"name": model.name, "fingerprint": model.fingerprint, "dimensions": model.dimensions}


def _identity(fields: Any) -> ModelIdentity:
    return ModelIdentity(str(fields["name"]), str(fields["fingerprint"]), int(fields["dimensions"]))
