"""What a generation consists of and what it was made by; and whether this program can use it. Pure.

Format: the body of a ``mani`` piece is one JSON object with the fields of ``Manifest``; names are those of
``layout``, checksums and identities hexadecimal.

Three numbers say how the content was made. One goes up whenever its code would make something else of the
same file: ``text.document.TEXT_VERSION`` (sections and passages), ``text.tokens.TOKENIZER_VERSION`` (terms),
and ``FEATURE`` (what the index keeps of them), whose history is:

1. Fields title, path, body; frequencies to 255; one vector a distinct embedded text.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from mdmemd.model import ChunkMode, RootSpec
from mdmemd.store.piece import PieceError
from mdmemd.text.document import TEXT_VERSION
from mdmemd.text.tokens import TOKENIZER_VERSION

FEATURE = 1


@dataclass(frozen=True, slots=True)
class PieceEntry:
    """A piece of a generation; ``count`` is its documents (segment), segments (changes) or rows (vectors)."""

    name: str
    size_bytes: int
    checksum: str
    count: int


@dataclass(frozen=True, slots=True)
class Making:
    """What a root's index is made by; two indexes of equal making of the same files are the same.

    ``model`` is the ``fingerprint`` of the model's ``ModelSpec``.
    """

    root: str
    chunk_mode: ChunkMode
    feature: int
    text: int
    tokenizer: int
    model: str
    dimensions: int

    @classmethod
    def now(cls, spec: RootSpec, *, model: str, dimensions: int) -> Making:
        """What this program makes of a root."""
        return cls(spec.path, spec.chunk_mode, FEATURE, TEXT_VERSION, TOKENIZER_VERSION, model, dimensions)


@dataclass(frozen=True, slots=True)
class Manifest:
    """One generation.

    Attributes:
        generation: counts up.
        making: what it was made by.
        vectors_by: fingerprint of the encoder that gave the vectors, empty where there are none.
        matrix: identity of the matrix of vectors, hexadecimal.
        documents: live documents.
        passages: live passages.
        embedded: live passages with a vector.
        segments: their pieces.
        changes: the piece of what was deleted and touched in them.
        vectors: pieces of the matrix, in order, without gaps.
    """

    generation: int
    making: Making
    vectors_by: str
    matrix: str
    documents: int
    passages: int
    embedded: int
    segments: tuple[PieceEntry, ...]
    changes: PieceEntry
    vectors: tuple[PieceEntry, ...]

    @property
    def pieces(self) -> tuple[PieceEntry, ...]:
        """All pieces."""
        return (*self.segments, self.changes, *self.vectors)

    def encode(self) -> bytes:
        """The body of its piece."""
        return json.dumps(asdict(self), indent=1).encode() + b"\n"

    @classmethod
    def decode(cls, body: bytes) -> Manifest:
        """The manifest of a body. Raises ``PieceError``."""
        try:
            fields: dict[str, Any] = json.loads(body)
            making = fields.pop("making")
            making["chunk_mode"] = ChunkMode(making["chunk_mode"])
            for name in ("segments", "vectors"):
                fields[name] = tuple(PieceEntry(**entry) for entry in fields[name])
            fields["changes"] = PieceEntry(**fields["changes"])
            return cls(making=Making(**making), **fields)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise PieceError(f"its fields are not as expected ({error})") from error


class Use(Enum):
    """What a generation is good for."""

    ALL = "all"
    WORDS = "words"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Decision:
    """What to use of a generation, and why not all of it: a clause without a full stop, or empty."""

    use: Use
    reason: str = ""


def decide(found: Making, wanted: Making) -> Decision:
    """What an index of one making is good for where another is wanted."""
    if found.root != wanted.root:
        return Decision(Use.NOTHING, "it belongs to another folder")
    if found.chunk_mode != wanted.chunk_mode:
        return Decision(Use.NOTHING, f"its files were cut by the mode {found.chunk_mode}")
    if (found.feature, found.text, found.tokenizer) != (wanted.feature, wanted.text, wanted.tokenizer):
        return Decision(Use.NOTHING, "another version of mdmem cut its files or their words differently")
    if (found.model, found.dimensions) != (wanted.model, wanted.dimensions):
        return Decision(Use.WORDS, "its vectors are another model's")
    return Decision(Use.ALL)
