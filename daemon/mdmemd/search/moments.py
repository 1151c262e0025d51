"""Points in time as people write them: ``2026-03-01``, ``2026-03``, ``2026``, ``today``, ``7d``, ``2w``.

Days are those of the machine's time zone. Pure but for that zone; any thread.
"""

from __future__ import annotations

import datetime as dt
import re
import time

from mdmemd.errors import InvalidRequestError
from mdmemd.index.filters import Moment

FORMS = "an ISO date (2026-03-01, 2026-03 or 2026), today, yesterday, or days or weeks back (7d, 2w)"

_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:[T ]\S*)?")
_BACK = re.compile(r"(\d{1,5}) ?(d|days?|w|weeks?)(?: ago)?")
_WORDS = {"today": 0, "yesterday": 1}


def parse_moment(text: str, *, name: str, now: float) -> Moment:
    """The beginning of the day that ``text`` means at ``now`` (unix seconds); a time of day is left out.

    Raises ``InvalidRequestError``, which calls the field by its ``name``.
    """
    try:
        day = _day(" ".join(text.lower().split()), now)
        midnight = time.mktime((day.year, day.month, day.day, 0, 0, 0, 0, 0, -1))
    except (ValueError, OverflowError):
        raise InvalidRequestError(
            f"{name} cannot be {text!r}: it is no date.", remedy=f"Give {FORMS}."
        ) from None
    return Moment(day=day.toordinal(), ns=int(midnight) * 1_000_000_000)


def _day(text: str, now: float) -> dt.date:
    """The day; ``ValueError`` where it is none."""
    if match := _DATE.fullmatch(text.upper()):
        return dt.date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
    days = _WORDS.get(text)
    if days is None:
        match = _BACK.fullmatch(text)
        if match is None:
            raise ValueError(text)
        days = int(match[1]) * (7 if match[2].startswith("w") else 1)
    here = time.localtime(now)
    return dt.date(here.tm_year, here.tm_mon, here.tm_mday) - dt.timedelta(days=days)
