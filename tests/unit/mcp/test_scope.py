"""Which roots a call means: named, the project's, or all (guards X4, project registration)."""

from __future__ import annotations

import pytest

from mdmem_testkit.fake_service import FakeService, root_status
from mdmemd.errors import InvalidRequestError
from mdmemd.mcp.scope import FOLDERS_REMEMBERED_MAX, REFUSED_RETRY_SECONDS, Scope, ScopeResolver


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def resolver(service: FakeService, *, project: str = "", clock: Clock | None = None) -> ScopeResolver:
    return ScopeResolver(service, project=project, monotonic=clock or Clock())


def test_named_roots_are_taken_as_they_are_and_nothing_is_registered() -> None:
    service = FakeService()
    scope = resolver(service, project="/work").resolve(roots=("a", "b"), cwd="")
    assert scope == Scope(("a", "b"), is_named=True, folder="/work")
    assert service.calls == []


def test_a_star_means_all_roots() -> None:
    assert resolver(FakeService(), project="/work").resolve(roots=("*",), cwd="").roots == ()


def test_without_a_project_all_roots_are_meant() -> None:
    assert resolver(FakeService()).resolve(roots=(), cwd="") == Scope((), is_named=False, folder="")


def test_the_project_is_registered_once_and_said_once() -> None:
    service = FakeService()
    service.projects["/work"] = ("work", None)
    scopes = resolver(service, project="/work")
    first, second = scopes.resolve(roots=(), cwd=""), scopes.resolve(roots=(), cwd="")
    assert first.roots == second.roots == ("work",)
    assert first.note == "This project was registered just now as root 'work'."
    assert second.note is None
    assert len(service.asked("project_root")) == 1


def test_a_project_that_was_there_before_needs_no_note() -> None:
    service = FakeService(roots=(root_status("work", "/work"),))
    service.projects["/work"] = ("work", None)
    assert resolver(service, project="/work").resolve(roots=(), cwd="").note is None


def test_a_refused_project_means_all_roots_and_says_why_once() -> None:
    service = FakeService()
    service.projects["/home/me"] = (None, "The home folder may not be a root.")
    scopes = resolver(service, project="/home/me")
    first, second = scopes.resolve(roots=(), cwd=""), scopes.resolve(roots=(), cwd="")
    assert first.roots == second.roots == ()
    assert (
        first.note
        == "This project is not indexed, so all roots were used: The home folder may not be a root."
    )
    assert second.note is None


def test_a_refused_project_is_offered_again_after_a_while() -> None:
    service, clock = FakeService(), Clock()
    scopes = resolver(service, project="/work", clock=clock)
    scopes.resolve(roots=(), cwd="")
    service.projects["/work"] = ("work", None)
    clock.now = REFUSED_RETRY_SECONDS - 1
    assert scopes.resolve(roots=(), cwd="").roots == ()
    clock.now = REFUSED_RETRY_SECONDS
    assert scopes.resolve(roots=(), cwd="").roots == ("work",)


def test_a_root_that_the_user_removed_is_not_registered_again() -> None:
    service = FakeService()
    service.projects["/work"] = ("work", None)
    scopes = resolver(service, project="/work")
    scopes.resolve(roots=(), cwd="")
    service.root_statuses.clear()
    scope = scopes.resolve(roots=(), cwd="")
    assert scope.roots == ()
    assert scope.note == "Root 'work' of this project was removed, so all roots were used."
    assert len(service.asked("project_root")) == 1


def test_cwd_stands_for_the_project() -> None:
    service = FakeService()
    service.projects["/tree"] = ("tree", None)
    scope = resolver(service, project="/work").resolve(roots=(), cwd="/tree")
    assert (scope.roots, scope.folder) == (("tree",), "/tree")


def test_a_relative_cwd_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="'cwd' must be an absolute path"):
        resolver(FakeService()).resolve(roots=(), cwd="docs")


def test_the_memory_of_folders_is_bounded() -> None:
    service = FakeService()
    scopes = resolver(service)
    for number in range(FOLDERS_REMEMBERED_MAX + 1):
        scopes.resolve(roots=(), cwd=f"/folder/{number}")
    scopes.resolve(roots=(), cwd="/folder/0")
    assert len(service.asked("project_root")) == FOLDERS_REMEMBERED_MAX + 2
