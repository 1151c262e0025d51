"""The command ``mdmemd``: flags, environment and logging, then ``app.run``.

Exit status: 0 stopped on request, 1 could not start, 2 wrong usage, 3 a daemon of this instance runs already.
Everything is logged to stderr; a client that starts the daemon points that at the log file.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys

from mdmem_proto.endpoint import resolve
from mdmem_proto.errors import EndpointError
from mdmem_proto.release import VERSION
from mdmemd.adapters.readiness import Readiness


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and be the daemon."""
    parser = argparse.ArgumentParser(
        prog="mdmemd",
        description="The mdmem daemon: mdmemctl and mdmem-mcp start it when needed.",
        epilog="MDMEM_HOME moves everything that an instance keeps.",
    )
    parser.add_argument("--version", action="version", version=f"mdmemd {VERSION}")
    parser.add_argument(
        "--ready-fd",
        type=int,
        metavar="N",
        help="write one line of JSON to this descriptor when ready, or why not",
    )
    parser.add_argument("--log-level", default="info", choices=["debug", "info", "warning", "error"])
    options = parser.parse_args(arguments)
    logging.basicConfig(
        stream=sys.stderr,
        level=options.log_level.upper(),
        format="%(asctime)s %(levelname)s %(threadName)s %(name)s: %(message)s",
    )
    readiness = Readiness(ready_fd=options.ready_fd, notify_socket=os.environ.get("NOTIFY_SOCKET"))
    try:
        endpoint = resolve(os.environ, platform=sys.platform, uid=os.getuid(), home=os.path.expanduser("~"))
    except EndpointError as error:
        readiness.failed(str(error), remedy=error.remedy, kind="failed")
        logging.getLogger(__name__).error("%s %s", error, error.remedy)
        return 1
    # Late: the engine's libraries take a moment to import, and a wrong command line should not wait for them.
    from mdmemd.app import run

    status = run(endpoint, readiness=readiness)
    logging.shutdown()
    # Not by returning: the interpreter would wait for pool threads that hang in a dead file system.
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
