from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from vaultkeeper.vault.exchange import exchange, wait_for_writers

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who writes to a file")


def test_two_files_change_places(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("1")
    second.write_text("2")
    swapped = exchange(first, second)
    assert swapped is (sys.platform in ("linux", "darwin"))
    assert (first.read_text(), second.read_text()) == (("2", "1") if swapped else ("1", "2"))


@on_linux
def test_a_file_that_is_gone_is_an_error_and_nothing_moved(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "a").read_text() == "1"


@on_linux
def test_a_writer_is_seen_and_a_reader_is_none(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("1")
    with file.open():
        assert wait_for_writers(file, 0.0)
    with file.open("a"):
        assert not wait_for_writers(file, 0.0)
    assert wait_for_writers(file, 0.0)


@on_linux
def test_it_waits_until_the_writer_is_done(tmp_path: Path) -> None:
    file = tmp_path / "a"
    writer = file.open("w")
    answers: list[bool] = []
    waiting = threading.Thread(target=lambda: answers.append(wait_for_writers(file, 30.0)))
    waiting.start()
    writer.write("done")
    writer.close()
    waiting.join()
    assert answers == [True]
    assert file.read_text() == "done"


def test_nobody_writes_to_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert wait_for_writers(tmp_path / "none", 0.0)
