"""What only the watcher of Linux has: the kernel's watches and limits, overflow, the marker, the thread."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmemd.ports import Hint, WatchMode

if sys.platform != "linux":
    pytest.skip("inotify is of Linux", allow_module_level=True)

from mdmemd.adapters.watching import system
from mdmemd.adapters.watching.inotify import Event, Inotify
from mdmemd.adapters.watching.inotify_watcher import InotifyWatcher
from mdmemd.adapters.watching.limits import watches_reason
from mdmemd.adapters.watching.polling import PollingOnly

SECONDS_MAX = 20.0
TREE = Hint("", is_tree=True)


@pytest.fixture
def watcher(tmp_path: Path) -> Iterator[InotifyWatcher]:
    made = InotifyWatcher(str(tmp_path / "private"))
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "above" / "root"
    made.mkdir(parents=True)
    return made


def inotify_descriptors() -> list[str]:
    """The inotify instances of this process."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{name}") == "anon_inode:inotify":
                found.append(name)
        except FileNotFoundError:
            continue  # the one that lists this folder
    return found


def kernel_watches() -> int:
    """How many watches the kernel keeps for this process."""
    return sum(
        Path(f"/proc/self/fdinfo/{name}").read_text().count("inotify wd:") for name in inotify_descriptors()
    )


def drained(watcher: InotifyWatcher, told: list[Hint]) -> list[Hint]:
    assert watcher.catch_up(timeout_seconds=SECONDS_MAX)
    hints, told[:] = list(told), []
    return hints


def test_w5_all_roots_share_one_instance(watcher: InotifyWatcher, folder: Path) -> None:
    before = len(inotify_descriptors())
    for number in range(200):
        root = folder / str(number)
        root.mkdir()
        watcher.open(str(root), lambda hint: None).add("")
    assert len(inotify_descriptors()) == before


def test_an_ignored_folder_costs_the_kernel_nothing_and_keep_gives_watches_back(
    watcher: InotifyWatcher, folder: Path
) -> None:
    for name in ("docs/deep", "node_modules/a/b", "node_modules/c"):
        (folder / name).mkdir(parents=True)
    assert watcher.catch_up(timeout_seconds=SECONDS_MAX)
    root = watcher.open(str(folder), lambda hint: None)
    root.add("")
    way = kernel_watches()
    root.add("docs")
    root.add("docs/deep")
    root.add("docs")
    assert kernel_watches() == way + 2
    root.keep(["", "docs"])
    assert kernel_watches() == way + 1
    assert root.status().watches == 2


def test_r4_opening_and_closing_roots_keeps_nothing(watcher: InotifyWatcher, folder: Path) -> None:
    (folder / "docs").mkdir()
    assert watcher.catch_up(timeout_seconds=SECONDS_MAX)
    before = (kernel_watches(), len(os.listdir("/proc/self/fd")), threading.active_count())
    for _ in range(500):
        root = watcher.open(str(folder), lambda hint: None)
        root.add("")
        root.add("docs")
        root.close()
    assert (kernel_watches(), len(os.listdir("/proc/self/fd")), threading.active_count()) == before
    assert not watcher._roots
    assert watcher.catch_up(timeout_seconds=SECONDS_MAX)
    assert not watcher._inotify._watch_for_wd.keys() - {watcher._marker_watch.descriptor}  # type: ignore[union-attr]


def test_r4_watchers_that_are_closed_leave_no_descriptor_thread_or_file(tmp_path: Path) -> None:
    before = (len(os.listdir("/proc/self/fd")), threading.active_count())
    for number in range(50):
        watcher = InotifyWatcher(str(tmp_path / "private"))
        if number % 2:
            assert watcher.catch_up(timeout_seconds=SECONDS_MAX)
        watcher.close()
    assert (len(os.listdir("/proc/self/fd")), threading.active_count()) == before
    assert os.listdir(tmp_path / "private") == []


def test_the_instance_is_not_inherited(watcher: InotifyWatcher) -> None:
    assert not any(os.get_inheritable(int(name)) for name in inotify_descriptors())


