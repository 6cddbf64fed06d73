from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from tests.keeping.world import World, text_of
from tests.watch.conftest import until
from vaultkeeper.keeper import Keeper
from vaultkeeper.keeping.history import ChangesParams
from vaultkeeper.memory.tree import MOST_LEAVES
from vaultkeeper.watch.background import Gardener


class Garden:
    """A gardener of a real vault, and what it said."""

    def __init__(
        self,
        world: World,
        quiet_s: float = 0.02,
        interval_s: float = 60.0,
        retry_s: float = 60.0,
        snapshot_s: float = 3600.0,
    ) -> None:
        self.world = world
        self.lines: list[str] = []
        self.spoke = threading.Event()
        self.opened = threading.Event()
        self.gardener = Gardener(
            self.open_keeper,
            self.say,
            quiet_s=quiet_s,
            interval_s=interval_s,
            retry_s=retry_s,
            snapshot_s=snapshot_s,
        )
        self.gardener.start()

    def open_keeper(self) -> Keeper:
        self.opened.set()
        keeper = self.world.keeper
        return Keeper(
            keeper.root,
            keeper.index_dir,
            keeper.settings,
            clock=lambda: self.world.now,
            command="garden",
            state_dir=self.world.root.parent / "state",
        )

    def say(self, line: str) -> None:
        self.lines.append(line)
        self.spoke.set()


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.fill("Log", MOST_LEAVES)
    (world.keeper.root / "MEMORY.md").write_text("# Memory\n")
    return world


def test_what_is_due_is_sealed_when_the_vault_rests(world: World) -> None:
    leftover = world.root / f".tmp_{0:032x}.md"
    leftover.write_bytes(b"half of a")
    os.utime(leftover, (1, 1))
    garden = Garden(world)
    try:
        garden.gardener.notice(["Log/Day 1.md"])
        assert garden.spoke.wait(20)
        until(lambda: not leftover.exists())
    finally:
        garden.gardener.stop()
    assert garden.lines == ["Summaries: 1 sealed, 0 rebuilt."]
    assert len(world.summaries()) == 1


def test_nothing_is_written_into_a_vault_that_keeps_no_memory(world: World) -> None:
    (world.keeper.root / "MEMORY.md").unlink()
    looked = threading.Event()
    garden = Garden(world)
    garden.gardener._work = lambda keeper: (Gardener._work(garden.gardener, keeper), looked.set())[0]  # type: ignore[method-assign]
    try:
        garden.gardener.notice(["Log/Day 1.md"])
        assert looked.wait(20)
    finally:
        garden.gardener.stop()
    assert not garden.lines
    assert not world.summaries()


def test_its_own_writes_are_no_work(world: World) -> None:
    garden = Garden(world)
    try:
        garden.gardener.notice(["wiki/summaries/source-notes-log/L1/x.md"])
        assert not garden.opened.wait(0.3)
    finally:
        garden.gardener.stop()
    assert world.summaries() == {}


def test_it_waits_while_somebody_writes(world: World) -> None:
    garden = Garden(world, quiet_s=30.0)
    try:
        garden.gardener.notice(None)
        assert not garden.opened.wait(0.3)
    finally:
        garden.gardener.stop()
    assert world.summaries() == {}


def test_a_failure_is_said_once_and_tried_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    failures = threading.Semaphore(0)

    def broken(*_: object, **__: object) -> None:
        failures.release()
        raise OSError("no disk")

    monkeypatch.setattr("vaultkeeper.keeping.trees.Trees.due", broken)
    garden = Garden(world, retry_s=0.02)
    try:
        garden.gardener.notice(None)
        for _ in range(3):
            assert failures.acquire(timeout=20)
    finally:
        garden.gardener.stop()
    assert garden.lines == ["Summaries could not be sealed, trying again later: no disk"]


def test_a_large_backlog_is_worked_off_in_pieces(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vaultkeeper.memory.tree.MOST_LEAVES", 10)
    monkeypatch.setattr("vaultkeeper.keeping.trees.MOST_LEAVES", 10)
    monkeypatch.setattr("vaultkeeper.watch.background.STEPS", 6)
    monkeypatch.setattr("vaultkeeper.watch.background.REST_S", 0.01)
    garden = Garden(world)
    try:
        garden.gardener.notice(None)
        for _ in range(3):
            assert garden.spoke.wait(20)
            garden.spoke.clear()
    finally:
        garden.gardener.stop()
    assert garden.lines[0] == "Summaries: 6 sealed, 0 rebuilt."


def looked(world: World) -> Keeper:
    """A keeper of somebody who has looked at the history once."""
    keeper = Keeper(
        world.root,
        world.index_dir,
        world.keeper.settings,
        clock=lambda: world.now,
        state_dir=world.root.parent / "state",
    )
    keeper.sync()
    return keeper


def test_a_state_that_is_overwritten_between_two_looks_is_in_the_history(world: World) -> None:
    keeper = looked(world)
    first = keeper.history.snapshot()
    assert first is not None
    garden = Garden(world, snapshot_s=0.0)
    try:
        world.write("Log/Day 1.md", "A whale was seen.\n")
        garden.gardener.notice(["Log/Day 1.md"])
        until(lambda: keeper.history.snapshot().number == first.number + 1)  # type: ignore[union-attr]
    finally:
        garden.gardener.stop()
    second = keeper.history.snapshot()
    world.write("Log/Day 1.md", text_of(1))
    found = keeper.history.changes(ChangesParams(since="snapshot", before=first.id, after=second.id))  # type: ignore[union-attr]
    assert [one.source for one in found.sources] == ["notes:Log"]
    keeper.close()


def test_where_nobody_looks_at_a_history_none_is_begun(world: World) -> None:
    garden = Garden(world, snapshot_s=0.0)
    try:
        garden.gardener.notice(["Log/Day 1.md"])
        assert garden.spoke.wait(20)
    finally:
        garden.gardener.stop()
    assert not (world.root.parent / "state").exists()


def test_snapshots_keep_their_distance(world: World) -> None:
    keeper = looked(world)
    first = keeper.history.snapshot()
    garden = Garden(world, snapshot_s=3600.0)
    gardener = garden.gardener
    gardener.stop()
    world.write("Log/Day 1.md", "A whale was seen.\n")
    gardener.notice(["Log/Day 1.md"])
    assert gardener._remember(keeper) == 60.0
    world.write("Log/Day 1.md", "Two whales were seen.\n")
    gardener.notice(["Log/Day 1.md"])
    assert 0 < gardener._remember(keeper) <= 3600.0
    assert keeper.history.snapshot().number == first.number + 2  # type: ignore[union-attr]
    keeper.close()


def test_a_damaged_history_is_told_and_stops_nothing(world: World) -> None:
    keeper = looked(world)
    keeper.history.changes(ChangesParams())
    (world.root.parent / "state/history.git/refs/heads/main").write_text("")
    garden = Garden(world)
    try:
        garden.gardener.notice(["Log/Day 1.md"])
        until(lambda: len(garden.lines) > 1)
    finally:
        garden.gardener.stop()
    assert garden.lines[0].startswith("Summaries: 1 sealed")
    assert garden.lines[1].startswith("No snapshot was taken: ")
    keeper.close()
