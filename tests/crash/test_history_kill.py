"""Killed while it stores snapshots, the history is whole and goes on."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

from tests.history.repo import Told
from vaultkeeper.history.bookmarks import list_checkpoints, read_mark_of_all
from vaultkeeper.history.compare import compare
from vaultkeeper.history.snapshots import find_head, walk_back

PROJECT = Path(__file__).parents[2]
WRITER = """
import sys
from pathlib import Path
from tests.history.repo import Told
from vaultkeeper.history.bookmarks import add_checkpoint
from vaultkeeper.history.bookmarks import advance_all
told = Told(Path(sys.argv[1]))
round = int(sys.argv[2])
told.sources = {f"notes:{s}": {f"{s}/{n}.md": f"{n}\\n" for n in range(30)} for s in "abc"}
print("ready", flush=True)
for n in range(1000):
    told.sources[f"notes:{'abc'[n % 3]}"][f"{'abc'[n % 3]}/{n % 30}.md"] = f"{round} {n}\\n"
    head = told.taken()
    advance_all(told.repository, head)
    add_checkpoint(told.repository, f"{round} {n}", head, told.now_ms)
"""


def test_a_killed_writer_leaves_a_whole_history(tmp_path: Path) -> None:
    pick = random.Random(4)
    count = 0
    for number in range(6):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "state"), str(number)],
            cwd=PROJECT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        try:
            writer.wait(timeout=pick.uniform(0.05, 0.6))
        except subprocess.TimeoutExpired:
            writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        told = Told(tmp_path / "state")
        head = find_head(told.repository)
        if head is not None:
            history = list(walk_back(told.repository))
            assert [snapshot.number for snapshot in history] == list(range(len(history), 0, -1))
            assert len(history) >= count
            count = len(history)
            for snapshot in history[:3]:
                assert compare(told.repository, "notes:a", None, snapshot).added
            list_checkpoints(told.repository)
            mark = read_mark_of_all(told.repository)
            assert mark is None or mark.number <= head.number
        told.repository.close()
    assert count > 6
