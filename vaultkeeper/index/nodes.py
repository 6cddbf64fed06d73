"""Rows of the nodes of summary trees, and who owns whom.

Owns the tables `nodes`, `children` and `leaves`. What a note says of its node is copied; which node is in force, which
node in force owns a leaf or another node, and whose leaves changed, is settled here at the end of a sync, for what that
sync touched. The result is that of settling everything, so a rebuild gives the same rows.

A node is in force unless its note says that it is superseded or another node in force has a newer version of its
document. Of several nodes of its tree that list a child, the lowest owns it, then the one of the least id, then of the
least path. A note that names its children by links only has those that the links lead to, as in Obsidian.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.db import Connection
from vaultkeeper.index.relink import select_in
from vaultkeeper.memory.admission import PRIORITY_TAG, TINY_TOKENS
from vaultkeeper.memory.nodes import link_target, tree_scope_of

if TYPE_CHECKING:
    from vaultkeeper.index.rows import NoteRows
    from vaultkeeper.memory.nodes import SummaryNode

_NODE = "INSERT INTO nodes VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,0,?,0,NULL,NULL,NULL,?,?,?,?)"
_CHILD = "INSERT INTO children VALUES(?,?,?)"
_LEAVES = """INSERT INTO leaves SELECT chunk_pk, ?, start_ms, end_ms, tokens < ?, 0, NULL, NULL, NULL
    FROM chunks WHERE chunk_pk BETWEEN ? AND ?"""

_IN_FORCE = """UPDATE nodes SET superseded = retired OR (version_ms IS NOT NULL AND EXISTS(
    SELECT 1 FROM nodes AS newer WHERE newer.doc_id = nodes.doc_id AND newer.tree_id = nodes.tree_id
    AND newer.version_ms > nodes.version_ms AND NOT newer.retired))"""
_OWN_NODES = """UPDATE nodes SET (parent_pk, from_ms, to_ms) = (
    SELECT p.note_pk, p.start_ms, p.end_ms FROM children AS k JOIN nodes AS p ON p.note_pk = k.note_pk
    WHERE k.child_id = nodes.node_id AND NOT p.superseded AND p.level > nodes.level
    ORDER BY p.level, p.node_id, p.path LIMIT 1) WHERE node_id IN (SELECT id FROM temp.unsettled)"""
_OWN_LEAVES = """UPDATE leaves SET (parent_pk, from_ms, to_ms) = (
    SELECT p.note_pk, p.start_ms, p.end_ms FROM chunks AS c JOIN children AS k ON k.child_id = c.chunk_id
    JOIN nodes AS p ON p.note_pk = k.note_pk WHERE c.chunk_pk = leaves.chunk_pk AND NOT p.superseded
    AND p.scope = leaves.scope ORDER BY p.level, p.node_id, p.path LIMIT 1)
    WHERE chunk_pk IN (SELECT chunk_pk FROM temp.unsettled_leaves)"""
_SUPPRESS = """UPDATE leaves SET suppressed = parent_pk IS NULL AND EXISTS(
    SELECT 1 FROM chunks AS c JOIN children AS k ON k.child_id = c.chunk_id JOIN nodes AS p ON p.note_pk = k.note_pk
    WHERE c.chunk_pk = leaves.chunk_pk AND p.scope = leaves.scope)
    WHERE chunk_pk IN (SELECT chunk_pk FROM temp.unsettled_leaves)"""
_CHANGED = """UPDATE nodes SET changed = level = 1 AND NOT superseded AND NOT linked AND (
    EXISTS(SELECT 1 FROM children AS k WHERE k.note_pk = nodes.note_pk AND NOT EXISTS(
        SELECT 1 FROM chunks AS c JOIN leaves AS l ON l.chunk_pk = c.chunk_pk
        WHERE c.chunk_id = k.child_id AND l.scope = nodes.scope AND c.body <> ''))
    OR EXISTS(SELECT 1 FROM children AS k JOIN children AS o ON o.child_id = k.child_id AND o.note_pk <> k.note_pk
        JOIN nodes AS p ON p.note_pk = o.note_pk WHERE k.note_pk = nodes.note_pk AND NOT p.superseded)
    OR (start_ms, end_ms) IS NOT (SELECT min(c.start_ms), max(c.end_ms) FROM children AS k
        JOIN chunks AS c ON c.chunk_id = k.child_id WHERE k.note_pk = nodes.note_pk)
    OR EXISTS(SELECT 1 FROM notes AS d WHERE d.identity = nodes.doc_id AND d.kind = 'document'
        AND d.source = nodes.scope AND json_type(d.properties, '$.version_ms') = 'integer'
        AND json_extract(d.properties, '$.version_ms') > nodes.version_ms))
    WHERE note_pk IN (SELECT note_pk FROM temp.unsettled_nodes)"""
_COUNT_CHANGE = (
    "INSERT INTO meta VALUES('nodes', '1') ON CONFLICT(key) DO UPDATE SET value = CAST(value AS INTEGER) + 1"
)
_LISTING = (
    "INSERT OR IGNORE INTO temp.unsettled_nodes SELECT k.note_pk FROM temp.unsettled AS u "
    "CROSS JOIN children AS k ON k.child_id = u.id"
)
_LISTING_NEW = (
    "INSERT OR IGNORE INTO temp.unsettled_nodes SELECT k.note_pk FROM chunks AS c "
    "CROSS JOIN children AS k ON k.child_id = c.chunk_id WHERE c.chunk_pk >= ?"
)
_NODE_AT = """SELECT x.node_id FROM notes AS n JOIN nodes AS x ON x.note_pk = n.note_pk
    WHERE n.path = ? AND n.note_pk <> ?"""
_LEAVES_BELOW = (
    "SELECT c.chunk_id FROM notes AS n JOIN chunks AS c ON c.note_pk = n.note_pk JOIN leaves AS l ON "
    "l.chunk_pk = c.chunk_pk WHERE n.path = ?1 AND (?2 = '' OR c.anchor = ?2) AND c.body <> '' ORDER BY c.seq"
)


class Unsettled:
    """What a sync touched of the trees.

    Attributes:
        ids: Of leaves and nodes whose owner may be another one now.
        documents: Whose nodes may be in force now, or no more.
        nodes: Row ids of nodes whose leaves went or moved.
        some: True when there were nodes before the sync, or are now.
        changed: True when a node was written or taken out.
    """

    changed = False

    def __init__(self, db: Connection) -> None:
        self.ids: set[str] = set()
        self.documents: set[str] = set()
        self.nodes: set[int] = set()
        self.some = bool(db.execute("SELECT EXISTS(SELECT 1 FROM nodes)").fetchone()[0])

    def drop(self, db: Connection, note_pks: Sequence[int]) -> None:
        """Takes the leaves and nodes of notes out; their chunks must still be there."""
        each = [(note_pk,) for note_pk in note_pks]
        self.move(db, note_pks)
        db.executemany(
            "DELETE FROM leaves WHERE chunk_pk IN (SELECT chunk_pk FROM chunks WHERE note_pk = ?)", each
        )
        if not self.some:
            return
        for node_id, doc_id in select_in(
            db, "SELECT node_id, doc_id FROM nodes WHERE note_pk IN (%s)", note_pks
        ):
            self._touch(node_id, doc_id)
            self.changed = True
        self.ids.update(_children_of(db, note_pks))
        for table in ("children", "nodes"):
            db.executemany(f"DELETE FROM {table} WHERE note_pk = ?", each)

    def move(self, db: Connection, note_pks: Sequence[int]) -> None:
        """Remembers the nodes that list leaves of notes, whose time is another one now."""
        if self.some:
            listing = (
                "SELECT DISTINCT k.note_pk FROM chunks AS c CROSS JOIN children AS k ON k.child_id = c.chunk_id "
                "WHERE c.note_pk IN (%s)"
            )
            self.nodes.update(pk for (pk,) in select_in(db, listing, note_pks))

    def put(self, db: Connection, nodes: Iterable[tuple[int, SummaryNode]]) -> None:
        """Writes nodes by the row ids of their notes."""
        node_rows: list[tuple[object, ...]] = []
        child_rows: list[tuple[int, int, str]] = []
        for note_pk, node in nodes:
            self.some = self.changed = True
            self._touch(node.id, node.doc_id)
            self.ids.update(node.child_ids)
            self.nodes.add(note_pk)
            retired = int(node.superseded)
            linked = int(not node.child_ids and bool(node.children))
            node_rows.append(
                (
                    note_pk, node.path, node.id, node.tree_id, node.tree_kind, node.tree_scope, node.level,
                    node.time_range_start_ms, node.time_range_end_ms, node.score, node.doc_id, node.version_ms,
                    int(node.stale), retired, linked, _list(node.entities), _list(node.topics),
                    _list(node.child_ids), node.text,
                )
            )  # fmt: skip
            child_rows += [(note_pk, at, child) for at, child in enumerate(node.child_ids)]
        db.executemany(_NODE, node_rows)
        db.executemany(_CHILD, child_rows)

    def _touch(self, node_id: str, doc_id: str | None) -> None:
        self.ids.add(node_id)
        if doc_id is not None:
            self.documents.add(doc_id)

    def settle(
        self, db: Connection, first_chunk_pk: int, written: Iterable[int], moved: Iterable[int]
    ) -> None:
        """Finds the owners of what was touched, and the nodes whose leaves changed.

        Args:
            first_chunk_pk: Chunks from this one on are new; 0 settles everything.
            written: Row ids of the notes that were written.
            moved: Of those of which a link leads elsewhere now.
        """
        if not self.some:
            return
        whole = first_chunk_pk <= 1
        for table in (
            "unsettled(id TEXT",
            "unsettled_leaves(chunk_pk INTEGER",
            "unsettled_nodes(note_pk INTEGER",
        ):
            rowless = " WITHOUT ROWID" if "TEXT" in table else ""
            db.execute(f"CREATE TEMP TABLE IF NOT EXISTS {table} PRIMARY KEY){rowless}")
        if whole:
            db.execute(_IN_FORCE)
        else:
            self._retire(db)
        self._follow_links(db, None if whole else (written, moved))
        if whole:
            db.execute("INSERT OR IGNORE INTO temp.unsettled SELECT child_id FROM children")
            db.execute("INSERT INTO temp.unsettled_nodes SELECT note_pk FROM nodes")
        else:
            db.executemany("INSERT OR IGNORE INTO temp.unsettled VALUES(?)", [(one,) for one in self.ids])
            db.execute(
                "INSERT INTO temp.unsettled_leaves SELECT chunk_pk FROM leaves WHERE chunk_pk >= ?",
                (first_chunk_pk,),
            )
            self._touch_nodes(db, first_chunk_pk, written)
        db.execute(
            "INSERT OR IGNORE INTO temp.unsettled_leaves SELECT c.chunk_pk FROM temp.unsettled AS u "
            "CROSS JOIN chunks AS c ON c.chunk_id = u.id"  # in this order, whatever the planner thinks
        )
        for statement in (_OWN_NODES, _OWN_LEAVES, _SUPPRESS, _CHANGED):
            db.execute(statement)
        if self.changed:
            db.execute(_COUNT_CHANGE)
        for table in ("unsettled", "unsettled_leaves", "unsettled_nodes"):
            db.execute(f"DELETE FROM temp.{table}")
        self.ids.clear()
        self.documents.clear()
        self.nodes.clear()

    def _touch_nodes(self, db: Connection, first_chunk_pk: int, written: Iterable[int]) -> None:
        """Collects the nodes whose leaves may have changed: of gone, new and moved leaves, and of new versions."""
        db.execute(_LISTING)
        db.execute(_LISTING_NEW, (first_chunk_pk,))
        versions = (
            "SELECT x.note_pk FROM notes AS n JOIN nodes AS x ON x.doc_id = n.identity "
            "WHERE n.kind = 'document' AND n.note_pk IN (%s)"
        )
        if db.execute("SELECT EXISTS(SELECT 1 FROM nodes WHERE doc_id IS NOT NULL)").fetchone()[0]:
            self.nodes.update(pk for (pk,) in select_in(db, versions, written))
        db.executemany("INSERT OR IGNORE INTO temp.unsettled_nodes VALUES(?)", [(pk,) for pk in self.nodes])

    def _follow_links(self, db: Connection, since: tuple[Iterable[int], Iterable[int]] | None) -> None:
        """Gives the nodes whose children are links what these lead to; all of them, or those that a sync touched."""
        linked = {pk for (pk,) in db.execute("SELECT note_pk FROM nodes WHERE linked")}
        if linked and since is not None:
            written, moved = since
            leading = (
                "SELECT l.note_pk FROM notes AS n CROSS JOIN links AS l ON l.resolved = n.path "
                "WHERE n.note_pk IN (%s)"
            )
            linked &= {*written, *moved, *(pk for (pk,) in select_in(db, leading, written))}
        if not linked:
            return
        self.ids.update(_children_of(db, linked))
        for note_pk in linked:
            found = _linked_children(db, note_pk)
            self.ids.update(found)
            self.nodes.add(note_pk)
            db.execute("DELETE FROM children WHERE note_pk = ?", (note_pk,))
            db.executemany(_CHILD, [(note_pk, at, child) for at, child in enumerate(found)])
            db.execute("UPDATE nodes SET child_ids = ? WHERE note_pk = ?", (_list(found), note_pk))

    def _retire(self, db: Connection) -> None:
        """Says which nodes of the touched documents, and which new nodes, are in force."""
        before = dict(
            select_in(db, "SELECT note_pk, superseded FROM nodes WHERE doc_id IN (%s)", self.documents)
        )
        new = [pk for (pk,) in select_in(db, "SELECT note_pk FROM nodes WHERE node_id IN (%s)", self.ids)]
        chosen = sorted({*before, *new})
        for first in range(0, len(chosen), 500):
            part = chosen[first : first + 500]
            db.execute(f"{_IN_FORCE} WHERE note_pk IN ({','.join('?' * len(part))})", part)
        after = dict(select_in(db, "SELECT note_pk, superseded FROM nodes WHERE note_pk IN (%s)", chosen))
        flipped = [pk for pk, superseded in after.items() if before.get(pk) != superseded]
        self.ids.update(_children_of(db, flipped))
        self.nodes.update(flipped)


def _children_of(db: Connection, note_pks: Iterable[int]) -> set[str]:
    return {
        child for (child,) in select_in(db, "SELECT child_id FROM children WHERE note_pk IN (%s)", note_pks)
    }


def _linked_children(db: Connection, note_pk: int) -> list[str]:
    """The nodes and leaves that the links of a node's property `children` lead to, in their order, each once."""
    (listed,) = db.execute(
        "SELECT json_extract(properties, '$.children') FROM notes WHERE note_pk = ?", (note_pk,)
    ).fetchone()
    try:
        items = json.loads(listed)
    except (TypeError, ValueError):
        items = [listed]
    leads = {
        (f"{target.removesuffix('.md')}#{subpath}" if subpath else target.removesuffix(".md")): path
        for target, subpath, path in db.execute(
            "SELECT target, subpath, resolved FROM links WHERE note_pk = ? AND kind = 'property'", (note_pk,)
        )
    }
    found: dict[str, None] = {}
    for item in items if isinstance(items, list) else [items]:
        target = link_target(str(item)) or ""
        path = leads.get(target) or leads.get(target.replace(".md#", "#").removesuffix(".md"))
        if path is None:
            continue
        node = db.execute(_NODE_AT, (path, note_pk)).fetchone()
        heading = target.partition("#")[2]
        rows = (
            [node] if node else db.execute(_LEAVES_BELOW, (path, "" if heading.startswith("^") else heading))
        )
        found.update((str(child), None) for (child,) in rows)
    return list(found)


class LeafRun(NamedTuple):
    """Leaves with consecutive row ids, of one scope and one bound for what is tiny (none for urgent notes)."""

    scope: str
    least_tokens: int
    first_pk: int
    last_pk: int


def add_leaves(runs: list[LeafRun], rows: NoteRows, first_pk: int) -> None:
    """Adds the leaves of a note, when it has any, to those of the notes before it.

    Args:
        first_pk: Row id of its first chunk; the others follow.
    """
    if not rows.leafy:
        return
    scope = tree_scope_of(str(rows.columns[4]))
    least = 0 if PRIORITY_TAG in rows.tags else TINY_TOKENS
    last_pk = first_pk + len(rows.chunks) - 1
    if runs and runs[-1][:2] == (scope, least) and runs[-1].last_pk + 1 == first_pk:
        first_pk = runs.pop().first_pk
    runs.append(LeafRun(scope, least, first_pk, last_pk))


def put_leaves(db: Connection, runs: Iterable[LeafRun]) -> None:
    """Writes leaves; their chunks must be there."""
    db.executemany(_LEAVES, runs)


def _list(values: Sequence[str]) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")) if values else "[]"
