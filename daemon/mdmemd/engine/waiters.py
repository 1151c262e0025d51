"""Who waits for one root to be brought up to the disk. Touched by the writer's thread only."""

from __future__ import annotations

from collections.abc import Callable

from mdmemd.sync.barrier import Ticket


class Waiters:
    """Tickets, each with the number of the walk that must have ended for it (0: none)."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Ticket, int]] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    @property
    def is_urgent(self) -> bool:
        """Whether somebody really waits."""
        return any(ticket.is_awaited for ticket, _ in self._waiting)

    def add(self, ticket: Ticket, *, walk: int = 0) -> None:
        """Hold a ticket."""
        self._waiting.append((ticket, walk))

    def release(self, is_ready: Callable[[Ticket, int], bool]) -> None:
        """Let those go whose work is in the published state."""
        left: list[tuple[Ticket, int]] = []
        for ticket, walk in self._waiting:
            if is_ready(ticket, walk):
                ticket.release()
            else:
                left.append((ticket, walk))
        self._waiting = left

    def take_all(self) -> list[Ticket]:
        """All tickets, which are held no longer."""
        waiting, self._waiting = self._waiting, []
        return [ticket for ticket, _ in waiting]

    def give_up(self) -> None:
        """Let all go without what they wait for."""
        for ticket, _ in self._waiting:
            ticket.release(applied=False)
        self._waiting.clear()
