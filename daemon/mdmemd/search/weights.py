"""Every number that ranking is tuned by, with its reason and what was measured.

Measured with ``mdmemctl eval`` on the development sets (uv, rust-book, vuejs-docs-zh-cn, markdown-memory v1
and v2, markdex, qmd: 219 questions, built-in model). The figure is the mean over the sets of the reciprocal
rank, 0.859 as it stands. The neighbourhood is flat: where a range is given, everything in it is within one
question a set, and a value well inside was taken. ``tests/eval/NOTES.md`` has what was tried and dropped.
"""

from __future__ import annotations

BM25_MAX_PER_IDF = 2.2
"""Upper bound of BM25's term-frequency factor (k1 + 1 at k1 = 1.2): a score over this times the idf mass is
in 0..1."""

PART_WEIGHT = 0.3
"""Weight of a part of a word (``link`` of ``uv_link_mode``, ``cach`` of ``caching``) beside its name; flat in
0.1..1."""

KEYWORD_WEIGHT = 0.8
"""Weight of the keyword fraction beside the cosine. Flat in 0.6..1.0; 0.4 and 1.5 lose about 0.01.

Bending the fraction (powers 0.5 to 2), dividing by its maximum, standardising both lists, and adding
coverage, depth or length were all no better."""

KEYWORD_WEIGHT_IDENTIFIERS = 1.0
"""Added, times their share, for a question with identifiers among words: the literal name is meant. 0.5 to
1.5 are alike; 0 loses 0.02 on uv."""

LOOKUP_BONUS = 1.0
"""For a section that names everything which a question of nothing but identifiers asks for: what meaning
cannot outweigh, so that the name leads; 0 and 1 are alike on the development sets. Among those that name it,
words and meaning weigh as ever: how often a name occurs says little about where it is explained (identifiers
of markdown-memory v2: 14 of 20 first; with the weight of words raised as for mixed questions 11)."""

UNSPACED_VECTOR_LOSS = 0.9
"""Share of the cosine's weight lost for a question all in a script without spaces that the built-in English
model hardly knows (Japanese, Korean, Thai): set on Chinese before there were glosses, a mean reciprocal rank
of 0.760; 0.747 with 0.8, 0.669 with 0."""

GLOSSED_VECTOR_LOSS = 0.7
"""The same for Chinese, which that model reads as English glosses: 0.5 to 0.9 are alike, 0 loses 0.05."""

COVERAGE_MIN = 0.3
"""Least share of a question's idf mass that some section must name, else the words are reported as
``filtered``. Of the questions that words alone answered in the first five, 95 % had a section above 0.34.
Their hits are still shown: leaving them out took 15 of 100 right answers from the smallest set in keyword
mode, and gains nothing in hybrid mode."""

UNSPACED_COVERAGE_LOSS = 0.7
"""Share of ``COVERAGE_MIN`` that falls away for a question of character pairs, half of which straddle two
words."""

KEYWORD_CANDIDATES = 200
VECTOR_CANDIDATES = 200
"""Sections by words and passages by vectors that compete: a page has at most 50, and a right answer that is
in neither is not worth the time to find it."""

TITLE_BONUS = 1.0
"""For a section whose own heading is the question; with the words of such a heading enough to lead."""

DEFINITION_BONUS = 0.15
"""For a section that explains the name that is looked up: 0.1 to 0.25 put two more of the 20 identifiers of
markdown-memory v2 first and change no other set."""

TITLES_READ_MAX = 64
"""Sections that name the whole question and whose heading is compared with it, those with the most words
first, since a heading that is the question is a short field of the largest weight. Reading 200 took half of a
keyword question."""

EMPTY_SECTION_LOSS = 1.0
"""For a heading with no text of its own, which answers nothing."""

RELEASE_NOTES_LOSS = 0.15
"""For a file of release notes, which names everything once and explains nothing. 0.05 to 0.2 are alike."""

RELEASE_NOTES_LOSS_IDENTIFIERS = 0.3
"""Added, times their share, for a question with identifiers: release notes are the one place that names each
of them. 0.2 to 0.6 are alike."""

STATUS_LOSS = 0.1
"""For a document whose front matter says that it does not hold (``status: superseded``): as much as release
notes lose. No development set has such documents."""

AGE_LOSS = 0.1
"""Most that a dated document loses to the newest one where the newest is asked for: as much as by its status.
No development set has such documents."""

AGE_DAYS_OF_HALF_LOSS = 30
"""How much older than the newest a document has lost half of ``AGE_LOSS``."""

DATES_COMPARED_MAX = 10
"""Sections whose dates tell what the newest is: those that could be meant, not any document of the roots."""

PASSAGE_COSINE_WEIGHT = 2.0
"""Weight of a passage's cosine beside the share of the question's words that it names: within a section the
cosines of the best passages lie some 0.1 to 0.3 apart. This and what follows was measured by answers held,
on the labelled answers that ``tests/eval/NOTES.md`` tells of: 1 to 4 are alike, 0 and 6 hold fewer."""

DEFINING_PASSAGE_WEIGHT = 0.4
"""For a passage that begins with the name that is looked up. 0.25 to 0.5 put one more answer of 134 into the
excerpts of the labelled sets, 1.0 loses three: code begins with names, too."""

BLOCK_WORDS_WEIGHT = 0.5
"""Weight of the words that a block names beyond its best passage: the header of a table, the items around."""

NEIGHBOUR_WEIGHT = 0.5
"""Share of its neighbours' values in that of a block. 0.25 to 0.5 are alike; with 0 first excerpts hold 5
answers of 134 fewer."""

BLOCK_VALUE_MIN = 0.75
"""Share of the best block's value below which a block is no part of a sparing excerpt: up to 0.8 one answer
of 134 is lost at most and a tenth of the tokens saved; 0.9 loses 4."""

WHOLE_SECTION_TOKENS = 200
"""A section that costs no more is quoted whole, as a reader expects of a short one. 160 to 250 are alike."""

SECTIONS_READ_MAX = 200
"""Sections whose text is read at most to fill a page."""
