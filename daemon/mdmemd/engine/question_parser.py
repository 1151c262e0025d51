"""Takes a question apart once for all who look at it: its vector begins before anything is searched.

Keeps the ``PARSED_MAX`` last ones, which depend on nothing but the question and the kind of model. Called on
the query pool.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from mdmemd.search.query import ParsedQuery, Words, parse_query

PARSED_MAX = 32


class QuestionParser:
    """``words`` cuts Chinese into words, ``is_multilingual`` tells if the model in use knows many scripts."""

    def __init__(self, *, words: Words, is_multilingual: Callable[[], bool]) -> None:
        self._is_multilingual = is_multilingual

        @lru_cache(PARSED_MAX)
        def parsed(question: str, knows_many_scripts: bool) -> ParsedQuery:
            return parse_query(question, words=words, is_multilingual=knows_many_scripts)

        self._parsed = parsed

    def parse(self, question: str) -> ParsedQuery:
        """As ``parse_query``."""
        return self._parsed(question, self._is_multilingual())
