import os
import signal
import subprocess
import sys
import textwrap
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vaultkeeper.errors import Exit, LockedError, NotesLockedError, StorageError
from vaultkeeper.vault.lock import EDIT_LOCK, acquire, edit_lock, lock_holder

NOW = datetime(2026, 4, 13, 10, 0, tzinfo=UTC)

HOLD = textwrap.dedent(
    """
    import sys, time
    from datetime import UTC, datetime
    from pathlib import Path
    from vaultkeeper.vault.lock import acquire
    lock = acquire(Path(sys.argv[1]), command="vaultkeeper watch", since=datetime(2026, 4, 13, tzinfo=UTC))
    print("held", flush=True)
    sys.stdin.readline()
    lock.release()
    print("released", flush=True)
    sys.stdin.readline()
    """
)


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "x.lock")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path.cwd(),
    )  # fmt: skip
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_the_message_says_who_holds_it(holder, tmp_path):
    path = tmp_path / "x.lock"
    with pytest.raises(LockedError) as caught:
        acquire(path, command="sync", since=NOW)
    assert f"`vaultkeeper watch` (process {holder.pid}, since 2026-04-13T00:00:00Z)" in str(caught.value)
    assert caught.value.exit_code is Exit.LOCKED
    assert lock_holder(path).pid == holder.pid


def test_waiting_ends_when_the_holder_lets_go(holder, tmp_path):
    path = tmp_path / "x.lock"
    holder.stdin.write("\n")
    holder.stdin.flush()
    with acquire(path, command="sync", since=NOW, timeout_s=20) as lock:
        assert lock_holder(path).command == "sync"
        lock.release()
        lock.release()
        assert lock_holder(path) is None
    assert path.read_bytes() == b""


def test_a_killed_holder_leaves_no_lock(holder, tmp_path):
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    path = tmp_path / "x.lock"
    assert b"vaultkeeper watch" in path.read_bytes()
    assert lock_holder(path) is None
    acquire(path, command="sync", since=NOW).release()


def test_a_second_lock_in_one_process_is_refused_too(tmp_path):
    with acquire(tmp_path / "x.lock", command="sync", since=NOW):
        began = time.monotonic()
        with pytest.raises(LockedError, match=str(os.getpid())):
            acquire(tmp_path / "x.lock", command="sync", since=NOW)
        assert time.monotonic() - began < 5


def test_probing_creates_nothing_and_disturbs_nobody(tmp_path):
    assert lock_holder(tmp_path / "x.lock") is None
    assert not list(tmp_path.iterdir())
    acquire(tmp_path / "x.lock", command="sync", since=NOW).release()
    probe = subprocess.Popen(
        [sys.executable, "-c", "import sys; from pathlib import Path; from vaultkeeper.vault.lock import lock_holder\n"
         "print('go', flush=True)\nfor _ in range(3000): lock_holder(Path(sys.argv[1]))", str(tmp_path / "x.lock")],
        stdout=subprocess.PIPE, text=True, cwd=Path.cwd(),
    )  # fmt: skip
    assert probe.stdout.readline() == "go\n"
    taken = 0
    while probe.poll() is None:
        acquire(tmp_path / "x.lock", command="sync", since=NOW).release()
        taken += 1
    probe.communicate()
    assert taken > 0


def test_a_linked_lock_file_is_refused(tmp_path):
    (tmp_path / "x.lock").symlink_to(tmp_path / "precious")
    with pytest.raises(StorageError):
        acquire(tmp_path / "x.lock", command="sync", since=NOW)
    assert not (tmp_path / "precious").exists()


def test_damaged_holder_text_is_no_obstacle(tmp_path):
    path = tmp_path / "x.lock"
    with acquire(path, command="sync", since=NOW):
        path.write_bytes(b"\xff{")
        with pytest.raises(LockedError, match="another process"):
            acquire(path, command="sync", since=NOW)


def test_edits_of_many_processes_follow_one_another(tmp_path):
    """Each adds one to a number; none is lost."""
    counter = tmp_path / "n"
    counter.write_text("0")
    program = textwrap.dedent(
        """
        import sys
        from datetime import UTC, datetime
        from pathlib import Path
        from vaultkeeper.vault.lock import edit_lock
        folder = Path(sys.argv[1])
        for _ in range(25):
            with edit_lock(folder / "index", command="x", since=datetime(2026, 1, 1, tzinfo=UTC), timeout_s=60):
                number = int((folder / "n").read_text())
                (folder / "n").write_text(str(number + 1))
        """
    )
    run = [sys.executable, "-c", program, str(tmp_path)]
    processes = [subprocess.Popen(run, cwd=Path.cwd()) for _ in range(4)]
    assert [process.wait() for process in processes] == [0] * 4
    assert counter.read_text() == "100"


def test_the_edit_lock_has_its_own_words(tmp_path):
    with (
        edit_lock(tmp_path, command="entity alias", since=NOW),
        pytest.raises(NotesLockedError, match="edited by `entity alias`"),
        edit_lock(tmp_path, command="x", since=NOW, timeout_s=0),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == [EDIT_LOCK]
    with edit_lock(None, command="x", since=NOW):
        pass
