"""What the history reads from the index: which notes there are, by source. Owns SELECTs and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection


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
