"""The lock of curated memory: who changes MEMORY.md and its like holds it from reading to replacing.

Owns `.memory-write.lock` in the vault's root, an empty file that agents of other programs can lock too. It is never
replaced and never removed; the lock on it is the system's and ends with the process that holds it, so nothing stale
can be left. Threads of one process queue at a mutex for each real path first.

Source: BEHAVIOUR §5.2.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vaultkeeper.errors import NotesLockedError, RefusedError, StorageError
from vaultkeeper.vault.lock import try_lock, unlock

SENTINEL = ".memory-write.lock"
WAIT_S = 30.0

_SHORTEST_S, _LONGEST_S = 0.001, 0.02
_MUTEXES: dict[str, threading.Lock] = {}
_MUTEXES_GUARD = threading.Lock()


@contextmanager
def memory_lock(root: Path, *, timeout_s: float = WAIT_S) -> Iterator[None]:
    """Holds the lock of a vault's curated memory. Not reentrant.

    Args:
        root: The vault; a symbolic link itself is refused, as is one in the place of the lock.

    Raises:
        RefusedError: the root or the lock is a symbolic link, or the lock is no plain file.
        NotesLockedError: another writer does not end within the timeout.
        StorageError: the lock file cannot be made.
    """
    if root.is_symlink():
        raise RefusedError(path=root, reason="the vault's folder is a symbolic link")
    deadline = time.monotonic() + timeout_s
    mutex = _mutex(os.path.realpath(root))
    if not mutex.acquire(timeout=timeout_s):
        raise NotesLockedError(holder="another thread of this process")
    try:
        handle = _open(root / SENTINEL)
        try:
            _wait(handle, deadline)
            try:
                yield
            finally:
                unlock(handle)
        finally:
            os.close(handle)
    finally:
        mutex.release()


def _mutex(real: str) -> threading.Lock:
    with _MUTEXES_GUARD:
        return _MUTEXES.setdefault(real, threading.Lock())


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        if path.is_symlink():
            raise RefusedError(path=SENTINEL, reason="it is a symbolic link")
        handle = os.open(path, flags, 0o644)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise RefusedError(path=SENTINEL, reason="it is no plain file") from error
        raise StorageError(path=path, reason=(error.strerror or str(error)).lower()) from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise RefusedError(path=SENTINEL, reason="it is no plain file")
    return handle


def _wait(handle: int, deadline: float) -> None:
    pause = _SHORTEST_S
    while not try_lock(handle):
        if time.monotonic() >= deadline:
            raise NotesLockedError(holder="another process")
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_S)
