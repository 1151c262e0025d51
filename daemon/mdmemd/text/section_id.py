"""The id of a section: a short name that answers carry and that reading takes back, made from what names it.

Format: ``^``, eight characters of ``ALPHABET`` (no ``i l o u``), and ``.3`` where the third part of a section
that was cut is meant. The first three characters are the low 15 bits of a BLAKE2b of the document's path,
``path_code``, so that the document can be found without looking at any section; the other five are 25 bits of
one of root, path and heading path. The heading path is unique in its document, since equal ones are numbered
(``breadcrumbs``), so nothing else need be counted.

Invariants: an id needs no index and no memory, so it is the same after a restart, after edits of any text,
for other sections and roots that come and go, and on every machine where the root has this name; it changes
where the file, the heading or one above it is renamed. Two of 200,000 sections share one with a probability
of 2 %; that is told as an ambiguity, never answered with either. Pure; any thread.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32 (https://www.crockford.com/base32.html) in lower case."""

PATH_CHARACTERS = 3
HEADING_CHARACTERS = 5

_BITS = 5
_ID = re.compile(
    rf"\^(?P<name>[{ALPHABET}]{{{PATH_CHARACTERS + HEADING_CHARACTERS}}})(?:\.(?P<part>[1-9][0-9]{{0,5}}))?"
)


@dataclass(frozen=True, slots=True)
class SectionId:
    """An id taken apart: ``name`` with its ``^`` and without the part, ``code`` of the document's path."""

    name: str
    code: int
    part: int | None


def section_id(root: str, path: str, heading_path: tuple[str, ...], *, part: int | None = None) -> str:
    """The id of a section, or of a part of it, of the document ``path`` in the root named ``root``."""
    name = _characters(path_code(path), PATH_CHARACTERS)
    name += _characters(_hash(root, path, *heading_path), HEADING_CHARACTERS)
    return f"^{name}" if part is None else f"^{name}.{part}"


def parse_section_id(text: str) -> SectionId | None:
    """``text`` as an id, ``None`` where it is none."""
    found = _ID.fullmatch(text)
    if found is None:
        return None
    code = 0
    for character in found["name"][:PATH_CHARACTERS]:
        code = code << _BITS | ALPHABET.index(character)
    return SectionId(f"^{found['name']}", code, int(found["part"]) if found["part"] else None)


def path_code(path: str) -> int:
    """15 bits that a document's ids begin with, whatever root it is in."""
    return _hash(path) & ((1 << _BITS * PATH_CHARACTERS) - 1)


def _hash(*texts: str) -> int:
    """32 bits of a BLAKE2b of texts, none of which holds NUL."""
    joined = "\0".join(texts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(joined, digest_size=4).digest(), "big")


def _characters(number: int, count: int) -> str:
    """The low bits of a number."""
    return "".join(ALPHABET[number >> _BITS * place & 31] for place in reversed(range(count)))