def test_w1_f14_grep_over_a_root_is_not_told_of(watcher: InotifyWatcher, folder: Path) -> None:
    told: list[Hint] = []
    (folder / "docs").mkdir()
    for number in range(50):
        (folder / "docs" / f"{number}.md").write_text("word")
    root = watcher.open(str(folder), told.append)
    root.add("")
    root.add("docs")
    subprocess.run(["grep", "-r", "word", str(folder)], check=True, stdout=subprocess.DEVNULL)
    assert drained(watcher, told) == []


def test_an_open_file_that_is_appended_to_is_told_of_once_a_read(
    watcher: InotifyWatcher, folder: Path
) -> None:
    told: list[Hint] = []
    watcher.open(str(folder), told.append).add("")
    with (folder / "log.md").open("w") as file:
        drained(watcher, told)
        for _ in range(2000):
            file.write("line\n")
            file.flush()
        hints = drained(watcher, told)
    assert set(hints) == {Hint("log.md", is_tree=False)}
    assert len(hints) < 1000


def test_w7_f18_a_real_overflow_is_told_of_as_a_tree_of_every_root(
    watcher: InotifyWatcher, folder: Path
) -> None:
    """40,000 touches while the reader is paused; the kernel keeps 16,384 events by default."""
    kept = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if kept > 40_000:
        pytest.skip(f"this kernel keeps {kept} events")
    told: list[Hint] = []
    others: list[Hint] = []
    paused, go_on = threading.Event(), threading.Event()

    def pause(hint: Hint) -> None:
        told.append(hint)
        paused.set()
        assert go_on.wait(SECONDS_MAX)

    (folder / "other").mkdir()
    root = watcher.open(str(folder), pause)
    root.add("")
    watcher.open(str(folder / "other"), others.append).add("")
    paths = [str(folder / name) for name in ("a.md", "b.md")]
    for path in paths:
        Path(path).write_text("text")
    assert paused.wait(SECONDS_MAX)
    for _ in range(20_000):
        for path in paths:
            os.utime(path)
    go_on.set()
    assert TREE in drained(watcher, told)
    assert others == [TREE]
    os.utime(paths[0])
    assert drained(watcher, told) == [Hint("a.md", is_tree=False)]


def test_w7_a_marker_that_was_lost_in_an_overflow_releases_its_waiter(
    watcher: InotifyWatcher, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Hint] = []
    watcher.open(str(folder), told.append).add("")
    assert watcher.catch_up(timeout_seconds=SECONDS_MAX)
    overflow = Event(-1, 0x4000, 0, b"")  # type: ignore[arg-type]
    read = Inotify.read_events
    monkeypatch.setattr(Inotify, "read_events", lambda self: [overflow] if read(self) else [])
    drained(watcher, told)  # ends the read that was going on before
    assert drained(watcher, told) == [TREE]


