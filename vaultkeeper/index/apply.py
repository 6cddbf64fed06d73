"""Writes rows of notes, and takes them out again. Knows SQL and nothing of files.

Everything here runs inside of a transaction of the caller's. Links are resolved, and entities looked for, while notes
are written; what turns out later to be otherwise is mended by `index.relink` and `index.mentions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vaultkeeper.index.db import Connection
from vaultkeeper.index.grams import cjk_grams
from vaultkeeper.index.mentions import BATCH, OccurrenceRow, find_occurrences, write_occurrences
from vaultkeeper.index.nodes import LeafRun, Unsettled, add_leaves, put_leaves
from vaultkeeper.index.registry import names_of
from vaultkeeper.index.relink import Resolving
from vaultkeeper.index.rows import NoteRows
from vaultkeeper.memory.gazetteer import Gazetteer
from vaultkeeper.memory.nodes import SummaryNode
from vaultkeeper.types import FileStat, Note, Problem
from vaultkeeper.vault.links import link_key, link_problems

_NOTE = "INSERT INTO notes VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_CHUNK = "INSERT INTO chunks VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_TEXT = """INSERT INTO chunks_fts(rowid, title, heading, body, context)
    SELECT chunk_pk, title, heading, body, context FROM chunks WHERE chunk_pk >= ?"""
_TEXT_CHARS = 24_000_000  # FTS5 writes a segment for every statement, and merging many of them takes long
_GRAMS = "INSERT INTO chunks_cjk(rowid, grams) VALUES(?,?)"
_TAG = "INSERT OR IGNORE INTO tags VALUES(?,?)"
_LINK = "INSERT INTO links VALUES(?,?,?,?,?,?,?,?,?,?,?)"
_ENTITY = "INSERT OR REPLACE INTO entities VALUES(?,?,?,?,?)"
_FILE = "INSERT OR REPLACE INTO files VALUES(?,?,?,?,?,?,?)"
_PROBLEM = "INSERT INTO problems VALUES(?,?,?,?,?)"

_UNTEXT = """INSERT INTO chunks_fts(chunks_fts, rowid, title, heading, body, context)
    SELECT 'delete', chunk_pk, title, heading, body, context FROM chunks WHERE note_pk = ?"""
_UNGRAMS = "INSERT INTO chunks_cjk(chunks_cjk, rowid, grams) VALUES('delete', ?, ?)"


class Writer:
    """Puts notes into an open index.

    Attributes:
        first_chunk_pk: Chunks from this one on were written by this writer.
        written: Row ids of the notes that were.
        gazetteer: With which entities are looked for in the notes that are written from now on; None leaves it to a
            later step.
        occurrences: That were found and wait to be written.
        unsettled: What of the trees was touched.
        identities: Ids of notes that were written or taken out.
    """

    def __init__(self, db: Connection, resolving: Resolving) -> None:
        self.db = db
        self.resolving = resolving
        self.next_note_pk = _one(db, "SELECT coalesce(max(note_pk), 0) FROM notes") + 1
        upto = _one(
            db, "SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = 'mentions_upto'"
        )
        # A row id is never used twice, so that "newer than" needs no column.
        self.next_chunk_pk = max(_one(db, "SELECT coalesce(max(chunk_pk), 0) FROM chunks"), upto) + 1
        self.first_chunk_pk = self.next_chunk_pk
        self._text_from = self.next_chunk_pk
        self._waiting_chars = 0
        self.written: set[int] = set()
        self.gazetteer: Gazetteer | None = None
        self.occurrences: list[OccurrenceRow] = []
        self.unsettled = Unsettled(db)
        self.identities: set[str] = set()

    def put(self, notes: Sequence[NoteRows], stats: Mapping[str, FileStat], known: Mapping[str, int]) -> int:
        """Writes notes in place of what the index holds under their paths.

        Args:
            stats: Path → stat to remember; of all these notes.
            known: Path → row id of those that the index holds.

        Returns:
            How many chunks were written.
        """
        self.drop([known[rows.path] for rows in notes if rows.path in known])
        note_rows: list[tuple[object, ...]] = []
        chunk_rows: list[tuple[Any, ...]] = []
        tag_rows: list[tuple[int, str]] = []
        link_rows: list[tuple[object, ...]] = []
        entity_rows: list[tuple[object, ...]] = []
        problem_rows: list[tuple[object, ...]] = []
        file_rows: list[tuple[object, ...]] = []
        leaves: list[LeafRun] = []
        nodes: list[tuple[int, SummaryNode]] = []
        resolver = self.resolving.resolver(link[1] for rows in notes for link in rows.links)
        resolve, settled = resolver.resolve, resolver.settled
        chunk_pk = self.next_chunk_pk
        gazetteer = self.gazetteer
        entity_paths: Mapping[str, str] = gazetteer.paths if gazetteer is not None else {}
        for rows in notes:
            path = rows.path
            note_pk = known.get(path)
            if note_pk is None:
                note_pk = self.next_note_pk
                self.next_note_pk += 1
            self.written.add(note_pk)
            note_rows.append((note_pk, *rows.columns))
            self.identities.add(str(rows.columns[1]))
            add_leaves(leaves, rows, chunk_pk)
            if rows.node is not None:
                nodes.append((note_pk, rows.node))
            first_row = len(chunk_rows)
            for chunk in rows.chunks:
                chunk_rows.append((chunk_pk, chunk[0], note_pk, *chunk[1:]))
                chunk_pk += 1
            for tag in rows.tags:
                tag_rows.append((note_pk, tag))
            leads: Iterable[tuple[int, str, str, str | None]] = ()
            if rows.links:
                resolutions = [settled.get(link[1]) or resolve(path, link[1]) for link in rows.links]
                link_rows += [
                    (note_pk, number, *link, link_key(link[1]), found[0])
                    for number, (link, found) in enumerate(zip(rows.links, resolutions, strict=True))
                ]
                if [1 for found in resolutions if found[1] != "ok"]:
                    problem_rows += [
                        (*problem, "link")
                        for problem in link_problems(Note(path, "", b"", links=rows.links), resolutions)
                    ]
                leads = [
                    (link[5], link[0], link[1], found[0])
                    for link, found in zip(rows.links, resolutions, strict=True)
                    if found[0] in entity_paths
                ]
            if gazetteer is not None:
                self.occurrences += find_occurrences(chunk_rows[first_row:], leads, gazetteer)
            if rows.entity is not None:
                entity = rows.entity
                entity_rows.append((entity.id, entity.kind, entity.display_name, note_pk, names_of(entity)))
            for problem in rows.problems:
                problem_rows.append((*problem, "note"))
            stat = stats[path]
            file_rows.append((path, *stat, link_key(path), note_pk))
        first = self.next_chunk_pk
        self.next_chunk_pk = chunk_pk
        db = self.db
        db.executemany(_NOTE, note_rows)
        db.executemany(_CHUNK, chunk_rows)
        put_leaves(db, leaves)
        if nodes:
            self.unsettled.put(db, nodes)
        grams = [row for row in chunk_rows if row[12]]
        if grams:
            db.executemany(_GRAMS, [(row[0], grams_of_row(*row[4:8])) for row in grams])
        db.executemany(_TAG, tag_rows)
        db.executemany(_LINK, link_rows)
        db.executemany(_ENTITY, entity_rows)
        db.executemany(_FILE, file_rows)
        db.executemany(_PROBLEM, problem_rows)
        self._waiting_chars += sum([len(row[6]) for row in chunk_rows])
        if self._waiting_chars > _TEXT_CHARS:
            self.write_text()
        if len(self.occurrences) > BATCH:
            self.write_occurrences()
        return chunk_pk - first

    def write_text(self) -> None:
        """Makes the chunks that wait for it part of the full text; to be called before a transaction ends."""
        if self._text_from < self.next_chunk_pk:
            self.db.execute(_TEXT, (self._text_from,))
            self._text_from = self.next_chunk_pk
            self._waiting_chars = 0

    def write_occurrences(self) -> None:
        """Writes the occurrences that wait."""
        write_occurrences(self.db, self.occurrences)
        self.occurrences.clear()

    def drop(self, note_pks: Iterable[int]) -> None:
        """Takes notes out, with all that was derived from them; their files stay recorded."""
        db = self.db
        each = [(note_pk,) for note_pk in note_pks]
        if not each:
            return
        for (note_pk,) in each:
            grams = db.execute(
                "SELECT chunk_pk, title, heading, body, context FROM chunks WHERE note_pk = ? AND cjk",
                (note_pk,),
            ).fetchall()
            if grams:
                db.executemany(_UNGRAMS, [(row[0], grams_of_row(*row[1:])) for row in grams])
        db.executemany(_UNTEXT, each)
        db.executemany(
            "DELETE FROM occurrences WHERE chunk_pk IN (SELECT chunk_pk FROM chunks WHERE note_pk = ?)", each
        )
        db.executemany(
            "DELETE FROM problems WHERE path = (SELECT path FROM notes WHERE note_pk = ?) AND stage <> 'scan'",
            each,
        )
        self.unsettled.drop(db, [note_pk for (note_pk,) in each])
        for each_pk in each:
            self.identities.update(
                row[0] for row in db.execute("SELECT identity FROM notes WHERE note_pk = ?", each_pk)
            )
        for table in ("chunks", "tags", "links", "entities", "notes"):
            db.executemany(f"DELETE FROM {table} WHERE note_pk = ?", each)

    def forget_files(self, paths: Iterable[str]) -> None:
        """Takes files out of the record; what was derived from notes among them must be gone before."""
        each = [(path,) for path in paths]
        self.db.executemany("DELETE FROM files WHERE path = ?", each)
        self.db.executemany("DELETE FROM problems WHERE path = ? AND stage <> 'scan'", each)

    def record_files(self, stats: Mapping[str, FileStat]) -> None:
        """Remembers files that are no notes."""
        self.db.executemany(_FILE, [(path, *stat, link_key(path), None) for path, stat in stats.items()])

    def restamp(self, path: str, stat: FileStat, note_pk: int) -> bool:
        """Remembers the stat of a note whose content is as it was; True when it is another one than before."""
        db = self.db
        before = db.execute("SELECT mtime_ns, inode, ctime_ns FROM files WHERE path = ?", (path,)).fetchone()
        db.execute(_FILE, (path, *stat, link_key(path), note_pk))
        if before == (stat.mtime_ns, stat.inode, stat.ctime_ns):
            return False
        ms = stat.mtime_ns // 1_000_000
        by_mtime = "UPDATE notes SET start_ms = ?, end_ms = ? WHERE note_pk = ? AND dated_by = 'mtime'"
        if db.execute(by_mtime, (ms, ms, note_pk)).rowcount:
            self.unsettled.move(db, [note_pk])
            db.execute("UPDATE chunks SET start_ms = ?, end_ms = ? WHERE note_pk = ?", (ms, ms, note_pk))
            of_note = "WHERE chunk_pk IN (SELECT chunk_pk FROM chunks WHERE note_pk = ?)"
            db.execute(f"UPDATE leaves SET start_ms = ?, end_ms = ? {of_note}", (ms, ms, note_pk))
            db.execute(f"UPDATE occurrences SET end_ms = ? {of_note}", (ms, note_pk))
        return True

    def unreadable(self, path: str, stat: FileStat, problem: Problem) -> None:
        """Records a note that cannot be read; the next sync tries again."""
        self.db.execute(_FILE, (path, *stat._replace(size=-1), link_key(path), None))
        self.db.execute("DELETE FROM problems WHERE path = ? AND stage <> 'scan'", (path,))
        self.db.execute(_PROBLEM, (*problem, "note"))


def grams_of_row(title: str, heading: str, body: str, context: str) -> str:
    """What `chunks_cjk` holds of a chunk; deleting needs the very same."""
    return cjk_grams(f"{title}\n{heading}\n{body}\n{context}")


def _one(db: Connection, query: str) -> int:
    return int(db.execute(query).fetchone()[0])
