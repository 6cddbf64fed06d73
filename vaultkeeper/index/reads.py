"""Typed reads of the index. Owns the SELECTs that the read path needs; never writes, never ranks.

Row ids (`chunk_pk`) may be passed around within one query as keys; nothing is ordered by them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection


class Leaf(NamedTuple):
    """A chunk with what is known of its note.

    Attributes:
        title: Of the note.
        kind: Of the note: note, turn, entity, summary, segment, facet, memory, document.
        source: The tree scope, such as `episodic:<session>`.
        line: Line of the file where the body begins.
        text_sha: sha256 of the text that is embedded; equal for copies.
        blocks: `(id, line)` of the block ids of the note.
    """

    chunk_pk: int
    chunk_id: str
    note_pk: int
    seq: int
    path: str
    title: str
    kind: str
    source: str
    heading: str
    anchor: str
    body: str
    line: int
    start_ms: int
    end_ms: int
    text_sha: bytes
    blocks: tuple[tuple[str, int], ...]

    @property
    def order(self) -> tuple[str, str, int]:
        """What orders leaves of equal score."""
        return (self.chunk_id, self.path, self.seq)


class Position(NamedTuple):
    """Where a chunk stands, without its text: what fusion needs of each candidate."""

    chunk_pk: int
    chunk_id: str
    note_pk: int
    seq: int
    path: str
    kind: str
    source: str
    title: str
    text_sha: bytes
    start_ms: int
    end_ms: int
    asks: int
    """1 for a turn in which something is asked."""

    @property
    def order(self) -> tuple[str, str, int]:
        """What orders chunks of equal score."""
        return (self.chunk_id, self.path, self.seq)

    @property
    def spot(self) -> tuple[str, int]:
        """The row of chunks that it stands in, and its position there.

        Turns stand in their session's folder by the number that is their file name; other chunks in their note.
        """
        if self.kind == "turn":
            folder, _, name = self.path.rpartition("/")
            number = name[:-3]
            if number.isascii() and number.isdigit():
                return folder, int(number)
        return self.path, self.seq


class Occurrence(NamedTuple):
    """An entity in a chunk."""

    entity_id: str
    chunk_pk: int
    surface: str
    mentions: int


class Backlink(NamedTuple):
    """A link that resolves to a note."""

    path: str
    line: int
    label: str


class Counts(NamedTuple):
    """How much is indexed."""

    notes: int
    chunks: int
    entities: int


class Filters(NamedTuple):
    """What may be found. An empty tuple or None leaves that side open.

    Attributes:
        since_ms: The time range of a chunk must reach to it or beyond.
        until_ms: The time range of a chunk must begin at it or before.
        sources: Exact tree scopes, such as `notes:Projects`.
        kinds: Kinds of notes.
        tags: All of them, with or without `#`, in any case; a tag includes its children (`work`, `work/plans`).
        folder: Path prefix; empty means the whole vault.
    """

    since_ms: int | None = None
    until_ms: int | None = None
    sources: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    folder: str = ""

    @property
    def open(self) -> bool:
        """True when everything may be found."""
        return self == Filters()


_LEAF = (
    "SELECT c.chunk_pk, c.chunk_id, c.note_pk, c.seq, n.path, c.title, n.kind, n.source, c.heading, c.anchor, c.body, "
    "c.line, c.start_ms, c.end_ms, c.text_sha, n.blocks FROM chunks AS c JOIN notes AS n ON n.note_pk = c.note_pk "
)
_PLACE = (
    "SELECT c.chunk_pk, c.chunk_id, c.note_pk, c.seq, n.path, n.kind, n.source, n.title, c.text_sha, c.start_ms, "
    "c.end_ms, n.kind = 'turn' AND (instr(c.body, '?') OR instr(c.body, '？')) "
    "FROM json_each(?) AS wanted JOIN chunks AS c ON c.chunk_pk = wanted.value JOIN notes AS n ON n.note_pk = c.note_pk"
)


_AT_ONCE = 500


def _list(values: Iterable[int | str]) -> str:
    return json.dumps(list(values))


def _leaf(row: tuple[object, ...]) -> Leaf:
    *front, blocks = row
    pairs = tuple((str(name), int(line)) for name, line in json.loads(str(blocks)))
    return Leaf(*front, pairs)  # type: ignore[call-arg,arg-type]


def fetch_leaves(db: Connection, pks: Collection[int]) -> dict[int, Leaf]:
    """Returns the chunks by row id; those that are gone are missing."""
    sql = _LEAF + "WHERE c.chunk_pk IN (SELECT value FROM json_each(?))"
    return {leaf.chunk_pk: leaf for leaf in map(_leaf, db.execute(sql, (_list(pks),)))}


def fetch_leaves_by_id(db: Connection, chunk_ids: Collection[str]) -> list[Leaf]:
    """Returns the chunks with these ids, in the order of the ids; copies of one id by path."""
    sql = _LEAF + "WHERE c.chunk_id IN (SELECT value FROM json_each(?))"
    rank = {chunk_id: at for at, chunk_id in reversed(list(enumerate(chunk_ids)))}
    found = list(map(_leaf, db.execute(sql, (_list(rank),))))
    return sorted(found, key=lambda leaf: (rank[leaf.chunk_id], leaf.path, leaf.seq))


def fetch_pks_by_id(db: Connection, chunk_ids: Collection[str]) -> dict[str, int]:
    """Returns the row id of the chunk of each id; of copies, that of the least path."""
    sql = (
        "SELECT c.chunk_id, c.chunk_pk FROM json_each(?) AS wanted JOIN chunks AS c ON c.chunk_id = wanted.value "
        "JOIN notes AS n ON n.note_pk = c.note_pk ORDER BY n.path DESC, c.seq DESC"
    )
    return {str(chunk_id): int(pk) for chunk_id, pk in db.execute(sql, (_list(chunk_ids),))}


def fetch_note_leaves(db: Connection, path: str) -> list[Leaf]:
    """Returns the chunks of a note in order; empty when there is no such note."""
    return list(map(_leaf, db.execute(_LEAF + "WHERE n.path = ? ORDER BY c.seq", (path,))))


def fetch_positions(db: Connection, pks: Collection[int]) -> dict[int, Position]:
    """Returns where these chunks stand, by row id."""
    return {row[0]: Position(*row) for row in db.execute(_PLACE, (_list(pks),))}


def extend_positions(db: Connection, known: dict[int, Position], pks: Collection[int]) -> None:
    """Adds where these chunks stand to what is known, and reads only what is missing."""
    missing = [pk for pk in pks if pk not in known]
    if missing:
        known.update(fetch_positions(db, missing))


def fetch_notes_called(db: Connection, keys: Collection[str]) -> dict[str, tuple[int, ...]]:
    """Returns the first chunks of the notes with these link keys (`vault.links.link_key`).

    A note that has something in brackets behind its name (`mercury (planet)`) is called so too.
    """
    sql = (
        "SELECT wanted.value, c.chunk_pk FROM json_each(?) AS wanted "
        "JOIN files AS f ON f.key = wanted.value OR (f.key > wanted.value || ' (' AND f.key < wanted.value || ' )') "
        "JOIN chunks AS c ON c.note_pk = f.note_pk AND c.seq = 0"
    )
    found: dict[str, list[int]] = {}
    for key, pk in db.execute(sql, (_list(keys),)):
        found.setdefault(key, []).append(pk)
    return {key: tuple(pks) for key, pks in found.items()}


def fetch_chunks_by_sha(db: Connection, shas: Collection[bytes]) -> dict[bytes, tuple[int, ...]]:
    """Returns for each embedded text the chunks that have it. Order within is not meaningful."""
    found: dict[bytes, list[int]] = {}
    wanted = list(shas)
    for start in range(0, len(wanted), _AT_ONCE):
        part = wanted[start : start + _AT_ONCE]
        marks = ",".join("?" * len(part))
        for sha, pk in db.execute(f"SELECT text_sha, chunk_pk FROM chunks WHERE text_sha IN ({marks})", part):
            found.setdefault(sha, []).append(pk)
    return {sha: tuple(pks) for sha, pks in found.items()}


def fetch_shas(db: Connection, pks: Collection[int]) -> frozenset[bytes]:
    """Returns the embedded texts of these chunks."""
    sql = "SELECT DISTINCT text_sha FROM chunks WHERE chunk_pk IN (SELECT value FROM json_each(?))"
    return frozenset(sha for (sha,) in db.execute(sql, (_list(pks),)))


def fetch_allowed(db: Connection, filters: Filters) -> frozenset[int] | None:
    """Returns the chunks that the filters let through; None when they let everything through."""
    if filters.open:
        return None
    where, values = ["1"], []
    if filters.since_ms is not None:
        where.append("c.end_ms >= ?")
        values.append(filters.since_ms)
    if filters.until_ms is not None:
        where.append("c.start_ms <= ?")
        values.append(filters.until_ms)
    for column, wanted in (("n.source", filters.sources), ("n.kind", filters.kinds)):
        if wanted:
            where.append(f"{column} IN (SELECT value FROM json_each(?))")
            values.append(_list(wanted))  # type: ignore[arg-type]
    if filters.folder:
        prefix = filters.folder.rstrip("/") + "/"
        where.append("substr(n.path, 1, ?) = ?")
        values += [len(prefix), prefix]  # type: ignore[list-item]
    for tag in filters.tags:
        wanted_notes = _notes_with_tag(db, tag)
        where.append("n.note_pk IN (SELECT value FROM json_each(?))")
        values.append(_list(wanted_notes))  # type: ignore[arg-type]
    sql = f"SELECT c.chunk_pk FROM chunks AS c JOIN notes AS n ON n.note_pk = c.note_pk WHERE {' AND '.join(where)}"
    return frozenset(pk for (pk,) in db.execute(sql, values))


def _notes_with_tag(db: Connection, tag: str) -> list[int]:
    """Compares outside SQL, whose lower() knows ASCII only."""
    wanted = tag.lstrip("#").casefold().rstrip("/")
    return [
        note_pk
        for note_pk, have in db.execute("SELECT note_pk, tag FROM tags")
        if have.casefold() == wanted or have.casefold().startswith(wanted + "/")
    ]


def fetch_at(db: Connection, spots: Collection[tuple[str, int]]) -> dict[tuple[str, int], tuple[int, ...]]:
    """Returns the turns that stand at these places of their sessions (`Position.spot`); missing ones are left out."""
    wanted = {f"{group}/{position:06}.md": (group, position) for group, position in spots if position >= 0}
    sql = (
        "SELECT n.path, c.chunk_pk FROM json_each(?) AS wanted JOIN notes AS n ON n.path = wanted.value "
        "JOIN chunks AS c ON c.note_pk = n.note_pk"
    )
    found: dict[tuple[str, int], list[int]] = {}
    for path, pk in db.execute(sql, (_list(wanted),)):
        found.setdefault(wanted[path], []).append(pk)
    return {spot: tuple(pks) for spot, pks in found.items()}


def fetch_occurrences(
    db: Connection, entity_ids: Collection[str], allowed: Collection[int] | None = None
) -> list[Occurrence]:
    """Returns where these entities occur. Order is not meaningful."""
    sql = (
        "SELECT entity_id, chunk_pk, surface, mentions FROM occurrences "
        "WHERE entity_id IN (SELECT value FROM json_each(?))"
    )
    rows = map(Occurrence._make, db.execute(sql, (_list(entity_ids),)))
    return [row for row in rows if allowed is None or row.chunk_pk in allowed]


def fetch_entities_of(db: Connection, pks: Collection[int]) -> dict[int, tuple[str, ...]]:
    """Returns for each chunk the ids of the entities in it, most mentioned first, then by id."""
    sql = (
        "SELECT chunk_pk, entity_id FROM occurrences WHERE chunk_pk IN (SELECT value FROM json_each(?)) "
        "ORDER BY mentions DESC, entity_id"
    )
    found: dict[int, list[str]] = {}
    for pk, entity_id in db.execute(sql, (_list(pks),)):
        found.setdefault(pk, []).append(entity_id)
    return {pk: tuple(ids) for pk, ids in found.items()}


def fetch_chunks_with(db: Connection, entity_ids: Collection[str]) -> dict[str, list[int]]:
    """Returns the chunks that each entity occurs in. Order is not meaningful."""
    sql = (
        "SELECT entity_id, chunk_pk FROM json_each(?) AS wanted JOIN occurrences ON entity_id = wanted.value"
    )
    found: dict[str, list[int]] = {}
    for entity_id, pk in db.execute(sql, (_list(entity_ids),)):
        found.setdefault(entity_id, []).append(pk)
    return found


def count_occurrences(db: Connection, entity_ids: Collection[str]) -> dict[str, int]:
    """Returns in how many chunks each entity occurs; those that occur nowhere are missing."""
    sql = (
        "SELECT entity_id, count(*) FROM occurrences "
        "WHERE entity_id IN (SELECT value FROM json_each(?)) GROUP BY entity_id"
    )
    return {str(entity_id): int(number) for entity_id, number in db.execute(sql, (_list(entity_ids),))}


def fetch_tags_of(db: Connection, note_pks: Collection[int]) -> dict[int, tuple[str, ...]]:
    """Returns for each note its tags, sorted."""
    sql = "SELECT note_pk, tag FROM tags WHERE note_pk IN (SELECT value FROM json_each(?)) ORDER BY tag"
    found: dict[int, list[str]] = {}
    for note_pk, tag in db.execute(sql, (_list(note_pks),)):
        found.setdefault(note_pk, []).append(tag)
    return {note_pk: tuple(tags) for note_pk, tags in found.items()}


def fetch_undated(db: Connection, paths: Collection[str]) -> frozenset[str]:
    """Returns those of the notes that have no date of their own, only that of the file's last change."""
    sql = "SELECT path FROM notes WHERE dated_by = 'mtime' AND path IN (SELECT value FROM json_each(?))"
    return frozenset(path for (path,) in db.execute(sql, (_list(paths),)))


