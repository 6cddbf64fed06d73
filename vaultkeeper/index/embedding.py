"""Keeps the vectors in step with the chunks: which are missing, computing them, and the search over them.

What a slow model computed is remembered in a file of its own (`index.memo`), longer than its text stands in the vault.
Owns `vectors-state.json`, which says for which state of the chunks nothing is missing, so that a sync without changes
loads no model. It never waits for anybody: whoever finds the vectors locked leaves them to the one who holds them.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from vaultkeeper.errors import LockedError, StorageError
from vaultkeeper.vault.chunks import embedding_text
from vaultkeeper.vault.lock import acquire

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vaultkeeper.index.db import Connection
    from vaultkeeper.index.vectors import VectorIndex
    from vaultkeeper.ports import Embedder

    Store = Callable[[Sequence[bytes], NDArray[np.float32]], object]

STATE = "vectors-state.json"
LOCK = "vectors.lock"
_WINDOW = 512
_BATCH_SLOW = 8
_ROWS = re.compile(r"vectors(?:\.json|-.*\.(?:f32|keys))")


class Embedding:
    """The vectors of one index and one embedder.

    Args:
        spec: The setting, such as `static`; names the state of the vectors.
        open_embedder: Loads the model; called only when a vector is computed or searched.
        exact_below: Number of vectors from which on a graph is used.
    """

    def __init__(
        self, index_dir: Path, spec: str, open_embedder: Callable[[], Embedder], *, exact_below: int
    ) -> None:
        self._dir = index_dir
        self._spec = spec
        self._open_embedder = open_embedder
        self._exact_below = exact_below
        self._index: VectorIndex | None = None

    def pending(self, db: Connection) -> int:
        """Returns how many texts have no vector yet, without loading the model."""
        state = _chunks_state(db)
        known = self._read_state()
        if self._nothing_missing(known, state):
            return 0
        live = _live(db)
        if not known.get("fingerprint"):
            return len(live)
        from vaultkeeper.index.vectors import VectorIndex

        index = VectorIndex(
            self._dir, str(known["fingerprint"]), int(known["dim"]), exact_below=self._exact_below
        )
        return len(live.difference(index.keys()))

    def embed(
        self,
        db: Connection,
        *,
        now: datetime,
        command: str,
        limit: int | None = None,
        stop: Callable[[], bool] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Computes missing vectors and returns how many still are missing.

        Args:
            limit: Compute so many at most.
            progress: Told how many are done and how many there are to do.

        Raises:
            ProviderError: the model cannot be loaded, or failed.
            StorageError: the vectors cannot be written.
        """
        state = _chunks_state(db)
        known = self._read_state()
        if self._nothing_missing(known, state):
            return 0
        try:
            with acquire(self._dir / LOCK, command=command, since=now):
                return self._embed(db, state, now, limit, stop, progress)
        except LockedError:
            return self.pending(db)

    def search(
        self, query: Any, k: int, allowed: Collection[bytes] | None = None
    ) -> Sequence[tuple[bytes, float]]:
        """Returns the nearest texts; see `VectorIndex.search`."""
        index = self._vectors()
        index.refresh()
        return index.search(query, k, allowed)

    def forget(self) -> None:
        """Forgets that nothing is missing; what a rebuild does."""
        (self._dir / STATE).unlink(missing_ok=True)

    def _embed(
        self,
        db: Connection,
        state: list[str | int],
        now: datetime,
        limit: int | None,
        stop: Callable[[], bool] | None,
        progress: Callable[[int, int], None] | None,
    ) -> int:
        from vaultkeeper.index.db import DatabaseError, is_corrupt, is_sound
        from vaultkeeper.index.memo import FILE_NAME, discard_memo

        embedder = self._open_embedder()
        path = self._dir / FILE_NAME
        index = self._vectors()
        index.refresh()
        live = _live(db)
        absent = live.difference(index.keys())
        pruned, today = self._read_state().get("pruned"), now.date().isoformat()

        def embed(missing: Sequence[bytes], store: Store) -> None:
            todo = missing if limit is None else missing[:limit]
            total = len(todo)
            texts = _texts(db, todo) if 4 * total < len(live) else _all_texts(db, set(todo))
            embed_texts(
                embedder,
                texts,
                store,
                stop=stop,
                progress=None if progress is None else lambda done: progress(done, total),
            )

        def remember() -> None:
            """By way of the memo, so that a text that comes back is not computed again."""
            from vaultkeeper.index.memo import EmbeddingMemo

            memo = EmbeddingMemo(path, embedder.fingerprint, embedder.dim)
            try:
                embed(memo.missing(sorted(absent)), memo.put_many)
                index.sync_to(live, memo.get_many)
                if pruned != today and not live.difference(index.keys()):
                    memo.prune(live, now)
            finally:
                memo.close()

        try:
            if not embedder.slow:  # computing a vector takes no longer than reading it back
                embed(sorted(absent), lambda shas, rows: index.add(dict(zip(shas, rows, strict=True))))
                index.sync_to(live, lambda _: {})
            else:
                try:
                    remember()
                except DatabaseError as error:
                    if not is_corrupt(error) or is_sound(path):
                        raise
                    discard_memo(path)
                    remember()
            left = len(live.difference(index.keys()))
            if left == 0:
                index.build_graph(stop=stop)
            self._write_state(state, embedder, left, today if left == 0 else pruned)
        except DatabaseError as error:
            if is_corrupt(error):
                raise
            raise StorageError(path=path, reason=str(error)) from error
        except OSError as error:
            raise StorageError(path=self._dir, reason=(error.strerror or str(error)).lower()) from error
        return left

    def _vectors(self) -> VectorIndex:
        if self._index is None:
            from vaultkeeper.index.vectors import VectorIndex

            embedder = self._open_embedder()
            self._index = VectorIndex(
                self._dir, embedder.fingerprint, embedder.dim, exact_below=self._exact_below
            )
        return self._index

    def _read_state(self) -> dict[str, Any]:
        try:
            state = json.loads((self._dir / STATE).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) and state.get("spec") == self._spec else {}

    def _nothing_missing(self, known: dict[str, Any], chunks: list[str | int]) -> bool:
        """True when nothing was missing for these chunks, and the files are still those that were written then."""
        done = known.get("chunks") == chunks and known.get("missing") == 0
        return done and known.get("files") == self._file_marks()

    def _file_marks(self) -> dict[str, int]:
        """What tells the files of the vectors from others: the size of the rows, checksums of the rest."""
        with os.scandir(self._dir) as entries:
            ours = [entry for entry in entries if _ROWS.fullmatch(entry.name)]
        marks: dict[str, int] = {}
        for entry in sorted(ours, key=lambda entry: entry.name):
            with suppress(OSError):  # it went meanwhile, or is a link to nowhere
                rows = entry.name.endswith(".f32")
                marks[entry.name] = entry.stat().st_size if rows else crc32(Path(entry.path).read_bytes())
        return marks

    def _write_state(
        self, chunks: list[str | int], embedder: Embedder, missing: int, pruned: str | None
    ) -> None:
        state = {
            "spec": self._spec,
            "fingerprint": embedder.fingerprint,
            "dim": embedder.dim,
            "chunks": chunks,
            "missing": missing,
            "files": self._file_marks(),
            "pruned": pruned,
        }
        partial = self._dir / f"{STATE}.new"
        partial.write_text(json.dumps(state), "utf-8")
        partial.replace(self._dir / STATE)


