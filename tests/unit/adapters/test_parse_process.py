"""The parse child: what hostile files, crashes and the end of the daemon do to it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmemd.adapters.parse_process.process import ParseProcess
from mdmemd.model import ChunkMode, ParsedFile

pytestmark = pytest.mark.e2e

CEILING_SECONDS = 60.0
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

NESTED = (b"- " * 40 + b"a\n") * 100_000
"""8 MB that take minutes."""

SMALL = b"# A\n\nText.\n"


@pytest.fixture
def parser() -> Iterator[ParseProcess]:
    made = ParseProcess()
    yield made
    made.close()


def parse(parser: ParseProcess, data: bytes = SMALL, path: str = "notes/a.md") -> ParsedFile:
    return parser.parse(data, path=path, chunk_mode=ChunkMode.AUTO)


def kinds(parsed: ParsedFile) -> list[str]:
    return [problem.kind for problem in parsed.document.problems]


def pid_of(parser: ParseProcess) -> int:
    assert parser.pid is not None
    return parser.pid


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Announcing(bytes):
    """Bytes that tell when the parser has its child and looks at how much there is to send."""

    seen: threading.Event

    def __len__(self) -> int:
        self.seen.set()
        return super().__len__()


def in_background(
    parser: ParseProcess, content: bytes
) -> tuple[threading.Thread, list[ParsedFile | OSError]]:
    """Parse on a thread; returns when the child has been asked, or is just about to be."""
    data = Announcing(content)
    data.seen = threading.Event()
    ends: list[ParsedFile | OSError] = []

    def run() -> None:
        try:
            ends.append(parse(parser, data))
        except OSError as error:
            ends.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert data.seen.wait(CEILING_SECONDS)
    return thread, ends


def test_one_child_serves_many_files_and_starts_with_the_first(parser: ParseProcess) -> None:
    assert parser.pid is None
    parse(parser)
    first = pid_of(parser)
    parse(parser)
    assert parser.pid == first


def test_a_file_that_takes_too_long_is_given_up_and_the_next_one_is_parsed() -> None:
    """F2, P20."""
    parser = ParseProcess(budget_seconds=3.0, bytes_per_second=1e9)
    parse(parser)
    first = pid_of(parser)
    parsed = parse(parser, NESTED)
    assert kinds(parsed) == ["too_slow"]
    assert parsed.document.sections
    assert not exists(first)
    assert kinds(parse(parser)) == []
    parser.close()


def test_a_child_that_never_answers_is_replaced() -> None:
    parser = ParseProcess()
    parse(parser)  # its start counts too, and may be slow
    first = pid_of(parser)
    parser._budget_seconds = 0.1
    os.kill(first, signal.SIGSTOP)
    parsed = parse(parser)
    assert kinds(parsed) == ["too_slow"]
    assert parsed.document.title in ("A", "a")  # "a" where a slow machine gave the second try no time either
    assert not exists(first)
    parser.close()


def test_a_file_that_can_be_given_no_time_at_all_is_known_by_its_name() -> None:
    parser = ParseProcess(budget_seconds=0.0, bytes_per_second=1e9)
    parsed = parse(parser)
    assert kinds(parsed) == ["too_slow"]
    assert (parsed.document.title, parsed.document.sections, parsed.terms) == ("a", (), None)
    assert parser.pid is None
    parser.close()


@LINUX
def test_a_file_that_needs_too_much_memory_is_given_up() -> None:
    """F2: the limit is the child's; the daemon's own memory is not at stake."""
    parser = ParseProcess(address_space_bytes_max=350 * 2**20, budget_seconds=300.0)
    parsed = parse(parser, b"- a\n" * 240_000)
    assert kinds(parsed) == ["too_much_memory"]
    assert "350 MiB" in parsed.document.problems[0].message
    assert kinds(parse(parser)) == []
    parser.close()


def test_a_child_that_is_killed_in_the_middle_of_a_file_costs_only_that(parser: ParseProcess) -> None:
    parse(parser)
    first = pid_of(parser)
    os.kill(first, signal.SIGSTOP)  # so that it is certainly not done with the file
    thread, ends = in_background(parser, b"word\n\n" * 50_000)
    os.kill(first, signal.SIGKILL)
    thread.join(CEILING_SECONDS)
    assert isinstance(ends[0], ParsedFile)
    assert kinds(ends[0]) == ["crashed"]
    assert ends[0].document.sections
    assert pid_of(parser) != first


def test_a_child_that_died_between_two_files_is_replaced(parser: ParseProcess) -> None:
    parse(parser)
    first = pid_of(parser)
    process = parser._process
    assert process is not None
    process.kill()
    process.wait(CEILING_SECONDS)
    assert kinds(parse(parser)) == []
    assert pid_of(parser) != first


def test_close_ends_a_parse_under_way_and_leaves_no_process(parser: ParseProcess) -> None:
    parse(parser)
    child = pid_of(parser)
    thread, ends = in_background(parser, NESTED)
    parser.close()
    thread.join(CEILING_SECONDS)
    assert not thread.is_alive()
    assert isinstance(ends[0], OSError)
    assert not exists(child)
    assert parser.pid is None


def test_an_interrupt_from_the_terminal_is_not_for_the_child(parser: ParseProcess) -> None:
    parse(parser)
    first = pid_of(parser)
    assert os.getpgid(first) != os.getpgid(0)
    os.kill(first, signal.SIGINT)
    parse(parser)
    assert parser.pid == first


@LINUX
def test_it_inherits_no_descriptor(parser: ParseProcess, tmp_path: Path) -> None:
    with (tmp_path / "secret").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        parse(parser)
    opened = [os.readlink(entry) for entry in Path(f"/proc/{pid_of(parser)}/fd").iterdir()]
    assert not any("secret" in target for target in opened)
    assert len(opened) == 4  # the standard streams, and the pipe that answers go to


@LINUX
def test_it_ends_when_the_daemon_is_killed_in_the_middle_of_a_file() -> None:
    script = (
        "import threading\n"
        "from mdmemd.adapters.parse_process.process import ParseProcess\n"
        "from mdmemd.model import ChunkMode\n"
        "parser = ParseProcess()\n"
        "parser.parse(b'# A', path='a.md', chunk_mode=ChunkMode.AUTO)\n"
        "data = (b'- ' * 40 + b'a\\n') * 100_000\n"
        "work = lambda: parser.parse(data, path='a.md', chunk_mode=ChunkMode.AUTO)\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "print(parser.pid, flush=True)\n"
        "threading.Event().wait()\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as daemon:
        assert daemon.stdout is not None
        child = os.pidfd_open(int(daemon.stdout.readline()))
        daemon.kill()
    ended = select.poll()
    ended.register(child, select.POLLIN)
    assert ended.poll(1000 * CEILING_SECONDS)
    os.close(child)


def test_the_child_loads_none_of_the_daemons_heavy_libraries() -> None:
    script = "import sys, mdmemd.adapters.parse_process.child; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    heavy = {
        "numpy",
        "onnx",
        "onnxruntime",
        "usearch",
        "numkong",
        "pyroaring",
        "tokenizers",
        "mcp",
        "asyncio",
    }
    assert heavy.isdisjoint(loaded.split())
