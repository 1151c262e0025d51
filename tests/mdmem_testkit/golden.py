"""Texts that are compared with a recorded file; ``MDMEM_REWRITE_GOLDEN=1`` records them anew.

Read the difference before it is committed: a recorded file is what users and other programs rely on.
"""

from __future__ import annotations

import os
from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "golden"
REWRITE_VARIABLE = "MDMEM_REWRITE_GOLDEN"


def check_golden(name: str, text: str) -> None:
    """Compare ``text`` with the file ``name`` below ``tests/golden``."""
    path = GOLDEN / name
    if os.environ.get(REWRITE_VARIABLE) == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
    with path.open(newline="") as file:
        assert text == file.read(), f"{path} differs; {REWRITE_VARIABLE}=1 records it anew"
