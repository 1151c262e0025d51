"""Every number that ranking is tuned by, with its reason."""

from __future__ import annotations

BM25_MAX_PER_IDF = 2.2
"""Upper bound of BM25's term-frequency factor, k1 + 1 at k1 = 1.2: a score over this times the idf mass lies in 0..1."""

PART_WEIGHT = 0.3
"""Weight of a piece of a compound beside its whole name (``link`` of ``uv_link_mode``)."""

KEYWORD_WEIGHT = 1.2
KEYWORD_WEIGHT_IDENTIFIERS = 1.5
"""Weight of the keyword fraction beside the cosine, and what is added for a question made of identifiers only."""

UNSPACED_VECTOR_LOSS = 0.5
"""How much of the cosine's weight is lost for a question all in a script that the built-in English model hardly knows."""

COVERAGE_MIN = 0.3

KEYWORD_CANDIDATES = 200
VECTOR_CANDIDATES = 200

TITLE_BONUS = 1.0

EMPTY_SECTION_LOSS = 1.0

VECTOR_PASSAGE_BONUS = 0.5

PHRASE_CHECKS_MAX = 200
