"""What the trees read from the index: leaves by scope, and which scopes have something to do.

Owns SELECTs and nothing else. Times of arrival are those of the files, so that a rebuilt index gives the same answer.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.memory.nodes import SummaryNode, summary_from_properties
from vaultkeeper.memory.tree import TreeLeaf

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection

_TAGS = "SELECT group_concat(tag, char(10)) FROM (SELECT tag FROM tags AS t WHERE t.note_pk = n.note_pk ORDER BY tag)"
_WORTH = "(NOT l.tiny OR EXISTS(SELECT 1 FROM occurrences AS o WHERE o.chunk_pk = l.chunk_pk))"
_SELECT = (
    "SELECT c.chunk_id, n.path, c.anchor, c.seq, c.start_ms, c.end_ms, c.tokens, f.mtime_ns / 1000000, "
    f"n.kind, n.source, ({_TAGS}), "
    "n.identity, CASE n.kind WHEN 'document' THEN json_extract(n.properties, '$.version_ms') END "
)
_FROM = (
    " FROM leaves AS l CROSS JOIN chunks AS c ON c.chunk_pk = l.chunk_pk "
    "JOIN notes AS n ON n.note_pk = c.note_pk JOIN files AS f ON f.path = n.path WHERE c.body <> '' AND "
)


def fetch_tree_leaves(db: Connection, scope: str) -> list[TreeLeaf]:
    """Returns all leaves of a tree that have a text, sorted by path and position."""
    sql = f"{_SELECT}{_FROM} l.scope = ? ORDER BY n.path, c.seq"
    return list(map(_leaf, db.execute(sql, (scope,))))


def fetch_some_leaves(db: Connection, scope: str, chunk_ids: Sequence[str]) -> list[TreeLeaf]:
    """Returns the leaves of a tree that no node owns, as far as the index knows, and those with these ids.

    Of the first those are missing that are too short to be worth it (`memory.admission`).
    """
    found: dict[tuple[str, int], TreeLeaf] = {}
    free = f"{_SELECT}{_FROM} l.parent_pk IS NULL AND l.scope = ? AND {_WORTH}"
    for leaf in map(_leaf, db.execute(free, (scope,))):
        found[leaf.path, leaf.seq] = leaf
    named = (
        f"{_SELECT} FROM json_each(?) AS wanted CROSS JOIN chunks AS c ON c.chunk_id = wanted.value "
        "JOIN leaves AS l ON l.chunk_pk = c.chunk_pk JOIN notes AS n ON n.note_pk = c.note_pk "
        "JOIN files AS f ON f.path = n.path WHERE c.body <> '' AND l.scope = ?"
    )
    for part in _parts(chunk_ids):
        for leaf in map(_leaf, db.execute(named, (json.dumps(part), scope))):
            found[leaf.path, leaf.seq] = leaf
    return [found[key] for key in sorted(found)]


def _leaf(row: tuple[object, ...]) -> TreeLeaf:
    chunk_id, path, anchor, seq, start, end, tokens, arrived, kind, source, tags, identity, version = row
    document = kind == "document"
    return TreeLeaf(
        str(chunk_id),
        str(path),
        str(anchor),
        int(seq),  # type: ignore[call-overload]
        int(start),  # type: ignore[call-overload]
        int(end),  # type: ignore[call-overload]
        int(tokens),  # type: ignore[call-overload]
        int(arrived),  # type: ignore[call-overload]
        source_kind_of(str(kind), str(source)),
        tuple(str(tags).split("\n")) if tags else (),
        str(identity) if document else None,
        version if document and isinstance(version, int) else None,
    )


def source_kind_of(kind: str, source: str) -> str:
    """chat, email or document: what the signals of admission distinguish."""
    if kind == "turn":
        return "chat"
    prefix = source.partition(":")[0]
    return prefix if kind == "document" and prefix in ("chat", "email") else "document"


def fetch_leaf_texts(db: Connection, chunk_ids: Sequence[str]) -> dict[str, str]:
    """Returns the Markdown of leaves, under their headings; ids that are gone are missing."""
    found: dict[str, str] = {}
    for part in _parts(chunk_ids):
        sql = "SELECT chunk_id, body FROM chunks WHERE chunk_id IN (SELECT value FROM json_each(?))"
        found.update((row[0], row[1]) for row in db.execute(sql, (json.dumps(part),)))
    return found


def fetch_leaf_entities(db: Connection, chunk_ids: Collection[str]) -> dict[str, set[str]]:
    """Returns the ids of the entities in each leaf; leaves without any are missing."""
    found: dict[str, set[str]] = {}
    sql = (
        "SELECT c.chunk_id, o.entity_id FROM json_each(?) AS wanted JOIN chunks AS c ON c.chunk_id = wanted.value "
        "JOIN occurrences AS o ON o.chunk_pk = c.chunk_pk"
    )
    for part in _parts(list(chunk_ids)):
        for chunk_id, entity_id in db.execute(sql, (json.dumps(part),)):
            found.setdefault(chunk_id, set()).add(entity_id)
    return found


_WAITING = (
    f"SELECT l.scope, count(*), sum(c.tokens), min(f.mtime_ns) / 1000000{_FROM} l.parent_pk IS NULL AND {_WORTH} "
    "GROUP BY l.scope"
)


class Waiting(NamedTuple):
    """What waits in one tree, as the index sees it: leaves that no node owns.

    Attributes:
        oldest_ms: When the first of them arrived.
    """

    scope: str
    leaves: int
    tokens: int
    oldest_ms: int


def fetch_waiting(db: Connection) -> list[Waiting]:
    """Returns what waits, by scope; trees in which nothing waits are missing."""
    return [Waiting(*row) for row in db.execute(_WAITING)]


def fetch_waiting_documents(db: Connection, most_leaves: int, most_tokens: int) -> set[str]:
    """Returns the scopes in which more of one document waits than goes into one node."""
    sql = (
        f"SELECT DISTINCT scope FROM (SELECT l.scope AS scope{_FROM} l.parent_pk IS NULL "
        f"AND l.scope >= 'document:' AND l.scope < 'document;' AND n.kind = 'document' AND {_WORTH} "
        "GROUP BY n.note_pk HAVING count(*) > ? OR sum(c.tokens) > ?)"
    )
    return {scope for (scope,) in db.execute(sql, (most_leaves, most_tokens))}


def fetch_changed_nodes(db: Connection) -> dict[str, set[str]]:
    """Returns, by scope, the ids of nodes of level 1 whose leaves went, moved or are of a newer version."""
    found: dict[str, set[str]] = {}
    for scope, node_id in db.execute("SELECT scope, node_id FROM nodes WHERE changed"):
        found.setdefault(scope, set()).add(node_id)
    return found


def fetch_sound_nodes(db: Connection, scope: str) -> dict[str, bytes]:
    """Returns the nodes of level 1 of a scope in which nothing changed, by path, with the hash of their notes."""
    sql = (
        "SELECT x.path, n.sha256 FROM nodes AS x JOIN notes AS n ON n.note_pk = x.note_pk "
        "WHERE x.scope = ? AND x.level = 1 AND NOT (x.changed OR x.stale OR x.superseded OR x.linked)"
    )
    return dict(db.execute(sql, (scope,)))


def fetch_listing_nodes(db: Connection, scope: str, child_ids: Sequence[str]) -> set[str]:
    """Returns the ids of the nodes of a scope that list one of these children."""
    sql = (
        "SELECT DISTINCT x.node_id FROM json_each(?) AS wanted CROSS JOIN children AS k ON k.child_id = wanted.value "
        "JOIN nodes AS x ON x.note_pk = k.note_pk WHERE x.scope = ?"
    )
    return {
        node_id for part in _parts(child_ids) for (node_id,) in db.execute(sql, (json.dumps(part), scope))
    }


def fetch_node_changes(db: Connection) -> str:
    """Returns what is another one after every sync that wrote or took out a node."""
    row = db.execute("SELECT value FROM meta WHERE key = 'nodes'").fetchone()
    return str(row[0]) if row else ""


def fetch_node_notes(db: Connection) -> Iterator[tuple[str, tuple[int, int], bytes, SummaryNode | None]]:
    """Yields path, `(mtime_ns, size)`, hash and node of every summary note, as the index read them."""
    sql = (
        "SELECT n.path, f.mtime_ns, f.size, n.sha256, n.properties, x.content FROM nodes AS x "
        "JOIN notes AS n ON n.note_pk = x.note_pk JOIN files AS f ON f.path = n.path"
    )
    for path, mtime_ns, size, digest, properties, text in db.execute(sql):
        yield path, (mtime_ns, size), digest, summary_from_properties(path, json.loads(properties), text)


def fetch_path_of(db: Connection, identity: str) -> str | None:
    """Returns the path of the note with an identity, the first by path of several; None when there is none."""
    row = db.execute("SELECT path FROM notes WHERE identity = ? ORDER BY path", (identity,)).fetchone()
    return str(row[0]) if row else None


def fetch_documents(db: Connection, scope: str, folder_mark: str) -> list[tuple[str, str]]:
    """Returns identity and path of the documents in force of a scope that were read from a folder, by path."""
    sql = (
        "SELECT identity, path FROM notes WHERE source = ? AND kind = 'document' "
        "AND json_extract(properties, '$.folder_mark') = ? "
        "AND json_extract(properties, '$.superseded') IS NOT 1 ORDER BY path"
    )
    return [(str(identity), str(path)) for identity, path in db.execute(sql, (scope, folder_mark))]


def count_note_chunks(db: Connection, paths: Sequence[str]) -> int:
    """Returns how many chunks some notes have together."""
    sql = (
        "SELECT count(*) FROM json_each(?) AS wanted JOIN notes AS n ON n.path = wanted.value "
        "JOIN chunks AS c ON c.note_pk = n.note_pk"
    )
    return sum(int(db.execute(sql, (json.dumps(part),)).fetchone()[0]) for part in _parts(paths))


def _parts(values: Sequence[str]) -> Iterator[Sequence[str]]:
    for at in range(0, len(values), 10_000):
        yield values[at : at + 10_000]
