"""Killed at every write step of sealing, rebuilding and ingesting, a second run ends like an undisturbed one."""

from __future__ import annotations

import os
import shutil
import signal
import traceback
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.keeping.world import World
from vaultkeeper.importers import shelf
from vaultkeeper.keeping import ingest
from vaultkeeper.memory import tree
from vaultkeeper.memory.seal import load_nodes
from vaultkeeper.memory.tree import FANOUT


class Run(NamedTuple):
    """How a child process ended, and how many steps of writes it made."""

    killed: bool
    steps: int


def run(fatal: int, folder: Path, verb: str = "seal") -> Run:
    """Tends a vault in a process of its own, which is killed at its step number `fatal`; 0 lets it live."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reader)
            os.write(writer, str(_tend(fatal, folder, verb)).encode())
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, -signal.SIGKILL)
    return Run(code != 0, int(said or 0))


def _tend(fatal: int, folder: Path, verb: str) -> int:
    tree.MOST_LEAVES = 3
    count = 0

    def step(name: str) -> None:
        nonlocal count
        count += 1
        if count == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    world = World(folder)
    world.keeper.sync()
    if verb == "ingest":
        ingest.write_item = partial(shelf.write_item, step=step)
        world.keeper.ingest.document(title="Manual", body=NEW, source_id="manual")
    world.wait(hours=2)
    world.keeper.trees.tend(force=True, step=step)
    return count


OLD = "The old text of the manual says that the valve must never be opened by anybody at all.\n" * 4
NEW = "The new text of the manual says that the valve must be opened slowly and closed at once.\n" * 4


def notes(folder: Path) -> dict[str, bytes]:
    root = folder / "vault"
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*.md"))
        if not any(part.startswith(".") for part in path.relative_to(root).parts)
    }


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault in which ten summaries and one above them are due, then one of them is stale."""
    folder = tmp_path_factory.mktemp("filled")
    world = World(folder)
    world.fill("Log", 3 * FANOUT)
    world.keeper.close()
    return folder


def copy(filled: Path, folder: Path) -> Path:
    shutil.copytree(filled, folder, dirs_exist_ok=True)
    return folder


def test_killed_while_sealing(filled: Path, tmp_path: Path) -> None:
    whole = copy(filled, tmp_path / "whole")
    done = run(0, whole)
    assert not done.killed
    steps, expected = done.steps, notes(whole)
    assert steps > 60
    assert len(list(load_nodes(whole / "vault"))) == FANOUT + 1
    for fatal in sorted({1, 2, 3, 4, 5, 6, 7, steps // 3, steps // 2, steps - 9, steps - 1, steps}):
        folder = copy(filled, tmp_path / str(fatal))
        assert run(fatal, folder).killed
        assert not run(0, folder).killed
        assert notes(folder) == expected, f"killed at step {fatal} of {steps}"


def test_killed_while_rebuilding(filled: Path, tmp_path: Path) -> None:
    start = copy(filled, tmp_path / "start")
    assert not run(0, start).killed
    (start / "vault/Log/Day 4.md").write_text(
        "The lighthouse was painted red by three sailors on a ladder last week.\n"
    )
    (start / "vault/Log/Day 7.md").unlink()
    whole = copy(start, tmp_path / "whole")
    done = run(0, whole)
    assert not done.killed
    steps, expected = done.steps, notes(whole)
    assert steps > 10
    for fatal in range(1, steps + 1, 3):
        folder = copy(start, tmp_path / f"r{fatal}")
        assert run(fatal, folder).killed
        assert not run(0, folder).killed
        assert notes(folder) == expected, f"killed at step {fatal} of {steps}"


def test_killed_while_a_new_version_replaces_the_old(tmp_path: Path) -> None:
    folder = tmp_path / "start"
    world = World(folder)
    world.keeper.ingest.document(title="Manual", body=OLD, source_id="manual")
    world.tend(force=True)
    world.keeper.close()
    whole = copy(folder, tmp_path / "whole")
    done = run(0, whole, "ingest")
    assert not done.killed
    steps = done.steps
    for fatal in range(1, steps + 1):
        folder_k = copy(folder, tmp_path / f"k{fatal}")
        assert run(fatal, folder_k, "ingest").killed
        assert not run(0, folder_k, "ingest").killed
        [node] = load_nodes(folder_k / "vault")
        assert "slowly" in node.text
        assert not node.superseded
        check = World(folder_k)
        check.keeper.sync()
        assert check.keeper.trees.verify() == []
        check.keeper.close()
