"""Text to token ids, exactly as the model was trained: the only module that imports ``tokenizers``.

Invariants: no id list is longer than ``tokens_max``; a cut text keeps its beginning and its closing special
token, and every cut is reported. Texts are tokenized one by one, because a batch call of the library starts a
thread pool of its own and inference takes a hundred times as long anyway. Immutable after construction, used
on the embedder thread.

Special tokens written out in a text (``[SEP]``) are read as such, as the published tokenizer of the model
does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import BertWordPieceTokenizer


@dataclass(frozen=True, slots=True)
class TokenizedTexts:
    """Token ids of each text, special tokens included, and how many of the texts were cut to the limit."""

    ids: tuple[list[int], ...]
    cut: int


class WordPieceTokenizer:
    """Uncased BERT WordPiece. ``vocabulary`` is the content of a vocabulary file: one token a line."""

    def __init__(self, vocabulary: str, *, tokens_max: int) -> None:
        ids = {token: line for line, token in enumerate(vocabulary.removesuffix("\n").split("\n"))}
        self._tokenizer = BertWordPieceTokenizer(ids, lowercase=True)
        self._tokens_max = tokens_max

    def count(self, text: str) -> int:
        """Number of tokens of the whole text, special tokens included, before any cut."""
        return len(self._ids(text))

    def encode(self, texts: Sequence[str]) -> TokenizedTexts:
        """Ids of every text in the order given."""
        whole = [self._ids(text) for text in texts]
        return TokenizedTexts(
            ids=tuple(self._fit(ids) for ids in whole),
            cut=sum(len(ids) > self._tokens_max for ids in whole),
        )

    def _ids(self, text: str) -> list[int]:
        try:
            ids: list[int] = self._tokenizer.encode(text).ids
        except TypeError:
            # The library takes only what UTF-8 can hold; a lone surrogate, which JSON can carry, becomes "?".
            ids = self._tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8")).ids
        return ids

    def _fit(self, ids: list[int]) -> list[int]:
        if len(ids) <= self._tokens_max:
            return ids
        return [*ids[: self._tokens_max - 1], ids[-1]]
