"""Takes a question apart once for all who look at it: its vector begins before anything is searched.

Keeps the ``PARSED_MAX`` last ones, which depend on nothing but the question and the kind of model. Where the
dictionary of Chinese words is missing, every pair of characters counts and the log says why: a question is
answered by its words whatever is missing. Called on the query pool.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import lru_cache

from mdmemd.errors import ModelUnavailableError
from mdmemd.search.query import ParsedQuery, Words, no_words, parse_query

log = logging.getLogger(__name__)

PARSED_MAX = 32


class QuestionParser:
    """``words`` cuts Chinese into words, ``is_multilingual`` tells if the model in use knows many scripts."""

    def __init__(self, *, words: Words, is_multilingual: Callable[[], bool]) -> None:
        self._is_multilingual = is_multilingual

        def known(text: str) -> Sequence[Sequence[str]]:
            try:
                return words(text)
            except ModelUnavailableError as error:
                log.warning("a question is not cut into Chinese words: %s %s", error, error.remedy)
                return no_words(text)

        @lru_cache(PARSED_MAX)
        def parsed(question: str, knows_many_scripts: bool) -> ParsedQuery:
            return parse_query(question, words=known, is_multilingual=knows_many_scripts)

        self._parsed = parsed

    def parse(self, question: str) -> ParsedQuery:
        """As ``parse_query``."""
        return self._parsed(question, self._is_multilingual())
