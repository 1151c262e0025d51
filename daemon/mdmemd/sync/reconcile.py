"""From what the index knows and what was seen on disk to what is gone. Pure.

Invariants: what may only seem to be gone is kept: what lies below a folder that could not be listed, in a
root that is missing or empty, or goes with most of the root at once, as when a disk is unmounted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from mdmemd.sync.scan import Listing

LOSS_FILES_MIN = 20
LOSS_SHARE = 0.5
"""When at least so many documents, and at least this share of all, are gone at once, it is not believed at
first: a disk or a folder inside may be unmounted, and it would cost an embedding of everything to believe it.
"""


def out_of_reach(listing: Listing, *, has_documents: bool) -> str | None:
    """Why nothing may be concluded from a walk of the whole root, as a sentence; ``None`` where all may."""
    if listing.missing is not None:
        return f"the folder cannot be read: {listing.missing}"
    if has_documents and listing.entries == 0:
        return "the folder is empty now, as when a disk is not mounted; its documents are kept"
    return None


def gone(known: Iterable[str], listing: Listing, *, seen_meanwhile: Collection[str] = ()) -> tuple[str, ...]:
    """The known documents that a walk did not find; those seen by single looks meanwhile are not gone."""
    unlisted = tuple(f"{folder}/" for folder in listing.unlisted)
    return tuple(
        path
        for path in known
        if path not in listing.files and path not in seen_meanwhile and not path.startswith(unlisted)
    )


def loss(lost: int, *, documents: int) -> str | None:
    """A sentence where so many of the documents are gone at once that it needs a second look."""
    if lost < max(LOSS_FILES_MIN, LOSS_SHARE * documents):
        return None
    return f"{lost} of its {documents} documents vanished at once; they are kept until that is sure"
