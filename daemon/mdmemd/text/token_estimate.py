"""What a text costs a language model, estimated without a tokenizer.

Four characters a token is the usual figure for English prose and code; a Chinese, Japanese or Korean
character and an emoji are about one token each. Good to some 20 %, which is enough to pack answers; the
model's own limit is kept by ``embed``.
"""

from __future__ import annotations

import re

_CHARACTERS_PER_TOKEN = 4
_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00010000-\U0010ffff]+"
)


def estimate_tokens(text: str) -> int:
    """Tokens of ``text``, at least 1 unless it is empty."""
    return (token_quarters(text) + _CHARACTERS_PER_TOKEN - 1) // _CHARACTERS_PER_TOKEN


def token_quarters(text: str) -> int:
    """The same in quarters of a token, which add up exactly over the pieces of a text."""
    if text.isascii():
        return len(text)
    narrow = len(_WIDE.sub("", text))
    return narrow + (len(text) - narrow) * _CHARACTERS_PER_TOKEN
