"""A cross-encoder: how well each of a few texts answers a question, by reading both together.

A pair is one input, question first; where both are too long for the model, the text loses its end. Each pair
is a run of its own without padding, several side by side, each on one thread: as in ``encoder``. The graph
gives one number a pair, or two (no and yes), of which the difference counts; a logistic function brings it
between 0 and 1. Stops in time: what has been read by then has scores.

Loaded by a thread of its own when it is first asked, so that no question waits for it, and kept from then on.
Any thread.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Sequence

from mdmemd.embed.encoder import feed
from mdmemd.embed.inference_threads import inference_threads
from mdmemd.embed.model_files import ModelFiles
from mdmemd.embed.opening import open_files, session_of
from mdmemd.embed.registry import ModelKind, ModelSpec
from mdmemd.embed.session import Session
from mdmemd.embed.tokenizer import TextTokenizer
from mdmemd.embed.usable_cores import usable_cores
from mdmemd.errors import DaemonError, ModelUnavailableError
from mdmemd.ports import Clock, Reranker

log = logging.getLogger(__name__)


def load_reranker(files: ModelFiles, *, threads: int, clock: Clock) -> OnnxReranker:
    """Verify and load a cross-encoder; ``threads`` 0 means as many as the process may use.

    Raises ``ModelUnavailableError``: it is no reranker, a file is missing or damaged, or does not load.
    """
    spec = files.spec
    if spec.kind is not ModelKind.RERANKER:
        raise ModelUnavailableError(
            f"{spec.name} is no reranker but an {spec.kind}.",
            remedy="Name a reranker as [search] rerank_model in config.toml, or leave it out.",
        )
    weights, tokenizer = open_files(files)
    return OnnxReranker(
        spec,
        session=session_of(spec, weights),
        tokenizer=tokenizer,
        threads=threads or usable_cores(),
        clock=clock,
    )


class OnnxReranker:
    """``ports.Reranker`` over one session."""

    def __init__(
        self, spec: ModelSpec, *, session: Session, tokenizer: TextTokenizer, threads: int, clock: Clock
    ) -> None:
        self._spec = spec
        self._session = session
        self._tokenizer = tokenizer
        self._threads = threads
        self._clock = clock
        self._pool = inference_threads(threads)
        self._input_names = {node.name for node in session.get_inputs()}

    def scores(self, question: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        """Between 0 and 1, of as many of the first texts as can be read in time; see the port."""
        ends_at = self._clock.monotonic() + seconds
        asked = self._spec.query_prompt + question
        found: list[float] = []
        try:
            while len(found) < len(texts) and (not found or self._clock.monotonic() < ends_at):
                together = texts[len(found) : len(found) + self._threads]
                found.extend(self._pool.map(lambda text: self._score(asked, text), together))
        except Exception as error:  # the library's errors have no common base below Exception
            raise ModelUnavailableError(
                f"The reranker {self._spec.name} fails ({error}).",
                remedy="Correct its card, or leave [search] rerank_model out of config.toml.",
            ) from error
        return found

    def _score(self, question: str, text: str) -> float:
        pair = self._tokenizer.encode_pair(question, self._spec.passage_prompt + text)
        inputs = feed(pair.ids, names=self._input_names, segments=pair.segments)
        (output,) = self._session.run([self._spec.output], inputs)
        values = [float(value) for value in output.reshape(-1)]
        if len(values) not in (1, 2) or not all(map(math.isfinite, values)):
            raise ValueError(f"its output {self._spec.output} of one pair is {values[:4]}")
        logit = values[-1] - (values[0] if len(values) == 2 else 0.0)
        return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, logit))))


class BackgroundReranker:
    """``ports.Reranker`` that is loaded by a thread of its own, begun by the first question."""

    def __init__(self, load: Callable[[], Reranker]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._loaded: Reranker | None = None
        self._failure: ModelUnavailableError | None = None
        self._thread: threading.Thread | None = None

    def scores(self, question: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        """Raises ``ModelUnavailableError`` while it is loading, and for ever where it does not load."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="reranker-load", daemon=True)
                self._thread.start()
        if self._failure is not None:
            raise ModelUnavailableError(str(self._failure), remedy=self._failure.remedy)
        if self._loaded is None:
            raise ModelUnavailableError("The reranker is still loading.", remedy="Ask again in a moment.")
        return self._loaded.scores(question, texts, seconds=seconds)

    def wait(self, *, timeout_seconds: float) -> None:
        """Until a load that has begun has ended."""
        if self._thread is not None:
            self._thread.join(timeout_seconds)

    def _run(self) -> None:
        try:
            self._loaded = self._load()
        except DaemonError as error:
            log.warning("no reranking: %s %s", error, error.remedy)
            self._failure = ModelUnavailableError(f"The reranker is not used: {error}", remedy=error.remedy)
        except Exception as error:  # a broken installation of a library, say: answers come without it
            log.exception("the reranker could not be loaded")
            self._failure = ModelUnavailableError(
                f"The reranker could not be loaded ({error}).", remedy="See the log of mdmemd."
            )
