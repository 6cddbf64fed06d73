"""A keeper with the real one's promises and nothing behind it but a dictionary in a file.

Its sync reads the notes themselves, so that tests see which paths the watcher asked for and what a reader
would find.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from vaultkeeper.errors import LockedError
from vaultkeeper.watch.loop import WatchOptions, run_watch
from vaultkeeper.watch.stop import Stop, stop_on_signals


@dataclass
class Stats:
    added: int = 0
    modified: int = 0
    renamed: int = 0
    removed: int = 0


@dataclass
class Status:
    notes: int


class Disk:
    """What all keepers of one process share: the index, and what was asked of it."""

    def __init__(self, root: Path, index_dir: Path) -> None:
        self.root = root
        self.index_dir = index_dir
        self.rows: dict[str, str] = {}
        self.syncs: list[tuple[str, ...] | None] = []
        self.fail: list[Exception] = []
        self.pending = 0
        self.embedded_in: set[str] = set()
        self.opened = 0
        self.closed = 0
        self.slow_s = 0.0
        self.in_sync = threading.Event()
        self.go = threading.Event()
        self.go.set()
        self.changed = threading.Condition()

    def wait_for(self, condition: Callable[[], bool], seconds: float = 10.0) -> None:
        deadline = time.monotonic() + seconds
        with self.changed:
            while not condition():
                left = deadline - time.monotonic()
                assert left > 0, f"waited in vain; syncs: {self.syncs[-20:]}"
                self.changed.wait(min(left, 0.05))

    def keeper(self) -> FakeKeeper:
        self.opened += 1
        return FakeKeeper(self)


class FakeKeeper:
    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        self.root = disk.root
        self.index_dir = disk.index_dir
        self.thread = threading.get_ident()

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        self.index_dir.mkdir(parents=True, exist_ok=True)
        with (self.index_dir / "lock").open("a+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                raise LockedError(holder=lock.read()) from None
            lock.truncate(0)
            lock.write(f"process {os.getpid()}")
            lock.flush()
            yield

    def sync(
        self,
        *,
        paths: Iterable[str] | None = None,
        progress: Callable[[int, int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Stats:
        assert self.thread == threading.get_ident()
        self.disk.in_sync.set()
        asked = None if paths is None else tuple(paths)
        if self.disk.fail:
            raise self.disk.fail.pop(0)
        if self.disk.slow_s:
            time.sleep(self.disk.slow_s)
        assert self.disk.go.wait(30)
        found: dict[str, str] = {}
        for folder, names, files in os.walk(self.root):
            names[:] = [name for name in names if not name.startswith(".")]
            for name in files:
                path = Path(folder, name)
                if name.endswith(".md") and not name.startswith("."):
                    with contextlib.suppress(FileNotFoundError):
                        found[path.relative_to(self.root).as_posix()] = path.read_text("utf-8")
        if stop and stop():
            return Stats()
        stats = Stats()
        with self.disk.changed:
            rows = self.disk.rows
            for path in sorted(set(rows) | set(found)):
                if asked is not None and not any(path == a or path.startswith(a + "/") for a in asked):
                    continue
                if path not in found:
                    stats.removed += 1
                    del rows[path]
                elif path not in rows:
                    stats.added += 1
                    rows[path] = found[path]
                elif rows[path] != found[path]:
                    stats.modified += 1
                    rows[path] = found[path]
            self.disk.pending += stats.added + stats.modified
            self.disk.syncs.append(asked)
            self.disk.changed.notify_all()
        if progress:
            progress(len(found), len(found))
        return stats

    embeds_slowly = False

    def embed_pending(
        self, *, stop: Callable[[], bool] | None = None, limit: int | None = None, progress: object = None
    ) -> int:
        assert self.thread == threading.get_ident()
        with self.disk.changed:
            self.disk.embedded_in.add(threading.current_thread().name)
            self.disk.pending = max(0, self.disk.pending - (limit or self.disk.pending))
            self.disk.changed.notify_all()
            return self.disk.pending

    def status(self) -> Status:
        return Status(len(self.disk.rows))

    def close(self) -> None:
        self.disk.closed += 1


def answer(keeper: FakeKeeper, verb: str, params: dict[str, object]) -> object:
    assert keeper.thread == threading.get_ident()
    if verb == "status":
        return {"notes": len(keeper.disk.rows)}
    if verb == "ask" and params.get("bug"):
        raise ZeroDivisionError("a bug")
    words = str(params.get("query", ""))
    return {"hits": sorted(path for path, text in keeper.disk.rows.items() if words in text)}


def main() -> int:
    """`python -m tests.watch.fake ROOT INDEX [JSON of options]`: a watcher as a process of its own."""
    options = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}
    slow_s = options.pop("slow_s", 0.0)
    if "log_file" in options:
        options["log_file"] = Path(options["log_file"])
    disk = Disk(Path(sys.argv[1]), Path(sys.argv[2]))
    disk.slow_s = slow_s
    try:
        with Stop() as stop, stop_on_signals(stop):
            say = functools.partial(print, flush=True)
            return run_watch(disk.keeper, WatchOptions(**options), say, stop, answer=answer)
    except LockedError as error:
        print(error, file=sys.stderr)
        return int(error.exit_code)


if __name__ == "__main__":
    sys.exit(main())
