"""What every test may rely on of the process that runs it."""

from __future__ import annotations

import signal

import pytest


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """A shell starts what runs in its background deaf to Ctrl-C, and each child inherits that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
