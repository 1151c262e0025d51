"""SHA-256 of files, remembered for large ones as long as nothing about the file has moved.

A remembered hash counts only while size, modification time, change time, inode and device are what they were
when the file was hashed; small files are hashed each time, which takes no longer than looking. What no stamp
can notice, bytes that rot under an unchanged file, ``is_doubted`` finds: ``mdmemctl model verify`` hashes
always.

Format: one blob, ``NAME``: JSON, ``{"format": 1, "files": {PATH: {"sha256": HEX, "stat": [size, mtime_ns,
ctime_ns, inode, device]}}}``. A cache: one that cannot be read or written costs time only. Any thread, one
call at a time (a lock); two processes that write lose one another's entries and no more.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading

from mdmemd.model import Fingerprint
from mdmemd.ports import BlobStore

log = logging.getLogger(__name__)

NAME = "hashes.json"
FORMAT = 1

REMEMBERED_BYTES_MIN = 64 * 2**20
"""Half of this is hashed in about 25 ms; the weights of larger models take most of a second."""


class FileHashes:
    """Hashes of the files of models; ``blobs`` keeps them between starts."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs
        self._lock = threading.Lock()
        self._known: dict[str, tuple[Fingerprint, str]] | None = None

    def sha256(self, path: str, *, is_doubted: bool = False) -> str:
        """Hexadecimal hash of the whole file; ``is_doubted`` hashes it whatever is remembered.

        Raises ``OSError`` where it cannot be read.
        """
        with open(path, "rb") as stream, self._lock:
            before = _fingerprint(stream.fileno())
            known = self._entries().get(path)
            if not is_doubted and known is not None and known[0] == before:
                return known[1]
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            # One that is being written has no hash worth remembering.
            if before.size >= REMEMBERED_BYTES_MIN and _fingerprint(stream.fileno()) == before:
                self._remember(path, before, digest)
        return digest

    def _entries(self) -> dict[str, tuple[Fingerprint, str]]:
        if self._known is None:
            try:
                self._known = _decode(self._blobs.read(NAME))
            except FileNotFoundError:
                self._known = {}
            except (OSError, ValueError, LookupError, TypeError) as error:
                log.warning("remembered hashes of models are of no use: %s", error)
                self._known = {}
        return self._known

    def _remember(self, path: str, fingerprint: Fingerprint, digest: str) -> None:
        entries = self._entries()
        entries[path] = (fingerprint, digest)
        for gone in [known for known in entries if not os.path.lexists(known)]:
            del entries[gone]
        try:
            self._blobs.replace(NAME, _encode(entries))
        except OSError as error:
            log.warning("the hash of %s could not be remembered: %s", path, error)


def _fingerprint(descriptor: int) -> Fingerprint:
    found = os.fstat(descriptor)
    return Fingerprint(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev)


def _encode(entries: dict[str, tuple[Fingerprint, str]]) -> bytes:
    files = {
        path: {
            "sha256": digest,
            "stat": [stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode, stat.device],
        }
        for path, (stat, digest) in entries.items()
    }
    return json.dumps({"format": FORMAT, "files": files}).encode()


def _decode(content: bytes) -> dict[str, tuple[Fingerprint, str]]:
    document = json.loads(content)
    if document["format"] != FORMAT:
        return {}
    return {
        path: (Fingerprint(*map(int, entry["stat"])), str(entry["sha256"]))
        for path, entry in document["files"].items()
    }
