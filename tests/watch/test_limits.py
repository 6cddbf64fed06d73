from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import vaultkeeper.watch.limits as limits


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


def test_one_more_watch_is_asked_for_and_given_back(tmp_path: Path) -> None:
    before = limits.own_watches()
    assert not limits.watch_refused(tmp_path)
    assert not limits.watch_refused(tmp_path / "missing")
    assert limits.own_watches() == before


@pytest.mark.parametrize(("used", "nearly"), [(None, False), (10, False), (949, False), (950, True)])
def test_when_the_watches_are_nearly_used_up(
    monkeypatch: pytest.MonkeyPatch, used: int | None, nearly: bool
) -> None:
    monkeypatch.setattr(limits, "watch_limits", lambda: limits.WatchLimits(1000, 1, 1))
    monkeypatch.setattr(limits, "own_watches", lambda: used)
    assert limits.nearly_used_up() is nearly