def test_a_failure_on_the_thread_costs_a_look_at_all_roots_and_not_the_thread(
    watcher: InotifyWatcher, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[Hint] = []
    arrived = threading.Event()

    def notify(hint: Hint) -> None:
        told.append(hint)
        arrived.set()

    watcher.open(str(folder), notify).add("")
    with monkeypatch.context() as patch:
        patch.setattr(Inotify, "handle_event", lambda self, event: 1 / 0)
        (folder / "a.md").write_text("text")
        assert arrived.wait(SECONDS_MAX)
    assert told[0] == TREE
    drained(watcher, told)
    assert watcher._worker.failures
    assert "ZeroDivisionError" in caplog.text
    (folder / "b.md").write_text("text")
    assert Hint("b.md", is_tree=False) in drained(watcher, told)


@pytest.mark.parametrize("depth", [1, 2])
def test_f17_a_root_whose_way_is_moved_deleted_and_made_again_is_told_of(
    watcher: InotifyWatcher, tmp_path: Path, depth: int
) -> None:
    told: list[Hint] = []
    root = tmp_path / "a" / "b" / "root"
    root.mkdir(parents=True)
    watch = watcher.open(str(root), told.append)
    watch.add("")
    above = root.parents[depth - 1]
    above.rename(tmp_path / "elsewhere")
    assert set(drained(watcher, told)) == {TREE}
    assert watch.status().watches == 0
    (tmp_path / "elsewhere" / root.relative_to(above) / "a.md").write_text("text")
    assert drained(watcher, told) == []
    root.mkdir(parents=True)
    assert set(drained(watcher, told)) == {TREE}
    watch.add("")
    (root / "a.md").write_text("text")
    assert set(drained(watcher, told)) == {Hint("a.md", is_tree=False)}


def test_a_root_that_is_replaced_by_a_link_is_told_of_and_the_target_watched(
    watcher: InotifyWatcher, folder: Path, tmp_path: Path
) -> None:
    told: list[Hint] = []
    watch = watcher.open(str(folder), told.append)
    watch.add("")
    target = tmp_path / "target"
    target.mkdir()
    folder.rmdir()
    folder.symlink_to(target)
    assert set(drained(watcher, told)) == {TREE}
    watch.add("")
    (target / "a.md").write_text("text")
    assert set(drained(watcher, told)) == {Hint("a.md", is_tree=False)}


def test_a_folder_that_cannot_be_read_costs_only_itself(
    watcher: InotifyWatcher, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """watchdog raises nothing for EACCES and keeps the callback of a watch that is none."""
    root = watcher.open(str(folder), lambda hint: None)
    root.add("")
    (folder / "closed").mkdir()
    monkeypatch.setattr("watchdog.observers.inotify_c.inotify_add_watch", lambda *_: -1)
    monkeypatch.setattr("ctypes.get_errno", lambda: errno.EACCES)
    root.add("closed")
    monkeypatch.undo()
    assert root.status().mode is WatchMode.EVENTS
    assert root.status().watches == 1
    assert -1 not in watcher._inotify._watch_for_wd


def test_w6_at_the_limit_of_watches_one_root_polls_gives_all_back_and_others_go_on(
    watcher: InotifyWatcher, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Hint] = []
    (folder / "small").mkdir()
    (folder / "large" / "deep").mkdir(parents=True)
    small = watcher.open(str(folder / "small"), told.append)
    small.add("")
    assert watcher.catch_up(timeout_seconds=SECONDS_MAX)
    before = kernel_watches()
    large = watcher.open(str(folder / "large"), told.append)
    large.add("")
    watch = Inotify.watch

    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, "inotify watch limit reached")

    monkeypatch.setattr(Inotify, "watch", full)
    large.add("deep")
    monkeypatch.setattr(Inotify, "watch", watch)
    status = large.status()
    assert (status.mode, status.watches, status.reason) == (WatchMode.POLLING, 0, watches_reason())
    now = Path("/proc/sys/fs/inotify/max_user_watches").read_text().strip()
    assert f"fs.inotify.max_user_watches = {now}" in watches_reason()
    assert "sudo sysctl fs.inotify.max_user_watches=" in watches_reason()
    assert kernel_watches() == before
    large.add("deep")
    assert large.status().watches == 0
    (folder / "large" / "a.md").write_text("text")
    (folder / "small" / "b.md").write_text("text")
    assert set(drained(watcher, told)) == {Hint("b.md", is_tree=False)}


def test_w5_at_the_limit_of_instances_every_root_polls_and_says_how_to_raise_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("watchdog.observers.inotify_c.inotify_init", lambda: -1)
    monkeypatch.setattr("ctypes.get_errno", lambda: errno.EMFILE)
    watcher = system.system_watcher(str(tmp_path / "private"))
    assert isinstance(watcher, PollingOnly)
    status = watcher.open("/root", lambda hint: None).status()
    assert status.mode is WatchMode.POLLING
    assert "fs.inotify.max_user_instances = " in (status.reason or "")


def test_the_watcher_of_this_system_is_inotify(tmp_path: Path) -> None:
    watcher = system.system_watcher(str(tmp_path / "private"))
    assert isinstance(watcher, InotifyWatcher)
    watcher.close()


def test_a_shared_file_system_is_polled_unless_events_are_asked_for(tmp_path: Path, folder: Path) -> None:
    watcher = InotifyWatcher(str(tmp_path / "private"), polling_reason=lambda path: f"{path} is on nfs4")
    assert watcher.open(str(folder), lambda hint: None).status().reason == f"{folder} is on nfs4"
    forced = watcher.open(str(folder), lambda hint: None, mode=WatchMode.EVENTS)
    forced.add("")
    assert forced.status().mode is WatchMode.EVENTS
    watcher.close()


def test_a_shared_file_system_inside_a_root_makes_the_root_poll(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "mounted").mkdir()
    mounted = str(folder / "mounted")
    watcher = InotifyWatcher(
        str(tmp_path / "private"), polling_reason=lambda path: "nfs4" if path == mounted else None
    )
    root = watcher.open(str(folder), lambda hint: None)
    root.add("")
    root.add("mounted")
    assert root.status().mode is WatchMode.EVENTS  # the same device: it is not even asked about
    root.keep([""])
    device_of = os.stat

    def stat(path: str) -> os.stat_result:
        fields = list(device_of(path))
        fields[2] += path == mounted
        return os.stat_result(fields)

    monkeypatch.setattr("mdmemd.adapters.watching.inotify_root.os.stat", stat)
    root.add("mounted")
    monkeypatch.undo()
    assert (root.status().mode, root.status().reason, root.status().watches) == (WatchMode.POLLING, "nfs4", 0)
    watcher.close()


def test_many_may_catch_up_at_once_and_no_file_is_left(
    watcher: InotifyWatcher, folder: Path, tmp_path: Path
) -> None:
    told: list[Hint] = []
    watcher.open(str(folder), told.append).add("")
    missed: list[str] = []

    def edit(number: int) -> None:
        for turn in range(20):
            name = f"{number}-{turn}.md"
            (folder / name).write_text("text")
            if not watcher.catch_up(timeout_seconds=SECONDS_MAX) or Hint(name, is_tree=False) not in told:
                missed.append(name)

    threads = [threading.Thread(target=edit, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert missed == []
    assert len(os.listdir(tmp_path / "private")) == 1


def test_catching_up_fails_where_the_marker_cannot_be_renamed(
    watcher: InotifyWatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("mdmemd.adapters.watching.marker.os.rename", full)
        assert not watcher.catch_up(timeout_seconds=SECONDS_MAX)
    assert watcher.catch_up(timeout_seconds=SECONDS_MAX)


@pytest.mark.parametrize("harm", ["file", "folder", "moved"])
def test_catching_up_works_again_after_somebody_removed_the_marker(
    watcher: InotifyWatcher, folder: Path, tmp_path: Path, harm: str
) -> None:
    told: list[Hint] = []
    gone = threading.Event()

    def notify(hint: Hint) -> None:
        told.append(hint)
        gone.set()

    watcher.open(str(folder), notify).add("")
    assert watcher.catch_up(timeout_seconds=SECONDS_MAX)
    private = tmp_path / "private"
    if harm == "moved":
        private.rename(tmp_path / "elsewhere")
    else:
        for path in private.iterdir():
            path.unlink()
        if harm == "folder":
            private.rmdir()
    (folder / "a.md").write_text("text")
    assert gone.wait(SECONDS_MAX)  # what was done to the marker was read before this
    assert Hint("a.md", is_tree=False) in drained(watcher, told)
    assert len(os.listdir(private)) == 1


def test_catching_up_ends_in_time_and_when_the_watcher_is_closed(tmp_path: Path, folder: Path) -> None:
    paused, go_on = threading.Event(), threading.Event()

    def pause(hint: Hint) -> None:
        paused.set()
        assert go_on.wait(SECONDS_MAX)

    watcher = InotifyWatcher(str(tmp_path / "private"))
    watcher.open(str(folder), pause).add("")
    (folder / "a.md").write_text("text")
    assert paused.wait(SECONDS_MAX)
    assert not watcher.catch_up(timeout_seconds=0.01)
    go_on.set()
    watcher.close()
    assert not watcher.catch_up(timeout_seconds=SECONDS_MAX)


def test_w9_the_thread_does_not_wake_while_nothing_happens(
    watcher: InotifyWatcher, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher.open(str(folder), lambda hint: None).add("")
    blocked, woke = threading.Semaphore(0), threading.Event()
    read = Inotify.read_events

    def counted(self: Inotify) -> list[Event]:
        blocked.release()
        events = read(self)
        woke.set()
        return events

    monkeypatch.setattr(Inotify, "read_events", counted)
    assert watcher.catch_up(timeout_seconds=SECONDS_MAX)  # ends the read that was going on before the patch
    assert blocked.acquire(timeout=SECONDS_MAX)
    woke.clear()
    assert not woke.wait(0.2)


def in_user_namespace(script: str, *, mounts: bool = False) -> subprocess.CompletedProcess[str]:
    """Run a script as root of a new user namespace, with limits of its own."""
    command = ["unshare", "--user", "--map-root-user", *(["--mount"] if mounts else []), sys.executable, "-c"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    try:
        subprocess.run([*command, "pass"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no user namespaces here")
    return subprocess.run([*command, script], capture_output=True, text=True, env=environment, check=False)


LIMITS = """
import sys, os
from mdmemd.adapters.watching.system import system_watcher
folder = sys.argv[1] if len(sys.argv) > 1 else FOLDER
def limit(name, value):
    with open("/proc/sys/user/max_inotify_" + name, "w") as file:
        file.write(str(value))
"""


def test_w6_the_real_limit_of_watches(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / "large" / str(number)).mkdir(parents=True)
    (tmp_path / "small").mkdir()
    script = LIMITS.replace("FOLDER", repr(str(tmp_path))) + (
        "limit('watches', 30)\n"
        "watcher, told = system_watcher(folder + '/private'), []\n"
        "small = watcher.open(folder + '/small', told.append)\n"
        "small.add('')\n"
        "assert watcher.catch_up(timeout_seconds=20)\n"
        "large = watcher.open(folder + '/large', told.append)\n"
        "large.add('')\n"
        "for name in os.listdir(folder + '/large'): large.add(name)\n"
        "print(large.status().mode, large.status().watches, small.status().mode)\n"
        "open(folder + '/small/a.md', 'w').close()\n"
        "assert watcher.catch_up(timeout_seconds=20)\n"
        "print({hint.path for hint in told})\n"
        "watcher.close()\n"
    )
    run = in_user_namespace(script)
    assert run.stdout.splitlines() == ["polling 0 events", "{'a.md'}"], run.stderr


def test_w5_the_real_limit_of_instances(tmp_path: Path) -> None:
    script = LIMITS.replace("FOLDER", repr(str(tmp_path))) + (
        "limit('instances', 0)\n"
        "watcher = system_watcher(folder + '/private')\n"
        "print(watcher.open(folder, print).status().reason)\n"
    )
    run = in_user_namespace(script)
    assert "fs.inotify.max_user_instances" in run.stdout, run.stderr


def test_w15_a_root_that_is_unmounted_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    script = LIMITS.replace("FOLDER", repr(str(tmp_path))) + (
        "import subprocess\n"
        "root = folder + '/root'\n"
        "subprocess.run(['mount', '-t', 'tmpfs', 'tmpfs', root], check=True)\n"
        "watcher, told = system_watcher(folder + '/private'), []\n"
        "watch = watcher.open(root, told.append)\n"
        "watch.add('')\n"
        "subprocess.run(['umount', root], check=True)\n"
        "assert watcher.catch_up(timeout_seconds=20)\n"
        "print({(hint.path, hint.is_tree) for hint in told}, watch.status().watches)\n"
        "watcher.close()\n"
    )
    run = in_user_namespace(script, mounts=True)
    assert run.stdout.splitlines() == ["{('', True)} 0"], run.stderr
