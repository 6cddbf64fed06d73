"""Reads of the index for `note`, `doctor`, completion and the history: Problems, notes by source. Never writes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.types import Block, Heading, Link, Note, Problem

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.vault.links import Resolution


class Found(NamedTuple):
    """An entity in a note: how it is written there first, and how often."""

    entity_id: str
    surface: str
    mentions: int


class Tally(NamedTuple):
    """How much is indexed, for the doctor."""

    notes: int
    chunks: int
    chunks_with_entities: int
    entities: int
    summaries: int


@dataclass(frozen=True, slots=True)
class NoteView:
    """A parsed note with what only the vault around it can tell.

    Attributes:
        links: Each link of the note with where it leads, in the order of the text.
        found: The entities in it.
        problems: Those of the note itself and of its links, by line.
        backlinks: The other notes and canvases that lead here, with the number of their links, by path.
    """

    note: Note
    links: tuple[tuple[Link, Resolution], ...]
    found: tuple[Found, ...]
    problems: tuple[Problem, ...]
    backlinks: tuple[tuple[str, int], ...] = ()


def fetch_paths(db: Connection) -> list[str]:
    """Returns every file that a link can name, sorted."""
    return [path for (path,) in db.execute("SELECT path FROM files ORDER BY path")]


def fetch_note_paths(db: Connection) -> list[str]:
    """Returns the paths of all notes but turns, sorted."""
    return [path for (path,) in db.execute("SELECT path FROM notes WHERE kind <> 'turn' ORDER BY path")]


def fetch_sources(db: Connection) -> list[str]:
    """Returns the source of every note once, sorted; conversations also as the one that they are a part of."""
    found = {source for (source,) in db.execute("SELECT DISTINCT source FROM notes")}
    if any(source.startswith("episodic:") for source in found):
        found.add("conversations:agent")
    return sorted(found)


def fetch_tags(db: Connection) -> list[str]:
    """Returns every tag once, without `#`, sorted."""
    return sorted(tag for (tag,) in db.execute("SELECT DISTINCT tag FROM tags"))


def fetch_entity_names(db: Connection) -> list[tuple[str, str]]:
    """Returns the ids of the registered entities with their names, then the names with their ids, sorted."""
    rows = db.execute(
        "SELECT DISTINCT entity_id, display_name FROM entities ORDER BY entity_id, display_name"
    )
    pairs = [(str(entity_id), str(name)) for entity_id, name in rows]
    return [*pairs, *sorted((name, entity_id) for entity_id, name in pairs)]


def fetch_found(db: Connection, path: str) -> list[Found]:
    """Returns the entities in a note, most mentioned first, then by id."""
    sql = (
        "SELECT o.entity_id, o.surface, o.mentions FROM occurrences AS o JOIN chunks AS c ON c.chunk_pk = o.chunk_pk "
        "JOIN notes AS n ON n.note_pk = c.note_pk WHERE n.path = ? ORDER BY c.seq, o.entity_id"
    )
    found: dict[str, Found] = {}
    for entity_id, surface, mentions in db.execute(sql, (path,)):
        known = found.get(entity_id)
        total = mentions + (known.mentions if known else 0)
        found[entity_id] = Found(entity_id, known.surface if known else surface, total)
    return sorted(found.values(), key=lambda entity: (-entity.mentions, entity.entity_id))


def fetch_notes_with(db: Connection, entity_id: str) -> list[tuple[str, int]]:
    """Returns the notes that an entity occurs in, with the number of mentions, most first, then by path."""
    sql = (
        "SELECT n.path, sum(o.mentions) AS total FROM occurrences AS o JOIN chunks AS c ON c.chunk_pk = o.chunk_pk "
        "JOIN notes AS n ON n.note_pk = c.note_pk WHERE o.entity_id = ? GROUP BY n.path ORDER BY total DESC, n.path"
    )
    return [(path, int(total)) for path, total in db.execute(sql, (entity_id,))]


def fetch_backlinks(db: Connection, path: str) -> list[tuple[str, int]]:
    """Returns the other notes and canvases whose links lead to a file, with the number of those links, by path."""
    sql = (
        "SELECT n.path, count(*) FROM links AS l JOIN notes AS n ON n.note_pk = l.note_pk "
        "WHERE l.resolved = ? AND n.path <> ? GROUP BY n.path ORDER BY n.path"
    )
    return [(source, int(count)) for source, count in db.execute(sql, (path, path))]


def fetch_anchors(db: Connection, path: str) -> tuple[list[Heading], list[Block]] | None:
    """Returns the headings and block ids of a note, for links to them; None for a file that is no note."""
    row = db.execute("SELECT headings, blocks FROM notes WHERE path = ?", (path,)).fetchone()
    if row is None:
        return None
    headings = [Heading(level, text, line, 0) for level, text, line in json.loads(row[0])]
    return headings, [Block(name, line) for name, line in json.loads(row[1])]


def fetch_problems(db: Connection, path: str | None = None, stages: tuple[str, ...] = ()) -> list[Problem]:
    """Returns stored Problems, of one path and of some stages when given, by path, line and code."""
    where, values = ["1"], []
    if path is not None:
        where.append("path = ?")
        values.append(path)
    if stages:
        where.append("stage IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(stages))
    sql = (
        "SELECT path, line, code, message FROM problems "
        f"WHERE {' AND '.join(where)} ORDER BY path, line, code, message"
    )
    return [Problem(*row) for row in db.execute(sql, values)]


def fetch_newer(db: Connection, mtime_ns: int) -> list[tuple[str, int]]:
    """Returns the files whose time on disk lies after one, as `(path, mtime_ns)`, by path."""
    rows = db.execute("SELECT path, mtime_ns FROM files WHERE mtime_ns > ? ORDER BY path", (mtime_ns,))
    return [(path, int(found)) for path, found in rows]


def count_tally(db: Connection) -> Tally:
    """Returns the doctor's counts."""
    one = [
        "SELECT count(*) FROM notes WHERE kind <> 'canvas'",
        "SELECT count(*) FROM chunks",
        "SELECT count(DISTINCT chunk_pk) FROM occurrences",
        "SELECT count(DISTINCT entity_id) FROM entities",
        "SELECT count(*) FROM notes WHERE kind = 'summary'",
    ]
    return Tally(*(int(db.execute(sql).fetchone()[0]) for sql in one))


