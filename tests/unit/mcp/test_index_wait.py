"""Waiting for the first reading of roots: woken by publications, bounded, with progress that only grows."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

import mdmemd.mcp.index_wait
from mdmem_testkit.fake_service import FakeService, root_status
from mdmem_testkit.mcp_client import CEILING_SECONDS
from mdmemd.engine.report import RootState, RootStatus
from mdmemd.mcp.index_wait import IndexWait


def reading(name: str, *, documents: int, pending: int) -> RootStatus:
    status = root_status(name, f"/{name}", state=RootState.INDEXING, documents=documents)
    return replace(status, pending_files=pending)


def test_progress_is_told_and_never_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mdmemd.mcp.index_wait, "REPORT_SECONDS", 0.0)
    service = FakeService()
    steps = [
        reading("a", documents=0, pending=0),
        reading("a", documents=5, pending=15),
        reading("a", documents=2, pending=3),
        root_status("a", "/a", documents=20),
    ]
    told: list[tuple[float, float | None, str]] = []

    async def report(done: float, total: float | None, sentence: str) -> None:
        told.append((done, total, sentence))
        service.root_statuses = [steps[len(told)]]
        service.publish()

    async def main() -> bool:
        service.root_statuses = [steps[0]]
        wait = IndexWait(service, service.state_changes)
        return await wait.until_read(("a",), timeout_seconds=CEILING_SECONDS, report=report)

    assert asyncio.run(main())
    assert told == [
        (0.0, None, "Looking at a"),
        (5.0, 20.0, "Reading a: 15 files to go"),
        (5.0, 8.0, "Reading a: 3 files to go"),
    ]


def test_other_roots_are_not_waited_for() -> None:
    service = FakeService(roots=(root_status("a", "/a"), reading("b", documents=0, pending=1)))

    async def main(*roots: str) -> bool:
        return await IndexWait(service, service.state_changes).until_read(roots, timeout_seconds=0.0)

    assert asyncio.run(main("a"))
    assert not asyncio.run(main("b"))
    assert not asyncio.run(main())


def test_a_wait_that_ends_leaves_no_listener() -> None:
    service = FakeService(roots=(reading("a", documents=0, pending=1),))
    listening: list[int] = []

    def state_changes(callback: object) -> object:
        listening.append(1)
        return listening.pop

    async def main() -> None:
        await IndexWait(service, state_changes).until_read((), timeout_seconds=0.0)  # type: ignore[arg-type]

    asyncio.run(main())
    assert listening == []
