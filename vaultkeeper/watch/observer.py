"""Turns file events into dirty paths. The only module that knows watchdog.

An event says where to look, never what happened: the sync compares the disk with the index, so a rename is
two dirty paths and a folder that came or went is one dirty folder. Opening and reading a note is not even
asked of the kernel, hence nothing that vaultkeeper reads wakes it.
"""

from __future__ import annotations

import importlib
import logging
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from vaultkeeper.watch import limits

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
