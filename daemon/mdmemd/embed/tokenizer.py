"""Text to token ids, exactly as the model was trained: the only module that imports ``tokenizers``.

Invariants: no id list is longer than ``tokens_max``; a cut text keeps its beginning and its closing special
tokens, and every cut is reported. Texts are tokenized one by one, because a batch call of the library starts
a thread pool of its own and inference takes a hundred times as long anyway. Immutable after construction,
used on any thread.

Special tokens written out in a text (``[SEP]``) are read as such, as the published tokenizer of the model
does. Truncation and padding that a ``tokenizer.json`` asks for are switched off: the limit is the model's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tokenizers import BertWordPieceTokenizer, Encoding, Tokenizer

from mdmemd.embed.registry import TokenizerKind


@dataclass(frozen=True, slots=True)
class TokenizedTexts:
    """Token ids of each text, special tokens included, and how many of the texts were cut to the limit."""

    ids: tuple[list[int], ...]
    cut: int


@dataclass(frozen=True, slots=True)
class TokenizedWindows:
    """Token ids of one text as one or more inputs; ``is_cut``: it needs more than were allowed."""

    ids: tuple[list[int], ...]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class TokenizedPair:
    """Token ids of two texts as one input, and to which of both each belongs (0 or 1)."""

    ids: list[int]
    segments: list[int]


class _Library(Protocol):
    """What is used of both classes of the library."""

    def encode(self, sequence: str, pair: str | None = None, /) -> Encoding:
        """Ids with special tokens."""


class TextTokenizer:
    """The tokenizer of one model; ``tokens_max`` is the model's limit, special tokens included."""

    def __init__(self, library: _Library, *, tokens_max: int) -> None:
        self._library = library
        self._tokens_max = tokens_max

    @classmethod
    def of_file(cls, content: str, *, kind: TokenizerKind, tokens_max: int) -> TextTokenizer:
        """From the content of a tokenizer's file.

        Raises exceptions of the library, which have no common base below ``Exception``, where it is none.
        """
        if kind is TokenizerKind.JSON:
            library = Tokenizer.from_str(content)
            library.no_truncation()
            library.no_padding()
            return cls(library, tokens_max=tokens_max)
        ids = {token: line for line, token in enumerate(content.removesuffix("\n").split("\n"))}
        return cls(BertWordPieceTokenizer(ids, lowercase=True), tokens_max=tokens_max)

    def count(self, text: str) -> int:
        """Number of tokens of the whole text, special tokens included, before any cut."""
        return len(self._encoding(text).ids)

    def encode(self, texts: Sequence[str]) -> TokenizedTexts:
        """Ids of every text in the order given."""
        ids: list[list[int]] = []
        cut = 0
        for text in texts:
            encoding = self._encoding(text)
            kept = self._kept(encoding)
            cut += len(kept) < len(encoding.ids)
            ids.append([encoding.ids[position] for position in kept])
        return TokenizedTexts(tuple(ids), cut)

    def windows(self, text: str, *, count_max: int) -> TokenizedWindows:
        """The text as inputs of at most the limit, one after the other, each with its special tokens."""
        encoding = self._encoding(text)
        opening, closing = self._special_ends(encoding)
        body = encoding.ids[opening : len(encoding.ids) - closing]
        room = self._tokens_max - opening - closing
        starts = range(0, max(len(body), 1), room)
        first, last = encoding.ids[:opening], encoding.ids[len(encoding.ids) - closing :]
        ids = tuple([*first, *body[start : start + room], *last] for start in starts[:count_max])
        return TokenizedWindows(ids, is_cut=len(starts) > count_max)

    def encode_pair(self, first: str, second: str) -> TokenizedPair:
        """Ids of both texts as one input; where they are too long, the second loses its end."""
        encoding = self._encoding(first, second)
        kept = self._kept(encoding)
        return TokenizedPair(
            ids=[encoding.ids[position] for position in kept],
            segments=[encoding.type_ids[position] for position in kept],
        )

    def _encoding(self, text: str, pair: str | None = None) -> Encoding:
        try:
            return self._library.encode(text, pair)
        except TypeError:
            # The library takes only what UTF-8 can hold; a lone surrogate, which JSON can carry, becomes "?".
            return self._library.encode(_sound(text), None if pair is None else _sound(pair))

    def _kept(self, encoding: Encoding) -> Sequence[int]:
        """Positions of the tokens that fit: the first ones, and the special tokens at the end."""
        tokens = len(encoding.ids)
        if tokens <= self._tokens_max:
            return range(tokens)
        _, closing = self._special_ends(encoding)
        return [*range(self._tokens_max - closing), *range(tokens - closing, tokens)]

    @staticmethod
    def _special_ends(encoding: Encoding) -> tuple[int, int]:
        """How many special tokens stand before everything, and how many behind."""
        mask = encoding.special_tokens_mask
        opening = next((at for at, is_special in enumerate(mask) if not is_special), len(mask))
        closing = next((at for at, is_special in enumerate(reversed(mask)) if not is_special), 0)
        return opening, closing


def _sound(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