def count_undated_outside(db: Connection, filters: Filters) -> int:
    """Returns how many notes the other filters let through that have no date of their own, and a last change outside
    of the window.
    """
    sql = "SELECT path FROM notes WHERE dated_by = 'mtime' AND (end_ms < ? OR start_ms > ?)"
    least = filters.since_ms if filters.since_ms is not None else -(1 << 62)
    most = filters.until_ms if filters.until_ms is not None else 1 << 62
    outside = {path for (path,) in db.execute(sql, (least, most))}
    allowed = fetch_allowed(db, filters._replace(since_ms=None, until_ms=None)) if outside else None
    if allowed is None:
        return len(outside)
    wanted = "SELECT note_pk FROM chunks WHERE chunk_pk IN (SELECT value FROM json_each(?))"
    passed = db.execute(f"SELECT path FROM notes WHERE note_pk IN ({wanted})", (_list(allowed),))
    return len(outside.intersection(path for (path,) in passed))


def fetch_headings(db: Connection, note_pks: Collection[int]) -> dict[int, tuple[str, ...]]:
    """Returns for each note the texts of its headings, in order."""
    sql = "SELECT note_pk, headings FROM notes WHERE note_pk IN (SELECT value FROM json_each(?))"
    return {
        note_pk: tuple(str(text) for _, text, *_ in json.loads(headings))
        for note_pk, headings in db.execute(sql, (_list(note_pks),))
    }


