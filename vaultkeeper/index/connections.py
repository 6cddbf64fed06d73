"""Typed reads of who occurs with whom. Nothing of it is stored: it follows from the occurrences, so it cannot drift.

Two entities occur together in a node: in one leaf, or in one summary. Never writes.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.trees import ALWAYS, Window

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection

OCCURRENCE_CAP = 500
"""Newest nodes of an entity that are looked at. Source: BEHAVIOUR §9.5."""


class EntityRow(NamedTuple):
    """An entity as `search_entities` counts it.

    Attributes:
        surface: How it is written most often; its name when nobody wrote it yet.
        chunks: In how many chunks it occurs.
        newest_ms: End of the newest of them; None when there is none.
    """

    entity_id: str
    surface: str
    chunks: int
    newest_ms: int | None


class Shared(NamedTuple):
    """A chunk in which two entities occur."""

    chunk_pk: int
    end_ms: int


# What is superseded does not count, and the chunks of a summary are one node.
_LEAVES = """SELECT o.entity_id, count(*) FROM occurrences AS mine
    JOIN occurrences AS o ON o.chunk_pk = mine.chunk_pk
    JOIN chunks AS c ON c.chunk_pk = mine.chunk_pk JOIN notes AS n ON n.note_pk = c.note_pk
    LEFT JOIN leaves AS l ON l.chunk_pk = mine.chunk_pk
    WHERE mine.entity_id = :id AND o.entity_id <> :id AND c.note_pk NOT IN (SELECT note_pk FROM nodes)
    AND coalesce(l.suppressed, n.kind IN ('note', 'turn', 'document')) = 0 GROUP BY o.entity_id"""
_SUMMARIES = """SELECT o.entity_id, count(DISTINCT x.note_pk) FROM occurrences AS mine
    JOIN chunks AS c ON c.chunk_pk = mine.chunk_pk JOIN nodes AS x ON x.note_pk = c.note_pk AND NOT x.superseded
    JOIN chunks AS part ON part.note_pk = x.note_pk JOIN occurrences AS o ON o.chunk_pk = part.chunk_pk
    WHERE mine.entity_id = :id AND o.entity_id <> :id GROUP BY o.entity_id"""


def count_together(db: Connection, entity_id: str) -> dict[str, int]:
    """Returns for each entity that shares a node with this one the number of distinct nodes; not for itself."""
    weights = {other: int(count) for other, count in db.execute(_LEAVES, {"id": entity_id})}
    for other, count in db.execute(_SUMMARIES, {"id": entity_id}):
        weights[other] = weights.get(other, 0) + int(count)
    return weights


def count_chunks(db: Connection, entity_ids: Collection[str]) -> dict[str, int]:
    """Returns in how many chunks each entity occurs, without counting them one by one; 0 are missing."""
    sql = (
        "SELECT entity_id, sum(chunks) FROM surfaces WHERE entity_id IN (SELECT value FROM json_each(?)) "
        "GROUP BY entity_id"
    )
    return {entity_id: int(count) for entity_id, count in db.execute(sql, (json.dumps(list(entity_ids)),))}


def fetch_together(db: Connection, chunk_pks: Collection[int]) -> dict[int, tuple[str, ...]]:
    """Returns the entities of each chunk, sorted."""
    sql = (
        "SELECT chunk_pk, entity_id FROM occurrences WHERE chunk_pk IN (SELECT value FROM json_each(?)) "
        "ORDER BY entity_id"
    )
    found: dict[int, list[str]] = {}
    for chunk_pk, entity_id in db.execute(sql, (json.dumps(list(chunk_pks)),)):
        found.setdefault(chunk_pk, []).append(entity_id)
    return {pk: tuple(ids) for pk, ids in found.items()}


def fetch_newest(
    db: Connection, entity_id: str, window: Window = ALWAYS, limit: int = OCCURRENCE_CAP
) -> list[Shared]:
    """Returns the newest chunks that an entity occurs in, by end descending; equal ends by chunk id and path."""
    where = (
        "o.entity_id = :id AND o.end_ms >= :since AND (o.end_ms <= :until OR EXISTS(SELECT 1 FROM chunks AS c "
        "WHERE c.chunk_pk = o.chunk_pk AND c.start_ms <= :until))"
    )
    values = {"id": entity_id, "since": window[0], "until": window[1], "limit": limit + 1}
    sql = (
        f"SELECT o.chunk_pk, o.end_ms FROM occurrences AS o WHERE {where} ORDER BY o.end_ms DESC LIMIT :limit"
    )
    rows = [Shared(*row) for row in db.execute(sql, values)]
    if len(rows) <= limit:
        return rows
    last = rows[limit - 1].end_ms
    if rows[limit].end_ms != last:
        return rows[:limit]
    kept = [row for row in rows if row.end_ms != last]
    equal = (
        f"SELECT o.chunk_pk, o.end_ms FROM occurrences AS o JOIN chunks AS k ON k.chunk_pk = o.chunk_pk "
        f"JOIN notes AS n ON n.note_pk = k.note_pk WHERE {where} AND o.end_ms = :last "
        "ORDER BY k.chunk_id, n.path, k.seq LIMIT :rest"
    )
    values |= {"last": last, "rest": limit - len(kept)}
    return kept + [Shared(*row) for row in db.execute(equal, values)]


def fetch_matching(
    db: Connection, chunk_pks: Collection[int], entity_ids: Collection[str]
) -> dict[int, frozenset[str]]:
    """Returns for each chunk which of these entities occur in it; chunks without any are missing."""
    sql = (
        "SELECT o.chunk_pk, o.entity_id FROM json_each(?) AS wanted JOIN json_each(?) AS asked "
        "CROSS JOIN occurrences AS o ON o.chunk_pk = wanted.value AND o.entity_id = asked.value"
    )
    found: dict[int, set[str]] = {}
    for chunk_pk, entity_id in db.execute(sql, (json.dumps(list(chunk_pks)), json.dumps(list(entity_ids)))):
        found.setdefault(chunk_pk, set()).add(entity_id)
    return {pk: frozenset(ids) for pk, ids in found.items()}


def find_entities(db: Connection, needle: str, kinds: Collection[str]) -> list[EntityRow]:
    """Returns the entities of which the id, a name, or a way that they are written holds a text, in any case.

    Args:
        needle: Taken literally. Empty finds nothing.
        kinds: Kinds of ids; empty means all.

    Returns:
        Most chunks first, then newest, then by id.
    """
    wanted = needle.strip().casefold()
    if not wanted:
        return []
    counts: dict[str, int] = {}
    written: dict[str, tuple[int, str]] = {}
    matching: set[str] = set()
    allowed = frozenset(kinds)
    for entity_id, surface, chunks in db.execute("SELECT entity_id, surface, chunks FROM surfaces"):
        if allowed and entity_id.partition(":")[0] not in allowed:
            continue
        counts[entity_id] = counts.get(entity_id, 0) + chunks
        if (chunks, surface) > written.get(entity_id, (0, "")):
            written[entity_id] = (chunks, surface)
        if entity_id not in matching and (wanted in entity_id.casefold() or wanted in surface.casefold()):
            matching.add(entity_id)
    for entity_id, name, names in db.execute(
        "SELECT entity_id, display_name, names FROM entities ORDER BY entity_id"
    ):
        if allowed and entity_id.partition(":")[0] not in allowed:
            continue
        if entity_id in matching or wanted in entity_id.casefold() or _has_name(name, names, wanted):
            matching.add(entity_id)
            written.setdefault(entity_id, (0, name))
    found = []
    for entity_id in matching:
        newest = db.execute(
            "SELECT max(end_ms) FROM occurrences WHERE entity_id = ?", (entity_id,)
        ).fetchone()[0]
        found.append(EntityRow(entity_id, written[entity_id][1], counts.get(entity_id, 0), newest))
    return sorted(found, key=lambda row: (-row.chunks, -(row.newest_ms or 0), row.entity_id))


def _has_name(display_name: str, names: str, wanted: str) -> bool:
    if wanted in display_name.casefold():
        return True
    told = json.loads(names)
    handles = (value for _, value in told.get("handles", ()))
    return any(wanted in str(name).casefold() for name in (*told["aliases"], *told["emails"], *handles))
