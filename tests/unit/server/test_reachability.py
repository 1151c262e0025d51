"""A daemon whose socket was removed listens again; one whose lock was removed ends."""

from __future__ import annotations

import asyncio

from mdmemd.errors import OperatorError
from mdmemd.server.reachability import Reachability


class World:
    """A lock and places that tests take away."""

    def __init__(self) -> None:
        self.owns_lock = True
        self.in_place = True
        self.folder_fails = False
        self.listened = 0
        self.stopped = False
        self.reachability = Reachability(
            self, owns_lock=lambda: self.owns_lock, listen_again=self._listen_again, stop=self._stop
        )

    def is_in_place(self) -> bool:
        return self.in_place

    async def _listen_again(self) -> World:
        if self.folder_fails:
            raise OperatorError("No room.")
        self.listened += 1
        self.in_place = True
        return self

    def _stop(self) -> None:
        self.stopped = True

    def check(self) -> None:
        asyncio.run(self.reachability.check())


def test_nothing_is_done_while_all_is_well() -> None:
    world = World()
    world.check()
    assert (world.listened, world.stopped) == (0, False)


def test_a_removed_socket_is_made_again_as_soon_as_that_is_possible() -> None:
    world = World()
    world.in_place = False
    world.folder_fails = True
    world.check()
    assert (world.listened, world.stopped) == (0, False)
    world.folder_fails = False
    world.check()
    world.check()
    assert (world.listened, world.stopped) == (1, False)


def test_a_daemon_without_its_lock_ends_and_takes_no_socket() -> None:
    """D1, D2: two daemons never serve one instance."""
    world = World()
    world.owns_lock = False
    world.in_place = False
    world.check()
    assert (world.listened, world.stopped) == (0, True)