def fetch_source_refs(db: Connection, note_pks: Collection[int]) -> dict[int, str]:
    """Returns the property `source_ref` of those notes that have it: where a document came from."""
    sql = (
        "SELECT note_pk, json_extract(properties, '$.source_ref') FROM notes "
        "WHERE note_pk IN (SELECT value FROM json_each(?))"
    )
    return {pk: str(ref) for pk, ref in db.execute(sql, (_list(note_pks),)) if ref is not None}


def fetch_properties(db: Connection, note_pks: Collection[int]) -> dict[int, dict[str, object]]:
    """Returns the properties of these notes."""
    sql = "SELECT note_pk, properties FROM notes WHERE note_pk IN (SELECT value FROM json_each(?))"
    return {int(pk): json.loads(properties) for pk, properties in db.execute(sql, (_list(note_pks),))}


def fetch_surfaces(db: Connection, entity_ids: Collection[str]) -> frozenset[str]:
    """Returns how these entities are written where they occur, in small letters."""
    sql = "SELECT DISTINCT surface FROM occurrences WHERE entity_id IN (SELECT value FROM json_each(?))"
    return frozenset(str(surface).casefold() for (surface,) in db.execute(sql, (_list(entity_ids),)))


def fetch_entity_notes(db: Connection, entity_ids: Collection[str]) -> frozenset[int]:
    """Returns the notes that declare these entities."""
    sql = "SELECT note_pk FROM entities WHERE entity_id IN (SELECT value FROM json_each(?))"
    return frozenset(pk for (pk,) in db.execute(sql, (_list(entity_ids),)))


