"""An archivist that is killed at any step leaves whole notes, and the next one ends with the notes of one that was not."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from vaultkeeper.memory.archivist import Tending, tend
from vaultkeeper.memory.capture import Exchange, capture, capture_all

START = datetime(2026, 3, 10, 19, tzinfo=UTC)
LATER = START + timedelta(days=1)
SAID = [
    "I live in Oslo.",
    "I prefer tea.",
    "By the way, I moved to Ghent.",
    "We decided to use zstd.",
    "Anyway, I prefer coffee.",
]


def work(verb: str, fatal: int, root: Path, steps: Path) -> None:
    """Tends or captures in this process, which dies at one of the calls that touch the disk."""
    count = 0

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            nonlocal count
            count += 1
            if count == fatal:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **more)

        return call

    for name in ("open", "write", "fsync", "link", "unlink", "replace", "mkdir"):
        setattr(os, name, counted(getattr(os, name)))
    if verb == "tend":
        tend(root, LATER, Tending(promote=lambda *_: True))
    else:
        capture(root, Exchange("Hi", "Hello", session_id="s"), now=LATER)
    total = count
    steps.write_text(str(total))


def filled(root: Path) -> Path:
    for number, session in enumerate(("a", "b", "c")):
        at = START + timedelta(hours=number)
        capture_all(
            root,
            [Exchange(text, "Noted.", session_id=session, at_ms=int(at.timestamp() * 1000) + 30_000 * n) for n, text in enumerate(SAID)],
            now=at,
        )  # fmt: skip
    return root


def run(verb: str, fatal: int, root: Path, steps: Path) -> int | None:
    process = multiprocessing.get_context("fork").Process(target=work, args=(verb, fatal, root, steps))
    process.start()
    process.join(60)
    return process.exitcode


def notes(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*.md"))
        if not path.name.startswith(".tmp_")
    }


def steps(total: int, wanted: int) -> list[int]:
    return sorted({1 + at * (total - 1) // (wanted - 1) for at in range(wanted)})


@pytest.mark.parametrize("verb", ["tend", "capture"])
def test_killed_anywhere_and_run_again_gives_the_same_notes(verb: str, tmp_path: Path) -> None:
    whole = filled(tmp_path / "whole")
    counted = tmp_path / "steps"
    assert run(verb, 0, whole, counted) == 0
    expected = notes(whole)
    total = int(counted.read_text())
    assert total > 10
    for fatal in steps(total, 10 if verb == "tend" else 8):
        root = filled(tmp_path / f"{verb}-{fatal}")
        before = notes(root)
        assert run(verb, fatal, root, counted) == -signal.SIGKILL
        cut = notes(root)
        assert cut.keys() <= expected.keys()
        assert {path: cut[path] for path in before} == before
        if verb == "tend":
            tend(root, LATER, Tending(promote=lambda *_: True))
            assert notes(root) == expected, f"killed at step {fatal} of {total}"
        else:
            assert all(cut[path] == expected[path] for path in cut), f"killed at step {fatal} of {total}"
