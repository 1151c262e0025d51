"""``mdmemctl model``: which models there are, getting one, choosing one, and checking its files.

The daemon does the work; what happens here is that a person sees the licence before anything is fetched.
"""

from __future__ import annotations

import functools
import os
import sys

import click

from mdmem.cli.answer import Answer
from mdmem.cli.group import LazyGroup
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.progress import progress
from mdmem.cli.render.model import licence_text, render_model, render_models, render_pins
from mdmem.cli.render.style import line
from mdmem.errors import DaemonUnavailableError, NotFoundError, RefusedError
from mdmem.link.client import Client
from mdmem_proto.messages import ModelListResult, ModelRow

_MODULE = "mdmem.cli.commands.model"


@click.command(
    cls=LazyGroup,
    lazy={
        "list": f"{_MODULE}:list_",
        "use": f"{_MODULE}:use",
        "download": f"{_MODULE}:download",
        "verify": f"{_MODULE}:verify",
        "pin": f"{_MODULE}:pin",
        "path": f"{_MODULE}:path",
    },
)
def model() -> None:
    """Get, choose and check the embedding model."""


@click.command("list")
@command_options()
def list_(invocation: Invocation) -> Answer:
    """List the models and what is here of each."""
    with invocation.connect() as client:
        models = client.list_models()
    return invocation.answer(ModelListResult(models=models), functools.partial(render_models, models))


@click.command()
@click.argument("name")
@click.option("--wait", is_flag=True, help="Wait until it answers.")
@command_options()
def use(invocation: Invocation, name: str, wait: bool) -> Answer:
    """Use the model NAME, or that of a folder, for all roots.

    Passages are embedded again behind it, and the model before answers until all are.
    """
    with invocation.connect() as client:
        chosen = client.use_model(_full_name(name))
        if wait:
            _wait_for_roots(client, quiet=invocation.quiet)
            chosen = _model(client, chosen.name)
    if not wait:
        invocation.note("passages are embedded again behind it; mdmemctl status shows how far that is")
    return invocation.answer(chosen, functools.partial(render_model, chosen))


@click.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Agree to the model's licence, which is shown in any case.")
@command_options()
def download(invocation: Invocation, name: str, yes: bool) -> Answer:
    """Download the model NAME, or what is missing or damaged of it.

    Its licence is shown first and must be agreed to. A download that broke off goes on where it stopped.
    """
    with invocation.connect() as client:
        wanted = _model(client, _full_name(name))
        if wanted.revision is not None:
            sys.stderr.write(licence_text(wanted))
            _agree(wanted, yes=yes)
        with progress(sys.stderr, quiet=invocation.quiet) as report:
            done = client.download_model(wanted.name, licence=wanted.licence, on_progress=report)
    if not done.in_use:
        invocation.note(f"to use it: mdmemctl model use {line(done.name)}")
    return invocation.answer(done, functools.partial(render_model, done))


@click.command()
@click.argument("name", default="")
@command_options()
def verify(invocation: Invocation, name: str) -> Answer:
    """Compare every byte of the model NAME (or of all) with its pin."""
    with invocation.connect() as client:
        names = [_full_name(name)] if name else _present(client)
        models = tuple(client.verify_model(each) for each in names)
    damaged = [each for each in models if each.state != "ready"]
    if damaged:
        worst = damaged[0]
        raise DaemonUnavailableError(
            f"The model {line(worst.name)} is {worst.state}: {line(worst.detail or 'no file is there')}.",
            remedy=f"Fetch what is wrong: mdmemctl model download {line(worst.name)}"
            if worst.revision
            else "Restore its files.",
        )
    return invocation.answer(ModelListResult(models=models), functools.partial(render_models, models))


@click.command()
@click.argument("name")
@command_options()
def pin(invocation: Invocation, name: str) -> Answer:
    """Print revision, sizes and hashes of the model NAME or of a folder."""
    with invocation.connect() as client:
        found = client.verify_model(_full_name(name))
    return invocation.answer(found, lambda _style: render_pins(found))


@click.command()
@click.argument("name")
@command_options()
def path(invocation: Invocation, name: str) -> Answer:
    """Print the folder that the files of the model NAME belong in."""
    with invocation.connect() as client:
        found = _model(client, _full_name(name))
    return invocation.answer({"folder": found.folder}, lambda _style: f"{line(found.folder)}\n")


def _wait_for_roots(client: Client, *, quiet: bool) -> None:
    """Until each root that can be reached has all its vectors."""
    with progress(sys.stderr, quiet=quiet) as report:
        for root in client.status().roots:
            if root.state != "missing":
                client.wait_root(root.name, on_progress=report)


def _full_name(name: str) -> str:
    """The name as it is, or the absolute path of a folder."""
    is_folder = os.sep in name or name in (os.curdir, os.pardir) or name.startswith("~")
    return os.path.abspath(os.path.expanduser(name)) if is_folder else name


def _model(client: Client, name: str) -> ModelRow:
    models = client.list_models()
    for each in models:
        if each.name == name:
            return each
    raise NotFoundError(
        f"There is no model named {line(name)} that could be downloaded.",
        remedy="See: mdmemctl model list",
        candidates=[each.name for each in models],
    )


def _present(client: Client) -> list[str]:
    return [each.name for each in client.list_models() if each.state != "absent"]


def _agree(model: ModelRow, *, yes: bool) -> None:
    """Raises ``RefusedError`` where nobody agrees."""
    if yes:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise RefusedError(
            f"The licence of {line(model.name)} must be agreed to, and there is nobody to ask.",
            remedy=f"Read it, then: mdmemctl model download {line(model.name)} --yes",
        )
    if not click.confirm("Do you agree, and shall it be downloaded?", err=True):
        raise RefusedError(f"The licence of {line(model.name)} was not agreed to; nothing was fetched.")
