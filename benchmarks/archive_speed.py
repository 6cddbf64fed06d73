"""How fast a history is captured and archived, without vectors.

    python benchmarks/archive_speed.py [--turns 2000] [--sessions 20] [--runs 3] [--json]

A made-up history of so many turns is captured as a stream, and then tended: segments, recaps, events, facets. Measured in
turns per second, beside what the disk gives for as many small files that are forced to it one by one. And how long the
command `capture` takes, beside `python -c "import click"`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from vaultkeeper.memory.archivist import Tending, tend
from vaultkeeper.memory.capture import Exchange, capture_all

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
TOPICS = (
    "the greenhouse",
    "a parser",
    "the move",
    "the budget",
    "running",
    "the choir",
    "a bookshelf",
    "the archive",
)
USER = (
    "Can you look at {topic} again, the numbers from last week do not add up.",
    "I think {topic} needs another week, the parts arrive on Thursday.",
    "What did we say about {topic} the last time?",
    "We decided to paint {topic} in {n} colours.",
    "I prefer short answers about {topic}, no lists.",
    "I'll send the plan for {topic} by Friday.",
    "I live in Town{n}.",
    "ok, go on",
)
ASSISTANT = (
    "The sums differ since the {n} items of {topic} were counted twice; without them the total is {n}0.",
    "Noted. For {topic} there are {n} open points; the first is who measures.",
    "Last time you wanted {topic} done in {n} steps and the rest left for spring.",
)


def history(turns: int, sessions: int, seed: int = 1) -> list[Exchange]:
    """A history of exchanges, the same for the same seed."""
    chance = random.Random(seed)
    made = []
    for session in range(sessions):
        at = START + timedelta(days=session)
        for _ in range(turns // 2 // sessions):
            at += timedelta(seconds=chance.choice((20, 60, 90, 200, 700)))
            words = {"topic": chance.choice(TOPICS), "n": chance.randrange(2, 40)}
            user = " ".join(line.format(**words) for line in chance.sample(USER, chance.choice((1, 1, 2))))
            answer = " ".join(line.format(**words) for line in chance.sample(ASSISTANT, 2))
            made.append(Exchange(user, answer, (), f"session-{session:03}", int(at.timestamp() * 1000)))
    return made


def forced(folder: Path, number: int) -> float:
    """Files a second that this disk takes when each is waited for."""
    folder.mkdir()
    began = time.perf_counter()
    for at in range(number):
        handle = os.open(folder / f"{at}", os.O_WRONLY | os.O_CREAT)
        os.write(handle, b"x" * 500)
        os.fsync(handle)
        os.close(handle)
    return number / (time.perf_counter() - began)


def measure(turns: int, sessions: int) -> dict[str, float]:
    """One run in a fresh vault."""
    exchanges = history(turns, sessions)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        root.mkdir()
        began = time.perf_counter()
        receipts = capture_all(root, exchanges, now=START)
        captured = time.perf_counter()
        done = tend(root, START + timedelta(days=999), Tending(lock_dir=Path(folder)))
        tended = time.perf_counter()
        again = tend(root, START + timedelta(days=999), Tending(lock_dir=Path(folder)))
        idle = time.perf_counter() - tended
        written = sum(len(receipt.turns) for receipt in receipts)
        assert written == 2 * len(exchanges)
        assert not again.wrote
        return {
            "turns": written,
            "segments": len(done.closed),
            "events": sum(done.events.values()),
            "facets": len(done.facets_created),
            "capture_per_s": written / (captured - began),
            "tend_per_s": written / (tended - captured),
            "archived_per_s": written / (tended - began),
            "idle_tend_ms": idle * 1000,
            "forced_files_per_s": forced(Path(folder) / "floor", 300),
        }


def command_ratio(runs: int) -> dict[str, float]:
    """Median times of `vaultkeeper capture` and of `python -c "import click"`, as whole processes."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "PYTHONPATH": str(Path(__file__).parents[1]),
            "VAULTKEEPER_VAULT": folder,
            "VAULTKEEPER_CONFIG_DIR": folder,
        }
        capture = [
            sys.executable,
            "-m",
            "vaultkeeper",
            "capture",
            "--session",
            "s",
            "--user",
            "The gauges are cold",
        ]
        click = [sys.executable, "-c", "import click"]
        times: dict[str, list[float]] = {"capture": [], "click": []}
        for _ in range(runs):
            for name, command in (("click", click), ("capture", [*capture, "--assistant", "Noted."])):
                began = time.perf_counter()
                subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
                times[name].append(time.perf_counter() - began)
        capture_s, click_s = (statistics.median(times[name]) for name in ("capture", "click"))
        return {
            "capture_command_ms": round(capture_s * 1000, 1),
            "import_click_ms": round(click_s * 1000, 1),
            "capture_to_click": round(capture_s / click_s, 2),
        }


def main() -> None:
    """Runs and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=2000)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    runs = [measure(asked.turns, asked.sessions) for _ in range(asked.runs)]
    figures = {key: round(statistics.median(run[key] for run in runs), 1) for key in runs[0]}
    figures |= command_ratio(10 * asked.runs)
    if asked.json:
        print(json.dumps(figures, indent=2))
        return
    for key, value in figures.items():
        print(f"{key:20} {value:10,.1f}")


if __name__ == "__main__":
    main()
