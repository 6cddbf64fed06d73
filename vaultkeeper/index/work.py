"""The part of a sync that reads notes and writes rows.

Owns the order of the writes and where they are committed; see `index.sync` for what that order keeps true.
"""

from __future__ import annotations

import errno
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256

from vaultkeeper.index.apply import Writer
from vaultkeeper.index.db import BUSY_TIMEOUT_MS, CACHE_KIB, Connection, statements
from vaultkeeper.index.diff import is_settled
from vaultkeeper.index.mentions import chunks_concerned, link_mentions, relink_mentions
from vaultkeeper.index.registry import identity_problems, load_entities
from vaultkeeper.index.relink import Resolving, recheck_anchors, relink, select_in
from vaultkeeper.index.rows import note_rows
from vaultkeeper.index.schema import FILL_SURFACES, INDEXES, TRIGGERS, WITHOUT_TRIGGERS
from vaultkeeper.index.settings import IndexSettings
from vaultkeeper.index.sync import Done, Progress, Todo, folder_identity
from vaultkeeper.memory.gazetteer import Gazetteer
from vaultkeeper.memory.gazetteer import diff as gazetteer_diff
from vaultkeeper.memory.registry import Registry
from vaultkeeper.types import Entity, FileStat, Note, Problem
from vaultkeeper.vault.canvas import parse_canvas
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.scan import is_canvas, is_note

