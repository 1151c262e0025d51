"""Makes the saved index that ``daemon/CHECKPOINT.md`` explains: ``python make_fixture.py FOLDER``.

Run once a format, into a new folder named by its number; what it has made is an input of tests for ever.
"""

from __future__ import annotations

import itertools
import secrets
import sys

import numpy as np

from mdmemd.adapters.posix_checkpoints import PosixCheckpoints
from mdmemd.index.root_index import RootIndex
from mdmemd.model import Fingerprint, IndexedFile, RootSpec
from mdmemd.store.checkpoint import commit
from mdmemd.store.manifest import Making
from mdmemd.text.document import parse_document

FILES = {
    "deploy.md": "---\ntags: [ops]\n---\n# Deploy\n\nShip it.\n\n## Undo\n\nRoll back.\n",
    "notes/old.md": "# Old\n\nGone soon.\n",
}
VECTORS = {
    "Deploy: Ship it.": (1, 0, 0, 0),
    "Deploy > Undo: Roll back.": (0, 1, 0, 0),
    "Old: Gone soon.": (0, 0, 3, 4),
}


def indexed(path: str, content: str) -> IndexedFile:
    """One file with a fingerprint that does not depend on a disk."""
    size = len(content)
    fingerprint = Fingerprint(size, size, size, size, 1)
    document = parse_document(content.encode(), path=path)
    return IndexedFile(path, fingerprint, size.to_bytes(16, "big"), document)


def main() -> None:
    """Save two generations."""
    numbers = itertools.count(1)
    secrets.token_bytes = lambda count=8: next(numbers).to_bytes(count, "big")  # type: ignore[assignment]
    disk = PosixCheckpoints(sys.argv[1])
    index = RootIndex(dimensions=4)
    handed_out = index.apply(files=[indexed(*each) for each in FILES.items()], removed=())
    rows = np.array([VECTORS[each.text] for each in handed_out], np.float32)
    index.add_vectors([each.key for each in handed_out], rows)
    making = Making.now(RootSpec("notes", "/notes"), model="example-model", dimensions=4)
    commit(disk, index.freeze(), making=making, vectors_by="example-encoder")
    index.apply(files=(), removed=["notes/old.md"])
    commit(disk, index.freeze(), making=making, vectors_by="example-encoder")


if __name__ == "__main__":
    main()
