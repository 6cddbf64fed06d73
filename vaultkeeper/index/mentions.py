"""Which entities each chunk mentions, kept true while notes and the registry change.

Owns the text of a chunk in which entities are looked for: the title (of the first chunk only), its heading, its body,
and what its context says. When the registry changes, the chunks that could mention otherwise than before are found
through the full-text tables, and their text is taken from the database: no note is read again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from vaultkeeper.index.db import Connection
from vaultkeeper.index.grams import has_cjk
from vaultkeeper.index.relink import select_in
from vaultkeeper.memory.extract import extract
from vaultkeeper.memory.folding import fold, is_foldable_at_once
from vaultkeeper.memory.gazetteer import Gazetteer, GazetteerDiff

_CHUNKS = "SELECT * FROM chunks"
_OCCURRENCE = "INSERT INTO occurrences VALUES(?,?,?,?,?)"
_BREAK = "\n\n\n"  # no name reaches across more than one line end
BATCH = 100_000
"""Occurrences that may wait in memory to be written."""

LinkTo = tuple[int, str, str, str | None]
"""start, kind, target and path of a link; a dead one has none."""
LinksOf = Callable[[int], list[LinkTo]]
OccurrenceRow = tuple[str, int, int, str, int]
"""entity_id, end_ms, chunk_pk, surface, mentions."""


def link_mentions(db: Connection, gazetteer: Gazetteer, since: int, until: int) -> int:
    """Finds the mentions of all chunks with a row id from `since` to before `until`; they have none yet.

    Returns:
        How many chunks there were.
    """
    links: dict[int, list[LinkTo]] = {}
    if gazetteer.paths:
        first_note = (
            "SELECT min(note_pk) FROM chunks WHERE chunk_pk >= ?" if since > 1 else "SELECT 0 WHERE ?"
        )
        (lowest,) = db.execute(first_note, (since,)).fetchone() or (0,)
        to_entities = (
            "SELECT note_pk, start, kind, target, resolved FROM links WHERE resolved IN"
            " (SELECT path FROM notes WHERE note_pk IN (SELECT note_pk FROM entities)) AND note_pk >= ?"
        )
        for note_pk, *link in db.execute(to_entities, (lowest or 0,)):
            links.setdefault(note_pk, []).append(tuple(link))
    rows = db.execute(f"{_CHUNKS} WHERE chunk_pk >= ? AND chunk_pk < ? ORDER BY chunk_pk", (since, until))
    return _write(db, rows, gazetteer, lambda note_pk: links.get(note_pk, []))


def relink_mentions(db: Connection, gazetteer: Gazetteer, chunk_pks: Iterable[int]) -> int:
    """Finds the mentions of these chunks anew; returns how many there were."""
    chosen = sorted(set(chunk_pks))
    db.executemany("DELETE FROM occurrences WHERE chunk_pk = ?", [(pk,) for pk in chosen])
    known: dict[int, list[LinkTo]] = {}

    def links_of(note_pk: int) -> list[LinkTo]:
        if note_pk not in known:
            known[note_pk] = db.execute(
                "SELECT start, kind, target, resolved FROM links WHERE note_pk = ? AND resolved IS NOT NULL",
                (note_pk,),
            ).fetchall()
        return known[note_pk]

    rows = select_in(db, f"{_CHUNKS} WHERE chunk_pk IN (%s)", chosen)
    return _write(db, rows, gazetteer, links_of)


def _write(db: Connection, rows: Iterator[tuple[Any, ...]], gazetteer: Gazetteer, links_of: LinksOf) -> int:
    found: list[OccurrenceRow] = []
    count = 0
    for row in rows:
        count += 1
        found += find_occurrences((row,), links_of(row[2]), gazetteer)
        if len(found) > BATCH:
            write_occurrences(db, found)
            found.clear()
    write_occurrences(db, found)
    return count


def write_occurrences(db: Connection, rows: list[OccurrenceRow]) -> None:
    """Writes occurrences in the order of their key, so that those of a first build are appended."""
    rows.sort()
    db.executemany(_OCCURRENCE, rows)


def find_occurrences(
    chunks: Sequence[tuple[Any, ...]], links: Iterable[LinkTo], gazetteer: Gazetteer
) -> list[OccurrenceRow]:
    """Finds the mentions in chunks of one note. All are looked through at once, which finds the same in less time.

    Args:
        chunks: Their rows, in order.
        links: Of the note.
    """
    texts: list[str] = []
    starts: list[int] = []
    bodies: list[int] = []
    end = told_at = 0
    told = ""
    for row in chunks:
        if row[3] == 0:
            head = f"{row[4]}{_BREAK}{row[8]}{_BREAK}"
            told = row[7].partition("\n")[2]
            text = f"{head}{row[6]}{_BREAK}{told}{_BREAK}"
            told_at = end + len(head) + len(row[6]) + len(_BREAK)
        else:
            head = f"{row[8]}{_BREAK}"
            text = f"{head}{row[6]}{_BREAK}"
        texts.append(text)
        starts.append(end)
        bodies.append(end + len(head))
        end += len(text)
    whole = "".join(texts)
    if len(chunks) > 1 and not is_foldable_at_once(whole):
        return [row for chunk in chunks for row in find_occurrences([chunk], links, gazetteer)]
    places: list[tuple[int, str]] = []
    paths = gazetteer.paths
    for at, kind, target, path in links:
        if path is None or path not in paths:
            continue
        if kind == "property":
            place = told.find(f"[[{target}") if told and target else -1
            if place >= 0:
                places.append((told_at + place, path))
        else:
            for row, begin in zip(chunks, bodies, strict=True):
                if 0 <= at - row[10] < len(row[6]):
                    places.append((at - row[10] + begin, path))
    counted: dict[tuple[str, int], list[Any]] = {}
    for entity_id, _, surface, start, _ in extract(whole, gazetteer, places, starts[1:]):
        row = chunks[bisect_right(starts, start) - 1]
        key = (entity_id, row[0])
        known = counted.get(key)
        if known is None:
            counted[key] = [entity_id, row[15], row[0], surface, 1]
        else:
            known[4] += 1
    return list(map(tuple, counted.values()))


def chunks_concerned(db: Connection, changed: GazetteerDiff) -> set[int]:
    """Returns the chunks that may mention otherwise than before: all of those, and hardly any other."""
    found: set[int] = set()
    names = [fold(name)[0] for name in (*changed.phrases, *changed.addresses)]
    plain = [name for name in names if name.isascii() and any(map(str.isalnum, name))]
    other = [name for name in names if name not in plain]
    for name in plain:
        found |= _with_phrase(db, name)
    if plain:  # beside letters of a script without blanks, no word is a word to the full-text index
        found |= _with_words(db, plain, " WHERE cjk")
    if other:
        found |= _with_words(db, other, " WHERE cjk" if all(map(has_cjk, other)) else "")
    if changed.paths:
        to_path = (
            "SELECT chunk_pk FROM chunks WHERE note_pk IN (SELECT note_pk FROM links WHERE resolved IN (%s))"
        )
        found |= {pk for (pk,) in select_in(db, to_path, changed.paths)}
    return found


def _with_phrase(db: Connection, name: str) -> set[int]:
    phrase = '"' + name.replace('"', " ") + '"'
    return {pk for (pk,) in db.execute("SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?", (phrase,))}


def _with_words(db: Connection, names: list[str], where: str) -> set[int]:
    """Chunks whose text holds the longest word of a name, found by reading them; for names that are no phrases."""
    words = {max(name.split(), key=len) for name in names if name.split()}
    found = set()
    for chunk_pk, title, heading, body, context in db.execute(
        f"SELECT chunk_pk, title, heading, body, context FROM chunks{where}"
    ):
        low = fold(f"{title}\n{heading}\n{body}\n{context}")[0]
        if any(word in low for word in words):
            found.add(chunk_pk)
    return found
