from __future__ import annotations

import numpy as np

from mdmemd.embed.recent_questions import QUESTIONS_MAX, RecentQuestions


def test_least_recently_used_goes_first() -> None:
    """R2: the memory is bounded."""
    recent = RecentQuestions()
    vector = np.ones(2, np.float32)
    for number in range(QUESTIONS_MAX):
        recent.put(str(number), vector)
    assert recent.get("0") is vector
    recent.put("one more", vector)
    assert recent.get("0") is vector
    assert recent.get("1") is None
    assert recent.get("one more") is vector
