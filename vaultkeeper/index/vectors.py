"""Finds the vectors nearest to a question's.

Owns the search, and the one use of `hnswlib`. The vectors themselves lie in a `RowFile`; keys are sha256 of
texts, so equal texts are one row (copies make nodes of a graph unreachable). Up to a threshold every row is
looked at. Above it a graph proposes rows; rows that came after the graph was saved are all looked at. Either
way what is proposed is scored again, exactly, so that equal sets of vectors give equal answers, however they
came about.

The graph is a cache of the row file: it is checked before use, and when in doubt it is not used.
"""

from __future__ import annotations

import heapq
import importlib
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vaultkeeper.index.rowfile import KEY_BYTES, RowFile, read_json, write_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXACT_BELOW = 50_000
"""Vectors up to which all are looked at: about 10 ms at 256 dimensions, and nothing to build."""

_FLOAT32_SLACK = 1e-4
_MOST_COSINE = 1.01
"""More than the dot product of two unit vectors in float32 can be off, whatever the order of its additions.
"""
_SCORED_AT_ONCE = 4096
_FETCHED_AT_ONCE = 2048
_FEW_DEAD = 1024

_M, _EF_CONSTRUCTION, _SEED = 16, 200, 1
_EF = 200
_MARGIN = 32
_ADDED_AT_ONCE = 1000
_TAIL = 5_000
_GRAPH_VERSION = 1


def hnsw_available() -> bool:
    """False when `hnswlib` cannot be imported, so that every search looks at every vector."""
    return _hnswlib() is not None


