from __future__ import annotations

import hashlib
import importlib
import json
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultkeeper.index import rowfile, vectors
from vaultkeeper.index.vectors import VectorIndex

_DIM = 8
Vectors = dict[bytes, np.ndarray]


def _key(number: int) -> bytes:
    return hashlib.sha256(str(number).encode()).digest()


def _unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def _some(count: int, dim: int = _DIM, seed: int = 0) -> Vectors:
    rows = _unit(np.random.default_rng(seed).standard_normal((count, dim)))
    return {_key(number): row for number, row in enumerate(rows)}


def _clustered(count: int, dim: int, seed: int = 0) -> Vectors:
    """Points in tight bunches, as texts on few topics are: hard for a graph."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((max(1, count // 250), dim))
    rows = centres[random.integers(0, len(centres), count)] + 0.15 * random.standard_normal((count, dim))
    return {_key(number): row for number, row in enumerate(_unit(rows))}


def _fill(index: VectorIndex, content: Vectors) -> tuple[int, int]:
    return index.sync_to(content.keys(), lambda keys: {key: content[key] for key in keys if key in content})


def _oracle(
    content: Vectors, query: np.ndarray, k: int, allowed: Iterable[bytes] | None = None
) -> list[tuple[bytes, float]]:
    keys = content if allowed is None else [key for key in set(allowed) if key in content]
    scored = [(-round(float(np.sum(content[key].astype(np.float64) * query)), 6), key) for key in keys]
    return [(key, -score) for score, key in sorted(scored)[:k]]


def _same(found: list[tuple[bytes, float]], expected: list[tuple[bytes, float]]) -> None:
    assert [key for key, _ in found] == [key for key, _ in expected]
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=2e-6)


def test_finds_the_nearest_exactly(tmp_path: Path) -> None:
    content = _some(3000)
    index = VectorIndex(tmp_path, "f", _DIM)
    assert _fill(index, content) == (3000, 0)
    for seed in range(20):
        query = _unit(np.random.default_rng(seed).standard_normal((1, _DIM)))[0]
        _same(index.search(query, 10), _oracle(content, query, 10))


def test_equal_scores_are_ordered_by_key_however_the_rows_came(tmp_path: Path) -> None:
    row = _unit(np.ones((1, _DIM)))[0]
    content = {_key(number): row for number in range(200)}
    answers = []
    for name, numbers in (("a", range(200)), ("b", reversed(range(200)))):
        index = VectorIndex(tmp_path / name, "f", _DIM)
        for number in numbers:
            index.add({_key(number): row})
        answers.append(index.search(row, 7))
    assert answers[0] == answers[1] == [(key, 1.0) for key in sorted(content)[:7]]


@given(
    st.lists(st.tuples(st.booleans(), st.sets(st.integers(0, 30), max_size=8)), max_size=12),
    st.integers(0, 40),
)
@settings(max_examples=60, deadline=None)
def test_any_history_answers_like_a_fresh_index(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[bool, set[int]]], k: int
) -> None:
    content = _some(31)
    folder = tmp_path_factory.mktemp("history")
    index = VectorIndex(folder / "a", "f", _DIM)
    reader = VectorIndex(folder / "a", "f", _DIM)
    live: set[int] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "_FEW_DEAD", 3)
        for adds, numbers in steps:
            live = live | numbers if adds else live - numbers
            _fill(index, {_key(number): content[_key(number)] for number in live})
    fresh = VectorIndex(folder / "b", "f", _DIM)
    _fill(fresh, {_key(number): content[_key(number)] for number in sorted(live, reverse=True)})
    reader.refresh()
    query = content[_key(3)]
    expected = fresh.search(query, k)
    for other in (index, reader, VectorIndex(folder / "a", "f", _DIM)):
        assert other.search(query, k) == expected
        assert len(other) == len(live)
        assert set(other.keys()) == {_key(number) for number in live}


def test_only_allowed_keys_are_found(tmp_path: Path) -> None:
    content = _some(500)
    index = VectorIndex(tmp_path, "f", _DIM)
    _fill(index, content)
    query = content[_key(0)]
    for allowed in (
        [],
        [_key(9)],
        [_key(number) for number in range(100, 120)],
        [*map(_key, range(450)), _key(10**6)],
    ):
        for k in (1, 10, 1000):
            _same(index.search(query, k, allowed), _oracle(content, query, k, allowed))


def test_edges_of_a_search(tmp_path: Path) -> None:
    index = VectorIndex(tmp_path / "none yet", "f", _DIM)
    query = _unit(np.ones((1, _DIM)))[0]
    assert index.search(query, 5) == []
    assert not (tmp_path / "none yet").exists(), "reading must not write"
    _fill(index, _some(3))
    assert index.search(query, 0) == []
    assert index.search(query, -1) == []
    assert len(index.search(query, 10)) == 3
    with pytest.raises(ValueError, match="8 numbers"):
        index.search(query[:4], 5)


@pytest.mark.parametrize("key", [b"short", bytes(32), b"x" * 33])
def test_a_key_that_is_no_hash_is_refused(tmp_path: Path, key: bytes) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        VectorIndex(tmp_path, "f", _DIM).add({key: np.ones(_DIM, np.float32)})


def test_sync_leaves_out_what_has_no_vector_yet(tmp_path: Path) -> None:
    content = _some(10)
    index = VectorIndex(tmp_path, "f", _DIM)
    assert index.sync_to(content.keys(), lambda keys: {}) == (0, 0)
    assert _fill(index, content) == (10, 0)
    assert index.sync_to([_key(1)], lambda keys: {}) == (0, 9)
    assert _key(1) in index
    assert _key(2) not in index


@pytest.mark.parametrize(("fingerprint", "dim"), [("other", _DIM), ("f", 4)])
def test_files_of_another_model_count_as_absent_and_are_replaced(
    tmp_path: Path, fingerprint: str, dim: int
) -> None:
    _fill(VectorIndex(tmp_path, "f", _DIM), _some(10))
    other = VectorIndex(tmp_path, fingerprint, dim)
    assert len(other) == 0
    _fill(other, _some(4, dim))
    assert len(VectorIndex(tmp_path, fingerprint, dim)) == 4
    assert len(VectorIndex(tmp_path, "f", _DIM)) == 0
    assert len(list(tmp_path.glob("*.f32"))) == 1


def test_rows_that_died_are_cleared_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_FEW_DEAD", 10)
    content = _some(100)
    index = VectorIndex(tmp_path, "f", _DIM)
    _fill(index, content)
    index.remove(map(_key, range(60)))
    (rows,) = tmp_path.glob("*.f32")
    assert rows.stat().st_size == 40 * _DIM * 4
    assert set(VectorIndex(tmp_path, "f", _DIM).keys()) == {_key(number) for number in range(60, 100)}


@pytest.mark.parametrize(
    "damage", ["keys torn", "keys gone", "rows torn", "rows gone", "facts gone", "facts broken"]
)
def test_damaged_files_never_stop_a_search_and_are_mended(tmp_path: Path, damage: str) -> None:
    content = _some(50)
    _fill(VectorIndex(tmp_path, "f", _DIM), content)
    (keys,), (rows,), facts = tmp_path.glob("*.keys"), tmp_path.glob("*.f32"), tmp_path / "vectors.json"
    match damage:
        case "keys torn":
            keys.write_bytes(keys.read_bytes()[:-40])
        case "keys gone":
            keys.unlink()
        case "rows torn":
            rows.write_bytes(rows.read_bytes()[:-5])
        case "rows gone":
            rows.unlink()
        case "facts gone":
            facts.unlink()
        case "facts broken":
            facts.write_text("{")
    index = VectorIndex(tmp_path, "f", _DIM)
    query = content[_key(0)]
    assert all(key in content for key, _ in index.search(query, 10))
    _fill(index, content)
    assert index.search(query, 10) == VectorIndex(tmp_path, "f", _DIM).search(query, 10)
    _same(index.search(query, 10), _oracle(content, query, 10))


def test_killed_while_writing_the_next_sync_mends_it(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import hashlib, os, signal, sys
        from pathlib import Path
        import numpy as np
        from vaultkeeper.index import rowfile, vectors
        vectors._FETCHED_AT_ONCE, vectors._FEW_DEAD = 7, 3
        left = int(sys.argv[2])
        real_open, real_replace, real_fsync = Path.open, Path.replace, os.fsync
        def step():
            global left
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
        def opened(self, mode="r", *args, **kwargs):
            if "r" not in mode or "+" in mode:
                step()
            return real_open(self, mode, *args, **kwargs)
        def replaced(self, target):
            step(); real_replace(self, target); step()
        def synced(descriptor):
            step(); real_fsync(descriptor)
        Path.open, Path.replace, rowfile.os.fsync = opened, replaced, synced
        key = lambda n: hashlib.sha256(str(n).encode()).digest()
        rows = np.random.default_rng(0).standard_normal((40, 8))
        rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        content = {key(n): row for n, row in enumerate(rows)}
        index = vectors.VectorIndex(Path(sys.argv[1]), "f", 8)
        pick = lambda keys: {k: content[k] for k in keys}
        index.sync_to([key(n) for n in range(30)], pick)
        index.sync_to([key(n) for n in range(22, 40)], pick)
        """
    )
    content = _some(40)
    wanted = {_key(number): content[_key(number)] for number in range(22, 40)}
    query = content[_key(25)]
    fresh = VectorIndex(tmp_path / "fresh", "f", _DIM)
    _fill(fresh, wanted)
    step = 0
    while True:
        folder = tmp_path / str(step)
        code = subprocess.run([sys.executable, "-c", script, str(folder), str(step)]).returncode
        reader = VectorIndex(folder, "f", _DIM)
        _same(reader.search(query, 5), _oracle({key: content[key] for key in list(reader.keys())}, query, 5))
        index = VectorIndex(folder, "f", _DIM)
        _fill(index, wanted)
        assert index.search(query, 40) == fresh.search(query, 40), step
        if code == 0:
            break
        assert code == -signal.SIGKILL
        step += 3
    assert step > 20


