"""Opens the verified files of any model: its graph as a session, its tokenizer.

A file that is intact and yet of no use gets another sentence and another remedy than a damaged one, because
fetching it again would not help (M1). On the thread that loads.
"""

from __future__ import annotations

from mdmemd.embed.model_files import ModelFiles
from mdmemd.embed.registry import ModelSpec
from mdmemd.embed.session import RUNTIME, Session, open_session
from mdmemd.embed.tokenizer import TextTokenizer
from mdmemd.errors import ModelUnavailableError


def open_files(files: ModelFiles) -> tuple[str, TextTokenizer]:
    """Path of the graph, and the tokenizer.

    Raises ``ModelUnavailableError`` where any file is missing, damaged or, the tokenizer's, unusable.
    """
    spec = files.spec
    for file in (*spec.data, *((spec.dictionary,) if spec.dictionary is not None else ())):
        files.verified_path(file)
    weights, path = files.verified_path(spec.weights), files.verified_path(spec.tokenizer)
    try:
        with open(path, encoding="utf-8", newline="\n") as stream:
            content = stream.read()
        return weights, TextTokenizer.of_file(content, kind=spec.tokenizer_kind, tokens_max=spec.tokens_max)
    except Exception as error:  # the library's errors have no common base below Exception
        raise ModelUnavailableError(
            f"The files of the model {spec.name} are intact, but its tokenizer cannot be read ({error}).",
            remedy="Use a tokenizer.json that the library tokenizers reads, or another model.",
        ) from error


def session_of(spec: ModelSpec, path: str) -> Session:
    """A session over the verified graph at ``path``. Raises ``ModelUnavailableError``."""
    try:
        return open_session(path)
    except Exception as error:  # as above
        raise ModelUnavailableError(
            f"The files of the model {spec.name} are intact, but {RUNTIME} cannot load them: {error}",
            remedy="Free some memory if it ran out, or install another onnxruntime, and restart mdmemd.",
        ) from error
