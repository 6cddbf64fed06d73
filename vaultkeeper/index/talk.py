"""Reads of conversations: recaps of segments and turns, of all sessions but one. Owns these SELECTs; never ranks.

A session is named by its tree scope, `episodic:<folder>`.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection


class SegmentRow(NamedTuple):
    """The recap of a segment, and the turns that it is about. `text_sha` is the key of its vector."""

    path: str
    source: str
    session_id: str
    start_seq: int
    end_seq: int
    recap: str
    text_sha: bytes
    end_ms: int


class TurnRow(NamedTuple):
    """A turn."""

    chunk_pk: int
    path: str
    source: str
    session_id: str
    seq: int
    role: str
    content: str
    end_ms: int


_SEGMENTS = """
SELECT n.path, n.source, coalesce(json_extract(n.properties, '$.session_id'), ''),
  coalesce(json_extract(n.properties, '$.start_seq'), 0), coalesce(json_extract(n.properties, '$.end_seq'), -1),
  c.body, c.text_sha, c.end_ms
FROM notes AS n JOIN chunks AS c ON c.note_pk = n.note_pk
WHERE n.kind = 'segment' AND n.source <> ? AND c.end_ms >= ? AND c.heading = '' AND c.seq = 0 AND trim(c.body) <> ''
  AND coalesce(json_extract(n.properties, '$.recap_by'), '') <> 'bookend'
ORDER BY c.end_ms DESC, n.path LIMIT ?
"""
_TURN = """
SELECT c.chunk_pk, n.path, n.source, coalesce(json_extract(n.properties, '$.session_id'), ''),
  coalesce(json_extract(n.properties, '$.role'), ''), c.body, c.end_ms
FROM notes AS n JOIN chunks AS c ON c.note_pk = n.note_pk
WHERE n.kind = 'turn' AND n.source <> ? AND c.seq = 0 AND trim(c.body) <> ''
"""


def fetch_recent_segments(db: Connection, since_ms: int, limit: int, exclude: str = "") -> list[SegmentRow]:
    """Returns the newest segments with a recap that says something, newest first.

    Args:
        since_ms: Segments that ended before are left out.
        exclude: Scope of the session that is left out.
    """
    return [SegmentRow(*row) for row in db.execute(_SEGMENTS, (exclude, since_ms, limit))]


def fetch_recent_turns(db: Connection, since_ms: int, limit: int, exclude: str = "") -> list[TurnRow]:
    """Returns the newest turns, newest first."""
    sql = _TURN + "AND c.end_ms >= ? ORDER BY c.end_ms DESC, n.path DESC LIMIT ?"
    return [_turn(row) for row in db.execute(sql, (exclude, since_ms, limit))]


def fetch_turns(db: Connection, pks: Collection[int], exclude: str = "") -> dict[int, TurnRow]:
    """Returns those of these chunks that are turns, by row id."""
    sql = _TURN + "AND c.chunk_pk IN (SELECT value FROM json_each(?))"
    return {row[0]: _turn(row) for row in db.execute(sql, (exclude, json.dumps(list(pks))))}


def fetch_turn_pks(db: Connection, exclude: str = "") -> frozenset[int]:
    """Returns the row ids of all turns; what a search of conversations is limited to."""
    sql = (
        "SELECT c.chunk_pk FROM notes AS n JOIN chunks AS c ON c.note_pk "
        "= n.note_pk WHERE n.kind = 'turn' AND n.source <> ?"
    )
    return frozenset(pk for (pk,) in db.execute(sql, (exclude,)))


def _turn(row: tuple[int, str, str, str, str, str, int]) -> TurnRow:
    pk, path, source, session_id, role, content, end_ms = row
    stem = path.rpartition("/")[2].removesuffix(".md")
    return TurnRow(pk, path, source, session_id, int(stem) if stem.isdigit() else -1, role, content, end_ms)
