"""A vault with a watcher on it, run in a thread or as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.watch.fake import Disk, answer
from vaultkeeper.watch.client import ask_server
from vaultkeeper.watch.loop import WatchOptions, run_watch
from vaultkeeper.watch.stop import Stop

PROJECT = Path(__file__).parents[2]


def until(condition: Callable[[], object], seconds: float = 15.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


class Watched:
    """A running watcher in a thread, and what it says."""

    def __init__(self, disk: Disk, options: WatchOptions, **more: object) -> None:
        self.disk = disk
        self.lines: list[str] = []
        self.statuses: list[str] = []
        self.stop = Stop()
        self.result: list[object] = []

        def run() -> None:
            try:
                self.result.append(
                    run_watch(disk.keeper, options, self.lines.append, self.stop, answer=answer, **more)  # type: ignore[arg-type]
                )
            except BaseException as error:
                self.result.append(error)

        self.thread = threading.Thread(target=run)
        self.thread.start()

    def ready(self) -> Watched:
        self.disk.wait_for(lambda: bool(self.disk.syncs))
        return self

    def said(self, words: str) -> bool:
        return any(words in line for line in self.lines)

    def end(self) -> None:
        self.stop.set()
        self.thread.join(15)
        assert not self.thread.is_alive()
        self.stop.__exit__()


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    root = tmp_path / "vault"
    (root / "notes").mkdir(parents=True)
    (root / ".obsidian").mkdir()
    (root / "notes" / "one.md").write_text("one\n")
    return Disk(root, tmp_path / "index")


@pytest.fixture
def watch(disk: Disk) -> Iterator[Callable[..., Watched]]:
    started: list[Watched] = []

    def start(options: WatchOptions | None = None, **more: object) -> Watched:
        started.append(Watched(disk, options or WatchOptions(tick_s=0.05), **more))
        return started[-1]

    yield start
    for watched in started:
        watched.end()


class Process:
    """A watcher as a process of its own."""

    def __init__(self, disk: Disk, options: dict[str, object], prefix: tuple[str, ...] = ()) -> None:
        self.disk = disk
        words = ["-m", "tests.watch.fake", str(disk.root), str(disk.index_dir), json.dumps(options)]
        self.process = subprocess.Popen(
            [*prefix, sys.executable, *words],
            cwd=PROJECT,
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )  # fmt: skip

    def ping(self) -> dict[str, object]:
        return ask_server(self.disk.index_dir, "ping") or {}

    def ready(self) -> Process:
        until(lambda: self.ping().get("state") == "watching" or self.process.poll() is not None)
        return self

    def finds(self, words: str) -> list[str]:
        found = ask_server(self.disk.index_dir, "ask", {"query": words})
        hits = found["hits"] if found else []
        assert isinstance(hits, list)
        return hits

    def wait(self) -> tuple[int, str]:
        out, _ = self.process.communicate(timeout=30)
        return self.process.returncode, out


@pytest.fixture
def process(disk: Disk) -> Iterator[Callable[..., Process]]:
    started: list[Process] = []

    def start(prefix: tuple[str, ...] = (), **options: object) -> Process:
        started.append(Process(disk, options, prefix))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
        one.process.communicate()
