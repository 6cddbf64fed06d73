"""What the watcher does when the vault has come to rest: vectors, then the archivist, then summaries and snapshots.

Owns when that is. Each piece of work has a thread and a keeper of its own, so that full text never waits for it; what
it writes comes back as events like any other change.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from vaultkeeper.errors import VaultkeeperError
from vaultkeeper.vault.paths import keeps_memory

TEXTS_PER_STEP = 256
SETTLE_S = 0.5
SETTLE_LONGEST_S = 10.0
"""Adding vectors has a cost of its own beside each text's: edits that follow one another are embedded
together, and a question right after a save has the processor for itself.
"""

MANY_STEPS = 20
"""Of embedding, after which what they took is given back to the system."""

TEND_QUIET_S = 5.0
TEND_LONGEST_S = 60.0
"""A conversation that never pauses is looked at so often anyway."""

TEND_INTERVAL_S = 1_800.0

SEAL_QUIET_S = 30.0
SEAL_INTERVAL_S = 3_600.0
"""What is due by age alone is looked for so often."""

SEAL_RETRY_S = 300.0
STEPS = 20
"""Sealed at most before it rests; a vault that has never been summarised is not held up."""

REST_S = 1.0
SNAPSHOT_S = 3_600.0
"""Between two snapshots, at least: each costs space in the history for every folder that changed."""

RETRY_S = 60.0
TURNS = "episodic"
WRITTEN = ("wiki/", "flavoured/")
EVIDENCE = ("profile/", "memory/", "MEMORY.md", "SKILL.md")
"""Where what flavours are compiled of lies."""

Paths = Sequence[str] | None
"""What has changed, vault-relative; None when anything may have."""


class Background:
    """A thread that works some time after it was woken, and again when the work itself asks for it.

    After a failure, which is said once, it works again later with a new keeper.

    Args:
        open_keeper: Opens a keeper for the thread.
        say: Takes a line about what was done, or a complaint.
        quiet_s: How long nothing may wake it before it works.
        longest_s: It works after so long even if it is woken all the time.
        retry_s: How long it rests after a failure.
    """

    name: str
    complaint: str

    def __init__(
        self,
        open_keeper: Callable[[], Any],
        say: Callable[[str], None],
        *,
        quiet_s: float,
        longest_s: float = math.inf,
        retry_s: float = RETRY_S,
    ) -> None:
        self._open_keeper = open_keeper
        self._say = say
        self._quiet_s = quiet_s
        self._longest_s = longest_s
        self._retry_s = retry_s
        self._stopping = threading.Event()
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"vaultkeeper-{self.name}", daemon=True)

    def start(self) -> None:
        """Starts the thread; it sleeps until it is woken."""
        self._thread.start()

    def wake(self) -> None:
        """Says that there may be work."""
        self._woken.set()

    def stop(self) -> None:
        """Ends the thread after the step that it is at; the rest is taken up at the next start."""
        self._stopping.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def _work(self, keeper: Any) -> float:
        """Works, and returns in how many seconds to do so again; infinite when it is to be woken."""
        raise NotImplementedError

    def _run(self) -> None:
        keeper: Any = None
        said = ""
        due_s, earliest_s = math.inf, 0.0
        first_s: float | None = None  # when it was woken, of the times that it has not worked for yet
        while True:
            if self._woken.wait(None if due_s == math.inf else max(0.0, due_s - time.monotonic())):
                self._woken.clear()
                if self._stopping.is_set():
                    break
                now_s = time.monotonic()
                first_s = now_s if first_s is None else first_s
                due_s = max(earliest_s, min(now_s + self._quiet_s, first_s + self._longest_s))
                if now_s < due_s:
                    continue
            first_s = None
            try:
                keeper = keeper or self._open_keeper()
                due_s = time.monotonic() + self._work(keeper)
                said = ""
            except Exception as error:  # whatever fails here, the index is kept up to date
                if str(error) != said:
                    said = str(error)
                    self._say(f"{self.complaint}: {said}")
                close_keeper(keeper)
                keeper = None
                due_s = earliest_s = time.monotonic() + self._retry_s
        close_keeper(keeper)


class Trickle(Background):
    """Embeds what the syncs left without vectors, and stands aside while a sync runs.

    Args:
        changed: Called after each step, when the number of pending vectors may have changed.
    """

    name = "vectors"
    complaint = "Vectors could not be computed, trying again later"

    def __init__(
        self,
        open_keeper: Callable[[], Any],
        say: Callable[[str], None],
        changed: Callable[[], None],
        *,
        retry_s: float = RETRY_S,
        settle_s: float = SETTLE_S,
    ) -> None:
        super().__init__(open_keeper, say, quiet_s=settle_s, longest_s=SETTLE_LONGEST_S, retry_s=retry_s)
        self._changed = changed
        self._aside = threading.Event()
        self._pending: int | None = None
        self._first = True

    @property
    def pending(self) -> int | None:
        """Number of vectors that are missing; None while nobody has counted."""
        return self._pending

    def wake(self) -> None:
        """Says that a sync has ended and there may be work."""
        self._aside.clear()
        super().wake()

    def stand_aside(self) -> None:
        """Says that a sync begins: the current step ends early and no other begins before `wake`."""
        self._aside.set()

    def _interrupted(self) -> bool:
        return self._stopping.is_set() or self._aside.is_set()

    def _work(self, keeper: Any) -> float:
        if keeper.embeds_slowly:
            _lower_priority()
        before: int | None = None
        steps = 0
        while not self._interrupted():
            self._pending = keeper.embed_pending(stop=self._interrupted, limit=TEXTS_PER_STEP)
            self._changed()
            steps += 1
            if not self._pending or self._pending == before:
                break
            before = self._pending
        if self._first or steps > MANY_STEPS:
            self._first = False
            release_memory()
        return math.inf


class Librarian(Background):
    """Lets the archivist close segments: some seconds after the last turn, and when an open one ends by silence.

    Args:
        root: The vault.
        wall: Unix time.
        interval_s: How often work is looked for even when nothing has changed.
    """

    name = "archivist"
    complaint = "The archivist stopped and tries again later"

    def __init__(
        self,
        open_keeper: Callable[[], Any],
        say: Callable[[str], None],
        root: Path,
        wall: Callable[[], float],
        *,
        quiet_s: float = TEND_QUIET_S,
        interval_s: float = TEND_INTERVAL_S,
        retry_s: float = RETRY_S,
    ) -> None:
        super().__init__(open_keeper, say, quiet_s=quiet_s, longest_s=TEND_LONGEST_S, retry_s=retry_s)
        self._folder = root / TURNS
        self._wall = wall
        self._interval_s = interval_s

    def notice(self, paths: Paths) -> None:
        """Wakes it when conversations are among what has changed."""
        changed = paths is None or any(path == TURNS or path.startswith(f"{TURNS}/") for path in paths)
        if changed and self._folder.is_dir():
            self.wake()

    def _work(self, keeper: Any) -> float:
        conversations = getattr(keeper, "conversations", None)
        if conversations is None:
            return self._interval_s
        done = conversations.tend(self._stopping.is_set)
        if done.wrote:
            self._say(f"Archivist: {done}.")
        if done.due_at is None:
            return self._interval_s
        due_s = float(done.due_at.timestamp()) - self._wall() + 1.0
        return min(self._interval_s, max(1.0, due_s))


class Gardener(Background):
    """Seals summaries, compiles flavours and takes snapshots, in small pieces.

    Args:
        interval_s: How often it looks even when nothing has changed.
        snapshot_s: Between two snapshots.
    """

    name = "gardener"
    complaint = "Summaries could not be sealed, trying again later"

    def __init__(
        self,
        open_keeper: Callable[[], Any],
        say: Callable[[str], None],
        *,
        quiet_s: float = SEAL_QUIET_S,
        interval_s: float = SEAL_INTERVAL_S,
        retry_s: float = SEAL_RETRY_S,
        snapshot_s: float = SNAPSHOT_S,
    ) -> None:
        super().__init__(open_keeper, say, quiet_s=quiet_s, retry_s=retry_s)
        self._interval_s = interval_s
        self._snapshot_s = snapshot_s
        self._next_snapshot_s = self._next_clearing_s = 0.0
        self._changed = True  # since the last snapshot, as far as this process knows
        self._evidence = True  # has changed, as far as this process knows

    def notice(self, paths: Paths) -> None:
        """Remembers what has changed, and wakes it unless all of that is its own writing."""
        if paths is None or any(path.startswith(EVIDENCE) for path in paths):
            self._evidence = True
        self._changed = True
        if paths is None or any(not path.startswith(WRITTEN) for path in paths):
            self.wake()

    def _work(self, keeper: Any) -> float:
        if keeps_memory(keeper.root):
            trees = keeper.trees
            if due := trees.due():
                done = trees.tend(due, most=STEPS, stop=self._stopping.is_set)
                if done.sealed or done.rebuilt:
                    self._say(f"Summaries: {len(done.sealed)} sealed, {len(done.rebuilt)} rebuilt.")
                if len(done) >= STEPS:
                    return REST_S
            if self._evidence:
                self._evidence = False
                keeper.flavours.build()
            if time.monotonic() >= self._next_clearing_s:
                self._next_clearing_s = time.monotonic() + SEAL_INTERVAL_S
                keeper.clear_leftovers()
        return min(self._interval_s, self._remember(keeper))

    def _remember(self, keeper: Any) -> float:
        """Takes a snapshot when one is due, and returns in how many seconds the next may be."""
        if not self._changed:
            return self._interval_s
        left_s = self._next_snapshot_s - time.monotonic()
        if left_s > 0:
            return left_s
        self._changed = False
        try:
            if keeper.remember():
                self._next_snapshot_s = time.monotonic() + self._snapshot_s
        except VaultkeeperError as error:
            self._say(f"No snapshot was taken: {error}")
        return self._interval_s


def close_keeper(keeper: Any) -> None:
    """Closes a keeper that can be closed, whatever state it is in."""
    close = getattr(keeper, "close", None)
    if close is not None:
        with contextlib.suppress(Exception):
            close()


def release_memory() -> None:
    """Gives back what a first sync or many vectors took; glibc would keep it for the next time."""
    if sys.platform.startswith("linux"):
        import ctypes

        with contextlib.suppress(AttributeError, OSError):  # another C library has no such call
            ctypes.CDLL(None).malloc_trim(0)


def _lower_priority() -> None:
    if sys.platform.startswith("linux"):  # where the id of a thread names that thread alone
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
