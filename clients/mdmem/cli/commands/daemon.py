"""``mdmemctl status``, ``start``, ``stop`` and ``version``: the daemon itself.

``stop`` and ``version`` never start one, and ``status --no-start`` tells whether one runs.
"""

from __future__ import annotations

import functools
import sys
import time

import click

from mdmem.cli.answer import Answer
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.render.status import render_status
from mdmem.errors import DaemonNotRunningError
from mdmem_proto.release import VERSION


@click.command()
@command_options()
def status(invocation: Invocation) -> Answer:
    """Show the daemon, its model, the roots and their problems."""
    with invocation.connect() as client:
        result = client.status()
    return invocation.answer(result, functools.partial(render_status, result, now=time.time()))


@click.command()
@command_options()
def start(invocation: Invocation) -> Answer:
    """Start the daemon, and wait until it answers."""
    with invocation.connect() as client:
        daemon, socket_path = client.daemon, client.socket_path
    value = {"pid": daemon.pid, "version": daemon.version, "socket": socket_path}
    return invocation.answer(
        value, lambda _style: f"mdmemd {daemon.version} runs as process {daemon.pid} at {socket_path}\n"
    )


@click.command()
@command_options(starts_daemon=False)
def stop(invocation: Invocation) -> Answer:
    """Stop the daemon, and wait until it has ended."""
    try:
        with invocation.connect() as client:
            pid = client.daemon.pid
            client.stop()
    except DaemonNotRunningError:
        return invocation.answer({"stopped": False, "pid": None}, lambda _style: "no daemon was running\n")
    return invocation.answer({"stopped": True, "pid": pid}, lambda _style: f"stopped process {pid}\n")


@click.command()
@command_options(starts_daemon=False)
def version(invocation: Invocation) -> Answer:
    """Show version and Python of this program and the daemon."""
    client_row = {"version": VERSION, "interpreter": sys.executable}
    try:
        with invocation.connect() as client:
            daemon_row = {"version": client.daemon.version, "interpreter": client.daemon.interpreter}
    except DaemonNotRunningError:
        daemon_row = None
    told = f"mdmemctl {VERSION} ({sys.executable})\n" + (
        f"mdmemd {daemon_row['version']} ({daemon_row['interpreter']})\n"
        if daemon_row
        else "mdmemd is not running\n"
    )
    return invocation.answer({"client": client_row, "daemon": daemon_row}, lambda _style: told)
