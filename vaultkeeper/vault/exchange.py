"""Two things that the standard library lacks: swapping two files in one step, and knowing who still writes to one.

Both are best effort: a system or a file system that cannot do it is told from one that did.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2  # Linux, renameat2(2)
_RENAME_SWAP = 2  # macOS, renamex_np(2)
_CANNOT = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM})
_POLL_S = 0.001
_GRACE_S = 0.005


def exchange(first: Path, second: Path) -> bool:
    """Swaps two files of one file system in one step.

    Returns:
        False when this system cannot, and nothing was done.

    Raises:
        OSError: one of them is gone, or the like.
    """
    call = _exchange_call()
    if call is None or call(os.fsencode(first), os.fsencode(second)) == 0:
        return call is not None
    import ctypes

    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code), str(second))


@cache
def _exchange_call() -> Any:
    if sys.platform not in ("linux", "darwin"):
        return None
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "linux" and hasattr(library, "renameat2"):
        return lambda a, b: library.renameat2(_AT_FDCWD, a, _AT_FDCWD, b, _RENAME_EXCHANGE)
    if sys.platform == "darwin" and hasattr(library, "renamex_np"):
        return lambda a, b: library.renamex_np(a, b, _RENAME_SWAP)
    return None


def wait_for_writers(path: Path, timeout_s: float) -> bool:
    """Waits until no process has a file open for writing.

    Linux tells (by a lease, which is given only then). Elsewhere, and for files of other users, it waits a moment in
    which a writer that was under way is most likely done.

    Returns:
        False when somebody still writes after the timeout.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        written = _is_written(path)
        if written is None:
            time.sleep(_GRACE_S)
            return True
        if not written:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_S)


def _is_written(path: Path) -> bool | None:
    """Whether somebody has the file open for writing; None when it cannot be told."""
    if sys.platform != "linux":
        return None
    import fcntl
    import signal

    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    except OSError:
        return None
    try:
        # Whoever opens the file in the microseconds until the lease is given back sends a signal: one that is ignored.
        fcntl.fcntl(handle, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return True if error.errno in (errno.EAGAIN, errno.EBUSY) else None
    finally:
        os.close(handle)
    return False
