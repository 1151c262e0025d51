"""The engine's facade fits what the tools for agents need of it, and so does the fake of their tests."""

from __future__ import annotations

import inspect

import pytest

from mdmem_testkit.fake_service import FakeService
from mdmemd.engine.indexing import Indexing as EngineIndexing
from mdmemd.engine.service import Service as EngineService
from mdmemd.mcp.service import Indexing, Service

METHODS = [
    name for name, value in vars(Service).items() if inspect.isfunction(value) and not name.startswith("_")
]


def indexing_as_needed(indexing: EngineIndexing) -> Indexing:
    """Checked by mypy."""
    return indexing


def as_needed(service: EngineService) -> Service:
    """Checked by mypy."""
    return service


@pytest.mark.parametrize("implementation", [EngineService, FakeService])
@pytest.mark.parametrize("method", METHODS)
def test_signatures(implementation: type, method: str) -> None:
    assert inspect.signature(getattr(implementation, method)) == inspect.signature(getattr(Service, method))


def test_the_protocol_is_not_empty() -> None:
    assert {"search", "read", "outline", "documents", "roots", "project_roots"} <= set(METHODS)
