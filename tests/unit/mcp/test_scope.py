"""Which roots a call means: named, the project's, or all (guards X4, project registration)."""

from __future__ import annotations

import pytest

from mdmem_testkit.fake_service import FakeService, root_status
from mdmemd.engine.projects import ProjectRoots
from mdmemd.errors import InvalidRequestError
from mdmemd.mcp.scope import (
    FOLDERS_REMEMBERED_MAX,
    LARGE_ROOT_FILES,
    REFUSED_RETRY_SECONDS,
    Scope,
    ScopeResolver,
)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Session:
    def __init__(self, service: FakeService, *folders: str, clock: Clock | None = None) -> None:
        self.scopes = ScopeResolver(service, monotonic=clock or Clock())
        self.folders = folders

    def resolve(self, *, roots: tuple[str, ...] = (), cwd: str = "") -> Scope:
        return self.scopes.resolve(roots=roots, cwd=cwd, folders=self.folders)


def test_named_roots_are_taken_as_they_are_and_nothing_is_registered() -> None:
    service = FakeService()
    scope = Session(service, "/work").resolve(roots=("a", "b"))
    assert scope == Scope(("a", "b"), is_named=True, folder="/work", session="/work")
    assert service.calls == []


def test_a_star_means_all_roots() -> None:
    assert Session(FakeService(), "/work").resolve(roots=("*",)).roots == ()


def test_without_a_project_all_roots_are_meant() -> None:
    assert Session(FakeService()).resolve() == Scope((), is_named=False, folder="")


def test_the_project_is_registered_once_and_said_once() -> None:
    service = FakeService()
    service.projects["/work"] = ("work", None)
    scopes = Session(service, "/work")
    first, second = scopes.resolve(), scopes.resolve()
    assert first.roots == second.roots == ("work",)
    assert first.note == "This project was registered just now as root 'work'."
    assert second.note is None
    assert len(service.asked("project_roots")) == 1


def test_a_project_that_was_there_before_needs_no_note() -> None:
    service = FakeService(roots=(root_status("work", "/work"),))
    service.projects["/work"] = ("work", None)
    assert Session(service, "/work").resolve().note is None


def test_a_refused_project_means_all_roots_and_says_why_once() -> None:
    service = FakeService()
    service.projects["/home/me"] = (None, "The home folder may not be a root.")
    scopes = Session(service, "/home/me")
    first, second = scopes.resolve(), scopes.resolve()
    assert first.roots == second.roots == ()
    assert (
        first.note
        == "This project is not indexed, so all roots were used: The home folder may not be a root."
    )
    assert second.note is None


def test_a_refused_project_is_offered_again_after_a_while() -> None:
    service, clock = FakeService(), Clock()
    scopes = Session(service, "/work", clock=clock)
    scopes.resolve()
    service.projects["/work"] = ("work", None)
    clock.now = REFUSED_RETRY_SECONDS - 1
    assert scopes.resolve().roots == ()
    clock.now = REFUSED_RETRY_SECONDS
    assert scopes.resolve().roots == ("work",)


def test_a_root_that_the_user_removed_is_not_registered_again() -> None:
    service = FakeService()
    service.projects["/work"] = ("work", None)
    scopes = Session(service, "/work")
    scopes.resolve()
    service.root_statuses.clear()
    scope = scopes.resolve()
    assert scope.roots == ()
    assert scope.note == "Root 'work' of this project was removed, so all roots were used."
    assert len(service.asked("project_roots")) == 1


def test_cwd_stands_for_the_project() -> None:
    service = FakeService()
    service.projects["/tree"] = ("tree", None)
    scope = Session(service, "/work").resolve(cwd="/tree")
    assert (scope.roots, scope.folder) == (("tree",), "/tree")


def test_a_relative_cwd_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="'cwd' must be an absolute path"):
        Session(FakeService()).resolve(cwd="docs")


def test_the_memory_of_folders_is_bounded() -> None:
    service = FakeService()
    scopes = Session(service)
    for number in range(FOLDERS_REMEMBERED_MAX + 1):
        scopes.resolve(cwd=f"/folder/{number}")
    scopes.resolve(cwd="/folder/0")
    assert len(service.asked("project_roots")) == FOLDERS_REMEMBERED_MAX + 2


def test_several_folders_of_a_client_are_searched_together() -> None:
    service = FakeService()
    service.projects |= {"/a": ("a", None), "/b": ("b", None), "/c": (None, "No.")}
    scope = Session(service, "/a", "/b", "/c").resolve()
    assert (scope.roots, scope.folder) == (("a", "b"), "/a")
    assert scope.note is not None
    assert "root 'a'." in scope.note
    assert "root 'b'." in scope.note


def test_a_cwd_is_asked_for_beside_the_folder_of_the_session() -> None:
    service = FakeService()
    Session(service, "/work").resolve(cwd="/tree")
    assert service.asked("project_roots") == [("/tree", "/work")]


def test_a_project_may_mean_all_roots_and_what_is_wrong_with_it_is_said() -> None:
    service = FakeService(roots=(root_status("a", "/a"),))
    session = Session(service, "/work")
    service.project_roots = lambda _path, *, beside: ProjectRoots(("*",), "One is gone.")  # type: ignore[method-assign,misc]
    first, second = session.resolve(), session.resolve()
    assert first == Scope((), is_named=False, folder="/work", note="One is gone.", session="/work")
    assert (second.roots, second.note) == ((), None)


def test_a_large_root_that_the_session_registered_is_announced_once() -> None:
    service = FakeService()
    service.projects["/work"] = ("work", None)
    session = Session(service, "/work")
    scope = session.resolve()
    assert session.scopes.size_warning(scope) is None
    service.root_statuses = [root_status("work", "/work", documents=LARGE_ROOT_FILES)]
    warning = session.scopes.size_warning(scope)
    assert warning is not None
    assert warning.startswith("Root 'work' is large (10000 files).")
    assert session.scopes.size_warning(scope) is None


def test_a_large_root_that_was_there_before_is_none_of_our_business() -> None:
    service = FakeService(roots=(root_status("work", "/work", documents=LARGE_ROOT_FILES),))
    service.projects["/work"] = ("work", None)
    session = Session(service, "/work")
    assert session.scopes.size_warning(session.resolve()) is None
