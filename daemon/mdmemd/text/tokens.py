"""Text to index terms: the one definition of a word that the index and the questions share.

A run of letters, digits, ``_`` and the joiners ``-`` ``.`` ``::`` is one token. It becomes, in this order:
the flag with its dashes (``--no-build-isolation``), the whole compound (``no-build-isolation``,
``2026.4.10``, ``std::vec::drain``), its qualified tails (``vec::drain``), each word of it whole
(``uv_link_mode``, ``onrendertriggered``) without an English plural, and the parts of that (snake, camel, the
root of an inflection). Case and accents are folded; a word that had accents also yields its exact form, so
that an exact spelling can rank higher. Scripts that write no spaces (Chinese, Japanese, Korean, Thai, Lao,
Khmer, Burmese) yield pairs of neighbouring characters, or the single character of a run of one.

Invariants: pure and deterministic; equal text gives equal terms on both sides; never raises; linear in the
text; no term is longer than ``TERM_CHARS_MAX``. Any change of what comes out must raise
``TOKENIZER_VERSION``, since indexes hold old terms. Called on any thread: the only state is a bounded table
of pure results, whose single operations are atomic.

It deliberately knows no stop words (a question may consist of them) and no languages but the English suffixes
of ``singular`` and ``root``.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import chain, islice

TOKENIZER_VERSION = 1
"""Raised whenever the same text would give other terms."""

TERM_CHARS_MAX = 80
"""A longer word (an encoded blob) is known by its first characters; a SHA-256 in hex still fits."""

_TAILS_MAX = 6
"""A name with more qualifiers (a run of initials, a blob) is not taken apart; its words are terms all the
same."""

_TABLE_ENTRIES_MAX = 32_768
_TABLE_TOKEN_CHARS_MAX = 40

HAN_CHARACTERS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""For a regular expression's class: the characters of Chinese, in Japanese and Korean too."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"  # Hangul
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Kana
    + HAN_CHARACTERS
)


def _combining_marks() -> str:
    """The marks that belong to a word but are no letters: vowel signs of Indic and Thai, Hebrew points."""
    blocks = chain(range(0x0300, 0x1E00), range(0xA800, 0xAC00))
    return "".join(chr(code) for code in blocks if unicodedata.category(chr(code)) in {"Mn", "Mc"})


_ASCII_TOKEN = re.compile(
    r"[A-Za-z0-9_-]+(?:(?:\.|::)[A-Za-z0-9_-]+)*(?:'[a-z]{1,2}(?![A-Za-z0-9_]))?(?:\+\+|\#(?!\w))?"
)
_WORD = rf"[\w{_combining_marks()}-]+"
_TOKEN = re.compile(rf"{_WORD}(?:(?:\.|::){_WORD})*(?:['’][a-z]{{1,2}}(?!\w))?(?:\+\+|\#(?!\w))?")
_UNSPACED_RUN = re.compile(f"([{_UNSPACED}]+)")
_APOSTROPHE = re.compile("['’]")
_JOINER = re.compile(r"[.-]+|::")
_QUALIFIER = re.compile(r"\.|::")
_VERSION = re.compile(r"v\d")
_CAMEL_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_CAMEL_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_ASCII_WORD = re.compile("[a-z]+")
_VOWEL = re.compile("[aeiouy]")
_ACCENT = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")


def terms(text: str) -> list[str]:
    """Index terms of ``text`` in order, with repetitions; empty where there is no letter or digit."""
    if text.isascii():
        return list(chain.from_iterable(map(_TABLE.__getitem__, _ASCII_TOKEN.findall(text))))
    composed = unicodedata.normalize("NFC", text)
    return list(chain.from_iterable(map(_TABLE.__getitem__, _TOKEN.findall(composed))))


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that a question asks for: a token as written and the index terms that stand for it.

    Attributes:
        text: as written.
        names: terms that each name the whole thing; never empty.
        parts: terms of its pieces, which alone are weaker evidence.
    """

    text: str
    names: tuple[str, ...]
    parts: tuple[str, ...] = ()


def units(text: str) -> list[Unit]:
    """The tokens of ``text`` in order with their terms; a run without spaces gives one unit a pair."""
    found: list[Unit] = []
    for token in _TOKEN.findall(unicodedata.normalize("NFC", text)):
        found.extend(_units(token))
    return found


def written(text: str, term: str) -> str | None:
    """The first token of ``text`` that ``term`` names, as it is written; ``None`` where there is none."""
    beginning = term.lstrip("-")[:-1]  # its last letter may be that of a singular
    for token in _TOKEN.findall(unicodedata.normalize("NFC", text)):
        if beginning in fold(token):
            for unit in _units(token):
                if term in unit.names:
                    return unit.text
    return None


def has_unspaced(text: str) -> bool:
    """Whether ``text`` holds a character of a script that is indexed by pairs."""
    return not text.isascii() and _UNSPACED_RUN.search(text) is not None


