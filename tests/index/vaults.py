"""A vault and its index in a temporary folder, for the tests of the index."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from tests.index.state import dump
from vaultkeeper.index.settings import IndexSettings
from vaultkeeper.index.store import open_writer
from vaultkeeper.index.sync import SyncStats, sync


def now() -> datetime:
    return datetime.now(UTC)


class Bench:
    """One vault with its index."""

    def __init__(self, folder: Path, settings: IndexSettings | None = None) -> None:
        self.root = folder / "vault"
        self.root.mkdir(parents=True)
        self.folder = folder
        self.settings = settings or IndexSettings()
        self.db = open_writer(folder / "index")

    def write(self, path: str, text: str | bytes = "") -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)

    def move(self, old: str, new: str) -> None:
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)

    def age(self) -> None:
        """Makes every stat trustworthy, as if some time had passed."""
        for row in self.db.execute("SELECT path FROM files WHERE size = -1").fetchall():
            size = (self.root / row[0]).stat().st_size
            self.db.execute("UPDATE files SET size = ? WHERE path = ?", (size, row[0]))

    def sync(self, paths: Iterable[str] | None = None) -> SyncStats:
        return sync(self.db, self.root, self.settings, clock=now, paths=paths)

    def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        return self.db.execute(query, values).fetchall()

    def search(self, words: str) -> list[str]:
        query = (
            "SELECT DISTINCT path FROM chunks_fts JOIN chunks ON chunk_pk = chunks_fts.rowid "
            "JOIN notes USING(note_pk) WHERE chunks_fts MATCH ? ORDER BY path"
        )
        return [path for (path,) in self.db.execute(query, (words,))]

    def codes(self) -> set[tuple[str, str]]:
        return set(self.db.execute("SELECT path, code FROM problems"))

    def rebuilt(self) -> list[tuple[object, ...]]:
        folder = self.folder / "fresh"
        shutil.rmtree(folder, ignore_errors=True)
        fresh = open_writer(folder)
        try:
            sync(fresh, self.root, self.settings, clock=now)
            return list(dump(fresh))
        finally:
            fresh.close()

    def dumped(self) -> list[tuple[object, ...]]:
        return list(dump(self.db))

    def assert_like_new(self) -> None:
        """The first law: the index equals one that is built from nothing."""
        ours, theirs = list(dump(self.db)), self.rebuilt()
        if ours != theirs:
            extra = [row for row in ours if row not in theirs]
            missing = [row for row in theirs if row not in ours]
            raise AssertionError(f"only ours: {extra[:8]}\nonly in a rebuild: {missing[:8]}")
