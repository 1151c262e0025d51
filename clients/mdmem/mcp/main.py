"""The command ``mdmem-mcp``: an MCP server on stdin and stdout for one agent session.

Invariants: before anything else is imported, descriptor 1 is kept for MCP messages under another number and
points at stderr from then on, so that nothing that a library, a warning or a child prints can get between two
messages. Imports stay few: the whole process answers ``initialize`` and ``tools/list`` in 80 ms, so neither
the MCP SDK nor asyncio nor msgspec comes in here.

``--tools SET`` asks for the tools of another system (``mdmem_proto.tool_sets``). Environment:
``CLAUDE_PROJECT_DIR`` (the project, else the working folder), ``MDMEM_HOME`` and the XDG folders (which
daemon), ``MDMEM_NO_START``.
"""

from __future__ import annotations

import os
import sys

USAGE = """\
Usage: mdmem-mcp [--tools SET]

An MCP server on stdin and stdout, to be started by an agent's client.
--tools: the tool names and answers of another system: %s.
"""
EXIT_USAGE = 2
EXIT_UNUSABLE = 3
EXIT_INTERRUPTED = 130


def main() -> int:
    """Serve until stdin ends or the parent dies; returns the exit code."""
    tools = ""
    if options := sys.argv[1:]:
        named = _named_set(options)
        if isinstance(named, int):
            return named
        tools = named
    stdout_fd = take_stdout()
    try:
        return _serve(stdout_fd, tools)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _named_set(options: list[str]) -> str | int:
    """The tool set that the options name, or the exit code where they have been answered."""
    from mdmem_proto.tool_sets import TOOL_SETS

    if options in (["--help"], ["-h"]):
        os.write(1, (USAGE % ", ".join(TOOL_SETS)).encode())
        return 0
    first, separator, name = options[0].partition("=")
    words = [first, name, *options[1:]] if separator else options
    if len(words) != 2 or words[0] != "--tools":
        os.write(2, (USAGE % ", ".join(TOOL_SETS)).encode())
        return EXIT_USAGE
    if words[1] in TOOL_SETS:
        return words[1]
    sentence = f"There is no tool set {words[1]!r}: the sets are {', '.join(TOOL_SETS)}."
    os.write(2, f"mdmem-mcp: {sentence}\n".encode(errors="replace"))
    return EXIT_USAGE


def take_stdout() -> int:
    """A descriptor above 2 for what stdout was; descriptor 1 is stderr from now on."""
    import fcntl

    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:  # closed: the next file would get its number, and with it what was meant for it
            os.open(os.devnull, os.O_RDWR)
    stdout_fd = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 3)
    os.dup2(2, 1)
    return stdout_fd


def _serve(stdout_fd: int, tools: str) -> int:
    from mdmem.mcp.daemon import Daemon
    from mdmem.mcp.project import Project
    from mdmem.mcp.pump import Pump
    from mdmem_proto.endpoint import resolve
    from mdmem_proto.errors import EndpointError

    home = os.path.expanduser("~")
    try:
        endpoint = resolve(os.environ, platform=sys.platform, uid=os.getuid(), home=home)
    except EndpointError as error:
        os.write(2, f"mdmem-mcp: {error} {error.remedy}\n".encode(errors="replace"))
        return EXIT_UNUSABLE
    project = Project(os.environ)
    Pump(Daemon(endpoint), project=project, stdin_fd=0, stdout_fd=stdout_fd, tools=tools).run()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
