"""The threads on which models compute: made once, shared by all models, idle without cost.

They outlive a model on purpose. With threads of its own for each model that is loaded, the C library's heaps
of threads that are gone keep pieces of memory: measured over 24 rounds of loading, computing and unloading
the built-in model's graph, a process that rests stays at 120 MB, and with new threads each time goes to 169.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache


@cache
def inference_threads(threads: int) -> ThreadPoolExecutor:
    """The pool of so many threads; the same one for each call."""
    return ThreadPoolExecutor(threads, thread_name_prefix="inference")
