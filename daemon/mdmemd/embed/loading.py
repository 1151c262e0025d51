"""Makes a model ready: verified files, and the faster of two graphs that can be had.

The shipped graph of a BERT model is compiled once into one that computes in int8 (``bert_graph``), 2.4 times
as fast, and kept (``graph_store``). It is used only where it agrees with the shipped graph (``graph_check``);
whatever goes wrong with it costs speed, never vectors, and is told in ``OnnxEncoder.message``:

=====================================================  ======================================================
the graph cannot be read, built, loaded or run, or     the shipped graph computes
disagrees
the kept graph is damaged or another's                 built anew
it cannot be kept or read (disk full, no permission)   built at each start (half a second)
=====================================================  ======================================================

Embedder thread, once per start.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable

from mdmemd.embed.encoder import OnnxEncoder, as_it_is
from mdmemd.embed.graph_check import CHECK_TEXTS, disagreement
from mdmemd.embed.graph_store import CompiledGraph, GraphStore
from mdmemd.embed.heap import release_free_memory
from mdmemd.embed.model_files import ModelFiles
from mdmemd.embed.opening import open_files, session_of
from mdmemd.embed.registry import ModelSpec
from mdmemd.embed.session import RUNTIME, Session, open_session
from mdmemd.embed.usable_cores import usable_cores
from mdmemd.errors import ModelUnavailableError
from mdmemd.ports import BlobStore

log = logging.getLogger(__name__)

COMPILER_VERSION = 1
"""Raised with any change of ``bert_graph`` or ``bert_weights`` that changes vectors.

1: QAttention, DynamicQuantizeMatMul, BiasGelu; one text a run.
"""


LONG_TEXT = "limit " * 8_192
"""More tokens than any model takes."""


class _UnusableGraphError(Exception):
    """There is no compiled graph that could be used. The message is a clause without a full stop."""


def load_encoder(
    files: ModelFiles,
    *,
    threads: int,
    graphs: BlobStore | None = None,
    gloss: Callable[[str], str] = as_it_is,
) -> OnnxEncoder:
    """Verify and load an embedder; ``threads`` 0 means as many as the process may use.

    ``graphs`` keeps the compiled graph; without it the graph is built anew in each call. ``gloss`` is how a
    model with a ``dictionary`` reads a text.

    Raises ``ModelUnavailableError``: a file is missing or damaged, or an intact file cannot be loaded.
    """
    encoder = _Loader(files, threads=threads or usable_cores(), graphs=graphs, gloss=gloss).load()
    release_free_memory()
    return encoder


def compiled_fingerprint(spec: ModelSpec) -> str:
    """Like ``ModelSpec.fingerprint``, for vectors that the model's compiled graph gives."""
    identity = f"{spec.fingerprint} compiled {COMPILER_VERSION}"
    return hashlib.blake2b(identity.encode(), digest_size=16).hexdigest()


class _Loader:
    """One call of ``load_encoder``."""

    def __init__(
        self,
        files: ModelFiles,
        *,
        threads: int,
        graphs: BlobStore | None,
        gloss: Callable[[str], str],
    ) -> None:
        self._spec = spec = files.spec
        self._gloss = gloss if spec.dictionary is not None else as_it_is
        self._threads = threads
        self._compiled_fingerprint = compiled_fingerprint(spec)
        self._store = (
            None
            if graphs is None
            else GraphStore(
                graphs,
                weights_sha256=spec.weights.sha256,
                fingerprint=self._compiled_fingerprint,
                dimensions=spec.dimensions,
            )
        )
        self._weights, self._tokenizer = open_files(files)

    def load(self) -> OnnxEncoder:
        """The encoder over the best graph."""
        if self._spec.attention_heads is None:
            return self._shipped()
        try:
            return self._compiled(attention_heads=self._spec.attention_heads)
        except _UnusableGraphError as error:
            message = (
                f"The model {self._spec.name} runs at less than half of its speed, on the graph that it was "
                f"shipped with: {error}."
            )
            log.warning(message)
            return self._shipped(message)

    def _shipped(self, message: str | None = None) -> OnnxEncoder:
        encoder = self._encoder(
            session_of(self._spec, self._weights), fingerprint=self._spec.fingerprint, message=message
        )
        try:
            # The longest input: a limit, an output or a size that is not the graph's own shows here, not one
            # text at a time. By an encoder whose counters nobody sees.
            self._encoder(encoder.session, fingerprint="", message=None).encode_query(LONG_TEXT)
        except Exception as error:  # the library's errors have no common base below Exception
            raise ModelUnavailableError(
                f"The model {self._spec.name} does not compute as its entry says: {error}.",
                remedy="Correct output, pooling, dimensions and tokens_max of its card, and choose it again: "
                f"mdmemctl model use {self._spec.name}",
            ) from error
        return encoder

    def _compiled(self, *, attention_heads: int) -> OnnxEncoder:
        """Raises ``_UnusableGraphError``."""
        graph, message = self._graph(attention_heads=attention_heads)
        try:
            session = open_session(graph.model)
            # By an encoder of its own, whose counters nobody sees.
            vectors = self._encoder(session, fingerprint="", message=None).encode_passages(CHECK_TEXTS)
        except Exception as error:  # as above; besides, it may give no usable vector
            raise _UnusableGraphError(f"{RUNTIME} cannot run the compiled one ({error})") from error
        reason = disagreement(vectors, graph.references)
        if reason is not None:
            raise _UnusableGraphError(f"the compiled one is not used, because {reason}")
        return self._encoder(session, fingerprint=self._compiled_fingerprint, message=message)

    def _graph(self, *, attention_heads: int) -> tuple[CompiledGraph, str | None]:
        """The compiled graph and what the user should know about its place."""
        if self._store is None:
            return self._built(attention_heads=attention_heads), None
        try:
            kept = self._store.read()
        except OSError as error:
            log.warning("the compiled graph could not be read: %s", error)
            kept = None
        if kept is not None:
            return kept, None
        graph = self._built(attention_heads=attention_heads)
        try:
            self._store.write(graph)
        except OSError as error:
            message = (
                f"The compiled graph of the model could not be kept ({error}) and is built again at each "
                "start. Free space, or repair the permissions of the cache folder."
            )
            log.warning(message)
            return graph, message
        return graph, None

    def _built(self, *, attention_heads: int) -> CompiledGraph:
        """Raises ``_UnusableGraphError``."""
        started = time.monotonic()
        try:
            # Imported here because they import onnx, which takes memory and is needed once an installation.
            from mdmemd.embed.bert_graph import bert_graph
            from mdmemd.embed.bert_weights import read_bert_weights

            references = self._shipped().encode_passages(CHECK_TEXTS)
            weights = read_bert_weights(self._weights, tokens_max=self._spec.tokens_max)
            model = bert_graph(weights, attention_heads=attention_heads, output=self._spec.output)
        except ModelUnavailableError:
            raise
        except Exception as error:  # an optimisation: whatever breaks it must not cost the vectors
            raise _UnusableGraphError(f"no faster one can be built from it ({error})") from error
        log.info("compiled the graph of %s in %.1f s", self._spec.name, time.monotonic() - started)
        return CompiledGraph(model, references)

    def _encoder(self, session: Session, *, fingerprint: str, message: str | None) -> OnnxEncoder:
        return OnnxEncoder(
            self._spec,
            session=session,
            tokenizer=self._tokenizer,
            fingerprint=fingerprint,
            threads=self._threads,
            gloss=self._gloss,
            message=message,
        )
