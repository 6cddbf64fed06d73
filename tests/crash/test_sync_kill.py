"""A sync is killed before every one of its statements; the next one must make the index like new."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.index.vaults import Bench, now
from vaultkeeper.index import work
from vaultkeeper.index.db import connect
from vaultkeeper.index.store import database_path, open_writer
from vaultkeeper.index.sync import sync

PERSON = "---\nid: person:{0}\nkind: person\naliases: [{1}]\n---\nSees [[0]].\n"


def first(bench: Bench) -> None:
    for number in range(7):
        bench.write(f"{number}.md", f"# H{number}\n\nMara met Lindy [[{number + 1}]] 小莉 #t{number}\n")
    bench.write("entities/person/m.md", PERSON.format("m", "Mara"))
    bench.write("x.sync-conflict-20260309-101500-ABCDEFG.md")


def later(bench: Bench) -> None:
    bench.write("entities/person/m.md", PERSON.format("m", "Lindy, 小莉"))
    bench.write("people/n.md", PERSON.format("n", "Mara"))
    bench.move("3.md", "deep/3.md")
    bench.move("4.md", "8.md")
    (bench.root / "5.md").unlink()
    bench.write("6.md", "[[3#H3]] and [[8]] other")
    bench.write("7.md", "# New\n\n[[H3]]")


def run_killed(bench: Bench, after: int) -> bool:
    """Syncs in a child that kills itself before its statement number `after`; True when it came to its end."""
    child = os.fork()
    if child == 0:
        try:
            db = open_writer(bench.folder / "index")
            left = after

            def count(statement: str) -> None:
                nonlocal left
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                left -= 1

            db.set_trace_callback(count)
            sync(db, bench.root, bench.settings, clock=now)
            os._exit(0)
        finally:
            os._exit(9)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL), status
    return status == 0


@pytest.mark.parametrize("prepare", [None, first])
def test_killed_before_any_statement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prepare: Callable[[Bench], None] | None
) -> None:
    monkeypatch.setattr(work, "_WRITE_NOTES", 2)
    monkeypatch.setattr(work, "_COMMIT_NOTES", 2)
    bench = Bench(tmp_path)
    if prepare is not None:
        prepare(bench)
        bench.sync()
        later(bench)
    else:
        first(bench)
    bench.db.close()
    before = tmp_path / "before"
    shutil.copytree(tmp_path / "index", before)
    expected = bench.rebuilt()
    killed = 0
    for after in range(0, 4000, 3):
        shutil.rmtree(tmp_path / "index")
        shutil.copytree(before, tmp_path / "index")
        if run_killed(bench, after):
            break
        killed += 1
        bench.db = open_writer(tmp_path / "index")
        bench.sync()
        same = bench.dumped() == expected
        assert same, f"killed before statement {after}"
        bench.db.close()
    assert killed > 20


def test_killed_again_and_again_it_still_arrives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "_WRITE_NOTES", 2)
    monkeypatch.setattr(work, "_COMMIT_NOTES", 2)
    bench = Bench(tmp_path)
    bench.db.close()
    first(bench)
    for round_, after in enumerate((10, 60, 90, 110, 130, 20)):
        run_killed(bench, after)
        if round_ == 2:
            later(bench)
    path = database_path(tmp_path / "index")
    assert path is not None
    bench.db = connect(path)
    bench.sync()
    bench.assert_like_new()
    bench.db.close()
