"""The names of the files of a saved index: the one place that makes and parses them. Pure.

One folder a root, named by the hash of the root's path. In it:

================================  ==============================================================
``CURRENT``                       the name of the manifest that counts, and a line end
``manifest-GGGGGGGG``             generation G: which pieces belong to it
``changes-GGGGGGGG``              what was deleted and touched in its segments
``segment-IIIIIIIIIIIIIIII``      one immutable segment, by its identity
``vectors-IIII...-FFFF-LLLL``     rows F up to L of the matrix with identity I, and their keys
``.NAME.tmp``                     what an interrupted write left
================================  ==============================================================

G, F and L are decimal, I is hexadecimal. Segments and vectors are shared by generations. Files with other
names are not ours and stay.
"""

from __future__ import annotations

import hashlib
import re

ROOT_KEY_BYTES = 16
CURRENT = "CURRENT"

_GENERATION = re.compile(r"(?:manifest|changes)-(\d{8,})")
_OURS = re.compile(
    r"CURRENT|(?:manifest|changes)-\d{8,}|segment-[0-9a-f]{16}|vectors-[0-9a-f]{16}-\d+-\d+|\.[^/]+\.tmp"
)


def root_key(path: str) -> bytes:
    """What a root is known by on disk: BLAKE2b-128 of its absolute path."""
    return hashlib.blake2b(path.encode("utf-8", "surrogateescape"), digest_size=ROOT_KEY_BYTES).digest()


def root_folder(path: str) -> str:
    """The folder of a root."""
    return root_key(path).hex()


def is_root_folder(name: str) -> bool:
    """Whether a folder is one of a root."""
    return re.fullmatch(rf"[0-9a-f]{{{2 * ROOT_KEY_BYTES}}}", name) is not None


def manifest_name(generation: int) -> str:
    """The manifest of a generation."""
    return f"manifest-{generation:08}"


def changes_name(generation: int) -> str:
    """The changes of a generation."""
    return f"changes-{generation:08}"


def segment_name(identity: bytes) -> str:
    """The piece of a segment."""
    return f"segment-{identity.hex()}"


def vectors_name(identity: bytes, first: int, end: int) -> str:
    """The piece of the rows ``first`` up to but not including ``end`` of a matrix."""
    return f"vectors-{identity.hex()}-{first}-{end}"


def current_content(manifest: str) -> bytes:
    """What ``CURRENT`` holds."""
    return f"{manifest}\n".encode()


def current_manifest(content: bytes) -> str | None:
    """The manifest that a content of ``CURRENT`` names."""
    name = content[:-1].decode("ascii", "replace")
    return name if is_manifest(name) and content == current_content(name) else None


def is_manifest(name: str) -> bool:
    """Whether it is the name of a manifest."""
    return name.startswith("manifest-") and generation_of(name) is not None


def generation_of(name: str) -> int | None:
    """The generation in the name of a manifest or of changes."""
    match = _GENERATION.fullmatch(name)
    return int(match[1]) if match else None


def obsolete(names: list[str], *, kept: set[str]) -> list[str]:
    """Those of our files that no generation needs."""
    return [name for name in names if _OURS.fullmatch(name) and name not in kept and name != CURRENT]