def test_a_reader_follows_a_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_FEW_DEAD", 2)
    content = _some(40)
    writer = VectorIndex(tmp_path, "f", _DIM)
    reader = VectorIndex(tmp_path, "f", _DIM)
    for live in (range(5), range(5, 9), range(40), range(3), range(0)):
        wanted = {_key(number): content[_key(number)] for number in live}
        _fill(writer, wanted)
        reader.refresh()
        assert set(reader.keys()) == wanted.keys()
        assert reader.search(content[_key(0)], 50) == writer.search(content[_key(0)], 50)


# Above the threshold


def _recall(index: VectorIndex, content: Vectors, queries: np.ndarray, k: int = 10) -> float:
    keys, matrix = list(content), np.stack(list(content.values()))
    shares = []
    for query in queries:
        best = {keys[number] for number in np.argsort(-(matrix @ query), kind="stable")[:k]}
        shares.append(len(best & {key for key, _ in index.search(query, k)}) / k)
    return float(np.mean(shares))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Vectors]:
    folder = tmp_path_factory.mktemp("large")
    content = _clustered(20_000, 32)
    index = VectorIndex(folder, "f", 32, exact_below=1000)
    _fill(index, content)
    seen: list[tuple[int, int]] = []
    assert index.build_graph(progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (20_000, 20_000)
    return folder, content


def _copy(folder: Path, to: Path) -> Path:
    import shutil

    shutil.copytree(folder, to)
    return to


def _queries(content: Vectors, count: int, dim: int = 32) -> np.ndarray:
    random = np.random.default_rng(5)
    rows = np.stack(list(content.values()))[random.integers(0, len(content), count)]
    return _unit(rows + 0.05 * random.standard_normal((count, dim)))


def test_the_graph_finds_what_looking_at_all_finds(large: tuple[Path, Vectors]) -> None:
    folder, content = large
    index = VectorIndex(folder, "f", 32, exact_below=1000)
    assert _recall(index, content, _queries(content, 100)) >= 0.95
    assert index._graph is not None
    assert index.build_graph()


def test_scores_from_the_graph_are_the_exact_ones(large: tuple[Path, Vectors]) -> None:
    folder, content = large
    index = VectorIndex(folder, "f", 32, exact_below=1000)
    exact = VectorIndex(folder, "f", 32)
    for query in _queries(content, 10):
        truth = dict(exact.search(query, 20_000))
        for key, score in index.search(query, 10):
            assert truth[key] == score


def test_changes_after_the_graph_was_made_are_seen_at_once(
    large: tuple[Path, Vectors], tmp_path: Path
) -> None:
    folder, content = large
    index = VectorIndex(_copy(folder, tmp_path / "a"), "f", 32, exact_below=1000)
    queries = _queries(content, 60)
    changed = dict(content)
    for number in range(3000):
        del changed[_key(number)]
    changed.update({_key(10**6 + number): row for number, row in enumerate(_queries(content, 500))})
    assert _fill(index, changed) == (500, 3000)
    for other in (index, VectorIndex(tmp_path / "a", "f", 32, exact_below=1000)):
        assert _recall(other, changed, queries) >= 0.95
        assert other._graph is not None
        index.refresh()
    new = changed[_key(10**6)]
    assert index.search(new, 1)[0][0] == _key(10**6)
    index.remove([_key(10**6)])
    index.remove([_key(10**6)])
    assert index.search(new, 1)[0][0] != _key(10**6)


def test_a_graph_of_which_half_is_dead_is_made_anew(large: tuple[Path, Vectors], tmp_path: Path) -> None:
    folder, content = large
    index = VectorIndex(_copy(folder, tmp_path / "a"), "f", 32, exact_below=1000)
    kept = {_key(number): content[_key(number)] for number in range(2000)}
    _fill(index, kept)
    assert list((tmp_path / "a").glob("*.hnsw*")) == []
    query = content[_key(1)]
    _same(index.search(query, 10), _oracle(kept, query, 10))
    assert index.build_graph()
    assert len(list((tmp_path / "a").glob("*.hnsw"))) == 1
    assert _recall(index, kept, _queries(kept, 50)) >= 0.95


def test_building_may_be_stopped_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_TAIL", 100)
    content = _clustered(4000, 16)
    index = VectorIndex(tmp_path, "f", 16, exact_below=1000)
    _fill(index, content)
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    assert not index.build_graph(stop=stop)
    facts = json.loads(next(tmp_path.glob("*.hnsw.json")).read_text())
    assert facts["covers"] == 2000
    assert _recall(index, content, _queries(content, 40, 16)) >= 0.95
    assert VectorIndex(tmp_path, "f", 16, exact_below=1000).build_graph()
    again = VectorIndex(tmp_path, "f", 16, exact_below=1000)
    assert _recall(again, content, _queries(content, 40, 16)) >= 0.95


@pytest.mark.parametrize(
    "damage",
    ["graph torn", "graph gone", "graph of noise", "facts gone", "other dim", "other generation", "too many"],
)
def test_a_graph_that_does_not_surely_belong_is_not_used(tmp_path: Path, damage: str) -> None:
    content = _clustered(1500, 16)
    index = VectorIndex(tmp_path, "f", 16, exact_below=1000)
    _fill(index, content)
    assert index.build_graph()
    (graph,), (facts,) = tmp_path.glob("*.hnsw"), tmp_path.glob("*.hnsw.json")
    match damage:
        case "graph torn":
            graph.write_bytes(graph.read_bytes()[:-100])
        case "graph gone":
            graph.unlink()
        case "graph of noise":
            graph.write_bytes(b"\xff" * graph.stat().st_size)
        case "facts gone":
            facts.unlink()
        case _:
            changes = {
                "other dim": {"dim": 17},
                "other generation": {"generation": "x"},
                "too many": {"covers": 9999},
            }
            facts.write_text(json.dumps(json.loads(facts.read_text()) | changes[damage]))
    again = VectorIndex(tmp_path, "f", 16, exact_below=1000)
    query = content[_key(7)]
    _same(again.search(query, 10), _oracle(content, query, 10))
    assert again._graph is None
    assert again.build_graph()
    assert (
        _recall(VectorIndex(tmp_path, "f", 16, exact_below=1000), content, _queries(content, 30, 16)) >= 0.95
    )


def test_equal_rows_make_equal_graphs(tmp_path: Path) -> None:
    content = _clustered(1500, 16)
    graphs = []
    for name in "ab":
        index = VectorIndex(tmp_path / name, "f", 16, exact_below=1000)
        _fill(index, content)
        index.build_graph()
        graphs.append(next((tmp_path / name).glob("*.hnsw")).read_bytes())
    assert graphs[0] == graphs[1]


def test_without_hnswlib_every_vector_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = _some(1200)
    index = VectorIndex(tmp_path, "f", _DIM, exact_below=1000)
    _fill(index, content)
    original = importlib.import_module

    def without(name: str, package: str | None = None) -> object:
        if name == "hnswlib":
            raise ImportError("built for another processor")
        return original(name, package)

    monkeypatch.setattr(importlib, "import_module", without)
    assert not index.build_graph()
    query = content[_key(5)]
    _same(index.search(query, 10), _oracle(content, query, 10))


def test_the_row_file_keeps_to_its_key_size() -> None:
    assert len(rowfile.DEAD) == rowfile.KEY_BYTES == len(_key(0))
