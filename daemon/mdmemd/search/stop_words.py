"""English words that say how something is asked and not what about; a question drops them unless nothing else
is left.

Folded forms. Contractions appear as their head (``don`` of "don't"), which is what ``text.tokens`` keeps of
them.
"""

from __future__ import annotations

STOP_WORDS = frozenset(
    """
    a an the this that these those it its itself
    i me my mine we us our ours you your yours he him his she her they them their theirs one
    am is are was were be been being do does did doing done don doesn didn isn aren wasn weren
    have has had having haven hasn hadn can could may might must shall should will would won wouldn couldn shouldn
    what which who whom whose when where why how
    and or but nor so if then than as because while of at by for with about into to from in on onto
    not no there here too very just also such some any each both own same other
    please tell get gets got e.g i.e etc s t
    """.split()  # noqa: SIM905 - a list of quoted words would be unreadable
)
