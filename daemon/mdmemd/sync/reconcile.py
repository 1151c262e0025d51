"""From what the index knows and what is on disk to what must be done. Pure.

Invariants: a file whose fingerprint is unchanged is not read; what may only seem to be gone (below a folder
that could not be listed, in a root that is missing or whose files have all vanished at once, as when a disk
is unmounted) is kept. The newest files come first, because they are the most asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mdmemd.model import Fingerprint
from mdmemd.sync.scan import Listing


@dataclass(frozen=True, slots=True)
class Plan:
    """``changed`` (new ones too) must be read, newest first; ``gone`` must leave the index.

    ``missing`` is a sentence where the whole root is out of reach: nothing is purged then.
    """

    changed: tuple[str, ...]
    gone: tuple[str, ...]
    missing: str | None = None


def reconcile(known: Mapping[str, tuple[Fingerprint, bytes]], listing: Listing) -> Plan:
    """Compare the index's documents with one walk."""
    if listing.missing is not None:
        return Plan((), (), f"the folder cannot be read: {listing.missing}")
    if known and listing.entries == 0:
        return Plan(
            (),
            (),
            "the folder is empty now, as when a disk is not mounted; its documents are kept",
        )
    changed = [
        path
        for path, fingerprint in listing.files.items()
        if path not in known or known[path][0] != fingerprint
    ]
    changed.sort(key=lambda path: (-listing.files[path].mtime_ns, path))
    unlisted = tuple(f"{folder}/" for folder in listing.unlisted)
    gone = tuple(path for path in known if path not in listing.files and not path.startswith(unlisted))
    return Plan(tuple(changed), gone)
