"""Advisory locks between processes.

Owns a lock file, which is never a file that anybody replaces and never lies in the vault. The lock is the
system's: it ends with the process that holds it, so nothing stale can be left. The file also says who holds
it, for the message to the others.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType

from vaultkeeper.errors import LockedError, NotesLockedError, StorageError

INDEX_LOCK = "writer.lock"
"""Name, in the index directory, of the lock of the one process that writes the index."""

EDIT_LOCK = "edit.lock"
"""Name, in the index directory, of the lock that edits of notes hold from reading to replacing."""

_GRACE_S = 0.05  # what a probe by `lock_holder` may hold the lock at most
_POLL_S = 0.01


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock: its process, the command that it runs, and since when (RFC 3339)."""

    pid: int
    command: str
    since: str

    def __str__(self) -> str:
        return f"`{self.command}` (process {self.pid}, since {self.since})"


if sys.platform == "win32":
    import msvcrt

    def try_lock(handle: int) -> bool:
        """Takes the system's lock on an open file; False when somebody else has it."""
        os.lseek(handle, 1 << 30, os.SEEK_SET)  # locks are mandatory there: keep off the text at the start
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def unlock(handle: int) -> None:
        """Lets go of the system's lock on an open file."""
        os.lseek(handle, 1 << 30, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def try_lock(handle: int) -> bool:
        """Takes the system's lock on an open file; False when somebody else has it."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def unlock(handle: int) -> None:
        """Lets go of the system's lock on an open file."""
        fcntl.flock(handle, fcntl.LOCK_UN)


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, flags, 0o600)
    except OSError as error:
        raise StorageError(path=path, reason=(error.strerror or str(error)).lower()) from error


def _read_holder(handle: int) -> Holder | None:
    os.lseek(handle, 0, os.SEEK_SET)
    try:
        value = json.loads(os.read(handle, 4096))
        return Holder(int(value["pid"]), str(value["command"]), str(value["since"]))
    except (ValueError, KeyError, TypeError, OSError):
        return None


def _write_holder(handle: int, holder: dict[str, object]) -> None:
    """Says who holds the lock. That there is no room for the words on a full disk takes nothing from the lock."""
    with suppress(OSError):
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, json.dumps(holder, ensure_ascii=False).encode())


class FileLock:
    """A held lock; a context manager that lets go at the end. Made by `acquire`.

    It belongs to the open file and so to this process and its forks; a second `acquire` in one process
    waits like one in another.
    """

    def __init__(self, path: Path, handle: int) -> None:
        self.path = path
        self._handle = handle

    def release(self) -> None:
        """Lets go; a second call does nothing."""
        handle, self._handle = self._handle, -1
        if handle < 0:
            return
        try:
            with suppress(OSError):
                os.ftruncate(handle, 0)
            unlock(handle)
        finally:
            os.close(handle)

    def __enter__(self) -> FileLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def acquire(path: Path, *, command: str, since: datetime, timeout_s: float = 0.0) -> FileLock:
    """Takes a lock or says who has it.

    Args:
        path: The lock file; it and its folder are created. Its content is only for people.
        command: What this process is doing, such as `vaultkeeper watch`.
        since: Now.
        timeout_s: How long to wait for the holder; 0 still tolerates a probe under way.

    Raises:
        LockedError: somebody else holds it.
        StorageError: the lock file cannot be made.
    """
    handle = _open(path)
    try:
        deadline = time.monotonic() + max(timeout_s, _GRACE_S)
        while not try_lock(handle):
            if time.monotonic() >= deadline:
                raise LockedError(holder=_read_holder(handle) or "another process")
            time.sleep(_POLL_S)
        _write_holder(
            handle,
            {"pid": os.getpid(), "command": command, "since": since.isoformat().replace("+00:00", "Z")},
        )
    except OSError as error:
        os.close(handle)
        raise StorageError(path=path, reason=(error.strerror or str(error)).lower()) from error
    except BaseException:
        os.close(handle)
        raise
    return FileLock(path, handle)


def lock_holder(path: Path) -> Holder | None:
    """Who holds a lock at this moment; None when nobody does. Creates nothing."""
    try:
        handle = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    try:
        if try_lock(handle):
            unlock(handle)
            return None
        return _read_holder(handle) or Holder(0, "another process", "unknown")
    finally:
        os.close(handle)


@contextmanager
def edit_lock(
    lock_dir: Path | None, *, command: str, since: datetime, timeout_s: float = 10.0
) -> Iterator[None]:
    """Holds the vault's edit lock over a read, change and replace of notes.

    Args:
        lock_dir: Folder of the lock, outside the vault (the index directory); None takes no lock.

    Raises:
        NotesLockedError: another edit does not end within the timeout.
    """
    if lock_dir is None:
        yield
        return
    try:
        lock = acquire(lock_dir / EDIT_LOCK, command=command, since=since, timeout_s=timeout_s)
    except LockedError as error:
        raise NotesLockedError(**error.facts) from None
    with lock:
        yield
