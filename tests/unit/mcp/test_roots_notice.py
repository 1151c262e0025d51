"""Notices of changed roots: only after somebody has seen them, and only for a change of the set."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from mdmem_testkit.fake_service import FakeService, root_status
from mdmem_testkit.mcp_client import CEILING_SECONDS
from mdmemd.mcp.roots_notice import RootsNotice


class World:
    """A notice under way. ``looked`` is set by each look at the roots."""

    def __init__(self) -> None:
        self.service = FakeService()
        self.shown, self.looked, self.told = asyncio.Event(), asyncio.Event(), asyncio.Queue[None]()
        self.service.on_call = self.looked.set

    async def tell(self) -> None:
        self.told.put_nowait(None)

    async def is_looked_at(self) -> None:
        """Wait for the next look."""
        await asyncio.wait_for(self.looked.wait(), CEILING_SECONDS)
        self.looked.clear()

    async def is_told(self) -> None:
        """Wait for the next notice."""
        await asyncio.wait_for(self.told.get(), CEILING_SECONDS)


def watch(script: Callable[[World], Awaitable[None]]) -> None:
    async def main() -> None:
        world = World()
        notice = RootsNotice(
            world.service, world.service.state_changes, shown=world.shown, tell=world.tell, settle_seconds=0.0
        )
        running = asyncio.create_task(notice.run())
        await script(world)
        running.cancel()
        await asyncio.wait([running], timeout=CEILING_SECONDS)
        assert running.cancelled()
        assert world.service.listeners == 0

    asyncio.run(main())


def test_roots_that_come_and_go_are_told() -> None:
    async def script(world: World) -> None:
        world.shown.set()
        await world.is_looked_at()
        for roots in ([root_status("a", "/a")], [root_status("a", "/b")], []):
            world.service.root_statuses = roots
            world.service.publish()
            await world.is_told()

    watch(script)


def test_documents_that_come_are_not_told() -> None:
    async def script(world: World) -> None:
        world.service.root_statuses = [root_status("a", "/a")]
        world.shown.set()
        await world.is_looked_at()
        world.service.root_statuses = [root_status("a", "/a", documents=7)]
        world.service.publish()
        await world.is_looked_at()
        await asyncio.sleep(0)
        assert world.told.empty()

    watch(script)


def test_nothing_is_looked_at_before_somebody_has_seen_the_roots() -> None:
    async def script(world: World) -> None:
        world.service.publish()
        await asyncio.sleep(0)
        assert not world.looked.is_set()

    watch(script)
