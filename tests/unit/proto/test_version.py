import pytest

from mdmem_proto import version
from mdmem_proto.version import choose


@pytest.mark.parametrize(
    ("ours", "offered", "chosen"),
    [
        ((1, 1), (1, 1), 1),
        ((1, 1), (1, 9), 1),
        ((2, 5), (1, 3), 3),
        ((2, 5), (4, 9), 5),
        ((2, 5), (3, 3), 3),
        ((2, 5), (1, 1), None),
        ((2, 5), (6, 9), None),
        ((2, 5), (4, 3), None),  # an empty range
        ((1, 1), (-(2**63), 2**63), 1),
    ],
)
def test_choose_is_the_highest_that_both_speak(
    ours: tuple[int, int], offered: tuple[int, int], chosen: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(version, "PROTOCOL_MIN", ours[0])
    monkeypatch.setattr(version, "PROTOCOL_MAX", ours[1])
    assert choose(*offered) == chosen


def test_every_number_has_its_line_of_history() -> None:
    assert version.__doc__ is not None
    for number in range(1, version.PROTOCOL_MAX + 1):
        assert f"\n{number}. " in version.__doc__
