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

LOSS_FILES_MIN = 20
LOSS_SHARE = 0.5
"""When at least so many documents, and more than this share of all, are gone at once, one walk is not
believed: a disk or a folder inside may be unmounted, and it would cost an embedding of everything to believe
it.
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """``changed`` (new ones too) must be read, newest first; ``gone`` must leave the index.

    ``missing`` is a sentence where the root, or most of it, is out of reach: nothing is purged then.
    """

    changed: tuple[str, ...]
    gone: tuple[str, ...]
    missing: str | None = None


def reconcile(
    known: Mapping[str, tuple[Fingerprint, bytes]], listing: Listing, *, loss_is_confirmed: bool = False
) -> Plan:
    """Compare the index's documents with one walk.

    ``loss_is_confirmed`` says that an earlier walk, some time ago, missed most of the documents as well.
    """
    if listing.missing is not None:
        return Plan((), (), f"the folder cannot be read: {listing.missing}")
    if known and listing.entries == 0:
        reason = "the folder is empty now, as when a disk is not mounted; its documents are kept"
        return Plan((), (), reason)
    changed = [
        path
        for path, fingerprint in listing.files.items()
        if path not in known or known[path][0] != fingerprint
    ]
    changed.sort(key=lambda path: (-listing.files[path].mtime_ns, path))
    unlisted = tuple(f"{folder}/" for folder in listing.unlisted)
    gone = tuple(path for path in known if path not in listing.files and not path.startswith(unlisted))
    if len(gone) >= max(LOSS_FILES_MIN, LOSS_SHARE * len(known)) and not loss_is_confirmed:
        reason = (
            f"{len(gone)} of its {len(known)} documents vanished at once; they are kept until that is sure"
        )
        return Plan(tuple(changed), (), reason)
    return Plan(tuple(changed), gone)
