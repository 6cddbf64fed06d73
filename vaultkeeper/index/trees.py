"""Typed reads of trees: nodes, what they own, and what lies in a window of time. Never writes, never ranks.

A leaf or node lies in a window when their time ranges touch; a node stands for everything below it only when its
range lies wholly inside. Row ids are keys within one query; nothing is ordered by them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.memory.nodes import LEAF_KINDS

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection

ALWAYS = (-(2**62), 2**62)
"""The window that everything lies in, `(since_ms, until_ms)`."""

Window = tuple[int, int]

_OTHER_KINDS = ("entity", "summary", "segment", "facet", "memory")
"""Kinds of notes whose chunks are no leaves; see `notes.kind`."""


class NodeRow(NamedTuple):
    """A sealed node.

    Attributes:
        start_ms: Of the whole time range.
        content: Its sentences.
        parent_pk: The node in force that owns it.
    """

    note_pk: int
    path: str
    node_id: str
    tree_id: str
    tree_kind: str
    scope: str
    level: int
    start_ms: int
    end_ms: int
    score: float
    entities: tuple[str, ...]
    topics: tuple[str, ...]
    child_ids: tuple[str, ...]
    content: str
    stale: bool
    superseded: bool
    parent_pk: int | None


class NodeSpot(NamedTuple):
    """A node in a window, without its text."""

    note_pk: int
    scope: str
    start_ms: int
    end_ms: int
    level: int
    node_id: str
    path: str
    score: float


class Place(NamedTuple):
    """What a chunk counts as: a leaf of its own, or a part of a node."""

    node: bool
    pk: int


class PlaceRow(NamedTuple):
    """What orders and filters a place without reading it."""

    end_ms: int
    node_id: str
    path: str
    scope: str

    @property
    def newest_first(self) -> tuple[int, str, str]:
        """Sorts by end descending, then by id and path."""
        return (-self.end_ms, self.node_id, self.path)


class LeafSpot(NamedTuple):
    """A leaf in a window, without its text."""

    chunk_pk: int
    start_ms: int
    end_ms: int
    chunk_id: str
    path: str


class SourceRow(NamedTuple):
    """A scope with what it holds."""

    scope: str
    leaves: int
    newest_ms: int


_NODE = (
    "SELECT note_pk, path, node_id, tree_id, tree_kind, scope, level, start_ms, end_ms, score, entities, topics, "
    "child_ids, content, stale, superseded, parent_pk FROM nodes "
)
_SPOT = "SELECT note_pk, scope, start_ms, end_ms, level, node_id, path, score FROM nodes "
_KEPT = "NOT l.suppressed AND (NOT l.tiny OR EXISTS(SELECT 1 FROM occurrences AS o WHERE o.chunk_pk = l.chunk_pk))"
_TOUCHES = "l.end_ms >= :since AND l.start_ms <= :until"
_UNCOVERED = f"{_TOUCHES} AND (l.from_ms IS NULL OR l.from_ms < :since OR l.to_ms > :until) AND {_KEPT}"
_UNSEALED = f"{_TOUCHES} AND l.from_ms IS NULL AND {_KEPT}"  # told by the index alone, unlike parent_pk
_OWNING = (
    "(EXISTS(SELECT 1 FROM leaves AS l WHERE l.parent_pk = nodes.note_pk) "
    "OR EXISTS(SELECT 1 FROM nodes AS n WHERE n.parent_pk = nodes.note_pk))"
)

EARLIEST_FIRST = "l.start_ms, l.end_ms DESC"
NEWEST_FIRST = "l.end_ms DESC, l.start_ms DESC"


def _json(values: Iterable[int | str]) -> str:
    return json.dumps(list(values))


def _node(row: tuple[object, ...]) -> NodeRow:
    values = list(row)
    for at in (10, 11, 12):
        values[at] = tuple(json.loads(str(row[at])))
    values[14], values[15] = bool(row[14]), bool(row[15])
    return NodeRow(*values)  # type: ignore[arg-type]


def fetch_nodes(db: Connection, note_pks: Collection[int]) -> dict[int, NodeRow]:
    """Returns nodes by the row id of their note."""
    rows = db.execute(_NODE + "WHERE note_pk IN (SELECT value FROM json_each(?))", (_json(note_pks),))
    return {node.note_pk: node for node in map(_node, rows)}


def fetch_nodes_by_id(db: Connection, node_ids: Collection[str]) -> dict[str, NodeRow]:
    """Returns the nodes in force with these ids; of several with one id, that of the least path."""
    rows = db.execute(
        _NODE + "WHERE node_id IN (SELECT value FROM json_each(?)) AND NOT superseded ORDER BY path DESC",
        (_json(node_ids),),
    )
    return {node.node_id: node for node in map(_node, rows)}


def find_node(db: Connection, node_id: str) -> NodeRow | None:
    """Returns the node of an id, one in force before one that is not."""
    row = db.execute(_NODE + "WHERE node_id = ? ORDER BY superseded, path LIMIT 1", (node_id,)).fetchone()
    return None if row is None else _node(row)


def fetch_stale(db: Connection, note_pks: Collection[int]) -> bool:
    """Tells whether one of these nodes waits to be made anew."""
    if not note_pks:
        return False
    sql = "SELECT EXISTS(SELECT 1 FROM nodes WHERE note_pk IN (SELECT value FROM json_each(?)) AND stale)"
    return bool(db.execute(sql, (_json(note_pks),)).fetchone()[0])


def fetch_child_ids(db: Connection, note_pks: Collection[int]) -> dict[int, tuple[str, ...]]:
    """Returns the ids of the children of nodes, in the order of the text."""
    sql = "SELECT note_pk, child_ids FROM nodes WHERE note_pk IN (SELECT value FROM json_each(?))"
    return {pk: tuple(json.loads(children)) for pk, children in db.execute(sql, (_json(note_pks),))}


def fetch_places(db: Connection, chunk_pks: Collection[int]) -> dict[int, Place]:
    """Returns what chunks count as; those without text, and parts of what is superseded, are missing."""
    return {pk: place for pk, (place, _) in fetch_placed(db, chunk_pks).items()}


def fetch_placed(db: Connection, chunk_pks: Collection[int]) -> dict[int, tuple[Place, PlaceRow]]:
    """Returns what chunks count as, as `fetch_places`, with what `fetch_place_rows` says of it."""
    sql = (
        "SELECT c.chunk_pk, n.kind, x.note_pk, coalesce(x.superseded, l.suppressed), coalesce(x.end_ms, c.end_ms), "
        "coalesce(x.node_id, c.chunk_id), n.path, coalesce(x.scope, n.source) FROM json_each(?) AS wanted "
        "JOIN chunks AS c ON c.chunk_pk = wanted.value JOIN notes AS n ON n.note_pk = c.note_pk "
        "LEFT JOIN nodes AS x ON x.note_pk = c.note_pk LEFT JOIN leaves AS l ON l.chunk_pk = c.chunk_pk "
        "WHERE c.tokens > 0"
    )
    found: dict[int, tuple[Place, PlaceRow]] = {}
    for chunk_pk, kind, note_pk, hidden, *row in db.execute(sql, (_json(chunk_pks),)):
        if hidden or (hidden is None and kind in LEAF_KINDS):
            continue
        place = Place(False, chunk_pk) if note_pk is None else Place(True, note_pk)
        found[chunk_pk] = place, PlaceRow(*row)
    return found


def fetch_place_rows(db: Connection, places: Collection[Place]) -> dict[Place, PlaceRow]:
    """Returns time, id, path and scope (of a leaf: its source) of places."""
    leaves = (
        "SELECT c.chunk_pk, c.end_ms, c.chunk_id, n.path, n.source FROM json_each(?) AS wanted "
        "JOIN chunks AS c ON c.chunk_pk = wanted.value JOIN notes AS n ON n.note_pk = c.note_pk"
    )
    nodes = (
        "SELECT note_pk, end_ms, node_id, path, scope FROM nodes "
        "WHERE note_pk IN (SELECT value FROM json_each(?))"
    )
    found: dict[Place, PlaceRow] = {}
    for node, sql in ((False, leaves), (True, nodes)):
        for pk, *row in db.execute(sql, (_json(place.pk for place in places if place.node == node),)):
            found[Place(node, pk)] = PlaceRow(*row)
    return found


def fetch_chunks_of_nodes(db: Connection, window: Window, scopes: Collection[str] | None) -> frozenset[int]:
    """Returns the chunks of the nodes in force that touch a window."""
    sql = (
        "SELECT c.chunk_pk FROM nodes JOIN chunks AS c ON c.note_pk = nodes.note_pk WHERE NOT superseded "
        f"AND nodes.end_ms >= :since AND nodes.start_ms <= :until{_in_scopes(scopes, 'nodes')}"
    )
    return frozenset(pk for (pk,) in db.execute(sql, _values(window, scopes)))


def fetch_node_chunks(db: Connection, note_pks: Collection[int]) -> dict[int, tuple[int, ...]]:
    """Returns the chunks of notes, in order."""
    sql = (
        "SELECT note_pk, chunk_pk FROM chunks WHERE note_pk IN (SELECT value FROM json_each(?)) ORDER BY seq"
    )
    found: dict[int, list[int]] = {}
    for note_pk, chunk_pk in db.execute(sql, (_json(note_pks),)):
        found.setdefault(note_pk, []).append(chunk_pk)
    return {pk: tuple(chunks) for pk, chunks in found.items()}


def fetch_scopes(db: Connection) -> tuple[str, ...]:
    """Returns every tree scope, sorted, by jumping from one to the next in the index."""
    found: set[str] = set()
    for table in ("leaves", "nodes"):
        sql = (
            f"WITH RECURSIVE s(scope) AS (SELECT min(scope) FROM {table} UNION ALL SELECT "
            f"(SELECT min(t.scope) FROM {table} AS t WHERE t.scope > s.scope) FROM s WHERE s.scope IS NOT NULL) "
            "SELECT scope FROM s WHERE scope IS NOT NULL"
        )
        found.update(scope for (scope,) in db.execute(sql))
    return tuple(sorted(found))


def fetch_source_rows(db: Connection) -> list[SourceRow]:
    """Returns the scopes with their leaves, newest first, then by scope."""
    sql = (
        "SELECT scope, count(*), max(end_ms) AS newest FROM leaves WHERE NOT suppressed "
        "GROUP BY scope ORDER BY newest DESC, scope"
    )
    return [SourceRow(*row) for row in db.execute(sql)]


def fetch_scope_of_document(db: Connection, source_id: str) -> tuple[str, ...]:
    """Returns the sources of the notes of which this is the id, sorted."""
    sql = "SELECT DISTINCT source FROM notes WHERE identity = ? AND kind = 'document' ORDER BY source"
    return tuple(source for (source,) in db.execute(sql, (source_id,)))


def fetch_leaves_of_source(db: Connection, source: str) -> frozenset[int]:
    """Returns the leaves of one source, such as one session."""
    sql = (
        "SELECT l.chunk_pk FROM notes AS n JOIN chunks AS c ON c.note_pk = n.note_pk "
        "JOIN leaves AS l ON l.chunk_pk = c.chunk_pk WHERE n.source = ?"
    )
    return frozenset(pk for (pk,) in db.execute(sql, (source,)))


def fetch_window_chunks(db: Connection, window: Window) -> frozenset[int]:
    """Returns the chunks in a window: those of leaves, of nodes, and of everything else."""
    values = {"since": window[0], "until": window[1]}
    sql = f"SELECT l.chunk_pk FROM leaves AS l WHERE {_TOUCHES}"
    found = {pk for (pk,) in db.execute(sql, values)}
    others = (
        "SELECT c.chunk_pk FROM notes AS n JOIN chunks AS c ON c.note_pk = n.note_pk "
        "WHERE n.kind IN (SELECT value FROM json_each(:kinds)) AND n.end_ms >= :since AND n.start_ms <= :until"
    )
    found.update(pk for (pk,) in db.execute(others, {**values, "kinds": _json(_OTHER_KINDS)}))
    return frozenset(found)


def _in_scopes(scopes: Collection[str] | None, table: str) -> str:
    return "" if scopes is None else f" AND {table}.scope IN (SELECT value FROM json_each(:scopes))"


def _values(window: Window, scopes: Collection[str] | None) -> dict[str, object]:
    values: dict[str, object] = {"since": window[0], "until": window[1]}
    if scopes is not None:
        values["scopes"] = _json(sorted(scopes))
    return values


def fetch_maximal(db: Connection, window: Window, scopes: Collection[str] | None) -> list[NodeSpot]:
    """Returns the nodes in force that lie wholly inside of a window and whose owner does not. Unordered."""
    sql = (
        f"{_SPOT} WHERE NOT superseded AND start_ms >= :since AND end_ms <= :until "
        f"AND (from_ms IS NULL OR from_ms < :since OR to_ms > :until) AND {_OWNING}{_in_scopes(scopes, 'nodes')}"
    )
    return [NodeSpot(*row) for row in db.execute(sql, _values(window, scopes))]


def fetch_owned_nodes(db: Connection, note_pk: int) -> list[NodeSpot]:
    """Returns the nodes that a node owns."""
    return [
        NodeSpot(*row) for row in db.execute(_SPOT + "WHERE parent_pk = ? AND NOT superseded", (note_pk,))
    ]


def fetch_owned_leaves(db: Connection, note_pk: int) -> list[int]:
    """Returns the leaves that a node owns, kept or not. Unordered."""
    return [pk for (pk,) in db.execute("SELECT chunk_pk FROM leaves WHERE parent_pk = ?", (note_pk,))]


def fetch_all_uncovered(
    db: Connection, window: Window, scopes: Collection[str] | None, most: int
) -> list[tuple[str, int, int, int]] | None:
    """Returns all kept leaves of a window that no node inside owns, or None when they are more than `most`.

    Returns:
        scope, row id, start, end. Unordered.
    """
    sql = (
        "SELECT l.scope, l.chunk_pk, l.start_ms, l.end_ms FROM leaves AS l "
        f"WHERE {_UNCOVERED}{_in_scopes(scopes, 'l')} LIMIT :most"
    )
    rows = db.execute(sql, {**_values(window, scopes), "most": most + 1}).fetchall()
    return None if len(rows) > most else rows


def earliest(
    db: Connection, rows: Iterable[tuple[str, int, int, int]], shares: Mapping[str, int]
) -> dict[str, list[LeafSpot]]:
    """Returns of each scope the first leaves, in the order of `fetch_uncovered`."""
    by_scope: dict[str, list[tuple[int, int, int]]] = {}
    for scope, pk, start, end in rows:
        by_scope.setdefault(scope, []).append((start, -end, pk))
    kept: dict[str, list[tuple[int, int, int]]] = {}
    for scope, found in by_scope.items():
        share = shares.get(scope, 0)
        if share <= 0:
            continue
        found.sort()
        edge = found[min(share, len(found)) - 1][
            :2
        ]  # all equals of the last are looked at: ids decide, not row ids
        kept[scope] = [row for row in found if row[:2] <= edge]
    names = _names(db, [pk for found in kept.values() for _, _, pk in found])
    spots: dict[str, list[LeafSpot]] = {}
    for scope, found in kept.items():
        here = [LeafSpot(pk, start, -minus_end, *names[pk]) for start, minus_end, pk in found]
        here.sort(key=lambda s: (s.start_ms, -s.end_ms, s.chunk_id, s.path))
        spots[scope] = here[: shares[scope]]
    return spots


def count_uncovered(db: Connection, window: Window, scopes: Collection[str] | None) -> dict[str, int]:
    """Returns for each scope how many kept leaves of a window no node inside of the window owns."""
    sql = f"SELECT l.scope, count(*) FROM leaves AS l WHERE {_UNCOVERED}{_in_scopes(scopes, 'l')} GROUP BY l.scope"
    return {scope: int(count) for scope, count in db.execute(sql, _values(window, scopes))}


def fetch_uncovered(
    db: Connection, window: Window, scope: str, limit: int, *, within: frozenset[int] | None = None
) -> list[LeafSpot]:
    """Returns the first of those leaves, by start, then end descending, then chunk id and path.

    Args:
        within: Only these leaves, or None.
    """
    values: dict[str, object] = {**_values(window, None), "scope": scope}
    where = f"l.scope = :scope AND {_UNCOVERED}"
    return _spots(db, where, values, EARLIEST_FIRST, limit, within)


def fetch_leaf_spots(db: Connection, chunk_pks: Collection[int]) -> list[LeafSpot]:
    """Returns kept leaves by row id, in the same order as `fetch_uncovered`."""
    where = f"l.chunk_pk IN (SELECT value FROM json_each(:pks)) AND {_KEPT}"
    return _spots(db, where, {"pks": _json(chunk_pks)}, EARLIEST_FIRST, len(chunk_pks), None)


def fetch_newest_unsealed(
    db: Connection,
    window: Window,
    scopes: Collection[str] | None,
    limit: int,
    within: frozenset[int] | None = None,
) -> list[LeafSpot]:
    """Returns the newest kept leaves that no node owns: by end descending, then chunk id and path."""
    where = f"{_UNSEALED}{_in_scopes(scopes, 'l')}"
    return _spots(db, where, _values(window, scopes), NEWEST_FIRST, limit, within)


def count_unsealed(db: Connection, window: Window, scopes: Collection[str] | None) -> int:
    """Returns how many kept leaves of a window no node owns."""
    sql = f"SELECT count(*) FROM leaves AS l WHERE {_UNSEALED}{_in_scopes(scopes, 'l')}"
    return int(db.execute(sql, _values(window, scopes)).fetchone()[0])


def fetch_unsealed_chunks(db: Connection, window: Window, scopes: Collection[str] | None) -> frozenset[int]:
    """Returns the row ids of those leaves."""
    sql = f"SELECT l.chunk_pk FROM leaves AS l WHERE {_UNSEALED}{_in_scopes(scopes, 'l')}"
    return frozenset(pk for (pk,) in db.execute(sql, _values(window, scopes)))


def _spots(
    db: Connection,
    where: str,
    values: dict[str, object],
    order: str,
    limit: int,
    within: frozenset[int] | None,
) -> list[LeafSpot]:
    """The first leaves in an order. Row ids must not decide between equals, so all equals of the last are looked at."""
    if limit <= 0:
        return []
    if within is not None:
        where += " AND l.chunk_pk IN (SELECT value FROM json_each(:within))"
        values = {**values, "within": _json(within)}
    slim = f"SELECT l.chunk_pk, l.start_ms, l.end_ms FROM leaves AS l WHERE {where}"
    rows = db.execute(f"{slim} ORDER BY {order} LIMIT :limit", {**values, "limit": limit + 1}).fetchall()
    if len(rows) > limit and rows[limit][1:] == rows[limit - 1][1:]:
        start, end = rows[limit][1:]
        rows = [row for row in rows if row[1:] != (start, end)]
        equal = {**values, "start": start, "end": end}
        rows += db.execute(f"{slim} AND l.start_ms = :start AND l.end_ms = :end", equal).fetchall()
    names = _names(db, [row[0] for row in rows])
    spots = [LeafSpot(pk, start, end, *names[pk]) for pk, start, end in rows]
    if order == NEWEST_FIRST:
        spots.sort(key=lambda s: (-s.end_ms, -s.start_ms, s.chunk_id, s.path))
    else:
        spots.sort(key=lambda s: (s.start_ms, -s.end_ms, s.chunk_id, s.path))
    return spots[:limit]


def _names(db: Connection, chunk_pks: Collection[int]) -> dict[int, tuple[str, str]]:
    sql = (
        "SELECT c.chunk_pk, c.chunk_id, n.path FROM json_each(?) AS wanted "
        "JOIN chunks AS c ON c.chunk_pk = wanted.value JOIN notes AS n ON n.note_pk = c.note_pk"
    )
    return {pk: (chunk_id, path) for pk, chunk_id, path in db.execute(sql, (_json(chunk_pks),))}


def count_nodes(db: Connection, window: Window, scopes: Collection[str] | None) -> int:
    """Returns how many nodes in force touch a window."""
    sql = (
        "SELECT count(*) FROM nodes WHERE NOT superseded AND end_ms >= :since AND start_ms <= :until"
        + _in_scopes(scopes, "nodes")
    )
    return int(db.execute(sql, _values(window, scopes)).fetchone()[0])


def fetch_newest_nodes(
    db: Connection, window: Window, scopes: Collection[str] | None, limit: int
) -> list[NodeRow]:
    """Returns the newest of those nodes: by end descending, level descending, then node id and path."""
    sql = (
        f"{_NODE} WHERE NOT superseded AND end_ms >= :since AND start_ms <= :until{_in_scopes(scopes, 'nodes')} "
        "ORDER BY end_ms DESC, level DESC, node_id, path LIMIT :limit"
    )
    values = {**_values(window, scopes), "limit": limit}
    return list(map(_node, db.execute(sql, values)))
