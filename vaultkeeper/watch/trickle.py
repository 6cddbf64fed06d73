"""Embeds in the background what the syncs left without vectors.

Stands aside while a sync runs, so that full text never waits for it; a slow embedder gets the lowest
priority too.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

TEXTS_PER_STEP = 256
RETRY_S = 60.0
SETTLE_S = 0.5
SETTLE_LONGEST_S = 10.0
"""Adding vectors has a cost of its own beside each text's: edits that follow one another are embedded
together, and a question right after a save has the processor for itself.
"""


class Trickle:
    """A thread that embeds.

    Args:
        open_keeper: Opens a keeper for the thread.
        changed: Called after each step, when the number of pending vectors may have changed.
        complain: Takes one sentence when embedding fails.
        retry_s: Seconds to wait after a failure.
        settle_s: Seconds without another sync before it begins.
    """

    def __init__(
        self,
        open_keeper: Callable[[], Any],
        changed: Callable[[], None],
        complain: Callable[[str], None],
        retry_s: float = RETRY_S,
        settle_s: float = SETTLE_S,
    ) -> None:
        self._open_keeper = open_keeper
        self._changed = changed
        self._complain = complain
        self._retry_s = retry_s
        self._settle_s = settle_s
        self._stopping = threading.Event()
        self._aside = threading.Event()
        self._work = threading.Event()
        self._pending: int | None = None
        self._thread = threading.Thread(target=self._run, name="vaultkeeper-vectors", daemon=True)

    @property
    def pending(self) -> int | None:
        """Number of vectors that are missing; None while nobody has counted."""
        return self._pending

    def start(self) -> None:
        """Starts the thread; it sleeps until `kick`."""
        self._thread.start()

    def kick(self) -> None:
        """Says that a sync has ended and there may be work."""
        self._aside.clear()
        self._work.set()

    def stand_aside(self) -> None:
        """Says that a sync begins: the current step ends early and no other begins before `kick`."""
        self._aside.set()

    def stop(self) -> None:
        """Ends the thread after the texts that are being embedded; the rest is taken up at the next start."""
        self._stopping.set()
        self._work.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def _interrupted(self) -> bool:
        return self._stopping.is_set() or self._aside.is_set()

    def _settle(self) -> None:
        until_s = time.monotonic() + SETTLE_LONGEST_S
        while self._work.is_set() and not self._stopping.is_set():
            self._work.clear()
            if time.monotonic() < until_s:
                self._stopping.wait(self._settle_s)

    def _run(self) -> None:
        keeper: Any = None
        complaint = ""
        while True:
            self._work.wait()
            self._settle()
            if self._stopping.is_set():
                break
            try:
                if keeper is None:
                    keeper = self._open_keeper()
                    if keeper.embeds_slowly:
                        _lower_priority()
                before: int | None = None
                while not self._interrupted():
                    self._pending = keeper.embed_pending(stop=self._interrupted, limit=TEXTS_PER_STEP)
                    self._changed()
                    if not self._pending or self._pending == before:
                        break
                    before = self._pending
                complaint = ""
            except Exception as error:  # whatever fails here, full text goes on
                if str(error) != complaint:
                    complaint = str(error)
                    self._complain(f"Vectors could not be computed, trying again later: {complaint}")
                close_keeper(keeper)
                keeper = None
                self._stopping.wait(self._retry_s)
                self._work.set()
        close_keeper(keeper)


def close_keeper(keeper: Any) -> None:
    """Closes a keeper that can be closed, whatever state it is in."""
    close = getattr(keeper, "close", None)
    if close is not None:
        with contextlib.suppress(Exception):
            close()


def _lower_priority() -> None:
    if sys.platform.startswith("linux"):  # where the id of a thread names that thread alone
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
