from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from tests.watch.conftest import until
from vaultkeeper.watch.background import TEXTS_PER_STEP, Trickle


class Vectors:
    """A keeper that embeds: what is pending, and what was asked of it."""

    def __init__(self, pending: int) -> None:
        self.pending = pending
        self.steps: list[int] = []
        self.fail: list[Exception] = []
        self.stuck = False
        self.embeds_slowly = True
        self.closed = 0
        self.niceness = 0
        self.go = threading.Event()
        self.go.set()
        self.inside = threading.Event()

    def embed_pending(self, *, stop: Callable[[], bool], limit: int) -> int:
        self.inside.set()
        assert self.go.wait(10)
        if self.fail:
            raise self.fail.pop(0)
        if sys.platform.startswith("linux"):
            self.niceness = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
        self.steps.append(limit)
        if not self.stuck and not stop():
            self.pending = max(0, self.pending - limit)
        return self.pending

    def close(self) -> None:
        self.closed += 1


Start = Callable[[Vectors], Trickle]


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def start(said: list[str]) -> Iterator[Start]:
    started: list[Trickle] = []

    def begin(vectors: Vectors) -> Trickle:
        started.append(Trickle(lambda: vectors, said.append, lambda: None, retry_s=0.02, settle_s=0.05))
        started[-1].start()
        return started[-1]

    yield begin
    for trickle in started:
        trickle.stop()


def test_it_works_until_nothing_is_pending_at_the_lowest_priority(start: Start) -> None:
    vectors = Vectors(1000)
    trickle = start(vectors)
    assert trickle.pending is None
    trickle.wake()
    until(lambda: trickle.pending == 0)
    assert vectors.steps == [TEXTS_PER_STEP] * 4
    if sys.platform.startswith("linux"):
        assert vectors.niceness == 19
        assert os.getpriority(os.PRIO_PROCESS, threading.main_thread().native_id or 0) < 19
    trickle.stop()
    assert vectors.closed == 1


def test_a_quick_embedder_keeps_its_priority(start: Start) -> None:
    vectors = Vectors(10)
    vectors.embeds_slowly = False
    trickle = start(vectors)
    trickle.wake()
    until(lambda: trickle.pending == 0)
    assert vectors.niceness < 19


def test_it_stands_aside_for_a_sync(start: Start) -> None:
    vectors = Vectors(1000)
    vectors.go.clear()
    trickle = start(vectors)
    trickle.wake()
    assert vectors.inside.wait(10)
    trickle.stand_aside()
    vectors.go.set()
    until(lambda: trickle.pending == 1000)
    assert len(vectors.steps) == 1
    trickle.wake()
    until(lambda: trickle.pending == 0)


def test_syncs_that_follow_one_another_are_embedded_together(start: Start) -> None:
    vectors = Vectors(10)
    trickle = start(vectors)
    for _ in range(20):
        trickle.wake()
    until(lambda: trickle.pending == 0)
    assert len(vectors.steps) == 1


def test_what_never_gets_less_is_not_tried_for_ever(start: Start) -> None:
    vectors = Vectors(10)
    vectors.stuck = True
    trickle = start(vectors)
    trickle.wake()
    until(lambda: len(vectors.steps) == 2)
    trickle.stop()
    assert len(vectors.steps) == 2


def test_a_failure_is_said_once_and_tried_again_with_a_new_keeper(start: Start, said: list[str]) -> None:
    vectors = Vectors(10)
    vectors.fail = [RuntimeError("no model") for _ in range(3)]
    trickle = start(vectors)
    trickle.wake()
    until(lambda: trickle.pending == 0)
    assert said == ["Vectors could not be computed, trying again later: no model"]
    assert vectors.closed == 3
