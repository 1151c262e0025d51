"""``gc``: removes what no root needs, and says how much that was.

Saved indexes of roots that are gone, leftovers of interrupted writes, files that were set aside as damaged,
vectors beyond the bound of their cache; and memory that nobody uses goes back to the system. Each part is
done by the thread that owns the files (checkpointer, embedder), so questions go on meanwhile. What a user
asked for is never garbage: not the list of roots, nor a copy of it that could not be read. Called on the
query pool, which waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future

from mdmemd.embed.heap import release_free_memory
from mdmemd.errors import OperatorError
from mdmemd.ports import BlobStore
from mdmemd.store.collection import Freed

WAIT_SECONDS = 600.0
"""Longest wait for one part: a vector cache of a gigabyte is written anew within it on a slow disk."""


class Garbage:
    """``roots`` gives the folders of all roots; the others begin a part and give its outcome."""

    def __init__(
        self,
        *,
        roots: Callable[[], Iterable[str]],
        collect_saved: Callable[[Sequence[str]], Future[Freed]],
        compact_cache: Callable[[], Future[tuple[int, int]]],
        blobs: Sequence[BlobStore],
        free_memory: Callable[[], None] = release_free_memory,
    ) -> None:
        self._roots = roots
        self._collect_saved = collect_saved
        self._compact_cache = compact_cache
        self._blobs = blobs
        self._free_memory = free_memory

    def collect(self) -> Freed:
        """Remove it all. Raises ``OperatorError`` where a folder cannot be changed."""
        saved = self._collect_saved(tuple(self._roots()))
        compacted = self._compact_cache()
        try:
            freed = saved.result(WAIT_SECONDS) + Freed(*compacted.result(WAIT_SECONDS))
            for blobs in self._blobs:
                freed += Freed(*blobs.remove_leftovers())
        except TimeoutError:
            raise OperatorError(
                f"Not all could be removed within {WAIT_SECONDS:.0f} s; the rest goes on.",
                remedy="Ask again later, or see the log of mdmemd.",
            ) from None
        except OSError as error:
            raise OperatorError(
                f"Not all could be removed: {error.strerror}.",
                remedy="Repair the cache folder and ask again.",
            ) from error
        self._free_memory()
        return freed
