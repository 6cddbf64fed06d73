"""Ending a watcher: a flag that wakes its loop, and the signals that set it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from vaultkeeper.errors import Exit


class Stop:
    """A flag that is set once. Calling it says whether it is set, so that it can be handed to a long
    operation.

    Attributes:
        exit_code: What the process should return.
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._in, self._out = socket.socketpair()
        self._out.setblocking(False)
        self.exit_code = Exit.OK

    def __call__(self) -> bool:
        """Says whether it is set."""
        return self._event.is_set()

    def set(self, exit_code: Exit = Exit.OK) -> None:
        """Sets it and wakes `wait`. May be called from a signal handler and from any thread."""
        if not self._event.is_set():
            self.exit_code = exit_code
            self._event.set()
        self.wake()

    def wake(self) -> None:
        """Ends the current or the next `wait` early."""
        with contextlib.suppress(OSError):
            self._out.send(b"!")

    def wait(self, timeout_s: float) -> None:
        """Sleeps until it is set, `wake` is called, or the time is over."""
        if self._event.is_set():
            return
        self._in.settimeout(max(0.001, timeout_s))
        with contextlib.suppress(TimeoutError):
            self._in.recv(4096)

    def __enter__(self) -> Stop:
        return self

    def __exit__(self, *_: object) -> None:
        """Frees its file descriptors; it can still be set and asked."""
        self._in.close()
        self._out.close()


@contextlib.contextmanager
def stop_on_signals(stop: Stop, at_once: Callable[[], None] = lambda: None) -> Iterator[Stop]:
    """While it is open, SIGTERM (exit code 0), SIGHUP (0) and SIGINT (130) set `stop`; a second SIGINT ends
    the process.

    Only the main thread can open it.

    Args:
        stop: The flag.
        at_once: Called just before the process ends at the second SIGINT; it must be quick.
    """

    def finish(number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT and stop():
            with contextlib.suppress(Exception):
                at_once()
            sys.stderr.flush()
            os._exit(Exit.INTERRUPTED)
        stop.set(Exit.INTERRUPTED if number == signal.SIGINT else Exit.OK)

    wanted = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, finish) for number in wanted}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
