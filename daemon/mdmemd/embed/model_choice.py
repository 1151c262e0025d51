"""Which model the user has chosen: user data, kept apart from settings because a command changes it.

Format: one blob, ``NAME``: JSON, ``{"format": 1, "name": TEXT, "fingerprint": TEXT, "dimensions": NUMBER}``:
the model's name (or the absolute path of its folder), and what indexes have to know of it, so that they stay
what they are while a folder is out of reach. No blob means the built-in model. Read at the start and written
by ``use``; any thread, one call at a time.
"""

from __future__ import annotations

import json

from mdmemd.errors import OperatorError
from mdmemd.model import ModelIdentity
from mdmemd.ports import BlobStore

NAME = "model.json"
FORMAT = 1


class ModelChoice:
    """The choice in ``blobs``."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs

    def read(self) -> ModelIdentity | None:
        """The chosen model, ``None`` before any choice.

        Raises ``OperatorError`` where it cannot be told: guessing would embed anew.
        """
        try:
            document = json.loads(self._blobs.read(NAME))
            if document["format"] != FORMAT:
                raise ValueError(f"it has format {document['format']} instead of {FORMAT}")
            name, fingerprint = str(document["name"]), str(document["fingerprint"])
            return ModelIdentity(name, fingerprint, int(document["dimensions"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise OperatorError(
                f"The choice of the model in {NAME} of the data folder cannot be read: {error}.",
                remedy="Move that file away, which chooses the built-in model, or restore it.",
            ) from error

    def write(self, model: ModelIdentity) -> None:
        """Durable when it returns. Raises ``OperatorError``; the old choice stands then."""
        content = {
            "format": FORMAT,
            "name": model.name,
            "fingerprint": model.fingerprint,
            "dimensions": model.dimensions,
        }
        try:
            self._blobs.replace(NAME, json.dumps(content).encode())
        except OSError as error:
            raise OperatorError(
                f"The choice of {model.name} cannot be saved ({error.strerror}).",
                remedy="Free some space, or repair the permissions of the data folder, and run it again.",
            ) from error
