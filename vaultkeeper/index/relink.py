"""Where links lead, kept true while files come and go.

A link's target depends on the set of files alone, and only on those whose name is the link's (`files.key`,
`links.key`), so what has to be resolved again is found by an index and never by reading notes.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator
from typing import Any

from vaultkeeper.index.db import Connection
from vaultkeeper.types import Block, Heading, Link, Note
from vaultkeeper.vault.links import Anchors, LinkResolver, Resolution, link_key, link_problems

_SLICE = 500  # values in one IN (…)


class Resolving:
    """Resolves links against the files that a sync will leave behind.

    Args:
        paths: All of them; None when only a part of the vault was scanned: then the index is asked for the rest.
    """

    def __init__(
        self,
        db: Connection,
        paths: Iterable[str] | None,
        added: Iterable[str] = (),
        removed: Iterable[str] = (),
    ) -> None:
        self.db = db
        self.whole = paths is not None
        self.links = LinkResolver(added if paths is None else paths)
        self.removed = frozenset(removed)
        self.known: set[str] = set()

    def resolver(self, targets: Iterable[str]) -> LinkResolver:
        """Returns a resolver that is right for these targets."""
        if not self.whole:
            self._load(set(map(link_key, targets)))
        return self.links

    def _load(self, keys: set[str]) -> None:
        missing = keys - self.known
        self.known |= missing
        for (path,) in select_in(self.db, "SELECT path FROM files WHERE key IN (%s)", missing):
            if path not in self.removed:
                self.links.add(path)


def select_in(db: Connection, query: str, values: Iterable[object]) -> Iterator[tuple[Any, ...]]:
    """Runs a query that holds `IN (%s)` with any number of values; rows come slice by slice."""
    every = list(values)
    for first in range(0, len(every), _SLICE):
        part = every[first : first + _SLICE]
        yield from db.execute(query % ",".join("?" * len(part)), part)


def relink(
    db: Connection, resolving: Resolving, changed: Iterable[str] | None, *, skip: Container[int] = ()
) -> set[int]:
    """Resolves again the links that added and removed files may have changed.

    Args:
        changed: Those files; None for every link of the vault.
        skip: Row ids of notes that are right already.

    Returns:
        Row ids of the notes of which a link leads elsewhere now.
    """
    if changed is None:
        affected = [pk for (pk,) in db.execute("SELECT DISTINCT note_pk FROM links")]
    else:
        keys = set(map(link_key, changed))
        affected = sorted(
            {pk for (pk,) in select_in(db, "SELECT note_pk FROM links WHERE key IN (%s)", keys)}
        )
    moved: set[int] = set()
    for note_pk in affected:
        if note_pk not in skip and _relink_note(db, resolving, note_pk):
            moved.add(note_pk)
    return moved


def _relink_note(db: Connection, resolving: Resolving, note_pk: int) -> bool:
    note, leads = links_of(db, note_pk)
    resolve = resolving.resolver(link.target for link in note.links).resolve
    resolutions = [resolve(note.path, link.target) for link in note.links]
    changed = [
        (found.path, note_pk, number)
        for number, (found, before) in enumerate(zip(resolutions, leads, strict=True))
        if found.path != before
    ]
    db.executemany("UPDATE links SET resolved = ? WHERE note_pk = ? AND ord = ?", changed)
    db.execute("DELETE FROM problems WHERE path = ? AND stage = 'link'", (note.path,))
    db.executemany("INSERT INTO problems VALUES(?,?,?,?,'link')", link_problems(note, resolutions))
    return bool(changed)


def links_of(db: Connection, note_pk: int) -> tuple[Note, list[str | None]]:
    """Returns a note with nothing but its path and links, and where each of them leads."""
    (path,) = db.execute("SELECT path FROM notes WHERE note_pk = ?", (note_pk,)).fetchone()
    rows = db.execute(
        "SELECT kind, target, subpath, label, line, start, markdown, resolved FROM links"
        " WHERE note_pk = ? ORDER BY ord",
        (note_pk,),
    ).fetchall()
    links = [Link._make(row[:7]) for row in rows]
    return Note(path, "", b"", links=links), [row[7] for row in rows]


def recheck_anchors(db: Connection, written: Iterable[int] | None, changed: Iterable[str]) -> None:
    """Finds the links to headings and blocks that do not exist.

    Args:
        written: Row ids of notes that are new, or of which a link leads elsewhere now; None for all.
        changed: Paths of notes the headings of which may be others now.
    """
    if written is None:
        db.execute("DELETE FROM problems WHERE stage = 'anchor'")
        affected = {pk for (pk,) in db.execute("SELECT DISTINCT note_pk FROM links WHERE subpath <> ''")}
    else:
        affected = set(written)
        to_changed = "SELECT note_pk FROM links WHERE resolved IN (%s) AND subpath <> ''"
        affected |= {pk for (pk,) in select_in(db, to_changed, changed)}
    known: dict[str, Anchors | None] = {}

    def anchors(path: str) -> Anchors | None:
        if path not in known:
            row = db.execute("SELECT headings, blocks FROM notes WHERE path = ?", (path,)).fetchone()
            known[path] = row and Anchors(
                [Heading(level, text, line, 0) for level, text, line in json.loads(row[0])],
                [Block(*block) for block in json.loads(row[1])],
            )
        return known[path]

    for note_pk in sorted(affected):
        note, leads = links_of(db, note_pk)
        if written is not None:
            db.execute("DELETE FROM problems WHERE path = ? AND stage = 'anchor'", (note.path,))
        pairs = [(link, path) for link, path in zip(note.links, leads, strict=True) if link.subpath and path]
        if pairs:
            note.links = [link for link, _ in pairs]
            found = [Resolution(path, "ok", (path,)) for _, path in pairs]
            db.executemany(
                "INSERT INTO problems VALUES(?,?,?,?,'anchor')", link_problems(note, found, anchors)
            )
