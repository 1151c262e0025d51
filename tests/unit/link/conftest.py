"""Fixtures of the link's tests: an instance of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmem_proto.endpoint import Endpoint
from mdmem_testkit.instances import endpoint_of


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The instance's folder, which is also the one of the environment."""
    monkeypatch.setenv("MDMEM_HOME", str(tmp_path))
    monkeypatch.delenv("MDMEM_NO_START", raising=False)
    return tmp_path


@pytest.fixture
def endpoint(home: Path) -> Iterator[Endpoint]:
    """The instance, whose daemon, if the test left one, is stopped at the end."""
    from mdmem.errors import DaemonUnavailableError
    from mdmem.link.client import connect

    yield endpoint_of(home)
    try:
        with connect(start=False) as client:
            client.stop()
    except DaemonUnavailableError:
        pass