class VectorIndex:
    """Vectors of one model, named by the sha256 of their text.

    Any number of processes may search; who calls `sync_to`, `add`, `remove` or `build_graph` must hold the
    lock of the index.

    Args:
        folder: of the index.
        fingerprint: the model's. Files of another model count as absent.
        dim: length of its vectors.
        exact_below: number of vectors from which on a graph is used.
    """

    def __init__(self, folder: Path, fingerprint: str, dim: int, *, exact_below: int = EXACT_BELOW) -> None:
        self._fingerprint = fingerprint
        self._dim = dim
        self._exact_below = exact_below
        self._file = RowFile(folder, fingerprint, dim)
        self._number_of: dict[bytes, int] | None = None
        self._graph: _Graph | None = None

    def __len__(self) -> int:
        return int(np.count_nonzero(self._file.live))

    def __contains__(self, key: object) -> bool:
        return key in self._numbers()

    def keys(self) -> Collection[bytes]:
        """Returns the keys of all vectors, in no meaningful order."""
        return self._numbers().keys()

    def refresh(self) -> None:
        """Takes in what another process has written meanwhile. Costs less than a millisecond when it was
        nothing."""
        if self._file.refresh():
            self._number_of = None

    def search(
        self, query: NDArray[np.float32], k: int, allowed: Collection[bytes] | None = None
    ) -> list[tuple[bytes, float]]:
        """Returns the nearest keys with their cosine, -1..1 to six decimals, best first, equal ones by key.

        Args:
            query: float32 `(dim,)`, L2-normalised.
            k: at most so many; none of rows that were found to be damaged.
            allowed: keys that may be found; None means all. Looked at one by one, so this is exact at any
                size.

        Raises:
            ValueError: the query is of another length.
        """
        if query.shape != (self._dim,):
            raise ValueError(f"expected a vector of {self._dim} numbers, got {query.shape}")
        if k <= 0:
            return []
        try:
            with np.errstate(invalid="ignore", over="ignore"):
                return self._search(query, k, allowed)
        except _DamagedRowsError:
            self._file.condemn()
            self._number_of = None
            return []

    def _search(
        self, query: NDArray[np.float32], k: int, allowed: Collection[bytes] | None
    ) -> list[tuple[bytes, float]]:
        if allowed is not None:
            numbers = self._numbers()
            some = np.asarray(sorted(numbers[key] for key in set(allowed) if key in numbers), np.int64)
            return self._score(self._near(query, k, some), query, k)
        candidates = self._proposed(query, k) if len(self) >= self._exact_below else None
        if candidates is None:
            candidates = self._near(query, k, None)
        return self._score(candidates, query, k)

    def sync_to(
        self, live: Collection[bytes], fetch: Callable[[list[bytes]], Mapping[bytes, NDArray[np.float32]]]
    ) -> tuple[int, int]:
        """Makes the set of keys equal to `live` as far as vectors are there, and returns how many came and
        went.

        Args:
            live: keys wanted.
            fetch: keys → vectors, such as `EmbeddingMemo.get_many`; keys without a vector yet are left out.
        """
        wanted = live if isinstance(live, (set, frozenset)) else set(live)
        here = self._numbers()
        new = sorted(wanted.difference(here.keys()))
        gone = here.keys() - wanted
        added = 0
        for start in range(0, len(new), _FETCHED_AT_ONCE):
            found = fetch(new[start : start + _FETCHED_AT_ONCE])
            added += self.add(found)
        return added, self.remove(gone)

    def add(self, vectors: Mapping[bytes, NDArray[np.float32]]) -> int:
        """Adds vectors, L2-normalised; keys that are there already stay as they are. Returns how many were
        new."""
        here = self._numbers()
        new = sorted(key for key in vectors if key not in here)
        if any(len(key) != KEY_BYTES or not any(key) for key in new):
            raise ValueError("a key is 32 bytes and not all zero")
        if new:
            self._file.append(new, np.stack([vectors[key] for key in new]))
            first = len(self._file.keys) - len(new)
            here.update((key, first + at) for at, key in enumerate(new))
        return len(new)

    def remove(self, keys: Iterable[bytes]) -> int:
        """Removes vectors; unknown keys do not count. Rewrites the file when more than half of its rows are
        dead."""
        here = self._numbers()
        gone = [key for key in set(keys) if key in here]
        if gone:
            self._file.bury([here.pop(key) for key in gone])
            dead = len(self._file.keys) - len(self)
            if dead > max(len(self), _FEW_DEAD):
                self._file.compact()
                self._number_of = None
        return len(gone)

    def build_graph(
        self, *, stop: Callable[[], bool] | None = None, progress: Callable[[int, int], None] | None = None
    ) -> bool:
        """Brings the graph up to the rows when there are enough of them, and returns whether it is.

        Takes about a second a thousand vectors and may be stopped at any time: what is done is saved and goes
            on at the
        next call. Searches are exact meanwhile.
        """
        if len(self) < self._exact_below or not hnsw_available():
            return False
        total = len(self._file.keys)
        graph = self._loaded_graph(marking=False)
        if graph is not None and total - graph.covers <= _TAIL:
            return True
        graph = graph or _Graph.empty(self._file.generation, self._dim)
        self._graph = None
        begun = graph.covers
        while graph.covers < total and not (stop is not None and stop()):
            until = min(graph.covers + _ADDED_AT_ONCE, total)
            numbers = np.arange(graph.covers, until)[self._file.live[graph.covers : until]]
            graph.add(self._file.rows, numbers, until, total)
            if progress is not None:
                progress(until, total)
        if graph.covers > begun:
            graph.save(self._file, self._fingerprint)
        return graph.covers == total

    def _numbers(self) -> dict[bytes, int]:
        if self._number_of is None:
            keys = self._file.keys
            self._number_of = {keys[number]: number for number in np.flatnonzero(self._file.live).tolist()}
        return self._number_of

    def _near(
        self, query: NDArray[np.float32], k: int, numbers: NDArray[np.int64] | None
    ) -> NDArray[np.int64]:
        """Returns the numbers of all rows that could be among the k nearest, of all live ones or of those
        given."""
        if numbers is None:
            scores = _products(self._file.rows, query)
            scores[~self._file.live] = -np.inf
            numbers = np.arange(len(scores))
            count = len(self)
        else:
            scores = (
                _products(self._file.rows[numbers], query)
                if len(numbers) * 4 < len(self._file.keys)
                else _products(self._file.rows, query)[numbers]
            )
            count = len(numbers)
        _check(scores)
        if count <= k:
            return np.asarray(numbers[scores > -np.inf])
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        near: NDArray[np.int64] = numbers[scores >= least - _FLOAT32_SLACK]
        return near

    def _score(
        self, numbers: NDArray[np.int64], query: NDArray[np.float32], k: int
    ) -> list[tuple[bytes, float]]:
        """Scores rows in float64, each by itself, and returns the best."""
        exact = query.astype(np.float64)
        keys = self._file.keys
        scored: list[tuple[float, bytes]] = []
        for start in range(0, len(numbers), _SCORED_AT_ONCE):
            part = numbers[start : start + _SCORED_AT_ONCE]
            products = self._file.rows[part].astype(np.float64) * exact
            rounded = np.round(np.asarray(np.add.reduce(products, axis=1)), 6)
            _check(rounded)
            scored.extend(
                (-score, keys[number]) for number, score in zip(part.tolist(), rounded.tolist(), strict=True)
            )
        return [(key, 0.0 - negative) for negative, key in heapq.nsmallest(k, scored)]

    def _proposed(self, query: NDArray[np.float32], k: int) -> NDArray[np.int64] | None:
        """Returns rows that the graph holds for near, and near ones of those that it does not know; None
        without a graph."""
        graph = self._loaded_graph(marking=True)
        if graph is None:
            return None
        proposed = graph.find(query, k + _MARGIN)
        if proposed is None:
            return None
        tail = graph.covers + np.flatnonzero(self._file.live[graph.covers :])
        return np.concatenate([proposed, self._near(query, k, tail)])

    def _loaded_graph(self, *, marking: bool) -> _Graph | None:
        if self._graph is None or self._graph.generation != self._file.generation:
            self._graph = _Graph.load(self._file, self._fingerprint, self._dim)
        if self._graph is not None and marking:
            self._graph.mark(self._file.live)
        return self._graph


