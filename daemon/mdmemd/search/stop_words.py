"""English words that say how something is asked and not what about.

A question drops them unless nothing else is left. Folded forms; contractions appear as their head (``don`` of
"don't"), which is what ``text.tokens`` keeps of them. Only function words: on the development sets a longer
list (own, same, other, into, about, here, just) cost a little, since such words also mean something.
"""

from __future__ import annotations

STOP_WORDS = frozenset(
    """
    a an the this that these those it its
    i me my we us our you your he him his she her they them their
    am is are was were be been being do does did doing don doesn didn isn aren wasn weren
    have has had haven hasn hadn can could may might must shall should will would won wouldn couldn shouldn
    what which who whom whose when where why how
    and or but nor so if then than as of at by for with to in from on not there
    please e.g i.e etc s t
    """.split()  # noqa: SIM905 - a list of quoted words would be unreadable
)