def embed_texts(
    embedder: Embedder,
    texts: Iterable[tuple[bytes, str]],
    store: Store,
    *,
    progress: Callable[[int], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> int:
    """Embeds texts and returns how many it did.

    Every batch is stored before the next one begins, so being killed loses one batch. Texts are taken in windows,
    sorted by length within one when the embedder is slow (models that pad waste less), never all in memory.

    Args:
        texts: `(sha256, text)`; read as far as needed.
        store: Takes a batch: the hashes, and their vectors, float32 `(n, dim)`.
        progress: Told the number of texts done so far.
        stop: Asked before each batch; True ends the work.

    Raises:
        ProviderError: the embedder failed; what is done stays done.
    """
    done = 0
    stream = iter(texts)
    while window := list(itertools.islice(stream, _WINDOW)):
        size = len(window)
        if embedder.slow:
            window.sort(key=lambda item: (len(item[1]), item[0]))
            size = _BATCH_SLOW
        for start in range(0, len(window), size):
            if stop is not None and stop():
                return done
            batch = window[start : start + size]
            store([sha for sha, _ in batch], embedder.embed([text for _, text in batch]))
            done += len(batch)
            if progress is not None:
                progress(done)
    return done


def _chunks_state(db: Connection) -> list[str | int]:
    """What changes with the chunks, cheap to read: the database's name, how many there are, the greatest id ever used.

    Row ids are never used twice in one file: where chunks came the greatest one is another, where they only went their
    number is.
    """
    (_, _, file) = db.execute("PRAGMA database_list").fetchone()
    (count,) = db.execute("SELECT count(*) FROM chunks").fetchone()
    (greatest,) = db.execute("SELECT coalesce(max(chunk_pk), 0) FROM chunks").fetchone()
    row = db.execute("SELECT value FROM meta WHERE key = 'mentions_upto'").fetchone()
    return [Path(file).name, int(count), max(int(greatest), int(row[0]) if row else 0)]


def _live(db: Connection) -> set[bytes]:
    return {sha for (sha,) in db.execute("SELECT text_sha FROM chunks")}


def _texts(db: Connection, shas: Sequence[bytes]) -> Iterator[tuple[bytes, str]]:
    """The texts of the hashes, one by one, from any chunk that has it; quickest for a few."""
    sql = "SELECT title, heading, body FROM chunks WHERE text_sha = ? LIMIT 1"
    for sha in shas:
        row = db.execute(sql, (sha,)).fetchone()
        if row is not None:
            yield sha, embedding_text(*row)


def _all_texts(db: Connection, shas: set[bytes]) -> Iterator[tuple[bytes, str]]:
    """The same by going through all chunks, in slices, since a reader must not keep the log from being written back."""
    sql = "SELECT chunk_pk, text_sha, title, heading, body FROM chunks WHERE chunk_pk > ? ORDER BY chunk_pk LIMIT 1000"
    last = -1
    while rows := db.execute(sql, (last,)).fetchall():
        last = rows[-1][0]
        for _, sha, *text in rows:
            if sha in shas:
                shas.discard(sha)
                yield sha, embedding_text(*text)
