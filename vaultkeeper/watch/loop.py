"""The watcher: from dirty paths to syncs, for as long as it may run.

One thread syncs. Events, requests of clients and signals only leave a note for it and wake it. It holds the
writer lock for its whole life; readers work meanwhile.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vaultkeeper.errors import Exit, StorageError, VaultkeeperError, VaultNotFoundError
from vaultkeeper.watch import protocol
from vaultkeeper.watch.background import TEND_INTERVAL_S, Gardener, Librarian, Trickle, close_keeper
from vaultkeeper.watch.batcher import MAX_WAIT_S, QUIET_S, Batch, Batcher
from vaultkeeper.watch.desk import AnswerVerb, Desk, OpenKeeper, sync_json
from vaultkeeper.watch.observer import Follower
from vaultkeeper.watch.pace import RESCAN_S, SleepDetector
from vaultkeeper.watch.root import RootGuard, RootState, looks_empty
from vaultkeeper.watch.stop import Stop
from vaultkeeper.watch.talk import LogFile, Say, Talk

TICK_S = 1.0
RETRY_FIRST_S = 1.0
RETRY_LONGEST_S = 60.0

_CHANGES = ("added", "modified", "renamed", "removed")


def ignored_by_default(path: str) -> bool:
    """True for what lies in a dotfolder or is a dotfile."""
    return path.startswith(".") or "/." in path


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """What a user may choose.

    Attributes:
        poll_s: Compare the whole vault every so many seconds instead of receiving events.
        log_file: Where lines are kept, rotating by size.
        serve: Answer queries on a socket in the index folder.
        tend_quiet_s: Let the archivist work when conversations have been quiet for so long; None never does.
        tend_interval_s: And every so often.
        seal_quiet_s: Seal summaries when nothing has changed for so long; None never does.
        ignored: True for vault-relative paths whose changes never matter.
    """

    poll_s: float | None = None
    log_file: Path | None = None
    serve: bool = True
    ignored: Callable[[str], bool] = ignored_by_default
    rescan_s: float = RESCAN_S
    quiet_s: float = QUIET_S
    max_wait_s: float = MAX_WAIT_S
    tick_s: float = TICK_S
    tend_quiet_s: float | None = None
    tend_interval_s: float = TEND_INTERVAL_S
    seal_quiet_s: float | None = None


def run_watch(
    open_keeper: OpenKeeper,
    options: WatchOptions,
    say: Say,
    stop: Stop,
    *,
    answer: AnswerVerb,
    status: Say | None = None,
    wall: Callable[[], float] = time.time,
) -> Exit:
    """Follows a vault until `stop` is set.

    Args:
        open_keeper: Opens a keeper; called once for each thread that needs one.
        options: See there.
        say: Takes a line that stays.
        stop: Ends it; see `stop.stop_on_signals`.
        answer: Answers the reading verbs of clients.
        status: Takes a line that is rewritten in place; None where the output is no terminal.
        wall: Unix time, compared with the monotonic clock to notice that the machine has slept.

    Returns:
        The exit code that `stop` was set with.

    Raises:
        LockedError: another process writes this index; it names the holder.
    """
    while True:
        keeper = open_keeper()
        try:
            with keeper.writing():
                if _Watcher(keeper, open_keeper, options, say, stop, answer, status, wall).run():
                    return stop.exit_code
        finally:
            close_keeper(keeper)


class _Watcher:
    def __init__(
        self,
        keeper: Any,
        open_keeper: OpenKeeper,
        options: WatchOptions,
        say: Say,
        stop: Stop,
        answer: AnswerVerb,
        status: Say | None,
        wall: Callable[[], float],
    ) -> None:
        self._keeper = keeper
        self._options = options
        self._stop = stop
        self._wall = wall
        self._root = Path(os.path.realpath(keeper.root))
        self._private = self._inside(Path(keeper.index_dir)) + self._inside(options.log_file)
        self._talk = Talk(
            say,
            status,
            LogFile(options.log_file) if options.log_file else None,
            lambda: datetime.fromtimestamp(wall(), UTC),
        )
        self._lock = threading.Lock()
        self._batcher = Batcher(options.quiet_s, options.max_wait_s)
        self._guard = RootGuard(self._root)
        self._follower = Follower(
            self._root, self._mark, self._ignores, self._talk.line, options.poll_s, options.rescan_s
        )
        self._trickle = Trickle(open_keeper, self._talk.line, self._stop.wake)
        self._librarian = Librarian(
            open_keeper,
            self._talk.line,
            self._root,
            wall,
            quiet_s=options.tend_quiet_s or 0.0,
            interval_s=options.tend_interval_s,
        )
        self._gardener = Gardener(open_keeper, self._talk.line, quiet_s=options.seal_quiet_s or 0.0)
        self._desk = Desk(
            self._root,
            Path(keeper.index_dir),
            open_keeper,
            answer,
            pending=self._pending,
            wake=stop.wake,
            state=self._state,
        )
        self._landmark = Path(keeper.index_dir)
        self._sleep = SleepDetector(wall(), time.monotonic())
        self._started_at = self._stamp()
        self._last_sync_at = ""
        self._last_change = ""
        self._shows_status = status is not None
        self._notes = 0
        self._waiting_for_root = False
        self._first = True
        self._complaint = ""
        self._retry_pause_s = RETRY_FIRST_S
        self._retry_s = 0.0
        self._next_scan_s = 0.0

    def run(self) -> bool:
        """Watches until the end; False when the index was deleted and all has to begin anew."""
        try:
            self._serve()
            self._trickle.start()
            if self._options.tend_quiet_s is not None:
                self._librarian.start()
            if self._options.seal_quiet_s is not None:
                self._gardener.start()
            if self._root_is_there():
                self._begin("Watching")
            while not self._stop() and self._index_is_there():
                self._turn()
            if self._stop():
                self._finish()
        finally:
            self._follower.stop()
            self._librarian.stop()
            self._gardener.stop()
            self._trickle.stop()
            self._desk.close()
        if self._stop():
            self._talk.line("Stopped.")
            return True
        self._talk.line("The index or its socket was deleted; beginning anew.")
        return False

    # One turn of the loop

    def _index_is_there(self) -> bool:
        """Whoever deletes the index folder takes the lock and the socket with it: nobody could find this
        watcher.
        """
        return os.path.lexists(self._landmark)

    def _turn(self) -> None:
        now_s = time.monotonic()
        self._look_around(now_s)
        with self._lock:
            due_s = self._batcher.wait_s(now_s)
        if self._waiting_for_root:
            self._desk.refuse()
            due_s = None
        elif self._desk.asked or ((due_s == 0.0 or self._first) and now_s >= self._retry_s):
            self._sync()
            return
        elif due_s is not None:
            due_s = max(due_s, self._retry_s - now_s)
        self._show_status()
        self._stop.wait(self._options.tick_s if due_s is None else min(due_s, self._options.tick_s))

    def _look_around(self, now_s: float) -> None:
        rhythm = self._follower.pace
        self._look(now_s)
        if self._follower.pace is not rhythm:  # it fell back, or went back to events
            self._everything()

    def _look(self, now_s: float) -> None:
        state = self._guard.check()
        if self._waiting_for_root:
            if state is RootState.GONE or (state is RootState.SAME and self._unmounted_at_start()):
                return
            self._waiting_for_root = False
            self._guard.accept()
            self._begin("The vault's folder is back: watching")
        elif state is RootState.GONE:
            self._wait_for_root()
        elif state is RootState.REPLACED:
            self._guard.accept()
            self._begin("The vault's folder was replaced: watching")
        elif not self._follower.healthy(now_s):
            self._follower.start(now_s)
            self._everything()
        elif self._sleep.jumped(self._wall(), now_s, self._options.tick_s):
            self._everything()
        elif now_s >= self._next_scan_s:
            self._next_scan_s = math.inf  # until this comparison has been made
            self._everything()

    def _begin(self, how: str) -> None:
        now_s = time.monotonic()
        self._follower.start(now_s)
        self._talk.line(f"{how} {self._root} ({self._follower.mode}).")
        self._next_scan_s = math.inf
        self._everything()

    def _root_is_there(self) -> bool:
        there = self._guard.check() is not RootState.GONE and not self._unmounted_at_start()
        if not there:
            self._wait_for_root()
        return there

    def _unmounted_at_start(self) -> bool:
        """An empty folder although the index knows notes: a drive that is not mounted, rather than an empty
        vault.
        """
        return self._first and looks_empty(self._root) and self._keeper.status().notes > 0

    def _wait_for_root(self) -> None:
        self._waiting_for_root = True
        self._follower.stop()
        with self._lock:
            self._batcher.take()
        self._talk.line(
            f"The vault's folder {self._root} is gone or empty; waiting for it. The index stays as it is."
        )

    def _finish(self) -> None:
        with self._lock:
            batch = self._batcher.take()
        if batch and not batch.everything and not self._waiting_for_root:
            with self._lock:
                self._batcher.put_back(batch, 0.0)
            self._sync()

    # Syncing

    def _sync(self) -> None:
        requests = self._desk.take()
        with self._lock:
            if any(request.everything for request in requests):
                self._batcher.add_everything(time.monotonic())
            batch = self._batcher.take()
        if batch is None:
            result: object = sync_json(None)
        else:
            try:
                result = self._sync_batch(batch)
            except (
                Exception
            ) as error:  # reported, and tried again: nothing that a sync meets ends the watcher
                self._failed(batch, error)
                result = error
        for request in requests:
            request.reply(result)

    def _sync_batch(self, batch: Batch) -> protocol.Json:
        if self._guard.check() is not RootState.SAME:
            self._everything()
            raise VaultNotFoundError(vault=self._root)
        self._trickle.stand_aside()
        started_s, cost_s = time.monotonic(), time.thread_time()
        self._desk.comparing = batch.everything
        try:
            stats = self._keeper.sync(
                paths=None if batch.everything else batch.paths,
                progress=self._progress if self._first else None,
                stop=self._cut_short if batch.everything else self._root_lost,
            )
        finally:
            self._desk.comparing = False
            self._trickle.wake()
            changed = None if batch.everything else batch.paths
            self._librarian.notice(changed)
            self._gardener.notice(changed)
        changes = summary(stats)
        now_s = time.monotonic()
        self._sleep.worked(now_s)
        if batch.everything or math.isinf(self._next_scan_s):
            self._follower.pace.compared(time.thread_time() - cost_s, changed=bool(changes))
            self._next_scan_s = now_s + self._follower.pace.pause_s
        self._last_sync_at = self._stamp()
        if changes:
            self._last_change = self._last_sync_at
            where = f"{batch.paths[0]}: " if len(batch.paths) == 1 else ""
            self._talk.line(f"{where}{changes} ({(now_s - started_s) * 1000:.0f} ms)")
        elif self._first and not self._stop():
            self._talk.line("Nothing has changed since the last sync.")
        if self._shows_status and (changes or self._first):
            self._notes = self._keeper.status().notes
        self._first = self._first and self._stop()
        if self._complaint:
            self._talk.line("Syncing works again.")
            self._complaint = ""
        self._retry_pause_s, self._retry_s = RETRY_FIRST_S, 0.0
        return sync_json(stats)

    def _failed(self, batch: Batch, error: Exception) -> None:
        if self._guard.check() is not RootState.SAME:
            return  # the next turn says so, and compares everything when the folder returns
        now_s = time.monotonic()
        with self._lock:
            self._batcher.put_back(batch, now_s)
        self._retry_s = now_s + self._retry_pause_s
        self._retry_pause_s = min(RETRY_LONGEST_S, self._retry_pause_s * 2)
        text = str(error) if isinstance(error, VaultkeeperError) else f"{type(error).__name__}: {error}"
        if text != self._complaint:
            self._complaint = text
            hint = f" {error.advice}" if isinstance(error, StorageError) else ""
            self._talk.line(f"The sync failed and is tried again: {text}{hint}")

    def _cut_short(self) -> bool:
        return self._stop() or self._root_lost()

    def _root_lost(self) -> bool:
        return self._guard.check() is not RootState.SAME

    def _progress(self, done: int, total: int) -> None:
        self._talk.status(f"Reading notes: {done:,} of {total:,}")

    # What other threads call

    def _mark(self, path: str, folder: bool) -> None:
        with self._lock:
            was_empty = self._batcher.add(path, time.monotonic(), folder=folder)
        if was_empty:
            self._stop.wake()

    def _everything(self) -> None:
        self._mark("", True)

    def _ignores(self, path: str) -> bool:
        return self._options.ignored(path) or any(
            path == own or path.startswith((own + "/", own + ".")) for own in self._private
        )

    def _inside(self, path: Path | None) -> list[str]:
        """The index folder and the log are written by each sync: inside the vault they must not cause the
        next one.
        """
        real = Path(os.path.realpath(path)) if path else self._root
        return [real.relative_to(self._root).as_posix()] if self._root in real.parents else []

    def _serve(self) -> None:
        try:
            if self._options.serve:
                self._landmark = self._desk.open() or self._landmark
        except OSError as error:
            self._talk.line(f"Queries are not answered on a socket: {error}.")

    def _pending(self) -> bool:
        with self._lock:
            return self._batcher.wait_s(0.0) is not None

    # What it says of itself

    def _state(self) -> protocol.Json:
        return {
            "started_at": self._started_at,
            "mode": self._follower.mode,
            "state": "waiting" if self._waiting_for_root else "starting" if self._first else "watching",
            "stopping": self._stop(),
            "last_sync_at": self._last_sync_at,
            "last_change_at": self._last_change,
            "vectors_pending": self._trickle.pending,
            "changes_pending": self._pending(),
            "error": self._complaint,
        }

    def _show_status(self) -> None:
        if self._waiting_for_root:
            self._talk.status("Waiting for the vault's folder")
            return
        parts = [plural(self._notes, "note")]
        if self._last_change:
            parts.append(f"last change {datetime.fromisoformat(self._last_change).astimezone():%H:%M:%S}")
        if self._trickle.pending:
            parts.append(f"{plural(self._trickle.pending, 'vector')} pending")
        self._talk.status(" · ".join(parts))

    def _stamp(self) -> str:
        return (
            datetime.fromtimestamp(self._wall(), UTC)
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z")
        )


def summary(stats: Any) -> str:
    """Says what a sync changed, such as `2 added, 1 renamed`; empty when nothing did."""
    counts = [(name, int(getattr(stats, name))) for name in _CHANGES]
    return ", ".join(f"{count:,} {name}" for name, count in counts if count)


def plural(count: int, noun: str) -> str:
    """A count with its noun: `1 note`, `2,345 notes`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
