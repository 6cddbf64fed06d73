from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from vaultkeeper.errors import NotesLockedError, RefusedError
from vaultkeeper.vault.sentinel import SENTINEL, memory_lock

HOLD = """
import sys
from pathlib import Path
from vaultkeeper.vault.sentinel import memory_lock
with memory_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(root: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.communicate("")


def test_one_process_holds_it_at_a_time(tmp_path: Path) -> None:
    process = holder(tmp_path)
    with pytest.raises(NotesLockedError) as caught, memory_lock(tmp_path, timeout_s=0.05):
        pass
    assert caught.value.exit_code == 6
    end(process)
    with memory_lock(tmp_path, timeout_s=0.05):
        pass


def test_a_killed_holder_leaves_no_stale_lock(tmp_path: Path) -> None:
    process = holder(tmp_path)
    process.kill()
    process.communicate()
    with memory_lock(tmp_path, timeout_s=0.05):
        pass


def test_threads_of_one_process_queue_for_the_real_path(tmp_path: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        with memory_lock(tmp_path / ".." / tmp_path.name):
            inside.append(1)
            most.append(len(inside))
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 8


def test_the_lock_is_an_empty_file_that_stays(tmp_path: Path) -> None:
    (tmp_path / SENTINEL).write_text("kept")
    with memory_lock(tmp_path):
        pass
    assert (tmp_path / SENTINEL).read_text() == "kept"


def test_a_symlinked_lock_is_refused(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    for target in (victim, tmp_path / "missing"):
        victim.write_text("mine")
        (tmp_path / SENTINEL).symlink_to(target)
        with pytest.raises(RefusedError), memory_lock(tmp_path):
            pass
        assert victim.read_text() == "mine"
        assert not (tmp_path / "missing").exists()
        (tmp_path / SENTINEL).unlink()


def test_a_lock_that_is_no_plain_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / SENTINEL).mkdir()
    with pytest.raises(RefusedError), memory_lock(tmp_path):
        pass
    (tmp_path / SENTINEL).rmdir()
    os.mkfifo(tmp_path / SENTINEL)
    with pytest.raises(RefusedError), memory_lock(tmp_path):
        pass


def test_a_symlinked_root_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(RefusedError), memory_lock(tmp_path / "link"):
        pass
    assert list((tmp_path / "real").iterdir()) == []


def test_after_an_error_the_lock_is_free(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), memory_lock(tmp_path):
        raise ZeroDivisionError
    with memory_lock(tmp_path, timeout_s=0.0):
        pass
