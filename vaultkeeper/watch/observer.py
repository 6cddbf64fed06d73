"""Follows a vault: by events where they can be had, else by polling, with a word. The only module that knows watchdog.

An event says where to look, never what happened: the sync compares the disk with the index, so a rename is two dirty
paths and a folder that came or went is one dirty folder. Opening and reading a note is not even asked of the kernel,
hence nothing that vaultkeeper reads wakes it.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import logging
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from vaultkeeper.watch import limits, pace

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent
    from watchdog.observers.api import BaseObserver


MOVE_PAIRING_S = 0.05
"""How long watchdog may hold back half of a move. Its own half second would delay each delete into the
system's trash; nothing here needs the halves together."""

_WANTED = (
    "FileCreatedEvent", "FileModifiedEvent", "FileAttribEvent", "FileClosedEvent",
    "FileMovedEvent", "FileDeletedEvent", "DirCreatedEvent", "DirMovedEvent", "DirDeletedEvent",
)  # fmt: skip

Mark = Callable[[str, bool], None]
"""Called with a vault-relative path and whether it is a folder; the empty path means the whole vault."""


class VaultObserver:
    """Follows one vault until it is stopped.

    Args:
        root: The vault's folder, resolved.
        mark: Called from a thread of watchdog; it must return at once and not raise.
        ignored: True for vault-relative paths that never matter, such as those in dotfolders.
    """

    def __init__(self, root: Path, mark: Mark, ignored: Callable[[str], bool]) -> None:
        self._prefix = os.path.join(str(root), "")
        self._root = root
        self._mark = mark
        self._ignored = ignored
        self._observer: BaseObserver | None = None
        self._complaints = _Complaints(self._lost)
        self._watches_before = 0
        self._folders_changed = False
        self._lost_events = False

    def start(self) -> None:
        """Begins to follow the vault; changes from now on are marked.

        Raises:
            OSError: ENOSPC or EMFILE when a limit is reached; `limits.advice` says which.
        """
        from watchdog import events
        from watchdog.observers import Observer

        _shorten_move_pairing()
        _calm()
        self._watches_before = limits.own_watches() or 0
        handler = events.FileSystemEventHandler()
        handler.dispatch = self.dispatch  # type: ignore[method-assign]
        wanted = [getattr(events, name) for name in _WANTED if hasattr(events, name)]
        logging.getLogger("watchdog").addHandler(self._complaints)
        observer = Observer()
        try:
            observer.schedule(handler, str(self._root), recursive=True, event_filter=wanted)
            observer.start()
        except BaseException:
            logging.getLogger("watchdog").removeHandler(self._complaints)
            observer.stop()
            raise
        self._observer = observer

    def stop(self) -> None:
        """Ends it; what has been marked stays marked."""
        observer, self._observer = self._observer, None
        logging.getLogger("watchdog").removeHandler(self._complaints)
        if observer is None:
            return
        observer.stop()
        if observer.is_alive():
            observer.join(timeout=5)

    def alive(self) -> bool:
        """False when it has to be replaced by a new one: events were lost, and perhaps watches of new folders
        with them, or a thread of watchdog has died, as when the vault's folder is deleted.
        """
        observer = self._observer
        return (
            observer is not None
            and not self._lost_events
            and observer.is_alive()
            and all(emitter.is_alive() for emitter in list(observer.emitters))
        )

    def unwatched(self) -> tuple[int, int]:
        """Counts the folders that are not watched although they should be.

        Watchdog passes over folders that it could not watch, so the kernel is asked.

        Returns:
            Number of folders without a watch, and of all folders; (0, 0) where it cannot be told.
        """
        self._folders_changed = False
        watches = limits.own_watches()
        if watches is None or self._observer is None:
            return 0, 0
        folders = limits.count_folders(self._root)
        return max(0, folders - (watches - self._watches_before)), folders

    @property
    def folders_changed(self) -> bool:
        """True when folders came or went since `unwatched` was called last."""
        return self._folders_changed

    def dispatch(self, event: FileSystemEvent) -> None:
        """Marks what an event is about."""
        if event.is_directory:
            self._folders_changed = True
        for path in (event.src_path, event.dest_path):
            if path:
                self._mark_path(os.fsdecode(path), event.is_directory)

    def _mark_path(self, path: str, folder: bool) -> None:
        if not path.startswith(self._prefix):
            if path + os.sep == self._prefix:
                self._mark("", True)
            return
        relative = path[len(self._prefix) :].replace(os.sep, "/")
        if not self._ignored(relative):
            self._mark(relative, folder)

    def _lost(self) -> None:
        self._lost_events = True
        self._mark("", True)


class _Complaints(logging.Handler):
    """Hears when watchdog has lost events (a full queue, an error in a thread): all it does then is to log a
    warning.
    """

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost

    def emit(self, record: logging.LogRecord) -> None:
        self._lost()


def _shorten_move_pairing() -> None:
    for module, name in (
        ("watchdog.observers.inotify_move_event_grouper", "InotifyMoveEventGrouper"),
        ("watchdog.observers.inotify_buffer", "InotifyBuffer"),
    ):
        try:
            grouper = getattr(importlib.import_module(module), name)
        except Exception:  # other versions and systems lack it, or fail to import it
            continue
        grouper.delay = MOVE_PAIRING_S


def _calm() -> None:
    """Keeps watchdog from printing. That a moved folder is watched already is harmless; the rest is heard."""
    logger = logging.getLogger("watchdog")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\.")


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
