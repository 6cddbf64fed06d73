"""An update killed at any step leaves the old bytes or the new ones; the next one finishes what was left."""

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from vaultkeeper.memory.curated import append

PROGRAM = textwrap.dedent(
    """
    import os, signal, sys
    from pathlib import Path
    from vaultkeeper.memory.curated import append

    def step(name):
        if name == sys.argv[2]:
            if len(sys.argv) > 3:
                with open(sys.argv[3], "r+b") as file:
                    file.seek(0)
                    file.write(b"T")
            os.kill(os.getpid(), signal.SIGKILL)

    root = Path(sys.argv[1])
    if len(sys.argv) > 3:
        # Somebody has it open already when it is displaced.
        file = os.open(root / "MEMORY.md", os.O_RDONLY)
        sys.argv[3] = f"/proc/self/fd/{file}"
    append(root, "MEMORY.md", "a fact", step=step)
    print("survived")
    """
)
OLD = b"the old text\n"
NEW = OLD + b"a fact\n"
BEFORE = ["temp-created", "temp-written", "temp-synced", "compared"]
AFTER = ["replaced", "folder-synced", "cleared"]


def killed(root: Path, step: str, *more: str) -> None:
    words = [sys.executable, "-c", PROGRAM, str(root), step, *more]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert "survived" not in done.stdout


@pytest.mark.parametrize("step", [*BEFORE, *AFTER])
def test_killed_at(step: str, tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_bytes(OLD)
    killed(tmp_path, step)
    assert (tmp_path / "MEMORY.md").read_bytes() == (NEW if step in AFTER else OLD)
    receipt = append(tmp_path, "MEMORY.md", "a fact")
    assert receipt.changed is (step in BEFORE)
    assert (tmp_path / "MEMORY.md").read_bytes() == NEW
    assert sorted(path.name for path in tmp_path.iterdir()) == [".memory-write.lock", "MEMORY.md"]


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize("step", ["replaced", "folder-synced"])
def test_killed_while_somebody_saves_into_the_displaced_file(step: str, tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_bytes(OLD)
    killed(tmp_path, step, "open")
    append(tmp_path, "MEMORY.md", "another fact")
    assert (tmp_path / "MEMORY.md").read_bytes() == NEW.replace(b"the old", b"The old") + b"another fact\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".memory-write.lock", "MEMORY.md"]


@pytest.mark.parametrize("step", ["temp-created", "temp-synced", "published", "folder-synced"])
def test_killed_while_the_file_is_made(step: str, tmp_path: Path) -> None:
    killed(tmp_path, step)
    there = (tmp_path / "MEMORY.md").exists()
    assert there is (step in ("published", "folder-synced"))
    append(tmp_path, "MEMORY.md", "a fact")
    assert (tmp_path / "MEMORY.md").read_bytes() == b"a fact\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".memory-write.lock", "MEMORY.md"]
