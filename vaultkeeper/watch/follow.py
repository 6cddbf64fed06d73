"""Keeps an observer running, and falls back to polling, with a word, when events cannot be had."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Callable
from pathlib import Path

from vaultkeeper.watch import limits, pace
from vaultkeeper.watch.observer import Mark, VaultObserver

COVERAGE_PAUSE_S = 30.0
CONFIRM_S = 1.0
"""Folders that are made in one go get their watches a moment later: a shortage counts when it lasts this long."""

RETRY_S = 600.0
PATIENCE_S = 60.0


class Follower:
    """Follows a vault by events where possible and by polling where not.

    Args:
        root: The vault's folder, resolved.
        mark: See `observer.VaultObserver`.
        ignored: See `observer.VaultObserver`.
        say: Takes sentences for the user.
        poll_s: When given, events are not even asked for.
        rescan_s: Seconds between comparisons of the whole vault while events work.
    """

    def __init__(
        self,
        root: Path,
        mark: Mark,
        ignored: Callable[[str], bool],
        say: Callable[[str], None],
        poll_s: float | None,
        rescan_s: float,
    ) -> None:
        self._root = root
        self._mark = mark
        self._ignored = ignored
        self._say = say
        self._poll_s = poll_s
        self._rescan_s = rescan_s
        self._observer: VaultObserver | None = None
        self._said = ""
        self._polls = False
        self._patience_s = 0.0
        self._checked_s = 0.0
        self._started_s = 0.0
        self._suspected = False
        self._short = False
        self._refused = False
        self._renewed = False
        self.pace = pace.beside_events(rescan_s)

    @property
    def mode(self) -> str:
        """`events`, `polling`, or `events and polling`."""
        names = ["events"] if self._observer else []
        return " and ".join([*names, "polling"] if self._polls or not names else names)

    def start(self, now_s: float) -> None:
        """Begins to follow. Whoever calls it compares the whole vault afterwards."""
        self.stop()
        self._started_s = self._checked_s = now_s
        self._polls = self._suspected = self._short = self._refused = False
        if self._poll_s is not None:
            self.pace = pace.polling(self._poll_s)
            self._polls = True
            return
        self.pace = pace.beside_events(self._rescan_s)
        observer = VaultObserver(self._root, self._mark, self._ignored)
        try:
            observer.start()
        except OSError as error:
            self._fall_back(f"The vault cannot be watched: {limits.advice(error)}.")
            return
        except Exception as error:  # whatever the library meets, the vault is followed
            self._fall_back(f"The vault cannot be watched ({type(error).__name__}: {error}).")
            return
        self._observer = observer
        kind = limits.file_system(self._root)
        if not limits.gives_events(kind):
            self._fall_back(f"On a file system of type {kind} changes made elsewhere are not announced.")
        self._covers_all()

    def stop(self) -> None:
        """Ends it; `start` may be called again."""
        observer, self._observer = self._observer, None
        if observer is not None:
            with contextlib.suppress(Exception):
                observer.stop()

    def healthy(self, now_s: float) -> bool:
        """To be called now and then; False asks for a new `start`: the observer died, or might work by
        now.
        """
        if self._polls and now_s - self._started_s >= RETRY_S and self._poll_s is None:
            return False
        if self._observer is None:
            return True
        if not self._observer.alive():
            # One that keeps breaking is not replaced at every turn.
            lived_s = now_s - self._started_s
            if lived_s < self._patience_s:
                return True
            self._patience_s = (
                min(PATIENCE_S, 2 * max(1.0, self._patience_s)) if lived_s < PATIENCE_S else 0.0
            )
            return False
        pause_s = CONFIRM_S if self._suspected else COVERAGE_PAUSE_S
        wanted = self._suspected or self._short or self._observer.folders_changed
        if wanted and now_s - self._checked_s >= pause_s:
            self._checked_s = now_s
            return self._covers_all()
        return True

    def _covers_all(self) -> bool:
        """Looks for folders without a watch. They are believed at the second look only, and named with their
        cause; False asks for a new `start`.
        """
        assert self._observer is not None
        settled = not self._observer.folders_changed
        missing, folders = self._observer.unwatched()
        if not missing:
            self._suspected = self._renewed = False
            self._recover()
            return True
        refused = limits.watch_refused(self._root)
        if self._short:
            return refused or not self._refused  # a limit that was raised is worth a new start
        if not self._suspected:
            self._suspected = True
            return True
        if not (refused or limits.nearly_used_up()):
            if not settled:
                return True  # folders are still being made
            if not self._renewed:
                self._renewed = True  # watches were lost on the way: a new observer sets them all
                return False
        self._suspected, self._short, self._refused = False, True, refused
        why = f": {limits.advice(OSError(errno.ENOSPC, ''))}" if refused or limits.nearly_used_up() else ""
        self._fall_back(f"{missing} of {folders} folders cannot be watched{why}.")
        return True

    def _recover(self) -> None:
        """Goes back to events when folders that could not be watched are gone or watched."""
        if not self._short:
            return
        self._short = self._refused = False
        if limits.gives_events(limits.file_system(self._root)):
            self._polls = False
            self._said = ""
            self.pace = pace.beside_events(self._rescan_s)
            self._say("All folders are watched again.")

    def _fall_back(self, reason: str) -> None:
        if not self._polls:
            self.pace = pace.fallback()
            self._polls = True
        if reason != self._said:
            self._said = reason
            self._say(f"{reason} The vault is scanned every {self.pace.pause_s:.0f} to "
                      f"{pace.FALLBACK_LONGEST_S:.0f} seconds instead.")  # fmt: skip
