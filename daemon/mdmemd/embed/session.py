"""Runs a graph: the only module that imports ``onnxruntime``.

Invariants: a run computes on the calling thread alone, so nothing spins or waits in the background, and as
many runs may overlap as there are callers; the allocator keeps no arena, whose size would follow the largest
run ever seen. Sessions are opened on the embedder thread and run on any.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import onnxruntime  # type: ignore[import-untyped]  # the wheel has no type information

RUNTIME = f"onnxruntime {onnxruntime.__version__}"

LOG_ERRORS_ONLY = 3
"""``log_severity_level`` of onnxruntime: its warnings concern whoever exported the graph."""


class Session(Protocol):
    """What is used of ``onnxruntime.InferenceSession``."""

    def run(self, output_names: list[str], input_feed: dict[str, npt.NDArray[np.int64]]) -> list[Any]:
        """The named outputs."""

    def get_inputs(self) -> list[Any]:
        """The graph's inputs, each with a ``name``."""


def open_session(model: str | bytes) -> Session:
    """A session over a file of that path or over a model's bytes.

    Raises exceptions of onnxruntime, which have no common base below ``Exception``.
    """
    opened = onnxruntime.InferenceSession(model, _options(), providers=["CPUExecutionProvider"])
    # The library keeps the bytes to open the session again on another processor, of which there is none.
    opened._model_bytes = None  # noqa: SLF001
    session: Session = opened
    return session


def _options() -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    # The lower levels compute the shipped graph of the built-in model at 40 to 65 % of this one's speed.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.enable_cpu_mem_arena = False
    options.log_severity_level = LOG_ERRORS_ONLY
    return options