def fetch_entity_chunks(db: Connection, entity_ids: Collection[str]) -> dict[str, tuple[int, ...]]:
    """Returns the first chunks of the notes that declare these entities."""
    sql = (
        "SELECT e.entity_id, c.chunk_pk FROM json_each(?) AS wanted JOIN entities AS e ON e.entity_id = wanted.value "
        "JOIN chunks AS c ON c.note_pk = e.note_pk AND c.seq = 0"
    )
    found: dict[str, list[int]] = {}
    for entity_id, pk in db.execute(sql, (_list(sorted(entity_ids)),)):
        found.setdefault(entity_id, []).append(pk)
    return {entity_id: tuple(pks) for entity_id, pks in found.items()}


def fetch_surfaces_in(db: Connection, pks: Collection[int]) -> dict[int, tuple[tuple[str, str], ...]]:
    """Returns for each chunk the entities in it and how the first mention of each is written, by id."""
    sql = (
        "SELECT chunk_pk, entity_id, surface FROM occurrences "
        "WHERE chunk_pk IN (SELECT value FROM json_each(?)) ORDER BY entity_id"
    )
    found: dict[int, list[tuple[str, str]]] = {}
    for pk, entity_id, surface in db.execute(sql, (_list(pks),)):
        found.setdefault(pk, []).append((entity_id, surface))
    return {pk: tuple(pairs) for pk, pairs in found.items()}