def count_problems(db: Connection) -> int:
    """Returns how many Problems are stored."""
    return int(db.execute("SELECT count(*) FROM problems").fetchone()[0])


def read_meta(db: Connection, key: str) -> str | None:
    """Returns a value that a sync noted, or None."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


class NoteRow(NamedTuple):
    """A note: source, id (`id` or `source_id` of the frontmatter, else the path), path, and hash of its bytes."""

    source: str
    identity: str
    path: str
    sha256: bytes


def fetch_note_rows(db: Connection) -> list[NoteRow]:
    """Returns all notes, by source, then path."""
    rows = db.execute("SELECT source, identity, path, sha256 FROM notes ORDER BY source, path")
    return [
        NoteRow(str(source), str(identity), str(path), bytes(sha)) for source, identity, path, sha in rows
    ]


def is_unfinished(db: Connection) -> bool:
    """Tells whether a sync is under way, or was killed, so that the notes are not all there."""
    return db.execute("SELECT 1 FROM meta WHERE key = 'unfinished'").fetchone() is not None


def fetch_newest_notes(db: Connection, limit: int) -> list[tuple[str, int]]:
    """Returns the notes that are from the latest time, as `(path, end_ms)`; those with a date of their own first.

    What vaultkeeper writes itself is left out.
    """
    sql = (
        "SELECT path, end_ms FROM notes WHERE kind IN ('note', 'document') "
        "ORDER BY dated_by = 'mtime', end_ms DESC, path LIMIT ?"
    )
    return [(path, end_ms) for path, end_ms in db.execute(sql, (limit,))]
