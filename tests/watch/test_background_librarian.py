import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.watch.conftest import until
from vaultkeeper.config import Settings
from vaultkeeper.keeper import Keeper
from vaultkeeper.memory.capture import Exchange, capture
from vaultkeeper.watch.background import Librarian

NOW = datetime(2026, 3, 10, 19, tzinfo=UTC)


class World:
    def __init__(self, folder: Path) -> None:
        self.root = folder / "vault"
        self.root.mkdir()
        self.index = folder / "index"
        self.now = NOW
        self.lines: list[str] = []
        self.opened = 0

    def open_keeper(self) -> Keeper:
        self.opened += 1
        return Keeper(self.root, self.index, Settings(embedder="none"), clock=lambda: self.now)

    def librarian(self, quiet_s: float = 0.05, interval_s: float = 1_800.0) -> Librarian:
        return Librarian(
            self.open_keeper,
            self.lines.append,
            self.root,
            lambda: self.now.timestamp(),
            quiet_s=quiet_s,
            interval_s=interval_s,
        )

    def say(self, text: str) -> None:
        capture(self.root, Exchange(text, "Noted.", session_id="s"), now=self.now)

    @property
    def segments(self) -> list[Path]:
        return sorted(self.root.glob("wiki/segments/*/*.md"))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_it_tends_when_conversations_have_come_to_rest(world: World) -> None:
    world.say("I prefer tea.")
    world.now += timedelta(days=1)
    librarian = world.librarian()
    librarian.start()
    try:
        librarian.notice(["episodic/s/000001.md"])
        until(lambda: bool(world.segments))
        until(lambda: bool(world.lines))
    finally:
        librarian.stop()
    assert world.lines == ["Archivist: 1 segment closed, 1 event, 1 facet learnt or confirmed."]


def test_an_open_segment_is_closed_when_its_silence_is_long_enough(world: World) -> None:
    world.say("I prefer tea.")
    librarian = world.librarian()
    librarian.start()
    try:
        librarian.notice(None)
        until(lambda: world.opened == 1)
        assert not world.segments
        world.now += timedelta(minutes=11)
        librarian.notice(["episodic/s/000001.md"])
        until(lambda: bool(world.segments))
    finally:
        librarian.stop()


@pytest.mark.parametrize(("interval_s", "found"), [(0.05, True), (1_800.0, False)])
def test_work_is_looked_for_every_so_often_even_when_nothing_changes(
    world: World, interval_s: float, found: bool
) -> None:
    world.say("I prefer tea.")
    world.now += timedelta(days=1)
    librarian = world.librarian(interval_s=interval_s)
    librarian.start()
    try:
        librarian.notice(None)
        until(lambda: len(world.segments) == 1)
        world.say("I prefer coffee.")  # nobody notices
        world.now += timedelta(days=1)
        if found:
            until(lambda: len(world.segments) == 2)
    finally:
        librarian.stop()
    assert len(world.segments) == 1 + found


def test_other_changes_and_vaults_without_conversations_cost_nothing(world: World) -> None:
    librarian = world.librarian()
    librarian.start()
    try:
        librarian.notice(["Daily/note.md", "wiki/segments/s/000000.md", "episodic.md"])
        librarian.notice(None)
        time.sleep(0.3)
    finally:
        librarian.stop()
    assert world.opened == 0


def test_a_conversation_that_goes_on_puts_it_off(world: World) -> None:
    world.say("I prefer tea.")
    world.now += timedelta(days=1)
    librarian = world.librarian(quiet_s=0.5)
    librarian.start()
    try:
        for _ in range(6):
            librarian.notice(["episodic"])
            time.sleep(0.1)
            assert not world.segments
        until(lambda: bool(world.segments))
    finally:
        librarian.stop()


def test_a_failure_is_said_once_and_tried_again(world: World) -> None:
    world.say("I prefer tea.")
    tried = threading.Semaphore(0)

    def broken() -> Keeper:
        tried.release()
        raise OSError("no disk")

    librarian = Librarian(broken, world.lines.append, world.root, lambda: 0.0, quiet_s=0.01, retry_s=0.05)
    librarian.start()
    try:
        librarian.notice(None)
        for _ in range(3):
            assert tried.acquire(timeout=10)
    finally:
        librarian.stop()
    assert world.lines == ["The archivist stopped and tries again later: no disk"]


def test_stopping_is_quick(world: World) -> None:
    librarian = world.librarian(quiet_s=60)
    librarian.start()
    librarian.notice(None)
    began = time.monotonic()
    librarian.stop()
    assert time.monotonic() - began < 5
