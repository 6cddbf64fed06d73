from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from vaultkeeper.watch import limits, pace
from vaultkeeper.watch.root import RootGuard, RootState, looks_empty


def test_a_costly_comparison_is_made_less_often() -> None:
    beside = pace.beside_events()
    beside.compared(0.05, changed=False)
    assert beside.pause_s == 300.0
    beside.compared(1.0, changed=False)
    assert beside.pause_s == 2000.0


def test_the_fallback_is_quick_after_a_change_and_slow_when_nothing_happens() -> None:
    fallback = pace.fallback()
    for _ in range(20):
        fallback.compared(0.01, changed=False)
    assert fallback.pause_s == pace.FALLBACK_LONGEST_S
    fallback.compared(0.01, changed=True)
    assert fallback.pause_s == pace.FALLBACK_S
    fallback.compared(0.5, changed=True)
    assert fallback.pause_s == 50.0


def test_polling_keeps_to_what_was_asked() -> None:
    polling = pace.polling(5.0)
    for _ in range(10):
        polling.compared(0.1, changed=False)
    assert polling.pause_s == 5.0
    polling.compared(1.0, changed=False)
    assert polling.pause_s == 20.0


@pytest.mark.parametrize(
    ("wall_s", "monotonic_s", "expected"),
    [
        (1001.0, 51.0, False),
        (1004.0, 51.0, False),
        (4000.0, 51.0, True),  # the monotonic clock stood still while the machine slept
        (4000.0, 3050.0, True),  # it did not
        (400.0, 51.0, True),  # the clock was set back
        (1020.0, 70.0, False),  # a busy machine
    ],
)
def test_a_jump_of_the_clock(wall_s: float, monotonic_s: float, expected: bool) -> None:
    detector = pace.SleepDetector(1000.0, 50.0)
    assert detector.jumped(wall_s, monotonic_s, 1.0) is expected
    assert not detector.jumped(wall_s + 1.0, monotonic_s + 1.0, 1.0)


def test_a_long_sync_is_no_sleep() -> None:
    detector = pace.SleepDetector(1000.0, 50.0)
    detector.worked(149.0)
    assert not detector.jumped(1100.0, 150.0, 1.0)


def test_a_root_that_goes_and_comes(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "note.md").touch()
    guard = RootGuard(root)
    assert guard.check() is RootState.SAME
    root.rename(tmp_path / "away")
    assert guard.check() is RootState.GONE
    root.mkdir()
    (root / ".Trash-1000").mkdir()
    assert guard.check() is RootState.GONE
    (root / "other.md").touch()
    assert guard.check() is RootState.REPLACED
    guard.accept()
    assert guard.check() is RootState.SAME


def test_what_looks_empty(tmp_path: Path) -> None:
    assert looks_empty(tmp_path)
    assert looks_empty(tmp_path / "missing")
    (tmp_path / "lost+found").mkdir()
    assert looks_empty(tmp_path)
    (tmp_path / "note.md").touch()
    assert not looks_empty(tmp_path)


def test_advice_names_the_setting() -> None:
    found = limits.watch_limits()
    if found:
        assert f"{found.watches} watched folders" in limits.advice(OSError(errno.ENOSPC, "x"))
        assert "fs.inotify.max_user_instances=" in limits.advice(OSError(errno.EMFILE, "x"))
    assert limits.advice(OSError(errno.EACCES, "Permission denied")) == "Permission denied"


def test_where_there_are_no_limits(tmp_path: Path) -> None:
    assert limits.watch_limits(tmp_path) is None
    assert limits.file_system(tmp_path, tmp_path / "missing") == ""
    assert limits.gives_events("")


def test_folders_are_counted_without_following_links(tmp_path: Path) -> None:
    (tmp_path / "a" / ".b").mkdir(parents=True)
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "note.md").touch()
    assert limits.count_folders(tmp_path) == 3
    assert limits.count_folders(tmp_path / "missing") == 0


def test_the_file_system_of_a_path(tmp_path: Path) -> None:
    info = tmp_path / "mountinfo"
    info.write_text(
        "27 1 254:0 / / rw - ext4 /dev/vda rw\n"
        "30 27 0:40 / /mnt/my\\040vault rw shared:1 - cifs //nas/share rw\n"
        "31 27 0:41 / /mnt/caf\u00e9 rw - fuse.sshfs host:/ rw\n"
        "32 27 0:42 / /mnt/my\\040vault/inner rw - tmpfs tmpfs rw\n"
        "broken line\n",
        encoding="utf-8",
    )
    assert limits.file_system(Path("/mnt/my vault/notes"), info) == "cifs"
    assert limits.file_system(Path("/mnt/my vault"), info) == "cifs"
    assert limits.file_system(Path("/mnt/my vaults"), info) == "ext4"
    assert limits.file_system(Path("/mnt/my vault/inner/x"), info) == "tmpfs"
    assert limits.file_system(Path("/mnt/caf\u00e9/x"), info) == "fuse.sshfs"


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "9p", "fuse.sshfs", "fuse.rclone", "fuse", "virtiofs"])
def test_file_systems_without_events(kind: str) -> None:
    assert not limits.gives_events(kind)


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "fuseblk", "fuse.gocryptfs", "apfs", "tmpfs", "nfsd2"])
def test_file_systems_with_events(kind: str) -> None:
    assert limits.gives_events(kind)


def test_own_watches_is_none_where_the_kernel_does_not_tell(tmp_path: Path) -> None:
    assert limits.own_watches(tmp_path / "missing") is None
    if os.path.exists("/proc/self/fdinfo"):  # noqa: PTH110
        (tmp_path / "3").write_text("pos:\t0\ninotify wd:2 ino:1\ninotify wd:1 ino:2\n")
        assert limits.own_watches(tmp_path) == 2
