"""The entry of ``mdmemctl``: runs one command, writes its answer, turns every end into an exit code.

Invariants: no traceback reaches the user (``MDMEM_TRACEBACK=1`` asks for it); errors are sentences on
standard error, and JSON on standard output too where ``--json`` was given; the process always ends. The
exit codes are those of ``mdmem.errors``. Nothing heavy is imported before ``run``, so that Ctrl-C is met
even while click is being imported.
"""

from __future__ import annotations

import io
import itertools
import os
import sys
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import click

    from mdmem.errors import MdmemError

TRACEBACK_VARIABLE = "MDMEM_TRACEBACK"


def main() -> None:
    """Console script."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command line (without the program's name) and return its exit code."""
    from mdmem.errors import EXIT_BROKEN_PIPE, EXIT_INTERRUPTED

    try:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        return _run(list(arguments))
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes once more when it ends and would complain: give it a place to write to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BROKEN_PIPE


def _run(arguments: list[str]) -> int:
    import click

    from mdmem.cli.answer import Answer, write_answer
    from mdmem.cli.group import PROGRAM, mdmemctl
    from mdmem.errors import EXIT_DONE, MdmemError

    try:
        answer = mdmemctl.main(arguments, prog_name=PROGRAM, standalone_mode=False)
        if isinstance(answer, Answer):  # else click has printed its help
            write_answer(answer)
            return answer.exit_code
        sys.stdout.flush()
    except click.Abort:  # click's word for KeyboardInterrupt
        raise KeyboardInterrupt from None
    except click.UsageError as error:
        return _fail(_usage_error(error), arguments)
    except MdmemError as error:
        return _fail(error, arguments)
    except BrokenPipeError:
        raise
    except Exception as error:  # the one place that turns any bug into a sentence
        if os.environ.get(TRACEBACK_VARIABLE):
            raise
        return _fail(_bug(error), arguments)
    return EXIT_DONE


def _fail(error: MdmemError, arguments: list[str]) -> int:
    """Tell the error, in both forms where JSON was asked for, and return its exit code."""
    from mdmem.cli.render.error import error_value, render_error

    sys.stderr.write(render_error(error))
    if "--json" in itertools.takewhile(lambda word: word != "--", arguments):
        from mdmem.cli.answer import write_json

        write_json(error_value(error))
    return error.exit_code


def _usage_error(error: click.UsageError) -> MdmemError:
    from click import NoSuchOption

    from mdmem.errors import InvalidRequestError

    command = error.ctx.command_path if error.ctx is not None else "mdmemctl"
    remedy = f"`{command} --help` explains it."
    if isinstance(error, NoSuchOption):
        remedy += " Words that begin with a dash and are no options go behind --."
    return InvalidRequestError(error.format_message(), remedy=remedy)


def _bug(error: Exception) -> MdmemError:
    from mdmem.errors import InternalError

    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = (
        f" ({os.path.basename(frame.tb_frame.f_code.co_filename)}:{frame.tb_lineno})"
        if frame is not None
        else ""
    )
    return InternalError(
        f"internal error: {type(error).__name__}: {error}{place}",
        remedy=f"Please report it, with what {TRACEBACK_VARIABLE}=1 shows.",
    )
