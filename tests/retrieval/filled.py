"""Fills an index by hand, so that the read path is tested against rows that the tests choose."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from vaultkeeper.index.grams import cjk_grams
from vaultkeeper.index.schema import INDEXES, TABLES, TRIGGERS
from vaultkeeper.vault.links import link_key


def sha(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def day_ms(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)


class FilledIndex:
    """An index in memory. `put` adds one note with its sections."""

    def __init__(self, rowid_offset: int = 0) -> None:
        self.db = sqlite3.connect(":memory:")
        self.db.executescript(TABLES + INDEXES + TRIGGERS)
        self._note = rowid_offset
        self._chunk = rowid_offset * 7

    def put(
        self,
        path: str,
        *sections: str | tuple[str, str],
        kind: str = "note",
        source: str = "",
        day: str = "2026-01-01",
        aliases: Sequence[str] = (),
        tags: Sequence[str] = (),
        entities: Sequence[str] = (),
        blocks: Sequence[tuple[str, int]] = (),
        links: Sequence[str] = (),
        context: str = "",
        identity: str = "",
    ) -> list[int]:
        """Sections are bodies, or (heading, body). Entities are ids, put into the sections that hold their value."""
        self._note += 1
        title = path.rpartition("/")[2].removesuffix(".md")
        ms = day_ms(day)
        source = source or "notes:" + (path.split("/")[0] if "/" in path else "")
        text = "\n".join(s if isinstance(s, str) else s[1] for s in sections)
        self.db.execute(
            "INSERT INTO files VALUES (?,?,?,?,?,?,?)",
            (path, len(text), ms, 1, ms, link_key(path), self._note),
        )
        row: tuple[Any, ...] = (
            self._note, path, identity or path, title, kind, source, sha(text), ms, ms, "property",
            json.dumps(list(aliases)), "[]", json.dumps(list(blocks)), "{}",
        )  # fmt: skip
        self.db.execute(f"INSERT INTO notes VALUES ({','.join('?' * len(row))})", row)
        self.db.executemany("INSERT INTO tags VALUES (?,?)", [(self._note, tag) for tag in tags])
        for at, target in enumerate(links):
            self.db.execute(
                "INSERT INTO links VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                (self._note, at, "link", target, "", "", 1, 0, 0, link_key(target), target),
            )
        pks = []
        line = 1
        for seq, section in enumerate(sections):
            heading, body = ("", section) if isinstance(section, str) else section
            self._chunk += 1
            cid = hashlib.sha256(f"{identity or path}\0{seq}\0{body}".encode()).hexdigest()[:32]
            grams = cjk_grams(f"{title} {heading} {body}")
            chunk: tuple[Any, ...] = (
                self._chunk, cid, self._note, seq, title, heading, body, context, heading.rpartition(" > ")[2],
                line, 0, len(body) // 4 + 1, int(bool(grams)), sha(body), ms, ms,
            )  # fmt: skip
            self.db.execute(f"INSERT INTO chunks VALUES ({','.join('?' * len(chunk))})", chunk)
            self.db.execute(
                "INSERT INTO chunks_fts(rowid, title, heading, body, context) VALUES (?,?,?,?,?)",
                (self._chunk, title, heading, body, context),
            )
            if grams:
                self.db.execute("INSERT INTO chunks_cjk(rowid, grams) VALUES (?,?)", (self._chunk, grams))
            for entity_id in entities:
                value = entity_id.partition(":")[2].replace("_", " ")
                count = body.lower().count(value)
                if count:
                    self.db.execute(
                        "INSERT INTO occurrences VALUES (?,?,?,?,?)",
                        (entity_id, ms, self._chunk, value, count),
                    )
            pks.append(self._chunk)
            line += body.count("\n") + 1
        return pks

    def register(self, entity_id: str, path: str, display_name: str, aliases: Sequence[str] = ()) -> None:
        """Makes an existing note an entity's."""
        (pk,) = self.db.execute("SELECT note_pk FROM notes WHERE path = ?", (path,)).fetchone()
        names = json.dumps({"aliases": list(aliases), "emails": [], "handles": []})
        self.db.execute(
            "INSERT INTO entities VALUES (?,?,?,?,?)",
            (entity_id, entity_id.split(":")[0], display_name, pk, names),
        )