def fetch_backlinks(db: Connection, path: str) -> list[Backlink]:
    """Returns the links to a note, by path, then line."""
    sql = (
        "SELECT n.path, l.line, l.label FROM links AS l JOIN notes AS n ON n.note_pk = l.note_pk "
        "WHERE l.resolved = ? ORDER BY n.path, l.line, l.ord"
    )
    return [Backlink(*row) for row in db.execute(sql, (path,))]


def fetch_children(db: Connection, note_pks: Collection[int]) -> dict[int, frozenset[tuple[str, str]]]:
    """Returns what summary notes name as their children: paths, with the heading or an empty text."""
    sql = (
        "SELECT l.note_pk, l.resolved, l.subpath FROM links AS l JOIN nodes AS own ON own.note_pk = l.note_pk "
        "WHERE l.note_pk IN (SELECT value FROM json_each(?)) AND l.kind = 'property' AND l.resolved IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.path = l.resolved AND n.level >= own.level)"  # its parent
    )
    found: dict[int, set[tuple[str, str]]] = {}
    for note_pk, path, subpath in db.execute(sql, (_list(note_pks),)):
        found.setdefault(note_pk, set()).add((path, subpath.rpartition("#")[2]))
    return {pk: frozenset(children) for pk, children in found.items()}


def fetch_names(db: Connection) -> list[tuple[str, str]]:
    """Returns every name that a note or an entity goes by, with what it names (path or entity id), sorted."""
    names = {
        (title, path) for title, path in db.execute("SELECT title, path FROM notes WHERE kind <> 'turn'")
    }
    for path, aliases in db.execute("SELECT path, aliases FROM notes WHERE aliases <> '[]'"):
        names.update((str(alias), path) for alias in json.loads(aliases))
    for entity_id, display_name, more in db.execute("SELECT entity_id, display_name, names FROM entities"):
        names.add((display_name, entity_id))
        names.update((str(alias), entity_id) for alias in json.loads(more).get("aliases", ()))
    return sorted((name, target) for name, target in names if name)


def count_paths_keyed(db: Connection, keys: Collection[str]) -> dict[str, int]:
    """Returns how many files a link of each key could mean; keys that no file has are missing."""
    sql = "SELECT f.key, count(*) FROM json_each(?) AS wanted JOIN files AS f ON f.key = wanted.value GROUP BY f.key"
    return {str(key): int(number) for key, number in db.execute(sql, (_list(dict.fromkeys(keys)),))}


def fetch_paths_keyed(db: Connection, key: str) -> list[str]:
    """Returns the paths of the files that a link of this key (`vault.links.link_key`) could mean, sorted."""
    return [path for (path,) in db.execute("SELECT path FROM files WHERE key = ? ORDER BY path", (key,))]


def count_indexed(db: Connection, allowed: Collection[int] | None = None) -> Counts:
    """Returns how much is indexed, or how much of it may be found."""
    entities = int(db.execute("SELECT count(DISTINCT entity_id) FROM entities").fetchone()[0])
    if allowed is None:
        notes = int(db.execute("SELECT count(*) FROM notes WHERE kind <> 'canvas'").fetchone()[0])
        return Counts(notes, int(db.execute("SELECT count(*) FROM chunks").fetchone()[0]), entities)
    sql = "SELECT count(DISTINCT note_pk) FROM chunks WHERE chunk_pk IN (SELECT value FROM json_each(?))"
    return Counts(int(db.execute(sql, (_list(allowed),)).fetchone()[0]), len(allowed), entities)
