"""Which entities each chunk mentions, kept true while notes and the registry change.

Owns the text of a chunk in which entities are looked for: the title (of the first chunk only), its heading, its body,
and what its context says. When the registry changes, the chunks that could mention otherwise than before are found
through the full-text tables, and their text is taken from the database: no note is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from vaultkeeper.index.db import Connection
from vaultkeeper.index.grams import has_cjk
from vaultkeeper.index.relink import select_in
from vaultkeeper.memory.extract import extract
from vaultkeeper.memory.folding import fold
from vaultkeeper.memory.gazetteer import Gazetteer, GazetteerDiff

_CHUNKS = "SELECT chunk_pk, note_pk, seq, start, title, anchor, body, context, end_ms FROM chunks"
_BREAK = "\n\n\n"  # no name reaches across more than one line end
_BATCH = 100_000

LinksOf = Callable[[int], list[tuple[int, str, str, str]]]
OccurrenceRow = tuple[str, int, int, str, int]
"""entity_id, end_ms, chunk_pk, surface, mentions."""


def link_mentions(db: Connection, gazetteer: Gazetteer, since: int) -> int:
    """Finds the mentions of all chunks with a row id of at least `since`; they have none yet.

    Returns:
        How many chunks there were.
    """
    links: dict[int, list[tuple[int, str, str, str]]] = {}
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
    rows = db.execute(f"{_CHUNKS} WHERE chunk_pk >= ? ORDER BY chunk_pk", (since,))
    return _write(db, rows, gazetteer, lambda note_pk: links.get(note_pk, []))


def relink_mentions(db: Connection, gazetteer: Gazetteer, chunk_pks: Iterable[int]) -> int:
    """Finds the mentions of these chunks anew; returns how many there were."""
    chosen = sorted(set(chunk_pks))
    db.executemany("DELETE FROM occurrences WHERE chunk_pk = ?", [(pk,) for pk in chosen])
    known: dict[int, list[tuple[int, str, str, str]]] = {}

    def links_of(note_pk: int) -> list[tuple[int, str, str, str]]:
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
        found += _occurrences(row, gazetteer, links_of)
        if len(found) > _BATCH:
            db.executemany("INSERT INTO occurrences VALUES(?,?,?,?,?)", sorted(found))
            found.clear()
    db.executemany(
        "INSERT INTO occurrences VALUES(?,?,?,?,?)", sorted(found)
    )  # in the order of the key: appended
    return count


def _occurrences(row: tuple[Any, ...], gazetteer: Gazetteer, links_of: LinksOf) -> list[OccurrenceRow]:
    chunk_pk, note_pk, seq, start, title, anchor, body, context, end_ms = row
    told = ""
    if seq == 0:
        _, _, told = context.partition("\n")
        head = f"{title}{_BREAK}{anchor}{_BREAK}"
    else:
        head = f"{anchor}{_BREAK}"
    text = f"{head}{body}{_BREAK}{told}"
    links: list[tuple[int, str]] = []
    for at, kind, target, resolved in links_of(note_pk):
        if kind == "property":
            place = told.find(f"[[{target}") if told and target else -1
            if place >= 0:
                links.append((len(text) - len(told) + place, resolved))
        elif 0 <= at - start < len(body):
            links.append((at - start + len(head), resolved))
    counted: dict[str, list[Any]] = {}
    for entity_id, _, surface, _, _ in extract(text, gazetteer, links):
        known = counted.get(entity_id)
        if known is None:
            counted[entity_id] = [surface, 1]
        else:
            known[1] += 1
    return [(entity_id, end_ms, chunk_pk, surface, count) for entity_id, (surface, count) in counted.items()]


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
