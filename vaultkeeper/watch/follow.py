"""Keeps an observer running, and falls back to polling, with a word, when events cannot be had."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from vaultkeeper.watch import limits, pace
from vaultkeeper.watch.observer import Mark, VaultObserver

COVERAGE_PAUSE_S = 30.0
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
        self._polls = False
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
        self._check_coverage()

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
        if self._observer.folders_changed and now_s - self._checked_s >= COVERAGE_PAUSE_S:
            self._checked_s = now_s
            self._check_coverage()
        return True

    def _check_coverage(self) -> None:
        assert self._observer is not None
        missing, folders = self._observer.unwatched()
        if not missing:
            return
        found = limits.watch_limits()
        limit = f" The limit is {found.watches} for all programs together;" if found else ""
        self._fall_back(
            f"{missing} of {folders} folders cannot be watched.{limit} raise it with "
            f"`sudo sysctl fs.inotify.max_user_watches={max(524_288, 2 * (found.watches if found else 0))}`."
        )

    def _fall_back(self, reason: str) -> None:
        if not self._polls:
            self.pace = pace.fallback()
            self._polls = True
        if reason != self._said:
            self._said = reason
            self._say(f"{reason} The vault is scanned every {self.pace.pause_s:.0f} to "
                      f"{pace.FALLBACK_LONGEST_S:.0f} seconds instead.")  # fmt: skip
