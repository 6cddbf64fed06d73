"""Lets the archivist work in the background, when the conversations have come to rest.

Owns when that is: some seconds after the last turn was written, and when an open segment ends by silence.
What is written comes back as events like any other change.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vaultkeeper.watch.trickle import close_keeper

QUIET_S = 5.0
LONGEST_WAIT_S = 60.0
"""A conversation that never pauses is looked at so often anyway."""

RETRY_S = 60.0
FOLDER = "episodic"


class Librarian:
    """A thread that tends.

    Args:
        open_keeper: Opens a keeper for the thread.
        root: The vault.
        say: Takes a line about what was done, or a complaint.
        wall: Unix time.
        quiet_s: How long conversations must be quiet.
        interval_s: How often work is looked for even when nothing has changed.
    """

    def __init__(
        self,
        open_keeper: Callable[[], Any],
        root: Path,
        say: Callable[[str], None],
        wall: Callable[[], float],
        *,
        quiet_s: float = QUIET_S,
        interval_s: float = 1_800.0,
    ) -> None:
        self._open_keeper = open_keeper
        self._folder = root / FOLDER
        self._say = say
        self._wall = wall
        self._quiet_s = quiet_s
        self._interval_s = interval_s
        self._stopping = threading.Event()
        self._noticed = threading.Event()
        self._complaint = ""
        self._thread = threading.Thread(target=self._run, name="vaultkeeper-archivist", daemon=True)

    def start(self) -> None:
        """Starts the thread; it sleeps until `notice`."""
        self._thread.start()

    def notice(self, paths: tuple[str, ...] | list[str] | None) -> None:
        """Says that these paths have changed, or perhaps all (None)."""
        if paths is None or any(path == FOLDER or path.startswith(f"{FOLDER}/") for path in paths):
            self._noticed.set()

    def stop(self) -> None:
        """Ends the thread after the session that it is at; the rest is taken up at the next start."""
        self._stopping.set()
        self._noticed.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def _run(self) -> None:
        keeper: Any = None
        due_s: float | None = None
        latest_s = 0.0
        while True:
            now_s = time.monotonic()
            timeout_s = None if due_s is None else max(0.0, min(due_s, latest_s) - now_s)
            if self._noticed.wait(timeout_s):
                self._noticed.clear()
                if self._stopping.is_set():
                    break
                now_s = time.monotonic()
                if due_s is None or due_s > now_s + self._quiet_s:
                    latest_s = now_s + LONGEST_WAIT_S
                due_s = now_s + self._quiet_s
                if due_s <= latest_s:
                    continue
            if not self._folder.is_dir():
                due_s = None
                continue
            try:
                keeper = keeper or self._open_keeper()
                pause_s = self._tend(keeper)
                self._complaint = ""
            except Exception as error:  # whatever fails here, the index is kept up to date
                if str(error) != self._complaint:
                    self._complaint = str(error)
                    self._say(f"The archivist stopped and tries again later: {self._complaint}")
                close_keeper(keeper)
                keeper, pause_s = None, RETRY_S
            due_s = latest_s = time.monotonic() + pause_s
        close_keeper(keeper)

    def _tend(self, keeper: Any) -> float:
        """Tends, and returns how many seconds later to do so again."""
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