_WRITE_NOTES, _WRITE_BYTES = 100, 4_000_000  # parsed notes that wait in memory to be written
_COMMIT_NOTES, _COMMIT_BYTES = 4000, 64_000_000  # what a kill may cost
_BULK_NOTES = 2000
_MANY_NAMES = 200  # to look for them anew takes less time than to find where they could be
_BULK = (
    # FTS5 sorts this much in memory before it writes a segment; fewer segments are merged less often.
    "INSERT INTO chunks_fts(chunks_fts, rank) VALUES('hashsize', 33554432)",
    "INSERT INTO chunks_cjk(chunks_cjk, rank) VALUES('hashsize', 8388608)",
)
_USUAL = (
    "INSERT INTO chunks_fts(chunks_fts, rank) VALUES('hashsize', 1048576)",
    "INSERT INTO chunks_cjk(chunks_cjk, rank) VALUES('hashsize', 1048576)",
)
_BULK_LOG_PAGES = 8_000
_BULK_CACHE_KIB = 64_000
_MOST_BYTES = 256_000_000
"""No text that a person keeps is longer; a file that is may not fit into memory."""
_OF_THE_MACHINE = {
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.ENOTCONN,
    errno.ESTALE,
    errno.ENODEV,
    errno.ENXIO,
}
"""Why a note cannot be read that is not the note's fault; to take it for unreadable would remove it."""
_NOFOLLOW = (
    getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def work_through(
    db: Connection,
    todo: Todo,
    settings: IndexSettings,
    progress: Progress | None,
    stop: Callable[[], bool] | None,
) -> Done:
    """Applies the changes; see `sync.sync` for the arguments and what it raises."""
    bulk = len(todo.changes.added) + len(todo.changes.suspect) >= _BULK_NOTES
    if bulk:
        db.execute(f"PRAGMA wal_autocheckpoint={_BULK_LOG_PAGES}")
        db.execute(f"PRAGMA cache_size=-{_BULK_CACHE_KIB}")
    db.execute("BEGIN IMMEDIATE")
    try:
        with _quiet_collector():
            work = _Work(db, todo, settings)
            for statement in _BULK if bulk else ():
                db.execute(statement)
            finished = work.read_notes(progress, stop)
            if finished:
                work.finish()
            for statement in _USUAL if bulk else ():
                db.execute(statement)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    if bulk:
        db.execute("PRAGMA wal_autocheckpoint=1000")
        db.execute(f"PRAGMA cache_size=-{CACHE_KIB}")
        _truncate_log(db)
    work.done.complete = finished
    return work.done


class _Work:
    """State of one sync between its steps."""

    def __init__(self, db: Connection, todo: Todo, settings: IndexSettings) -> None:
        self.db, self.todo, self.settings = db, todo, settings
        self.done = Done()
        self.committed = False
        changes = todo.changes
        self.known, self.shas = self._known_notes([*changes.suspect, *changes.removed])
        (held,) = db.execute("SELECT EXISTS(SELECT 1 FROM notes)").fetchone()
        self.empty = not held
        self.registry: list[Entity] = [] if self.empty else load_entities(db)
        paths = todo.found.files if todo.whole else None
        self.resolving = Resolving(db, paths, changes.added, changes.removed)
        self.writer = Writer(db, self.resolving)
        self.anew = (
            self.empty or todo.unfinished
        )  # what is counted over all notes is counted once, at the end
        self.looking: list[
            Entity
        ] = []  # the registry by which entities are looked for while notes are written
        self.looked_from = self.writer.first_chunk_pk  # in chunks from this one on
        self.vanished: list[str] = []  # between the scan and their turn
        self.batch: list[Note] = []
        self.batch_stats: dict[str, tuple[FileStat, FileStat]] = {}  # as scanned, and as remembered
        self.batch_bytes = 0

    def _known_notes(self, paths: list[str]) -> tuple[dict[str, int], dict[str, bytes]]:
        rows = list(select_in(self.db, "SELECT path, note_pk, sha256 FROM notes WHERE path IN (%s)", paths))
        return {row[0]: row[1] for row in rows}, {row[0]: row[2] for row in rows}

    def read_notes(self, progress: Progress | None, stop: Callable[[], bool] | None) -> bool:
        """Parses and writes what is new or may have changed; False when it was asked to stop."""
        changes, stats = self.todo.changes, self.todo.found.files
        if not self.empty:
            self._make_indexes()
        paths = changes.added + changes.suspect
        others = {path: stats[path] for path in paths if not (is_note(path) or is_canvas(path))}
        self.writer.record_files(others)
        notes = [path for path in paths if path not in others]
        registry = [path for path in notes if self._is_registry(path)]
        if registry:
            chosen = set(registry)
            notes = registry + [path for path in notes if path not in chosen]
        if self.anew:
            for statement in WITHOUT_TRIGGERS:
                self.db.execute(statement)
        waiting_notes = waiting_bytes = 0
        for number, path in enumerate(notes):
            if number == len(registry):
                self._flush()
                self._look_from_here()
            if progress is not None and number % 50 == 0:
                progress(number, len(notes))
            self._read(path, stats[path])
            if len(self.batch) < _WRITE_NOTES and self.batch_bytes < _WRITE_BYTES:
                continue
            waiting_notes += len(self.batch)
            waiting_bytes += self.batch_bytes
            self._flush()
            stopped = stop is not None and stop()
            if stopped or waiting_notes >= _COMMIT_NOTES or waiting_bytes >= _COMMIT_BYTES:
                self._commit_part()
                waiting_notes = waiting_bytes = 0
            if stopped:
                return False
        self._flush()
        if progress is not None:
            progress(len(notes), len(notes))
        return True

    def _is_registry(self, path: str) -> bool:
        """True for a note that probably declares an entity. Such are read first; the order changes no row."""
        return path.startswith(
            ("entities/", *(f"{folder.strip('/')}/" for folder in self.settings.entity_folders))
        )

    def _look_from_here(self) -> None:
        """Looks for entities in what is written from now on, by the registry as it is now."""
        if self.todo.unfinished:
            return  # all chunks will be looked through
        self.looking = load_entities(self.db)
        self.looked_from = self.writer.next_chunk_pk
        self.writer.gazetteer = Gazetteer(self.looking)

    def _read(self, path: str, stat: FileStat) -> None:
        try:
            if stat.size > _MOST_BYTES:
                raise OSError(errno.EFBIG, f"it is larger than {_MOST_BYTES:,} bytes")
            data = read_file(f"{self.todo.root}/{path}", stat.size)
        except OSError as error:
            self._unreadable(path, stat, error)
            return
        if data is None:
            self.resolving.links.remove(path)
            self.vanished.append(path)
            return
        settled = stat if is_settled(stat, self.todo.scanned_ns) else stat._replace(size=-1)
        note_pk = self.known.get(path)
        if note_pk is not None and not self.todo.again and sha256(data).digest() == self.shas[path]:
            if self.writer.restamp(path, settled, note_pk):
                self.done.touched += not is_canvas(path)
            return
        if note_pk is None and path in self.todo.before:  # it could not be read then
            self.writer.forget_files([path])
        self.batch.append(parse_canvas(path, data) if is_canvas(path) else parse_note(path, data))
        self.batch_stats[path] = (stat, settled)
        self.batch_bytes += len(data)

    def _unreadable(self, path: str, stat: FileStat, error: OSError) -> None:
        if error.errno in _OF_THE_MACHINE:
            raise error
        if path in self.known:
            self.writer.drop([self.known[path]])
            self.done.removed[path] = self.shas[path]
        message = f"The note cannot be read ({error.strerror or error}); it is not indexed."
        self.writer.unreadable(path, stat, Problem(path, None, "note-unreadable", message))

    def _flush(self) -> None:
        if not self.batch:
            return
        stats = self.batch_stats
        batch = [note_rows(note, stats[note.path][0].mtime_ns, self.settings) for note in self.batch]
        settled = {path: pair[1] for path, pair in stats.items()}
        self.done.chunks += self.writer.put(batch, settled, self.known)
        for rows in batch:
            if rows.path not in self.known:
                self.done.added[rows.path] = rows.sha256
            elif rows.sha256 != self.shas[rows.path]:
                self.done.modified += not is_canvas(rows.path)
        self.batch, self.batch_stats, self.batch_bytes = [], {}, 0

    def _commit_part(self) -> None:
        """Makes what was written so far safe, and says that it is not all."""
        self.writer.write_text()
        if not self.committed:
            self.db.execute("INSERT OR REPLACE INTO meta VALUES('unfinished', '1')")
            self.committed = True
        self.db.execute("COMMIT")
        self.db.execute("BEGIN IMMEDIATE")

    def finish(self) -> None:
        """What takes the whole vault: removals, links, entities, ids that occur twice."""
        db, todo = self.db, self.todo
        if self.vanished and folder_identity(todo.root) != todo.identity:
            raise FileNotFoundError(errno.ENOENT, "it was moved away while it was read", todo.root)
        self.writer.write_text()
        self._make_indexes()
        gone = [path for path in (*todo.changes.removed, *self.vanished) if path in self.known]
        self.done.removed.update((path, self.shas[path]) for path in gone)
        self.writer.drop([self.known[path] for path in gone])
        self.writer.forget_files([*todo.changes.removed, *self.vanished])
        moved = self._relink()
        self._relink_mentions(moved)
        if self.anew:
            self._count_surfaces()
        self.writer.unsettled.settle(db, 0 if self.anew else self.writer.first_chunk_pk)
        self._note_shared_ids()
        db.execute("DELETE FROM meta WHERE key = 'unfinished'")
        db.executemany(
            "INSERT OR REPLACE INTO meta VALUES(?,?)",
            [
                ("settings", self.settings.fingerprint()),
                ("mentions_upto", str(self.writer.next_chunk_pk - 1)),
            ],
        )

    def _relink(self) -> set[int]:
        """Links of notes that were not written now, where files came or went; returns the notes concerned."""
        changes = self.todo.changes
        if self.todo.unfinished:
            moved = relink(self.db, self.resolving, None)
            recheck_anchors(self.db, None, ())
            return moved
        came_or_went = [*changes.added, *changes.removed, *self.vanished]
        if self.empty:
            moved = relink(self.db, self.resolving, self.vanished)
            recheck_anchors(self.db, None, ())
        else:
            skip = frozenset() if self.vanished else self.writer.written
            moved = relink(self.db, self.resolving, came_or_went, skip=skip)
            recheck_anchors(self.db, moved | self.writer.written, [*changes.added, *changes.suspect])
        return moved

    def _relink_mentions(self, moved: set[int]) -> None:
        """Occurrences of entities: in new chunks, and where the registry or a link changed."""
        db, writer = self.db, self.writer
        before, first, end = self.registry, writer.first_chunk_pk, writer.next_chunk_pk
        looked_from = end if writer.gazetteer is None else self.looked_from
        self.registry = load_entities(db)
        gazetteer = writer.gazetteer
        if gazetteer is None or self.looking != self.registry:
            gazetteer = Gazetteer(self.registry)
        if self.todo.unfinished:
            db.execute("DELETE FROM occurrences")
            link_mentions(db, gazetteer, 0, end)
            return
        concerned: set[int] = set()
        if not self.empty and before != self.registry:
            changed = gazetteer_diff(Gazetteer(before), gazetteer)
            concerned = {pk for pk in chunks_concerned(db, changed) if pk < first}
        if looked_from < end and self.looking != self.registry:
            changed = gazetteer_diff(Gazetteer(self.looking), gazetteer)
            if len(changed.phrases) > _MANY_NAMES:
                writer.occurrences.clear()
                db.execute("DELETE FROM occurrences WHERE chunk_pk >= ?", (looked_from,))
                looked_from = end
            else:
                concerned |= {pk for pk in chunks_concerned(db, changed) if pk >= looked_from}
        writer.write_occurrences()
        of_moved = select_in(db, "SELECT chunk_pk FROM chunks WHERE note_pk IN (%s)", moved)
        concerned |= {pk for (pk,) in of_moved if pk < first or pk >= looked_from}
        relink_mentions(db, gazetteer, concerned)
        if first < looked_from:
            link_mentions(db, gazetteer, first, looked_from)

    def _note_shared_ids(self) -> None:
        """Problems of ids that occur twice: of those that were touched, so that a note costs the same in any vault."""
        db, identities = self.db, None if self.anew else self.writer.identities
        if identities is None:
            db.execute("DELETE FROM problems WHERE stage = 'entity'")
        else:
            db.execute("DELETE FROM problems WHERE stage = 'entity' AND code <> 'id-duplicate'")
            sharing = select_in(db, "SELECT path FROM notes WHERE identity IN (%s)", identities)
            db.executemany("DELETE FROM problems WHERE stage = 'entity' AND path = ?", list(sharing))
        problems = identity_problems(db, identities) + Registry(self.registry).problems()
        db.executemany("INSERT INTO problems VALUES(?,?,?,?,'entity')", problems)

    def _count_surfaces(self) -> None:
        self.db.execute("DELETE FROM surfaces")
        self.db.execute(FILL_SURFACES)
        for statement in statements(TRIGGERS):
            self.db.execute(statement)

    def _make_indexes(self) -> None:
        for statement in statements(INDEXES):
            self.db.execute(statement)


def read_file(path: str, size: int) -> bytes | None:
    """Returns the bytes of a regular file, or None when there is none any more.

    Args:
        size: What it had when it was scanned; only a hint.

    Raises:
        OSError: it is there and cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _NOFOLLOW)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        if os.path.islink(path):  # noqa: PTH114 (a Path for every note costs more than reading it)
            return None
        raise
    try:
        data = os.read(descriptor, size + 1)
        if len(data) == size:
            return data
        parts = [data]
        while part := os.read(descriptor, 1_048_576):
            parts.append(part)
        return b"".join(parts)
    except IsADirectoryError:
        return None
    finally:
        os.close(descriptor)


@contextmanager
def _quiet_collector() -> Iterator[None]:
    """Switches the search for cycles off: rows are plain tuples, and going through them again and again takes time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _truncate_log(db: Connection) -> None:
    """Gives the space of the write-ahead log back, unless a reader is in the way; then a later sync does."""
    db.execute("PRAGMA busy_timeout=0")
    try:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        db.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
