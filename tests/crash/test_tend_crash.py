"""An archivist and a capture that are killed at any write leave whole notes, and the next one ends with the notes of one
that was not."""

import multiprocessing
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from vaultkeeper.config import Settings
from vaultkeeper.keeping.conversations import Conversations
from vaultkeeper.memory.archivist import Tended
from vaultkeeper.memory.capture import Exchange, capture_all
from vaultkeeper.memory.profile import load_profile
from vaultkeeper.vault import update

START = datetime(2026, 3, 10, 19, tzinfo=UTC)
LATER = START + timedelta(days=1)
CALL = {"name": "shell", "success": False, "error": "no space left on the disk"}
SAID = {
    "a": [
        "I live in Oslo. I prefer tea.",
        "By the way, we decided to use zstd. I prefer tea.",
        "I prefer tea.",
    ],
    "b": ["I moved to Ghent. I prefer tea.", "I'll send the plan by Friday."],
}
"""A small history with everything in it: a segment that ends by words and others by silence, events of each kind, a facet
that is superseded, one that is confirmed and goes to MEMORY.md, and a failure that comes back and goes there too."""


def conversations(root: Path) -> Conversations:
    settings = Settings(embedder="none")
    return Conversations(root, settings, lambda: LATER, root.parent / f"{root.name}-lock")


def filled(root: Path) -> Path:
    for number, (session, texts) in enumerate(SAID.items()):
        at = START + timedelta(hours=number)
        said = [
            Exchange(text, "Noted.", (CALL,), session, int(at.timestamp() * 1000) + 30_000 * n)
            for n, text in enumerate(texts)
        ]
        capture_all(root, said, now=at)
    (root / "MEMORY.md").write_text("# Mine\n\n- a line of a person\n")
    return root


def tend(root: Path) -> Tended:
    return conversations(root).tend()


def capture(root: Path) -> None:
    conversations(root).capture(Exchange("Hi", "Hello", (CALL,), session_id="s", at_ms=1_773_000_000_000))


def capture_history(root: Path) -> None:
    conversations(root).capture_all(
        [Exchange(f"Number {n}", "Noted.", session_id="s", at_ms=1_773_000_000_000 + n) for n in range(3)]
    )


VERBS: dict[str, Callable[[Path], object]] = {
    "tend": tend,
    "capture": capture,
    "capture_history": capture_history,
}


def work(verb: str, fatal: int, root: Path, steps: Path) -> None:
    """Does it in this process, which dies right before the call number `fatal` that changes the disk."""
    count = 0

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            nonlocal count
            count += 1
            if count == fatal:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **more)

        return call

    for name in (
        "write",
        "fsync",
        "link",
        "unlink",
        "replace",
        "rename",
        "mkdir",
        "rmdir",
        "ftruncate",
        "utime",
        "chmod",
    ):
        setattr(os, name, counted(getattr(os, name)))
    real_open = os.open

    def opened(path: Any, flags: int, *args: Any, **more: Any) -> int:
        creates = flags & os.O_CREAT
        return int((counted(real_open) if creates else real_open)(path, flags, *args, **more))

    os.open = opened  # type: ignore[assignment]
    update.exchange = counted(update.exchange)
    VERBS[verb](root)
    steps.write_text(str(count))


def run(verb: str, fatal: int, root: Path, steps: Path) -> int | None:
    process = multiprocessing.get_context("fork").Process(target=work, args=(verb, fatal, root, steps))
    process.start()
    process.join(60)
    return process.exitcode


def notes(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*.md"))
        if not path.name.startswith(".")
    }


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: what is waited for at every write is not the point here."""
    memory = Path("/dev/shm")
    made = Path(tempfile.mkdtemp(dir=memory if os.access(memory, os.W_OK) else tmp_path))
    yield made
    shutil.rmtree(made)


@pytest.mark.parametrize("verb", VERBS)
def test_killed_at_every_write_and_run_again_gives_the_same_notes(verb: str, folder: Path) -> None:
    before = notes(filled(folder / "before"))
    whole = Path(shutil.copytree(folder / "before", folder / "whole"))
    counter = folder / "steps"
    assert run(verb, 0, whole, counter) == 0
    expected = notes(whole)
    total = int(counter.read_text())
    assert total > 10
    for fatal in range(1, total + 1):
        root = Path(shutil.copytree(folder / "before", folder / f"{verb}-{fatal}"))
        where = f"killed at step {fatal} of {total}"
        assert run(verb, fatal, root, counter) == -signal.SIGKILL, where
        cut = notes(root)
        assert before.keys() <= cut.keys() <= expected.keys(), where
        for path, data in cut.items():  # what is there is whole: as before, or as it will be
            assert data in (before.get(path), expected[path]) or path.startswith(("profile/", "MEMORY.md")), (
                where
            )
        assert b"- a line of a person\n" in cut["MEMORY.md"], where
        if verb == "tend":
            tend(root)
            assert notes(root) == expected, where
            assert not tend(root).wrote, where
        else:  # what was captured is a beginning, without a hole; the next one goes on behind it
            new = sorted(cut.keys() - before.keys())
            assert new == sorted(expected.keys() - before.keys())[: len(new)], where
            capture(root)
            after = sorted(path for path in notes(root) if path.startswith("episodic/s/"))
            assert after == [f"episodic/s/{seq:06}.md" for seq in range(len(new) + 2)], where
        shutil.rmtree(root)


def test_the_history_has_everything_in_it(tmp_path: Path) -> None:
    done = tend(filled(tmp_path / "v"))
    assert {closed.reason for closed in done.closed} == {"explicit_marker", "time_gap"}
    assert set(done.events) == {"decision", "commitment", "preference", "fact"}
    assert done.facets_superseded
    assert done.promoted == (
        "shell failed in several conversations: no space left on the disk",
        "I prefer tea.",
    )
    assert "- [mistake] shell failed" in (tmp_path / "v/MEMORY.md").read_text()
    assert any(facet.promoted for facet in load_profile(tmp_path / "v").facets.values())
