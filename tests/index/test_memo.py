from __future__ import annotations

import hashlib
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from vaultkeeper.index.embedding import embed_texts
from vaultkeeper.index.memo import UNUSED_DAYS, EmbeddingMemo
from vaultkeeper.ports import Embedder
from vaultkeeper.providers.hashed import HashEmbedder
from vaultkeeper.providers.static import load_static

_NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _sha(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _texts(count: int) -> list[tuple[bytes, str]]:
    return [(_sha(text), text) for text in (f"note {number} on tent {number % 7}" for number in range(count))]


def _fill(
    memo: EmbeddingMemo,
    embedder: Embedder,
    texts: Sequence[tuple[bytes, str]],
    progress: Callable[[int], None] | None = None,
) -> int:
    missing = set(memo.missing(sha for sha, _ in texts))
    todo = [(sha, text) for sha, text in dict(texts).items() if sha in missing]
    return embed_texts(embedder, todo, memo.put_many, progress=progress)


@pytest.fixture
def memo(tmp_path: Path) -> Iterator[EmbeddingMemo]:
    memo = EmbeddingMemo(tmp_path / "embeddings.sqlite3", "hash-1:256", 256)
    yield memo
    memo.close()


def test_what_is_embedded_once_is_read_back_after(memo: EmbeddingMemo, tmp_path: Path) -> None:
    embedder = HashEmbedder()
    texts = _texts(1200)
    assert _fill(memo, embedder, texts) == 1200
    assert _fill(memo, embedder, texts) == 0
    again = EmbeddingMemo(tmp_path / "embeddings.sqlite3", "hash-1:256", 256)
    assert again.count() == 1200
    found = again.get_many([sha for sha, _ in texts])
    expected = embedder.embed([text for _, text in texts])
    assert np.allclose(np.stack([found[sha] for sha, _ in texts]), expected, atol=1e-3)
    again.close()


def test_a_vector_has_the_same_bytes_however_it_is_asked_for(memo: EmbeddingMemo) -> None:
    _fill(memo, load_static(), _texts(50))  # any rows of 256 numbers
    shas = [sha for sha, _ in _texts(50)]
    together = memo.get_many(shas)
    assert [memo.get_many([sha])[sha].tobytes() for sha in shas] == [together[sha].tobytes() for sha in shas]
    lengths = np.linalg.norm(np.stack(list(together.values())), axis=1)
    assert np.allclose(lengths, 1, atol=1e-6)


def test_the_half_precision_of_the_file_does_not_change_what_is_near(memo: EmbeddingMemo) -> None:
    embedder = load_static()
    words = ["tent", "boat", "river", "invoice", "doctor", "garden", "piano", "winter", "taxes", "bread"]
    texts = [(_sha(text), text) for text in (f"{a} {b} {c}" for a in words for b in words for c in words[:4])]
    _fill(memo, embedder, texts)
    full = embedder.embed([text for _, text in texts])
    stored = memo.get_many([sha for sha, _ in texts])
    half = np.stack([stored[sha] for sha, _ in texts])
    for question in words:
        query = embedder.embed_query(question)
        assert np.abs(full @ query - half @ query).max() < 1e-3


def test_models_do_not_see_each_other(tmp_path: Path) -> None:
    first = EmbeddingMemo(tmp_path / "m.sqlite3", "one", 2)
    second = EmbeddingMemo(tmp_path / "m.sqlite3", "two", 3)
    first.put_many([_sha("a")], np.array([[1, 0]], np.float32))
    assert second.missing([_sha("a")]) == [_sha("a")]
    second.put_many([_sha("a")], np.array([[0, 0, 1]], np.float32))
    assert first.get_many([_sha("a")])[_sha("a")].tolist() == [1, 0]
    assert second.get_many([_sha("a")])[_sha("a")].tolist() == [0, 0, 1]
    first.close()
    second.close()


def test_missing_keeps_order_and_names_each_once(memo: EmbeddingMemo) -> None:
    memo.put_many([_sha("b")], np.zeros((1, 256), np.float32))
    assert memo.missing([_sha("c"), _sha("b"), _sha("a"), _sha("c")]) == [_sha("c"), _sha("a")]
    assert not memo.get_many([_sha("b")])[_sha("b")].any()
    assert memo.get_many([_sha("c")]) == {}


def test_a_wrong_shape_is_refused_and_stores_nothing(memo: EmbeddingMemo) -> None:
    with pytest.raises(ValueError, match="shape"):
        memo.put_many([_sha("a")], np.zeros((1, 255), np.float32))
    assert memo.count() == 0


def test_pruning_forgets_only_what_has_been_unused_for_long(memo: EmbeddingMemo) -> None:
    shas = [_sha(name) for name in "abcd"]
    memo.put_many(shas, np.eye(4, 256, dtype=np.float32))
    later = _NOW + timedelta(days=UNUSED_DAYS + 1)
    assert memo.prune([shas[0], shas[1]], _NOW) == 0
    assert memo.prune([shas[0], shas[2]], _NOW + timedelta(days=UNUSED_DAYS)) == 0  # c is back, b has gone
    assert memo.prune([shas[0], shas[2]], later) == 1
    assert memo.missing(shas) == [shas[3]]
    assert memo.prune([shas[0], shas[2]], later + timedelta(days=UNUSED_DAYS)) == 1
    assert memo.missing(shas) == [shas[1], shas[3]]


def test_pruning_forgets_another_model_after_a_while(tmp_path: Path) -> None:
    old = EmbeddingMemo(tmp_path / "m.sqlite3", "old", 2)
    old.put_many([_sha("a")], np.ones((1, 2), np.float32))
    new = EmbeddingMemo(tmp_path / "m.sqlite3", "new", 2)
    assert new.prune([_sha("a")], _NOW) == 0
    assert old.count() == 1
    assert new.prune([_sha("a")], _NOW + timedelta(days=UNUSED_DAYS + 1)) == 1
    assert old.count() == 0
    old.close()
    new.close()


@pytest.mark.parametrize("content", [b"", b"garbage " * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_broken_file_is_made_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "m.sqlite3"
    path.write_bytes(content)
    memo = EmbeddingMemo(path, "one", 2)
    memo.put_many([_sha("a")], np.ones((1, 2), np.float32))
    assert memo.count() == 1
    memo.close()


def test_another_version_of_the_file_is_made_anew(tmp_path: Path) -> None:
    from vaultkeeper.index.db import connect

    path = tmp_path / "m.sqlite3"
    memo = EmbeddingMemo(path, "one", 2)
    memo.put_many([_sha("a")], np.ones((1, 2), np.float32))
    memo.close()
    db = connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    memo = EmbeddingMemo(path, "one", 2)
    assert memo.count() == 0
    memo.close()


class _Watched:
    """A hash embedder that notes what it was given."""

    fingerprint, dim, slow = "hash-1:256", 256, True

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self._inner = HashEmbedder()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.batches.append(list(texts))
        return self._inner.embed(texts)

    def embed_query(self, text: str, rarity: object = None) -> np.ndarray:
        return self._inner.embed_query(text)


def test_texts_of_like_length_go_together_and_equal_ones_once(memo: EmbeddingMemo) -> None:
    embedder = _Watched()
    texts = [(_sha(text), text) for text in ("x" * (number * 37 % 101) for number in range(90))]
    done: list[int] = []
    assert _fill(memo, embedder, texts + texts, progress=done.append) == 90
    lengths = [len(text) for batch in embedder.batches for text in batch]
    assert lengths == sorted(lengths)
    assert done[-1] == 90
    assert done == sorted(done)


def test_stopping_keeps_what_is_done_and_reads_no_further(memo: EmbeddingMemo) -> None:
    embedder = _Watched()
    read = 0

    def stream() -> Iterator[tuple[bytes, str]]:
        nonlocal read
        for item in _texts(5000):
            read += 1
            yield item

    done = embed_texts(embedder, stream(), memo.put_many, stop=lambda: len(embedder.batches) == 3)
    assert 0 < done == memo.count() < 5000
    assert read < 1000
    assert _fill(memo, embedder, _texts(1000)) == 1000 - done


def test_killed_at_any_moment_it_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "m.sqlite3"
    script = textwrap.dedent(
        """
        import hashlib, sys
        from pathlib import Path
        from vaultkeeper.index.embedding import embed_texts
        from vaultkeeper.index.memo import EmbeddingMemo
        from vaultkeeper.providers.hashed import HashEmbedder
        memo = EmbeddingMemo(Path(sys.argv[1]), "hash-1:256", 256)
        texts = [(hashlib.sha256(t.encode()).digest(), t) for t in (f"note {n} on tent {n % 7}" for n in range(20000))]
        missing = set(memo.missing([sha for sha, _ in texts]))
        todo = [item for item in texts if item[0] in missing]
        embed_texts(HashEmbedder(), todo, memo.put_many, progress=lambda done: print(done, flush=True))
        """
    )
    counts = []
    for lines in (1, 4, 9):
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        for _ in range(lines):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        memo = EmbeddingMemo(path, "hash-1:256", 256)
        counts.append(memo.count())
        some = [sha for sha, _ in _texts(300)]
        found = memo.get_many(some)
        assert all(np.isclose(np.linalg.norm(vector), 1, atol=1e-5) for vector in found.values())
        memo.close()
    assert 0 < counts[0] < counts[1] < counts[2]


def test_readers_are_not_kept_waiting_by_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "m.sqlite3"
    writer = EmbeddingMemo(path, "hash-1:256", 256)
    _fill(writer, HashEmbedder(), _texts(100))
    writer._db.execute("BEGIN IMMEDIATE")
    counted: list[int] = []

    def read() -> None:
        memo = EmbeddingMemo(path, "hash-1:256", 256)
        counted.append(memo.count())
        counted.append(len(memo.get_many([sha for sha, _ in _texts(100)])))
        memo.close()

    thread = threading.Thread(target=read)
    thread.start()
    thread.join(5)
    assert counted == [100, 100]
    writer._db.execute("ROLLBACK")
    writer.close()
