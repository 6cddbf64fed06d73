"""Rows of the nodes of summary trees, and who owns whom.

Owns the tables `nodes`, `children` and `leaves`. What a note says of its node is copied; which node is in force, and
which node in force owns a leaf or another node, is settled here at the end of a sync, for what that sync touched. The
result is that of settling everything, so a rebuild gives the same rows.

A node is in force unless its note says that it is superseded or another node in force has a newer version of its
document. Of several nodes that list a child, the lowest owns it, then the one of the least id, then of the least path.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.db import Connection
from vaultkeeper.index.relink import select_in
from vaultkeeper.memory.admission import PRIORITY_TAG, TINY_TOKENS
from vaultkeeper.memory.nodes import tree_scope_of

if TYPE_CHECKING:
    from vaultkeeper.index.rows import NoteRows
    from vaultkeeper.memory.nodes import SummaryNode

_NODE = "INSERT INTO nodes VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,0,NULL,NULL,NULL,?,?,?,?)"
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
    ORDER BY p.level, p.node_id, p.path LIMIT 1) WHERE chunk_pk IN (SELECT chunk_pk FROM temp.unsettled_leaves)"""
_SUPPRESS = """UPDATE leaves SET suppressed = parent_pk IS NULL AND EXISTS(
    SELECT 1 FROM chunks AS c JOIN children AS k ON k.child_id = c.chunk_id WHERE c.chunk_pk = leaves.chunk_pk)
    WHERE chunk_pk IN (SELECT chunk_pk FROM temp.unsettled_leaves)"""


class Unsettled:
    """What a sync touched of the trees.

    Attributes:
        ids: Of leaves and nodes whose owner may be another one now.
        documents: Whose nodes may be in force now, or no more.
        some: True when there were nodes before the sync, or are now.
    """

    def __init__(self, db: Connection) -> None:
        self.ids: set[str] = set()
        self.documents: set[str] = set()
        self.some = bool(db.execute("SELECT EXISTS(SELECT 1 FROM nodes)").fetchone()[0])

    def drop(self, db: Connection, note_pks: Sequence[int]) -> None:
        """Takes the leaves and nodes of notes out; their chunks must still be there."""
        each = [(note_pk,) for note_pk in note_pks]
        db.executemany(
            "DELETE FROM leaves WHERE chunk_pk IN (SELECT chunk_pk FROM chunks WHERE note_pk = ?)", each
        )
        if not self.some:
            return
        for node_id, doc_id in select_in(
            db, "SELECT node_id, doc_id FROM nodes WHERE note_pk IN (%s)", note_pks
        ):
            self._touch(node_id, doc_id)
        self.ids.update(
            child
            for (child,) in select_in(db, "SELECT child_id FROM children WHERE note_pk IN (%s)", note_pks)
        )
        for table in ("children", "nodes"):
            db.executemany(f"DELETE FROM {table} WHERE note_pk = ?", each)

    def put(self, db: Connection, nodes: Iterable[tuple[int, SummaryNode]]) -> None:
        """Writes nodes by the row ids of their notes."""
        node_rows: list[tuple[object, ...]] = []
        child_rows: list[tuple[int, int, str]] = []
        for note_pk, node in nodes:
            self.some = True
            self._touch(node.id, node.doc_id)
            self.ids.update(node.child_ids)
            retired = int(node.superseded)
            node_rows.append(
                (
                    note_pk, node.path, node.id, node.tree_id, node.tree_kind, node.tree_scope, node.level,
                    node.time_range_start_ms, node.time_range_end_ms, node.score, node.doc_id, node.version_ms,
                    int(node.stale), retired, _list(node.entities), _list(node.topics), _list(node.child_ids),
                    node.text,
                )
            )  # fmt: skip
            child_rows += [(note_pk, at, child) for at, child in enumerate(node.child_ids)]
        db.executemany(_NODE, node_rows)
        db.executemany(_CHILD, child_rows)

    def _touch(self, node_id: str, doc_id: str | None) -> None:
        self.ids.add(node_id)
        if doc_id is not None:
            self.documents.add(doc_id)

    def settle(self, db: Connection, first_chunk_pk: int) -> None:
        """Finds the owners of what was touched.

        Args:
            first_chunk_pk: Chunks from this one on are new; 0 settles everything.
        """
        if not self.some:
            return
        db.execute("CREATE TEMP TABLE IF NOT EXISTS unsettled(id TEXT PRIMARY KEY) WITHOUT ROWID")
        db.execute("CREATE TEMP TABLE IF NOT EXISTS unsettled_leaves(chunk_pk INTEGER PRIMARY KEY)")
        if first_chunk_pk <= 1:
            db.execute(_IN_FORCE)
            db.execute("INSERT OR IGNORE INTO temp.unsettled SELECT child_id FROM children")
        else:
            self._retire(db)
            db.executemany("INSERT OR IGNORE INTO temp.unsettled VALUES(?)", [(one,) for one in self.ids])
            db.execute(
                "INSERT INTO temp.unsettled_leaves SELECT chunk_pk FROM leaves WHERE chunk_pk >= ?",
                (first_chunk_pk,),
            )
        db.execute(
            "INSERT OR IGNORE INTO temp.unsettled_leaves SELECT c.chunk_pk FROM temp.unsettled AS u "
            "CROSS JOIN chunks AS c ON c.chunk_id = u.id"  # in this order, whatever the planner thinks
        )
        for statement in (_OWN_NODES, _OWN_LEAVES, _SUPPRESS):
            db.execute(statement)
        db.execute("DELETE FROM temp.unsettled")
        db.execute("DELETE FROM temp.unsettled_leaves")
        self.ids.clear()
        self.documents.clear()

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
        self.ids.update(
            child
            for (child,) in select_in(db, "SELECT child_id FROM children WHERE note_pk IN (%s)", flipped)
        )


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
