"""Reads CC-CEDICT, the free Chinese-English dictionary: one short English gloss for each word.

Format, one entry a line (https://cc-cedict.org/wiki/format:syntax): ``TRADITIONAL SIMPLIFIED [pinyin]
/sense/sense/``; lines that begin with ``#`` are comments. Of an entry the first sense is taken that says what
the word means rather than how it is used; names of people and places give way to ordinary words of the same
characters. Lines of another shape are passed over. Pure; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

GLOSS_WORDS_MAX = 4
"""A longer sense explains instead of translating."""

_ENTRY = re.compile(r"(\S+) (\S+) \[([^]]*)\] /(.*)/\s*$")
_ABOUT_USE = re.compile(
    r"CL:|variant|old variant|see |surname|abbr\.|also |Taiwan pr|\(bound|used in |Japanese variant|erhua"
)
_REMARK = re.compile(r"\([^)]*\)|\[[^]]*\]|[\u3400-\u9fff|]+")
_ARTICLE = re.compile(r"(?:to|an?|the) ")
_PUNCTUATION = " ;,."


def glosses(lines: Iterable[str]) -> Mapping[str, str]:
    """Word, in simplified and in traditional characters, to gloss."""
    words: dict[str, str] = {}
    names: dict[str, str] = {}
    for line in lines:
        match = None if line.startswith("#") else _ENTRY.match(line)
        if match is None:
            continue
        traditional, simplified, pinyin, senses = match.groups()
        gloss = next(filter(None, map(_gloss, senses.split("/"))), None)
        if gloss is not None:
            found = names if pinyin[:1].isupper() else words
            found.setdefault(simplified, gloss)
            found.setdefault(traditional, gloss)
    return names | words


def _gloss(sense: str) -> str | None:
    """The sense without remarks, alternatives and article; ``None`` where it is no translation."""
    if _ABOUT_USE.match(sense):
        return None
    plain = _REMARK.sub("", sense).strip(_PUNCTUATION)
    first = re.split("[;,]", plain, maxsplit=1)[0].strip()
    gloss = _ARTICLE.sub("", first, count=1) if _ARTICLE.match(first) else first
    words = gloss.split()
    return " ".join(words) if 0 < len(words) <= GLOSS_WORDS_MAX else None
