"""Seals summaries, compiles flavours and takes snapshots in the background, when the vault has come to rest.

Owns when that is, and that it is done in small pieces. What is written comes back as events like any other change;
those are not taken for work.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from vaultkeeper.errors import VaultkeeperError
from vaultkeeper.vault.paths import keeps_memory
from vaultkeeper.watch.trickle import close_keeper

QUIET_S = 30.0
INTERVAL_S = 3_600.0
"""What is due by age alone is looked for so often."""

RETRY_S = 300.0
STEPS = 20
"""Done at most before it rests; a vault that has never been summarised is not held up."""

SNAPSHOT_S = 3_600.0
"""Between two snapshots, at least: each costs space in the history for every folder that changed."""

REST_S = 1.0
OWN_FOLDERS = ("wiki/", "flavoured/")
EVIDENCE = ("profile/", "memory/", "MEMORY.md", "SKILL.md")
"""Where what flavours are compiled of lies."""


class Gardener:
    """A thread that seals.

    Args:
        open_keeper: Opens a keeper for the thread.
        say: Takes a line about what was done, or a complaint.
        quiet_s: How long nothing may have changed.
        interval_s: How often it looks even when nothing has changed.
        snapshot_s: Between two snapshots.
    """

    def __init__(
        self,
        open_keeper: Callable[[], Any],
        say: Callable[[str], None],
        *,
        quiet_s: float = QUIET_S,
        interval_s: float = INTERVAL_S,
        retry_s: float = RETRY_S,
        snapshot_s: float = SNAPSHOT_S,
    ) -> None:
        self._open_keeper = open_keeper
        self._say = say
        self._quiet_s = quiet_s
        self._interval_s = interval_s
        self._retry_s = retry_s
        self._snapshot_s = snapshot_s
        self._next_snapshot_s = 0.0
        self._changed = True  # since the last snapshot, as far as this process knows
        self._stopping = threading.Event()
        self._noticed = threading.Event()
        self._evidence = True  # has changed, as far as this process knows
        self._complaint = ""
        self._thread = threading.Thread(target=self._run, name="vaultkeeper-gardener", daemon=True)

    def start(self) -> None:
        """Starts the thread; it sleeps until `notice`."""
        self._thread.start()

    def notice(self, paths: tuple[str, ...] | list[str] | None) -> None:
        """Says that these paths have changed and are synced, or perhaps all (None)."""
        if paths is None or any(path.startswith(EVIDENCE) for path in paths):
            self._evidence = True
        self._changed = True
        if paths is None or any(not path.startswith(OWN_FOLDERS) for path in paths):
            self._noticed.set()

    def stop(self) -> None:
        """Ends the thread after the step that it is at; the rest is taken up at the next start."""
        self._stopping.set()
        self._noticed.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def _run(self) -> None:
        keeper: Any = None
        pause_s: float | None = None
        while True:
            self._noticed.wait(pause_s)
            while self._noticed.is_set() and not self._stopping.is_set():
                self._noticed.clear()
                self._noticed.wait(self._quiet_s)
            if self._stopping.is_set():
                break
            try:
                keeper = keeper or self._open_keeper()
                pause_s = self._tend(keeper)
                self._complaint = ""
            except Exception as error:  # whatever fails here, the index is kept up to date
                if str(error) != self._complaint:
                    self._complaint = str(error)
                    self._say(f"Summaries could not be sealed, trying again later: {self._complaint}")
                close_keeper(keeper)
                keeper, pause_s = None, self._retry_s
        close_keeper(keeper)

    def _tend(self, keeper: Any) -> float:
        """Seals some of what is due, at the end compiles, and returns how many seconds later to go on."""
        trees = getattr(keeper, "trees", None)
        if trees is None:
            return self._interval_s
        if keeps_memory(keeper.root):
            if due := trees.due():
                done = trees.tend(due, most=STEPS, stop=self._stopping.is_set)
                if done.sealed or done.rebuilt:
                    self._say(f"Summaries: {len(done.sealed)} sealed, {len(done.rebuilt)} rebuilt.")
                if len(done) >= STEPS:
                    return REST_S
            if self._evidence:
                self._evidence = False
                keeper.flavours.build()
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
