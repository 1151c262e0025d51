"""Progress of a request that takes long, out of its events. Pure."""

from __future__ import annotations

from collections.abc import Callable

from mdmem_proto import messages
from mdmem_proto.envelope import Event
from mdmem_proto.session import decode_event


def progress_to(
    on_progress: Callable[[messages.ProgressEvent], None] | None,
) -> Callable[[Event], None]:
    """Hands ``progress`` events on; others, of a later daemon, are left out."""

    def pass_on(event: Event) -> None:
        if event.name == "progress" and on_progress is not None:
            on_progress(decode_event(event, messages.ProgressEvent))

    return pass_on
