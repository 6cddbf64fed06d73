"""Makes the index say what the vault says: scan → diff → parse → apply.

`sync` is the whole pipeline. Whatever happened before, to the vault or to the process, after it the index holds the
same rows as one that was built from nothing.

How that is kept: the first commit before the end of the work marks the index as `unfinished`, and the last one takes
the mark away, so a sync that was killed on the way makes the next one resolve every link and look for entities in every
chunk again. What was committed of the notes themselves is complete in itself and is not repeated. Notes are added
before others are removed, so that one that moved is never missing.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from vaultkeeper.errors import VaultUnreadableError
from vaultkeeper.index.db import Connection, transaction
from vaultkeeper.index.diff import Changes, diff, pair_renames
from vaultkeeper.index.settings import IndexSettings
from vaultkeeper.ports import Clock
from vaultkeeper.types import FileStat, Problem
from vaultkeeper.vault.scan import Scan, is_canvas, scan

Progress = Callable[[int, int], None]
"""Called with how many files are done and how many there are in all."""


@dataclass(frozen=True, slots=True)
class SyncStats:
    """What a sync did. Notes are counted, except by `scanned`, which counts files.

    Attributes:
        modified: Notes whose content changed.
        renamed: Notes that moved; not counted under added and removed.
        touched: Notes with a new stat and the old content.
        chunks: Written.
        problems: In the whole vault now.
        complete: False when the sync was asked to stop before its end; the next one goes on.
    """

    scanned: int = 0
    added: int = 0
    modified: int = 0
    removed: int = 0
    renamed: int = 0
    touched: int = 0
    unchanged: int = 0
    chunks: int = 0
    problems: int = 0
    seconds: float = 0.0
    complete: bool = True

    @property
    def changed(self) -> bool:
        """True when a query may find something else than before."""
        return bool(self.added or self.modified or self.removed or self.renamed)

    def __str__(self) -> str:
        names = ("added", "modified", "removed", "renamed", "touched", "unchanged")
        counts = [f"{getattr(self, name):,} {name}" for name in names if getattr(self, name)]
        problems = f"; {self.problems:,} problem{'s' if self.problems != 1 else ''}" if self.problems else ""
        stopped = "" if self.complete else "; stopped before the end"
        return f"{', '.join(counts) or 'no notes'} in {self.seconds:.1f} s{problems}{stopped}"


@dataclass(frozen=True, slots=True)
class Todo:
    """What a sync has to do.

    Attributes:
        root: Real path of the vault.
        identity: Which folder that was when the sync began.
        before: Path → stat of the files that the index remembers.
        whole: True when all of the vault was scanned.
        again: True when every note has to be read again, whatever its hash.
        unfinished: True when the last sync was killed between its commits.
        scanned_ns: When the scan began, in Unix nanoseconds.
    """

    root: str
    identity: str
    before: Mapping[str, FileStat]
    found: Scan
    changes: Changes
    whole: bool
    again: bool
    unfinished: bool
    scanned_ns: int


@dataclass(slots=True)
class Done:
    """What became of it. `added` and `removed` map paths of notes to the hash of their content."""

    added: dict[str, bytes] = field(default_factory=dict)
    removed: dict[str, bytes] = field(default_factory=dict)
    modified: int = 0
    touched: int = 0
    chunks: int = 0
    complete: bool = True


def sync(
    db: Connection,
    root: Path,
    settings: IndexSettings,
    *,
    clock: Clock,
    progress: Progress | None = None,
    paths: Iterable[str] | None = None,
    stop: Callable[[], bool] | None = None,
) -> SyncStats:
    """Brings the index up to date with the vault. The caller is the only writer.

    Args:
        db: Opened by `store.open_writer`.
        root: The vault.
        paths: Relative paths of files and folders that may have changed, when the caller knows; everything else is
            taken to be as it was. The result is that of a whole sync.
        stop: Asked between batches; True ends the sync early, with everything committed that was done.

    Raises:
        VaultUnreadableError: the vault cannot be read, or is not there; the index stays as it was.
        DatabaseError: the index cannot be written, or is corrupt.
    """
    began = clock()
    meta = dict(db.execute("SELECT key, value FROM meta"))
    again = meta.get("settings") != settings.fingerprint()
    if again or "unfinished" in meta:
        paths = None
    hints = None if paths is None else sorted(set(paths))
    before = _recorded(db, hints)
    with _reading(root):
        identity = folder_identity(root)
        found = scan(root, settings.ignore, only=hints)
        if before and not found.files and hints is None and _was_mounted(root, identity, meta):
            raise FileNotFoundError(errno.ENOENT, "it is empty, as if its drive were not mounted")
    changes = diff(before, found.files)
    if again and before:
        changes = Changes(changes.added, sorted(before.keys() & found.files.keys()), changes.removed, 0)
    todo = Todo(
        root=os.path.realpath(root),
        identity=identity,
        before=before,
        found=found,
        changes=changes,
        whole=hints is None,
        again=again,
        unfinished="unfinished" in meta,
        scanned_ns=int(began.timestamp() * 1e9),
    )
    done = Done()
    if changes or todo.unfinished or again:
        from vaultkeeper.index.work import (
            work_through,
        )  # all the heavy imports: a sync without changes pays for none

        with _reading(root):
            done = work_through(db, todo, settings, progress, stop)
    _record_scan(db, found.problems, hints, int(began.timestamp() * 1000), identity)
    return _stats(db, todo, done, (clock() - began).total_seconds())


def _recorded(db: Connection, hints: list[str] | None) -> dict[str, FileStat]:
    """What the index remembers of files: of all of them, or of those at and below the hints."""
    columns = "SELECT path, size, mtime_ns, inode, ctime_ns FROM files"
    make = FileStat._make
    if hints is None or "" in hints:
        return {row[0]: make(row[1:]) for row in db.execute(columns)}
    found: dict[str, FileStat] = {}
    for hint in hints:
        rows = db.execute(
            f"{columns} WHERE path = ? OR (path > ? AND path < ?)", (hint, f"{hint}/", f"{hint}0")
        )
        found.update((row[0], make(row[1:])) for row in rows)
    return found


@contextmanager
def _reading(root: Path) -> Iterator[None]:
    """Turns what the operating system says about the vault into a sentence."""
    try:
        yield
    except OSError as error:
        raise VaultUnreadableError(vault=root, reason=error.strerror or error) from error


def folder_identity(root: Path | str) -> str:
    """Which folder is at a path now, by device and inode."""
    status = Path(root).stat()
    return f"{status.st_dev}:{status.st_ino}"


def _was_mounted(root: Path, identity: str, meta: Mapping[str, str]) -> bool:
    """True for an empty folder that is not the one of the last sync: nobody has deleted the notes there."""
    return meta.get("root", identity) != identity and not any(root.iterdir())


def _record_scan(
    db: Connection, problems: list[Problem], hints: list[str] | None, now_ms: int, identity: str
) -> None:
    """Stores what the scan had to leave out, and when it was."""
    old = db.execute("SELECT path, line, code, message FROM problems WHERE stage = 'scan'").fetchall()
    if hints is not None:
        old = [row for row in old if any(_is_at_or_below(row[0], hint) for hint in hints)]
    with transaction(db):
        if sorted(map(tuple, old), key=repr) != sorted(map(tuple, problems), key=repr):
            db.executemany(
                "DELETE FROM problems WHERE stage = 'scan' AND path = ?", [(row[0],) for row in old]
            )
            db.executemany("INSERT INTO problems VALUES(?,?,?,?,'scan')", problems)
        when = (
            [("synced_at", str(now_ms))]
            if hints is not None
            else [("synced_at", str(now_ms)), ("scanned_at", str(now_ms))]
        )
        db.executemany("INSERT OR REPLACE INTO meta VALUES(?,?)", [*when, ("root", identity)])


def _is_at_or_below(path: str, hint: str) -> bool:
    return not hint or path == hint or path.startswith(f"{hint}/")


def _stats(db: Connection, todo: Todo, done: Done, seconds: float) -> SyncStats:
    came, went = (
        {path: sha for path, sha in some.items() if not is_canvas(path)}
        for some in (done.added, done.removed)
    )
    renamed = len(pair_renames(went, came.items())) if went and came else 0
    added, removed = len(came) - renamed, len(went) - renamed
    (notes,) = db.execute("SELECT count(*) FROM notes WHERE kind <> 'canvas'").fetchone()
    (problems,) = db.execute("SELECT count(*) FROM problems").fetchone()
    unchanged = notes - added - renamed - done.modified - done.touched
    return SyncStats(
        len(todo.found.files),
        added,
        done.modified,
        removed,
        renamed,
        done.touched,
        unchanged,
        done.chunks,
        problems,
        seconds,
        done.complete,
    )
