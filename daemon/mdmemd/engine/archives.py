"""``export`` and ``import``: a root's index as one file, and a root that begins with such a file.

An import saves the index of the file as if it were the last one of the folder, and then registers the folder:
so the writer begins with it as after a start, and the first walk reads each file once and compares contents.
Equal content is neither parsed nor embedded; all else is read as ever. The vectors go to the vector cache
too. Interrupted anywhere, an import has registered the folder or has left nothing but a saved index that
nobody needs. Called on the query pool.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np

from mdmemd.embed.vector_id import vector_id_of
from mdmemd.engine.root_options import RootOptions
from mdmemd.engine.roots import Roots
from mdmemd.engine.state import RootView
from mdmemd.errors import DaemonError, InvalidRequestError, NotFoundError, OperatorError, RefusedError
from mdmemd.index.image import RootImage
from mdmemd.model import FloatMatrix, ModelIdentity, RootSpec
from mdmemd.ports import ArchiveFiles
from mdmemd.store.archive import ArchiveFacts, encode_archive, read_archive, read_facts
from mdmemd.store.manifest import Making, Use, decide
from mdmemd.store.piece import NewerFormatError, PieceError

SAVE_SECONDS = 600.0
REMEMBERED_ROWS = 256
"""How many vectors go to the cache at a time, so that an edit does not wait."""

Remember = Callable[[list[bytes], FloatMatrix], None]


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    path: str
    bytes: int
    documents: int
    passages: int
    embedded: int


class Archives:
    """``view`` gives a root brought up to the disk; ``adopt`` saves an index for a root that is none yet."""

    def __init__(
        self,
        files: ArchiveFiles,
        *,
        roots: Roots,
        view: Callable[[str], RootView],
        adopt: Callable[[RootSpec, RootImage, str], Future[None]],
        remember: Remember,
        model: Callable[[], ModelIdentity],
    ) -> None:
        self._files = files
        self._roots = roots
        self._view = view
        self._adopt = adopt
        self._remember = remember
        self._model = model

    def _making(self, spec: RootSpec) -> Making:
        model = self._model()
        return Making.now(spec, model=model.fingerprint, dimensions=model.dimensions)

    def export_root(self, name: str, *, path: str, force: bool) -> Exported:
        """Write the index of a root to the absolute ``path``; an existing file only with ``force``."""
        _check_path(path)
        view = self._view(name)
        if view.asleep or not view.scanned or view.pending_files or view.missing is not None:
            raise RefusedError(
                f"The index of {name} is not complete: it is being made or brought to memory.",
                remedy="Ask again when mdmemctl status shows it as ready.",
            )
        making = self._making(view.spec)
        snapshot = view.snapshot
        facts = ArchiveFacts(
            name=name,
            chunk_mode=making.chunk_mode,
            feature=making.feature,
            text=making.text,
            tokenizer=making.tokenizer,
            model=making.model,
            dimensions=making.dimensions,
            vectors_by=view.vectors_by,
            documents=snapshot.documents,
            passages=snapshot.passages,
            embedded=snapshot.embedded,
            segments=0,
            vectors=0,
        )
        try:
            size_bytes = self._files.write(path, encode_archive(snapshot, facts), replace=force)
        except FileExistsError:
            raise RefusedError(f"{path} is there already.", remedy="--force writes over it.") from None
        except OSError as error:
            raise OperatorError(
                f"{path} cannot be written: {error.strerror}.",
                remedy="Free some space, or choose another place; what was there is unchanged.",
            ) from error
        return Exported(path, size_bytes, snapshot.documents, snapshot.passages, snapshot.embedded)

    def import_root(self, path: str, *, folder: str, name: str) -> RootSpec:
        """Register ``folder`` with the index in the file ``path``; by the name it had without ``name``."""
        _check_path(path)
        try:
            with self._files.open(path) as source:
                facts, _ = read_facts(source)
            spec = self._roots.plan(folder, name=name, like=facts.name, chunk_mode=facts.chunk_mode)
            use = self._use(facts, spec, path)
            with self._files.open(path) as source:
                archive = read_archive(source, use_vectors=use is Use.ALL)
        except NewerFormatError as error:
            raise RefusedError(
                f"{path} was written by a newer mdmem ({error}).", remedy="Install that version, or newer."
            ) from error
        except PieceError as error:
            raise InvalidRequestError(
                f"{path} is no whole export of mdmem: {error}.",
                remedy="Export it again, or register the folder without it: mdmemctl root add PATH",
            ) from error
        except OSError as error:
            raise _unreadable(path, error) from error
        vectors_by = archive.facts.vectors_by if use is Use.ALL else ""
        self._save(spec, archive.image, vectors_by)
        registered, created = self._roots.add(
            spec.path, name=spec.name, options=RootOptions(chunk_mode=spec.chunk_mode)
        )
        if not created:
            raise RefusedError(
                f"{registered.path} was registered meanwhile, as root {registered.name}.",
                remedy="It is indexed from its files; nothing else is needed.",
            )
        for ids, rows in _identified(archive.image, vectors_by):
            self._remember(ids, rows)
        return registered

    def _use(self, facts: ArchiveFacts, spec: RootSpec, path: str) -> Use:
        found = Making(
            spec.path,
            facts.chunk_mode,
            facts.feature,
            facts.text,
            facts.tokenizer,
            facts.model,
            facts.dimensions,
        )
        decision = decide(found, self._making(spec))
        if decision.use is Use.NOTHING:
            raise RefusedError(
                f"{path} cannot be used here: {decision.reason}.",
                remedy="Register the folder without it: mdmemctl root add PATH",
            )
        return decision.use

    def _save(self, spec: RootSpec, image: RootImage, vectors_by: str) -> None:
        try:
            self._adopt(spec, image, vectors_by).result(SAVE_SECONDS)
        except NewerFormatError as error:
            raise RefusedError(
                f"A newer mdmem has saved an index of {spec.path}; it is kept.",
                remedy="Use the newer version, or remove that index first: mdmemctl gc",
            ) from error
        except OSError as error:
            raise OperatorError(
                f"The index cannot be saved: {error.strerror}.",
                remedy="Free some space or repair the cache folder; nothing was registered.",
            ) from error
        except TimeoutError:
            raise OperatorError(
                f"The index could not be saved within {SAVE_SECONDS:.0f} s.",
                remedy="See the log of mdmemd; nothing was registered.",
            ) from None


def _identified(image: RootImage, vectors_by: str) -> Iterator[tuple[list[bytes], FloatMatrix]]:
    """The vectors of an image by the ids under which the cache has them, in short batches."""
    ids: dict[int, bytes] = {}
    for view in image.segments:
        passages = view.segment.passages
        ids |= {
            key: vector_id_of(vectors_by, content.tobytes())
            for key, content in zip(passages.keys.tolist(), passages.content_ids, strict=True)
        }
    first = 0
    for rows in image.vectors.rows:
        for start in range(0, len(rows), REMEMBERED_ROWS):
            batch = rows[start : start + REMEMBERED_ROWS]
            keys = image.vectors.keys[first + start : first + start + len(batch)].tolist()
            known = [position for position, key in enumerate(keys) if key in ids]
            yield [ids[keys[position]] for position in known], batch[known].astype(np.float32)
        first += len(rows)


def _check_path(path: str) -> None:
    if not os.path.isabs(path) or "\0" in path or not os.path.basename(path):
        raise InvalidRequestError(f"{path!r} is no absolute path of a file.", remedy="Give the whole path.")


def _unreadable(path: str, error: OSError) -> DaemonError:
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return NotFoundError(f"There is no file {path}.", remedy="Check the spelling.")
    reason = "it is no plain file" if error.errno == errno.EINVAL else error.strerror
    return RefusedError(f"{path} cannot be read: {reason}.", remedy="Name a readable file.")
