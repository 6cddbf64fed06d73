"""What the kernel allows a watcher, how much of it is used, and what to do when it is not enough.

Linux only: elsewhere every question is answered with None, 0 or an empty text.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

_SILENT = re.compile(
    r"nfs4?|cifs|smb3|smbfs|9p|ncpfs|afs|ceph|vboxsf|virtiofs|drvfs|prl_fs|fuse\..*|fuse"
).fullmatch
"""File systems on which changes made by another machine raise no event."""

_LOCAL_FUSE = re.compile(r"fuse\.(?:ntfs(?:-3g)?|exfat|ext2|encfs|gocryptfs|cryfs|bindfs|mergerfs)").fullmatch

_DELETE_SELF = 0x400  # IN_DELETE_SELF of inotify(7)

NEARLY = 0.95


class WatchLimits(NamedTuple):
    """The kernel's settings `fs.inotify.*`."""

    watches: int
    instances: int
    queued_events: int


def watch_limits(settings: Path = Path("/proc/sys/fs/inotify")) -> WatchLimits | None:
    """Reads the limits; None where there are none."""
    try:
        names = ("max_user_watches", "max_user_instances", "max_queued_events")
        return WatchLimits(*(int((settings / name).read_text()) for name in names))
    except (OSError, ValueError):
        return None


def own_watches(fdinfo: Path = Path("/proc/self/fdinfo")) -> int | None:
    """Number of folders that this process watches now, as the kernel counts them; None where it does not
    tell.
    """
    if not sys.platform.startswith("linux"):
        return None
    total = 0
    try:
        for name in os.listdir(fdinfo):
            try:
                total += (fdinfo / name).read_bytes().count(b"inotify wd:")
            except OSError:
                continue
    except OSError:
        return None
    return total


def watch_refused(folder: Path) -> bool:
    """Whether the kernel refuses one more watch because the limit is reached. It is asked with one that is given
    back at once.
    """
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    try:
        libc = ctypes.CDLL(None, use_errno=True)
        instance = libc.inotify_init1(os.O_CLOEXEC)
        if instance < 0:
            return False
        try:
            watch = libc.inotify_add_watch(instance, os.fsencode(folder), _DELETE_SELF)
            return watch < 0 and ctypes.get_errno() == errno.ENOSPC
        finally:
            os.close(instance)
    except (OSError, AttributeError):
        return False


def nearly_used_up() -> bool:
    """Whether this process alone uses nearly all watches that the kernel allows."""
    found, used = watch_limits(), own_watches()
    return found is not None and used is not None and used >= NEARLY * found.watches


def count_folders(root: Path) -> int:
    """Number of readable folders in a vault, itself and hidden ones included; links are not followed."""
    pending = [str(root)]
    total = 0
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                total += 1
                pending += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        except OSError:
            continue
    return total


def advice(error: OSError) -> str:
    """Says what to do when the vault cannot be watched."""
    limits = watch_limits()
    if error.errno == errno.ENOSPC and limits:
        return (
            f"the limit of {limits.watches} watched folders for all programs together is reached; raise it with "
            f"`sudo sysctl fs.inotify.max_user_watches={max(524_288, 2 * limits.watches)}`"
        )
    if error.errno == errno.EMFILE and limits:
        return (
            f"the limit of {limits.instances} watchers for a user, or of open files, is reached; raise it "
            f"with `sudo sysctl fs.inotify.max_user_instances={max(512, 2 * limits.instances)}`"
        )
    return error.strerror or str(error)


def file_system(path: Path, mountinfo: Path = Path("/proc/self/mountinfo")) -> str:
    """Type of the file system that a path lies on, such as `ext4`; empty where it cannot be told."""
    try:
        lines = mountinfo.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    for line in lines:
        fields, _, rest = line.partition(" - ")
        try:
            mount = fields.split(" ")[4].encode("utf-8", "surrogateescape")
            point = mount.decode("unicode_escape").encode("latin-1").decode("utf-8", "surrogateescape")
        except (IndexError, UnicodeError):
            continue
        inside = point == "/" or str(path) == point or str(path).startswith(point + "/")
        if inside and len(point) >= len(best):
            best, kind = point, rest.split(" ")[0]
    return kind


def gives_events(kind: str) -> bool:
    """Whether changes on this type of file system are announced, wherever they are made."""
    return _SILENT(kind) is None or _LOCAL_FUSE(kind) is not None
