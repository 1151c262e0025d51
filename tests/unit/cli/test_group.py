from __future__ import annotations

import click
import pytest

from mdmem.cli.group import mdmemctl


def all_commands() -> dict[str, click.Command]:
    """Every command by its words, groups left out."""
    found: dict[str, click.Command] = {}
    waiting: list[tuple[str, click.Command]] = [("", mdmemctl)]
    while waiting:
        words, command = waiting.pop()
        if not isinstance(command, click.Group):
            found[words.strip()] = command
            continue
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            waiting.append((f"{words} {name}", child))
    return found


COMMANDS = all_commands()


def test_the_commands_are_those_that_are_documented() -> None:
    assert set(COMMANDS) == {
        "search", "read", "outline", "preview", "ls", "root add", "root list", "root remove",
        "root set", "root show", "why",
        "mcp install", "mcp uninstall", "mcp print", "mcp plugin", "mcp hook",
        "eval run", "eval draft",
        "sync", "changes", "index", "gc", "export", "import",
        "model list", "model use", "model download", "model verify", "model pin", "model path",
        "status", "start", "stop", "version", "completion",
    }  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS)
def test_each_command_has_json_quiet_and_a_help_of_one_line(words: str) -> None:
    command = COMMANDS[words]
    options = {option for parameter in command.params for option in parameter.opts}
    assert {"--json", "--quiet"} <= options
    assert len(command.get_short_help_str(limit=80).rstrip(".")) < 80
    assert not command.get_short_help_str(limit=80).endswith("...")


@pytest.mark.parametrize("words", COMMANDS)
def test_only_commands_that_may_start_the_daemon_can_be_told_not_to(words: str) -> None:
    options = {option for parameter in COMMANDS[words].params for option in parameter.opts}
    assert ("--no-start" in options) == (
        words not in {"stop", "version", "completion"} and not words.startswith("mcp ")
    )
