"""The watcher as a process: signals, limits of the system, other processes, memory."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.watch.conftest import PROJECT, Process, until
from tests.watch.fake import Disk
from vaultkeeper.errors import Exit
from vaultkeeper.watch.client import ask_server

Start = Callable[..., Process]


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, Exit.OK), (signal.SIGHUP, Exit.OK), (signal.SIGINT, Exit.INTERRUPTED)],
)
def test_a_signal_ends_it_tidily(disk: Disk, process: Start, number: signal.Signals, code: Exit) -> None:
    watcher = process().ready()
    watcher.process.send_signal(number)
    exit_code, out = watcher.wait()
    assert exit_code == code
    assert "Stopped." in out
    assert "Traceback" not in out
    assert not any("inotify" in line.lower() or "warning" in line.lower() for line in out.splitlines())
    assert not (disk.index_dir / "watch.sock").exists()


def test_a_signal_in_the_middle_of_a_batch_lets_it_finish(disk: Disk, process: Start) -> None:
    watcher = process(slow_s=1.0).ready()
    (disk.root / "two.md").write_text("two")
    until(lambda: watcher.ping().get("changes_pending"))
    until(lambda: not watcher.ping().get("changes_pending"))
    watcher.process.terminate()
    code, out = watcher.wait()
    assert code == 0
    assert "two.md: 1 added" in out


def test_a_signal_flushes_what_waits_for_quiet(disk: Disk, process: Start) -> None:
    watcher = process(quiet_s=60.0, max_wait_s=60.0).ready()
    (disk.root / "two.md").write_text("two")
    until(lambda: watcher.ping().get("changes_pending"))
    watcher.process.terminate()
    assert "two.md: 1 added" in watcher.wait()[1]


def test_a_second_interrupt_ends_it_at_once(disk: Disk, process: Start) -> None:
    watcher = process(slow_s=30.0)
    until(lambda: watcher.ping().get("state") == "starting")
    watcher.process.send_signal(signal.SIGINT)
    until(lambda: watcher.ping().get("stopping"))
    watcher.process.send_signal(signal.SIGINT)
    code, _ = watcher.wait()
    assert code == Exit.INTERRUPTED


def test_a_second_watcher_exits_with_locked(disk: Disk, process: Start) -> None:
    first = process().ready()
    code, out = process().wait()
    assert code == Exit.LOCKED
    assert f"process {first.process.pid}" in out
    assert first.finds("one") == ["notes/one.md"]


def test_after_a_kill_the_next_watcher_takes_over(disk: Disk, process: Start) -> None:
    first = process().ready()
    first.process.kill()
    first.wait()
    assert (disk.index_dir / "watch.sock").exists()
    assert ask_server(disk.index_dir, "ask", {"query": "one"}) is None
    second = process().ready()
    assert second.finds("one") == ["notes/one.md"]


def test_a_stopped_watcher_does_not_hold_up_readers(disk: Disk, process: Start) -> None:
    watcher = process().ready()
    watcher.process.send_signal(signal.SIGSTOP)
    assert ask_server(disk.index_dir, "ask", {"query": "one"}, timeout=0.2) is None
    watcher.process.send_signal(signal.SIGCONT)
    until(lambda: watcher.finds("one") == ["notes/one.md"])


def test_the_log_file_has_the_lines_with_their_times(disk: Disk, process: Start, tmp_path: Path) -> None:
    log = tmp_path / "logs" / "watch.log"
    watcher = process(log_file=str(log)).ready()
    watcher.process.terminate()
    _, out = watcher.wait()
    lines = log.read_text().splitlines()
    assert lines == out.splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S* \S", line) for line in lines)


def test_real_limits_are_said_and_polled_around(disk: Disk, process: Start) -> None:
    """A process that may open no more files gets the same error as one at the limit of instances."""
    if not Path("/proc/sys/fs/inotify").exists():
        return
    watcher = process(prefix=(sys.executable, "-c", _AT_LIMIT))
    _, out = watcher.wait()
    assert "max_user_instances" in out
    assert "polling" in out
    assert "1 added" in out
    assert "Traceback" not in out


# The watcher runs with a limit of open files that its observer meets and nothing else does.
_AT_LIMIT = """
import sys, resource
sys.argv = sys.argv[3:]
import watchdog.observers, vaultkeeper.watch.loop, tests.watch.fake as fake
from vaultkeeper.watch import observer
start = observer.VaultObserver.start
def starved(self):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        start(self)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
observer.VaultObserver.start = starved
sync = fake.FakeKeeper.sync
def once(self, **more):
    stats = sync(self, **more)
    __import__('os').kill(__import__('os').getpid(), 15)
    return stats
fake.FakeKeeper.sync = once
sys.exit(fake.main())
"""


def test_a_real_watch_limit_is_noticed_although_the_library_is_silent(disk: Disk, process: Start) -> None:
    """A user namespace with few watches: watchdog passes over the folders that it may not watch."""
    limit = ["unshare", "--user", "--map-root-user", "sh", "-c",
             'echo 3 > /proc/sys/user/max_inotify_watches && exec "$@"', "sh"]  # fmt: skip
    try:
        possible = subprocess.run([*limit, "true"], capture_output=True, timeout=20).returncode == 0
    except OSError:
        possible = False
    for number in range(10):
        (disk.root / f"folder {number}").mkdir()
    prefix = tuple(limit) if possible else (sys.executable, "-c", _FEW_WATCHES)
    watcher = process(prefix=prefix).ready()
    (disk.root / "folder 9" / "late.md").write_text("late words")
    until(lambda: watcher.finds("late words") == ["folder 9/late.md"])
    watcher.process.terminate()
    _, out = watcher.wait()
    assert re.search(r"\d+ of 13 folders cannot be watched", out)
    assert "sudo sysctl fs.inotify.max_user_watches=" in out


_FEW_WATCHES = """
import sys
sys.argv = sys.argv[3:]
import tests.watch.fake as fake
from vaultkeeper.watch import limits
limits.own_watches = lambda: 3
limits.watch_refused = lambda _folder: True
sys.exit(fake.main())
"""


def test_a_thousand_edits_do_not_grow_it(disk: Disk, process: Start) -> None:
    if not Path("/proc/self/status").exists():
        return
    watcher = process(quiet_s=0.0).ready()

    def edit(count: int) -> int:
        for number in range(count):
            (disk.root / "notes" / "one.md").write_text(f"text {number}")
            if number % 50 == 49:
                assert watcher.finds(f"text {number}") == ["notes/one.md"]
        status = Path(f"/proc/{watcher.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    before_kb = edit(200)
    assert edit(1000) - before_kb < 2000


def test_importing_the_package_needs_no_unix(tmp_path: Path) -> None:
    """Without sockets and signals of Unix, as on Windows, all can be imported and the client says None."""
    code = """
import socket, signal, sys, os
for name in ("AF_UNIX",): delattr(socket, name)
for name in ("SIGHUP",): delattr(signal, name)
del os.getuid, os.setpriority
sys.modules["fcntl"] = None
import vaultkeeper.watch.loop, vaultkeeper.watch.service
from vaultkeeper.watch.client import ask_server
from pathlib import Path
assert ask_server(Path("."), "ping") is None
"""
    subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, check=True, env={**os.environ, "HOME": str(tmp_path)}
    )
