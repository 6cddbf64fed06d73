"""Several terminals at once: watchers, rebuilds, syncs and questions on one vault, some of them killed."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from tests.cli.conftest import PROJECT, Run, environment, home, run  # noqa: F401 (fixtures)

GOOD = {0, 3, 4, 6, 8, -9}
"""Done, not found, conflict, locked, problems, killed."""


@pytest.mark.skipif(os.name == "nt", reason="the watcher has no socket on Windows")
def test_nothing_is_ever_locked_out_or_torn(
    tmp_path: Path,
    environment: dict[str, str],  # noqa: F811
    run: Run,  # noqa: F811
) -> None:
    vault = tmp_path / "Notes"
    shutil.copytree(PROJECT / "sample_vault", vault)
    assert run("--vault", str(vault), "sync", "--no-tend").code == 0
    said: list[tuple[tuple[str, ...], int, str]] = []

    def call(*words: str, kill_after_s: float | None = None) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", "vaultkeeper", "--vault", str(vault), *words],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8",
        )  # fmt: skip
        try:
            _, told = process.communicate(timeout=kill_after_s or 100)
        except subprocess.TimeoutExpired:
            process.kill()
            _, told = process.communicate()
        said.append((words, process.returncode, told))

    def repeat(times: int, *words: str, kill: bool = False) -> Callable[[], None]:
        dice = random.Random(times)

        def work() -> None:
            for _ in range(times):
                call(*words, kill_after_s=dice.uniform(0.2, 2) if kill else None)

        return work

    def edit() -> None:
        dice = random.Random(1)
        for number in range(300):
            note = vault / f"Inbox {dice.randrange(20)}.md"
            with contextlib.suppress(FileNotFoundError):
                if dice.random() < 0.7:
                    note.write_text(f"# Inbox\n\nzebra {number} [[Tidewater]]\n", "utf-8")
                elif dice.random() < 0.5:
                    note.unlink()
                else:
                    note.rename(vault / f"Inbox {dice.randrange(20)}.md")

    threads = [
        Thread(target=work)
        for work in (
            repeat(4, "watch", "--no-tend", kill=True),
            repeat(3, "watch", "--no-tend", kill=True),
            repeat(5, "rebuild", kill=True),
            repeat(4, "rebuild"),
            repeat(6, "sync", "--no-tend"),
            repeat(8, "search", "zebra"),
            repeat(5, "ask", "who owns the gauges"),
            repeat(8, "status"),
            edit,
        )
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for words, code, told in said:
        assert code in GOOD, (words, code, told)
        assert "Traceback" not in told, (words, told)
        assert "database" not in told.lower(), (words, told)
    query = ("--vault", str(vault), "search", "zebra tidewater", "--limit", "50", "--json")
    answer = run(*query).out
    assert run("--vault", str(vault), "rebuild").code == 0
    assert run(*query).out == answer