def fold(text: str) -> str:
    """Case folded, compatibility forms unified, accents and vowel points removed, unless they are all."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _ACCENT.sub("", decomposed) or decomposed)


def singular(word: str) -> str:
    """A folded word without its English plural: Harman's S-stemmer (1991, "How effective is suffixing?")."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if not _ASCII_WORD.fullmatch(word):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "xes")):
        return word[:-2]
    return word[:-1]


def root(word: str) -> str:
    """What the inflections of a singular word share: it without ``-ing``, ``-ed`` or a final ``e``.

    Cut only where three letters with a vowel stay, so that short words and most names keep their shape.
    """
    if len(word) < 5 or not _ASCII_WORD.fullmatch(word):
        return word
    if word.endswith("eed"):
        return word[:-1]
    for suffix in ("ing", "ed"):
        body = word[: -len(suffix)]
        if word.endswith(suffix) and len(body) >= 3 and _VOWEL.search(body):
            is_doubled = body[-1] == body[-2] and body[-1] not in "elsz"
            return body[:-1] if is_doubled else body
    return word[:-1] if word[-1] == "e" and word[-2] != "e" else word


def _units(token: str) -> list[Unit]:
    if token.isascii() or not _UNSPACED_RUN.search(token):
        return _spaced_units(token)
    found: list[Unit] = []
    for piece in _UNSPACED_RUN.split(token):
        if _UNSPACED_RUN.match(piece):
            run = fold(piece)
            pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
            found.extend(Unit(pair, (pair,)) for pair in pairs)
        else:
            found.extend(_spaced_units(piece))
    return found


def _spaced_units(token: str) -> list[Unit]:
    dashes = len(token) - len(token.lstrip("-"))
    body = _APOSTROPHE.split(token[dashes:], maxsplit=1)[0]
    sign = "++" if body.endswith("++") else "#" if body.endswith("#") else ""
    body = body.removesuffix(sign).rstrip("-")
    words = [unit for word in _JOINER.split(body) if (unit := _word_unit(word))]
    if not words:
        return []
    names: list[str] = []
    folded = fold(body)
    if 0 < dashes <= 2 and body[0].isalpha():
        names.append("-" * dashes + folded)
    if sign or len(words) > 1:
        names.append(folded + sign)
        if _VERSION.match(folded):
            names.append(folded[1:])
    if not names:
        return words
    parts = chain(_tails(folded), chain.from_iterable(word.names + word.parts for word in words))
    return [Unit(token, tuple(map(_cut, names)), tuple(map(_cut, parts)))]


def _tails(name: str) -> list[str]:
    """Shorter ways to write a qualified name: ``vec::drain`` of ``std::vec::drain``; none of a version."""
    joints = list(islice(_QUALIFIER.finditer(name), _TAILS_MAX + 1))
    if len(joints) > _TAILS_MAX:
        return []  # before any tail is cut: cutting one for each of many joints is quadratic
    tails = [name[joint.end() :] for joint in joints]
    return [tail for tail in tails if tail[:1].isalpha() and _QUALIFIER.search(tail)]


def _word_unit(word: str) -> Unit | None:
    pieces = [piece for piece in word.split("_") if piece]
    if not pieces:
        return None
    plain = [_piece_unit(piece) for piece in pieces]
    if "_" not in word:
        return plain[0]
    return Unit(
        word, (_cut(fold(word)),), tuple(chain.from_iterable(unit.names + unit.parts for unit in plain))
    )


def _piece_unit(piece: str) -> Unit:
    """A word without joiners: its singular names it; root, exact accents and camel humps are its parts."""
    folded = fold(piece)
    name = singular(folded)
    parts = [root(name)]
    if not piece.isascii():
        parts.append(unicodedata.normalize("NFKC", piece.casefold()))
    elif _CAMEL_HUMP.search(piece):
        for hump in _CAMEL_PIECE.findall(piece):
            if len(hump) > 1:
                parts += [singular(hump.lower()), root(singular(hump.lower()))]
    others = (part for part in dict.fromkeys(parts) if part not in {name, folded})
    return Unit(piece, (_cut(name),), tuple(map(_cut, others)))


def _cut(term: str) -> str:
    return term[:TERM_CHARS_MAX]


class _ExpansionTable(dict[str, tuple[str, ...]]):
    """Token to its terms, filled on first use; emptied when full, which costs a little recomputing."""

    def __missing__(self, token: str) -> tuple[str, ...]:
        found = tuple(chain.from_iterable(unit.names + unit.parts for unit in _units(token)))
        if len(token) <= _TABLE_TOKEN_CHARS_MAX:
            if len(self) >= _TABLE_ENTRIES_MAX:
                self.clear()
            self[token] = found
        return found


_TABLE = _ExpansionTable()
