"""Whether a compiled graph computes what the shipped one does, on texts that are always the same.

Two thirds of the limits' distance to 1 are taken up by int8 itself: the built-in model has a mean cosine of
0.992 over thousands of passages, and at worst 0.974. What is to be caught is far off: weights in the wrong
place, another activation, a processor whose int8 kernels saturate. Pure; any thread.
"""

from __future__ import annotations

import numpy as np

from mdmemd.model import FloatMatrix

MEAN_COSINE_MIN = 0.985
COSINE_MIN = 0.975

CHECK_TEXTS = (
    "backup",
    "How do I rotate the signing keys?",
    "Install > Linux: run `./configure --prefix=/opt` as an ordinary user, then `make install` as root.",
    "Zeitüberschreitung beim Öffnen der Datei; données manquantes; 設定ファイルが見つかりません",
    "| Variable | Default | Meaning | CACHE_DIR | ~/.cache | Where downloads are kept between two runs |",
    "def load(path: str) -> dict[str, int]: return {row.name: row.size for row in read_rows(path)}",
    (
        "Soup > Onions: slice four large onions as thinly as you can, and let them turn brown in butter over "
        "a low fire, which takes the better part of an hour; stir often towards the end, since sugar burns "
        "quickly. Add a spoonful of flour, a glass of white wine and a litre of stock, and let it simmer."
    ),
    " ".join(
        f"Step {number}: close valve {number * 7}, note the pressure, and wait until the lamp is green."
        for number in range(1, 15)
    ),
)
"""From one word to the token limit, in prose, code, a table and other scripts."""


def disagreement(vectors: FloatMatrix, references: FloatMatrix) -> str | None:
    """Why ``vectors`` of the check texts, all of unit length, do not pass for ``references``.

    A clause without a full stop; ``None`` if they do.
    """
    cosines = (vectors * references).sum(axis=1)
    mean, worst = float(np.mean(cosines)), float(np.min(cosines))
    if mean >= MEAN_COSINE_MIN and worst >= COSINE_MIN:
        return None
    return f"its vectors differ from those of the shipped graph (cosine {mean:.3f}, at worst {worst:.3f})"
