from __future__ import annotations

import os
from pathlib import Path

import pytest

from mdmemd.embed.usable_cores import usable_cores


@pytest.fixture(autouse=True)
def sixteen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)


def cores(tmp_path: Path, limits: dict[str, str], *, own: str = "0::/user/job\n") -> int:
    for folder, limit in limits.items():
        (tmp_path / "cgroup" / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / "cgroup" / folder / "cpu.max").write_text(limit)
    (tmp_path / "own").write_text(own)
    return usable_cores(groups=str(tmp_path / "cgroup"), own_group=str(tmp_path / "own"))


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({}, 16),
        ({"user/job": "max 100000\n"}, 16),
        ({"user/job": "200000 100000\n"}, 2),
        ({"user/job": "150000 100000\n"}, 2),
        ({"user/job": "1000 100000\n"}, 1),
        ({"user": "400000 100000\n", "user/job": "max 100000\n"}, 4),
        ({"user": "400000 100000\n", "user/job": "300000 100000\n"}, 3),
        ({"": "800000 100000\n"}, 8),
        ({"other": "100000 100000\n"}, 16),
        ({"user/job": "6400000 100000\n"}, 16),
        ({"user/job": "nonsense"}, 16),
        ({"user/job": "100000 0"}, 16),
    ],
)
def test_the_smaller_of_affinity_and_quota(tmp_path: Path, limits: dict[str, str], expected: int) -> None:
    assert cores(tmp_path, limits) == expected


@pytest.mark.parametrize("own", ["", "0::/\n", "0::/../..\n", "12:cpu:/user/job\n"])
def test_a_container_that_does_not_see_its_own_group(tmp_path: Path, own: str) -> None:
    assert cores(tmp_path, {"": "200000 100000\n"}, own=own) == 2


def test_no_control_groups(tmp_path: Path) -> None:
    assert usable_cores(groups=str(tmp_path / "no"), own_group=str(tmp_path / "none")) == 16
