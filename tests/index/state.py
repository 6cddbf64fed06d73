"""All rows of an index in a form to compare, and the comparison with one that is made anew.

What the index says of itself to a user is in `reports`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from vaultkeeper.index.db import Connection
from vaultkeeper.index.settings import IndexSettings
from vaultkeeper.ports import Clock

_DUMPS = {
    "files": "SELECT path, key, note_pk IS NOT NULL FROM files",
    "notes": """SELECT path, identity, title, kind, source, sha256, start_ms, end_ms, dated_by, aliases, headings,
        blocks, properties FROM notes""",
    "chunks": """SELECT path, seq, chunk_id, chunks.title, heading, body, context, anchor, line, start, tokens, cjk,
        text_sha, chunks.start_ms, chunks.end_ms FROM chunks JOIN notes USING(note_pk)""",
    "tags": "SELECT path, tag FROM tags JOIN notes USING(note_pk)",
    "links": """SELECT path, ord, links.kind, target, subpath, label, line, start, markdown, key, resolved
        FROM links JOIN notes USING(note_pk)""",
    "entities": """SELECT path, entity_id, entities.kind, display_name, names FROM entities
        JOIN notes USING(note_pk)""",
    "occurrences": """SELECT path, seq, entity_id, surface, mentions, occurrences.end_ms, chunks.end_ms
        FROM occurrences JOIN chunks USING(chunk_pk) JOIN notes USING(note_pk)""",
    "surfaces": "SELECT * FROM surfaces",
    "nodes": """SELECT n.path, n.node_id, n.tree_id, n.tree_kind, n.scope, n.level, n.start_ms, n.end_ms, n.score,
        n.doc_id, n.version_ms, n.stale, n.retired, n.superseded, n.linked, n.changed, p.path, n.from_ms, n.to_ms,
        n.entities, n.topics, n.child_ids, n.content FROM nodes AS n LEFT JOIN notes AS p ON p.note_pk = n.parent_pk""",
    "children": "SELECT path, ord, child_id FROM children JOIN nodes USING(note_pk)",
    "leaves": """SELECT n.path, c.seq, l.scope, l.start_ms, l.end_ms, c.start_ms, c.end_ms, l.tiny,
        l.suppressed, p.path, l.from_ms, l.to_ms FROM leaves AS l JOIN chunks AS c USING(chunk_pk)
        JOIN notes AS n USING(note_pk) LEFT JOIN notes AS p ON p.note_pk = l.parent_pk""",
    "problems": "SELECT path, line, code, message, stage FROM problems",
    "meta": "SELECT key, value FROM meta WHERE key IN ('settings', 'unfinished')",
}
_TERMS = """SELECT path, seq, term, col, offset FROM temp.{}_terms
    JOIN chunks ON chunk_pk = doc JOIN notes USING(note_pk)"""
_ORPHANS = {
    "chunks": "SELECT count(*) FROM chunks WHERE note_pk NOT IN (SELECT note_pk FROM notes)",
    "tags": "SELECT count(*) FROM tags WHERE note_pk NOT IN (SELECT note_pk FROM notes)",
    "links": "SELECT count(*) FROM links WHERE note_pk NOT IN (SELECT note_pk FROM notes)",
    "entities": "SELECT count(*) FROM entities WHERE note_pk NOT IN (SELECT note_pk FROM notes)",
    "occurrences": "SELECT count(*) FROM occurrences WHERE chunk_pk NOT IN (SELECT chunk_pk FROM chunks)",
    "nodes": "SELECT count(*) FROM nodes WHERE note_pk NOT IN (SELECT note_pk FROM notes)",
    "children": "SELECT count(*) FROM children WHERE note_pk NOT IN (SELECT note_pk FROM nodes)",
    "leaves": "SELECT count(*) FROM leaves WHERE chunk_pk NOT IN (SELECT chunk_pk FROM chunks)",
    "chunks_fts": "SELECT count(*) FROM temp.chunks_fts_terms WHERE doc NOT IN (SELECT chunk_pk FROM chunks)",
    "chunks_cjk": "SELECT count(*) FROM temp.chunks_cjk_terms WHERE doc NOT IN (SELECT chunk_pk FROM chunks)",
    "files": "SELECT count(*) FROM files WHERE note_pk NOT IN (SELECT note_pk FROM notes)",
}


def dump(db: Connection) -> Iterator[tuple[object, ...]]:
    """Yields every row of the index without row ids and stats, sorted, the words of the full-text tables among them.

    Two indexes of one vault give the same, whatever their histories.
    """
    for table in ("chunks_fts", "chunks_cjk"):
        db.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{table}_terms USING fts5vocab(main, {table}, instance)"
        )
    for table, query in _DUMPS.items():
        yield from sorted(((table, *row) for row in db.execute(query)), key=repr)
    for table in ("chunks_fts", "chunks_cjk"):
        yield from sorted(((table, *row) for row in db.execute(_TERMS.format(table))), key=repr)
    for table, query in _ORPHANS.items():
        yield (f"orphans in {table}", *db.execute(query).fetchone())


def verify(
    db: Connection, root: Path, settings: IndexSettings, *, clock: Clock, limit: int = 20
) -> list[str]:
    """Compares the index with one that is built from nothing; returns the first rows that only one of them holds.

    Needs the time and space of a rebuild. A vault that changes meanwhile differs from itself: sync before.
    """
    from vaultkeeper.index.store import open_writer
    from vaultkeeper.index.sync import sync

    with tempfile.TemporaryDirectory(prefix="vaultkeeper-verify-") as folder:
        fresh = open_writer(Path(folder))
        try:
            sync(fresh, root, settings, clock=clock)
            ours, theirs = set(map(repr, dump(db))), set(map(repr, dump(fresh)))
        finally:
            fresh.close()
    differing = [f"only in the index: {row}" for row in sorted(ours - theirs)]
    differing += [f"missing from the index: {row}" for row in sorted(theirs - ours)]
    return differing[:limit]
