"""``mdmemctl completion``: the script that makes a shell complete commands, options and names of roots."""

from __future__ import annotations

import click
from click.shell_completion import ShellComplete, get_completion_class

from mdmem.cli.answer import Answer
from mdmem.cli.group import PROGRAM, mdmemctl
from mdmem.cli.invocation import Invocation, command_options

COMPLETE_VARIABLE = "_MDMEMCTL_COMPLETE"
"""The variable by which the script calls the program back; click's default for this program's name."""


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@command_options(starts_daemon=False)
def completion(invocation: Invocation, shell: str) -> Answer:
    """Print the completion script for SHELL.

    bash: add eval "$(mdmemctl completion bash)" to ~/.bashrc; zsh: the same with zsh in ~/.zshrc;
    fish: mdmemctl completion fish > ~/.config/fish/completions/mdmemctl.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    # ShellComplete's own source(): the one of bash runs a bash to find out its version.
    script = ShellComplete.source(kind(mdmemctl, {}, PROGRAM, COMPLETE_VARIABLE))
    return invocation.answer({"shell": shell, "script": script}, lambda _style: script + "\n")
