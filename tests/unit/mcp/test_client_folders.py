"""Where a session works when nobody named its project: what the client says, else the guess."""

from __future__ import annotations

import asyncio

import pytest

import mdmemd.mcp.client_folders
from mdmemd.mcp.client_folders import FOLDERS_MAX, ClientFolders


class Client:
    def __init__(self, answer: list[str] | None) -> None:
        self.answer = answer
        self.times_asked = 0

    async def ask(self) -> list[str] | None:
        self.times_asked += 1
        return self.answer


def folders_of(answer: list[str] | None, *, project: str = "/cwd", is_guess: bool = True) -> tuple[str, ...]:
    return asyncio.run(ClientFolders(project, is_guess=is_guess).folders(Client(answer).ask))


def test_a_named_project_is_not_asked_for() -> None:
    client = Client(["file:///other"])
    folders = ClientFolders("/named", is_guess=False)
    assert asyncio.run(folders.folders(client.ask)) == ("/named",)
    assert client.times_asked == 0


def test_the_folders_of_the_client_come_before_the_working_folder() -> None:
    assert folders_of(["file:///a%20b/", "file://localhost/c", "file:///a%20b"]) == ("/a b", "/c")


@pytest.mark.parametrize(
    "uri", ["https://a/b", "file:relative", "file://elsewhere/a", "file:///a%00b", "/a", "", "file://[/a"]
)
def test_what_is_no_folder_of_this_machine_is_left_out(uri: str) -> None:
    assert folders_of([uri, "file:///ok"]) == ("/ok",)


@pytest.mark.parametrize("answer", [None, [], ["https://a"]])
def test_a_client_that_cannot_tell_leaves_the_guess(answer: list[str] | None) -> None:
    assert folders_of(answer) == ("/cwd",)
    assert folders_of(answer, project="") == ()


def test_the_number_of_folders_is_bounded() -> None:
    assert len(folders_of([f"file:///{number}" for number in range(FOLDERS_MAX + 5)])) == FOLDERS_MAX


def test_a_client_is_asked_once_and_again_after_a_change() -> None:
    async def main() -> None:
        client = Client(["file:///a"])
        folders = ClientFolders("", is_guess=True)
        both = await asyncio.gather(folders.folders(client.ask), folders.folders(client.ask))
        assert both == [("/a",), ("/a",)]
        assert client.times_asked == 1
        client.answer = ["file:///b"]
        folders.changed()
        assert await folders.folders(client.ask) == ("/b",)
        assert client.times_asked == 2

    asyncio.run(main())


def test_a_client_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mdmemd.mcp.client_folders, "ANSWER_SECONDS", 0.01)

    async def never() -> list[str] | None:
        await asyncio.Event().wait()
        return None

    assert asyncio.run(ClientFolders("/cwd", is_guess=True).folders(never)) == ("/cwd",)
