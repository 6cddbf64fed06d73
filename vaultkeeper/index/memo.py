"""The memo of embeddings: what a text's vector was, kept in its own file so that no slow model reads it twice.

Owns `embeddings.sqlite3`. A row is keyed by the model's fingerprint and the sha256 of the text; it outlives
renames, deletes, a rebuild of the index and a change of its schema. Vectors are stored as float16, which
halves the file (measured: the same recall to a tenth of a percent). What leaves the memo is always made from
what is in the file, so a vector that was just computed and one that was read back are the same bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from vaultkeeper.index.db import Connection, DatabaseError, connect, is_corrupt, statements, transaction

if TYPE_CHECKING:
    from numpy.typing import NDArray

FILE_NAME = "embeddings.sqlite3"
UNUSED_DAYS = 30
"""How long the vector of a text that stands nowhere any more is kept: an undo or a moved folder finds it
again."""

_VERSION = 1
_TABLES = """
CREATE TABLE models(model_pk INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE vectors(
  vector_pk INTEGER PRIMARY KEY,
  model_pk INTEGER NOT NULL,
  sha BLOB NOT NULL,
  vector BLOB NOT NULL,
  unused_since INTEGER
) STRICT;
CREATE UNIQUE INDEX vectors_key ON vectors(model_pk, sha);
"""
_AT_ONCE = 500


class EmbeddingMemo:
    """The vectors of one model, of texts named by their sha256.

    Any number may read while one writes; opening it again writes nothing.

    Args:
        path: the database file; made when it is absent, and made anew when it is broken.
        fingerprint: the model's.
        dim: length of its vectors.

    Raises:
        DatabaseError: the disk refused.
    """

    def __init__(self, path: Path, fingerprint: str, dim: int) -> None:
        self.fingerprint = fingerprint
        self.dim = dim
        try:
            self._db = _open(path)
        except DatabaseError as error:
            if not is_corrupt(error):
                raise
            discard_memo(path)
            self._db = _open(path)
        self._model = _model(self._db, fingerprint)

    def close(self) -> None:
        """Closes the file."""
        self._db.close()

    def count(self) -> int:
        """Returns how many texts have a vector of this model."""
        (number,) = self._db.execute(
            "SELECT count(*) FROM vectors WHERE model_pk = ?", (self._model,)
        ).fetchone()
        return int(number)

    def missing(self, shas: Iterable[bytes]) -> list[bytes]:
        """Returns those of the texts that have no vector yet, each once, in the order given."""
        wanted = list(dict.fromkeys(shas))
        found: set[bytes] = set()
        if len(wanted) > _AT_ONCE and not self.count():
            return wanted
        for part in _parts(wanted):
            found.update(sha for (sha,) in self._select("sha", part))
        return [sha for sha in wanted if sha not in found]

    def get_many(self, shas: Iterable[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """Returns the stored vectors, float32 `(dim,)`, L2-normalised or zero; texts without one are left
        out."""
        found: dict[bytes, NDArray[np.float32]] = {}
        for part in _parts(list(dict.fromkeys(shas))):
            rows = self._select("sha, vector", part)
            if rows:
                vectors = _decode(b"".join(vector for _, vector in rows), self.dim)
                found.update(zip((sha for sha, _ in rows), vectors, strict=True))
        return found

    def put_many(self, shas: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Stores vectors, all of them or none.

        Args:
            vectors: float32 `(len(shas), dim)`.

        Raises:
            ValueError: the shape is another one.
        """
        if vectors.shape != (len(shas), self.dim):
            raise ValueError(f"expected vectors of shape {(len(shas), self.dim)}, got {vectors.shape}")
        data, size = vectors.astype("<f2").tobytes(), self.dim * 2
        with transaction(self._db):
            self._db.executemany(
                "INSERT OR REPLACE INTO vectors(model_pk, sha, vector) VALUES (?, ?, ?)",
                ((self._model, sha, data[at * size : (at + 1) * size]) for at, sha in enumerate(shas)),
            )

    def prune(self, keep: Collection[bytes], now: datetime) -> int:
        """Forgets vectors that have been of no use for `UNUSED_DAYS`, and returns how many.

        What is of no use now is only noted down; it goes at a later call. Vectors of other models are of no
        use.

        Args:
            keep: the texts that the vault consists of.
            now: an aware time.
        """
        today = int(now.timestamp() // 86_400)
        oldest = today - timedelta(days=UNUSED_DAYS).days
        if self._holds_only(keep):
            return 0
        with transaction(self._db):
            self._db.execute("CREATE TEMP TABLE IF NOT EXISTS kept(sha BLOB PRIMARY KEY) WITHOUT ROWID")
            self._db.execute("DELETE FROM kept")
            self._db.executemany("INSERT OR IGNORE INTO kept VALUES (?)", ((sha,) for sha in keep))
            used = "model_pk = ? AND sha IN (SELECT sha FROM kept)"
            self._db.execute(
                f"UPDATE vectors SET unused_since = NULL WHERE unused_since IS NOT NULL AND {used}",
                (self._model,),
            )
            gone = self._db.execute("DELETE FROM vectors WHERE unused_since < ?", (oldest,)).rowcount
            self._db.execute(
                f"UPDATE vectors SET unused_since = ? WHERE unused_since IS NULL AND NOT ({used})",
                (today, self._model),
            )
            self._db.execute("DELETE FROM kept")
        return gone

    def _holds_only(self, keep: Collection[bytes]) -> bool:
        """True when every vector is in use and none was noted down."""
        rows = self._db.execute(
            "SELECT model_pk = ? AND unused_since IS NULL, sha FROM vectors", (self._model,)
        )
        return all(used and sha in keep for used, sha in rows)

    def _select(self, columns: str, shas: Sequence[bytes]) -> list[tuple[bytes, ...]]:
        marks = ",".join("?" * len(shas))
        sql = f"SELECT {columns} FROM vectors WHERE model_pk = ? AND sha IN ({marks})"
        return self._db.execute(sql, (self._model, *shas)).fetchall()


def discard_memo(path: Path) -> None:
    """Throws the file away: every text is embedded again."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _open(path: Path) -> Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    db = connect(path)
    try:
        if _version(db) != _VERSION:
            with transaction(db):
                if _version(db) != _VERSION:  # another process may have been quicker
                    db.execute("DROP TABLE IF EXISTS vectors")
                    db.execute("DROP TABLE IF EXISTS models")
                    for statement in statements(_TABLES):
                        db.execute(statement)
                    db.execute(f"PRAGMA user_version = {_VERSION}")
    except BaseException:
        db.close()
        raise
    return db


def _version(db: Connection) -> int:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)


def _model(db: Connection, fingerprint: str) -> int:
    find = "SELECT model_pk FROM models WHERE fingerprint = ?"
    row = db.execute(find, (fingerprint,)).fetchone()
    if row is None:
        with transaction(db):
            db.execute("INSERT OR IGNORE INTO models(fingerprint) VALUES (?)", (fingerprint,))
        row = db.execute(find, (fingerprint,)).fetchone()
    return int(row[0])


def _decode(data: bytes, dim: int) -> NDArray[np.float32]:
    rows = np.frombuffer(data, "<f2").reshape(-1, dim).astype(np.float32)
    lengths = np.sqrt(np.add.reduce(np.square(rows, dtype=np.float64), axis=1))
    lengths[lengths == 0] = 1
    rows /= lengths[:, None].astype(np.float32)
    return rows


def _parts(shas: list[bytes]) -> Iterable[list[bytes]]:
    return (shas[start : start + _AT_ONCE] for start in range(0, len(shas), _AT_ONCE))
