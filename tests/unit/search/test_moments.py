"""Points in time as people write them."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from mdmem_testkit.time_zones import time_zone
from mdmemd.errors import InvalidRequestError
from mdmemd.search.moments import parse_moment

NOW = datetime(2026, 3, 6, 23, 30, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-03-01", date(2026, 3, 1)),
        (" 2026-3-1 ", date(2026, 3, 1)),
        ("2026-03-01T10:00:00Z", date(2026, 3, 1)),
        ("2026-02", date(2026, 2, 1)),
        ("2025", date(2025, 1, 1)),
        ("today", date(2026, 3, 6)),
        ("Yesterday", date(2026, 3, 5)),
        ("7d", date(2026, 2, 27)),
        ("2w", date(2026, 2, 20)),
        ("3 days ago", date(2026, 3, 3)),
        ("0d", date(2026, 3, 6)),
    ],
)
def test_a_day(text: str, day: date) -> None:
    with time_zone("UTC"):
        moment = parse_moment(text, name="since", now=NOW)
    assert date.fromordinal(moment.day) == day
    assert moment.ns == datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1_000_000_000


def test_a_day_is_that_of_the_person_who_asks() -> None:
    with time_zone("Asia/Tokyo"):
        moment = parse_moment("today", name="since", now=NOW)
    assert date.fromordinal(moment.day) == date(2026, 3, 7)
    assert moment.ns == datetime(2026, 3, 6, 15, tzinfo=UTC).timestamp() * 1_000_000_000


@pytest.mark.parametrize(
    "text", ["soon", "2026-13-01", "2026-02-30", "7", "999999w", "d", "01.03.2026", "-3d", "\x00"]
)
def test_what_is_no_date_is_told_with_what_is(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="since cannot be") as raised:
        parse_moment(text, name="since", now=NOW)
    assert "7d" in raised.value.remedy
    assert "2026-03-01" in raised.value.remedy
