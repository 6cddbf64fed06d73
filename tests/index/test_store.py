from __future__ import annotations

import shutil
import stat
from contextlib import closing
from pathlib import Path

import pytest

from tests.index.vaults import Bench, now
from vaultkeeper.errors import StorageError
from vaultkeeper.index import store
from vaultkeeper.index.db import DatabaseError, connect, is_corrupt
from vaultkeeper.index.sync import sync


def test_the_folder_is_private_and_marked_as_a_cache(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "index"
    db = store.open_writer(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / "CACHEDIR.TAG").read_bytes().startswith(b"Signature: 8a477f597d28d172789f06886806bc55")
    path = store.database_path(folder)
    assert path is not None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    db.close()


def test_a_reader_without_an_index_is_told_so(tmp_path: Path) -> None:
    assert store.open_reader(tmp_path / "none") == (None, "missing")
    assert not (tmp_path / "none").exists()


def test_a_reader_of_another_version_is_told_so_and_a_writer_begins_anew(bench: Bench) -> None:
    bench.write("a.md", "words")
    bench.sync()
    bench.db.execute("PRAGMA user_version=999999")
    bench.db.close()
    assert store.open_reader(bench.folder / "index") == (None, "outdated")
    bench.db = store.open_writer(bench.folder / "index")
    assert bench.sync().added == 1
    opened = store.open_reader(bench.folder / "index")
    assert opened.state == "ready"
    assert opened.db is not None
    opened.db.close()


@pytest.mark.parametrize(
    "damage", [b"", b"no database at all" * 200, b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_a_broken_file_is_replaced(bench: Bench, damage: bytes) -> None:
    bench.write("a.md", "words")
    bench.sync()
    bench.db.close()
    path = store.database_path(bench.folder / "index")
    assert path is not None
    path.write_bytes(damage)
    assert store.open_reader(bench.folder / "index").db is None
    bench.db = store.open_writer(bench.folder / "index")
    assert bench.sync().added == 1
    bench.assert_like_new()


def test_damage_in_the_middle_is_known_for_what_it_is(bench: Bench) -> None:
    for number in range(300):
        bench.write(f"{number}.md", f"words {number} " * 40)
    bench.sync()
    bench.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    bench.db.close()
    path = store.database_path(bench.folder / "index")
    assert path is not None
    data = bytearray(path.read_bytes())
    data[len(data) // 4 :] = b"\xa5" * (len(data) - len(data) // 4)
    path.write_bytes(data)
    with pytest.raises(DatabaseError) as caught, closing(connect(path)) as db:
        sync(db, bench.root, bench.settings, clock=now)
    assert is_corrupt(caught.value)
    store.discard(bench.folder / "index")
    bench.db = store.open_writer(bench.folder / "index")
    assert bench.sync().added == 300


def test_readers_work_while_another_generation_is_made(bench: Bench) -> None:
    index = bench.folder / "index"
    bench.write("a.md", "words")
    bench.sync()
    bench.db.close()
    path = store.database_path(index)
    reader = store.open_reader(index).db
    assert path is not None
    assert reader is not None
    query = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'words'"
    bench.write("b.md", "words")
    with store.new_generation(index) as db:
        sync(db, bench.root, bench.settings, clock=now)
        assert reader.execute(query).fetchone() == (1,)
        assert store.database_path(index) == path
    assert reader.execute(query).fetchone() == (1,)
    assert store.database_path(index) != path
    reader.close()
    fresh = store.open_reader(index).db
    assert fresh is not None
    assert fresh.execute(query).fetchone() == (2,)
    fresh.close()
    bench.db = store.open_writer(index)
    assert len(list(index.glob("index-*"))) <= 3


def test_a_snapshot_is_one_state_of_the_index(bench: Bench) -> None:
    index = bench.folder / "index"
    query = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'words'"
    reader = store.Reader(index)

    def count() -> int:
        db = reader.open()
        assert db is not None
        return int(db.execute(query).fetchone()[0])

    bench.write("a.md", "words")
    bench.sync()
    with reader.snapshot():
        assert count() == 1
        bench.write("b.md", "words")
        bench.sync()
        assert count() == 1
        with reader.snapshot():
            assert count() == 1
    assert count() == 2
    bench.write("c.md", "words")
    with reader.snapshot():
        assert count() == 2
        with store.new_generation(index) as db:
            sync(db, bench.root, bench.settings, clock=now)
        assert count() == 2, "the generation that was replaced stays open"
    assert count() == 3
    reader.close()
    assert count() == 3
    reader.close()
    bench.db.close()
    store.discard(index)
    with reader.snapshot():
        assert reader.open() is None
    bench.db = store.open_writer(index)


def test_a_rebuild_that_fails_leaves_the_old_index(bench: Bench) -> None:
    bench.write("a.md", "words")
    bench.sync()
    before = store.database_path(bench.folder / "index")
    with pytest.raises(RuntimeError, match="boom"), store.new_generation(bench.folder / "index"):
        raise RuntimeError("boom")
    assert store.database_path(bench.folder / "index") == before
    assert bench.search("words") == ["a.md"]


def test_what_a_killed_rebuild_left_is_removed(bench: Bench) -> None:
    index = bench.folder / "index"
    (index / "index-7.sqlite").write_bytes(b"half")
    (index / "index-7.sqlite-wal").write_bytes(b"half")
    bench.db.close()
    bench.db = store.open_writer(index)
    assert not list(index.glob("index-7*"))


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError):
        store.open_writer(tmp_path / "file" / "index")


def test_a_reader_never_blocks_the_writer_nor_the_writer_a_reader(bench: Bench) -> None:
    bench.write("a.md", "words")
    bench.sync()
    opened = store.open_reader(bench.folder / "index")
    assert opened.db is not None
    opened.db.execute("BEGIN")
    assert opened.db.execute("SELECT count(*) FROM notes").fetchone() == (1,)
    bench.write("b.md", "words")
    assert bench.sync().added == 1
    assert opened.db.execute("SELECT count(*) FROM notes").fetchone() == (1,)
    opened.db.execute("COMMIT")
    assert opened.db.execute("SELECT count(*) FROM notes").fetchone() == (2,)
    with pytest.raises(DatabaseError):
        opened.db.execute("DELETE FROM notes")
    opened.db.close()


def test_the_log_is_given_back_after_a_large_sync(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from vaultkeeper.index import work

    monkeypatch.setattr(work, "_BULK_NOTES", 50)
    for number in range(100):
        bench.write(f"{number}.md", f"words {number} " * 100)
    bench.sync()
    path = store.database_path(bench.folder / "index")
    assert path is not None
    assert path.with_name(path.name + "-wal").stat().st_size < 10_000


def test_an_index_may_be_copied_and_deleted_at_any_moment(bench: Bench) -> None:
    bench.write("a.md", "words")
    bench.sync()
    bench.db.close()
    shutil.rmtree(bench.folder / "index")
    bench.db = store.open_writer(bench.folder / "index")
    bench.sync()
    bench.assert_like_new()