class _Graph:
    """An hnswlib index over the first `covers` rows of one generation of a row file; labels are row numbers.

    Never saved with deleted marks: they are set anew after loading, from the row file, which cannot be wrong.
    """

    def __init__(self, index: Any, generation: str, covers: int) -> None:
        self._index = index
        self.generation = generation
        self.covers = covers
        self._alive: set[int] | None = None

    @classmethod
    def empty(cls, generation: str, dim: int) -> _Graph:
        index = _hnswlib().Index(space="ip", dim=dim)
        index.init_index(max_elements=1024, M=_M, ef_construction=_EF_CONSTRUCTION, random_seed=_SEED)
        return cls(index, generation, 0)

    @classmethod
    def load(cls, file: RowFile, fingerprint: str, dim: int) -> _Graph | None:
        """Returns the saved graph, or None when there is none that surely belongs to these rows."""
        if not file.generation or not hnsw_available():
            return None
        facts = read_json(file.path("hnsw.json"))
        covers, elements, size = facts.get("covers"), facts.get("elements"), facts.get("bytes")
        expected = {
            "version": _GRAPH_VERSION,
            "generation": file.generation,
            "fingerprint": fingerprint,
            "dim": dim,
        }
        if any(facts.get(name) != value for name, value in expected.items()):
            return None
        path = file.path("hnsw")
        if not (isinstance(covers, int) and isinstance(elements, int) and 0 < covers <= len(file.keys)):
            return None
        try:
            if path.stat().st_size != size:
                return None
            index = _hnswlib().Index(space="ip", dim=dim)
            index.load_index(str(path), max_elements=elements)
        except (OSError, RuntimeError):
            return None
        if index.get_current_count() != elements:
            return None
        return cls(index, file.generation, covers)

    def save(self, file: RowFile, fingerprint: str) -> None:
        path = file.path("hnsw")
        file.path("hnsw.json").unlink(missing_ok=True)  # so that old facts never stand beside a new graph
        beside = path.with_name(path.name + ".tmp")
        self._index.save_index(str(beside))
        beside.replace(path)
        facts: dict[str, object] = {
            "version": _GRAPH_VERSION,
            "generation": self.generation,
            "fingerprint": fingerprint,
            "dim": self._index.dim,
            "covers": self.covers,
            "elements": self._index.get_current_count(),
            "bytes": path.stat().st_size,
        }
        write_json(file.path("hnsw.json"), facts)

    def add(self, rows: NDArray[np.float32], numbers: NDArray[np.int64], until: int, room: int) -> None:
        """Adds rows, one by one in their order and in one thread, so that equal rows make equal graphs."""
        if len(numbers):
            if self._index.get_current_count() + len(numbers) > self._index.get_max_elements():
                self._index.resize_index(max(room, self._index.get_current_count() + len(numbers)))
            self._index.add_items(rows[numbers], numbers, num_threads=1)
        self.covers = until

    def mark(self, live: NDArray[np.bool_]) -> None:
        """Marks rows that have died since the graph was made, each once."""
        if self._alive is None:
            self._alive = set(self._index.get_ids_list())
        dead = self._alive.difference(np.flatnonzero(live[: self.covers]).tolist())
        for number in dead:
            self._index.mark_deleted(number)
        self._alive -= dead

    def find(self, query: NDArray[np.float32], k: int) -> NDArray[np.int64] | None:
        """Returns about the k nearest rows; None when the graph cannot say."""
        k = min(k, len(self._alive or ()))
        if k == 0:
            return np.zeros(0, np.int64)
        self._index.set_ef(max(_EF, 2 * k))  # not saved with the graph
        try:
            labels, _ = self._index.knn_query(query, k=k, num_threads=1)
        except RuntimeError:  # fewer than k rows can be reached
            return None
        return np.asarray(labels[0], np.int64)


class _DamagedRowsError(Exception):
    """A row is no vector of length 1."""


def _check(cosines: NDArray[Any]) -> None:
    if len(cosines) and not float(np.max(cosines)) < _MOST_COSINE:  # nor if it is no number
        raise _DamagedRowsError


def _products(rows: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Dot products in this thread. BLAS would wake others, which then spin for longer than the sum takes."""
    products: NDArray[np.float32] = np.einsum("ij,j->i", rows, query)
    return products


def _hnswlib() -> Any:
    try:
        return importlib.import_module("hnswlib")
    except Exception:  # not installed, or built for another processor
        return None
