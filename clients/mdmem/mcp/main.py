"""The command ``mdmem-mcp``: an MCP server on stdin and stdout for one agent session.

Invariants: before anything else is imported, descriptor 1 is kept for MCP messages under another number and
points at stderr from then on, so that nothing that a library, a warning or a child prints can get between two
messages. Imports stay few: the whole process answers ``initialize`` and ``tools/list`` in 80 ms, so neither
the MCP SDK nor asyncio nor msgspec comes in here.

Takes no options. Environment: ``CLAUDE_PROJECT_DIR`` (the project, else the working folder), ``MDMEM_HOME``
and the XDG folders (which daemon), ``MDMEM_NO_START``.
"""

from __future__ import annotations

import os
import sys

USAGE = "Usage: mdmem-mcp\n\nAn MCP server on stdin and stdout, to be started by an agent's client.\n"
EXIT_USAGE = 2
EXIT_UNUSABLE = 3
EXIT_INTERRUPTED = 130


def main() -> int:
    """Serve until stdin ends or the parent dies; returns the exit code."""
    options = sys.argv[1:]
    if options:
        asked_for_help = options in (["--help"], ["-h"])
        os.write(1 if asked_for_help else 2, USAGE.encode())
        return 0 if asked_for_help else EXIT_USAGE
    stdout_fd = take_stdout()
    try:
        return _serve(stdout_fd)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


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


def _serve(stdout_fd: int) -> int:
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
    Pump(Daemon(endpoint), project=Project(os.environ), stdin_fd=0, stdout_fd=stdout_fd).run()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
