"""A vault with its keeper and a clock that tests turn."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from vaultkeeper.config import Settings
from vaultkeeper.keeper import Keeper

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

SENTENCES = (
    "The harbour office wrote down every ferry that left before dawn on day {n}.",
    "Nobody in {town} could say why gauge {n} had stopped in the night.",
    "In the end {who} took the train and replaced the battery of gauge {n} alone.",
)
TOWNS = ("Oosterdam", "Kelbury", "Vindhamn", "Porto Alto", "Mirefleet")
PEOPLE = ("Mara", "Seun", "Priya", "Dirk")


def text_of(number: int) -> str:
    """A short note of three sentences."""
    values = {"n": number, "town": TOWNS[number % 5], "who": PEOPLE[number % 4]}
    return "\n".join(sentence.format(**values) for sentence in SENTENCES) + "\n"


class World:
    """One vault; files are as old as the clock says."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.root = (folder / "vault").resolve()
        self.root.mkdir(parents=True, exist_ok=True)
        self.index_dir = folder / "index"
        self.now = START
        self.keeper = Keeper(
            self.root,
            self.index_dir,
            Settings(embedder="none", **settings),  # type: ignore[arg-type]
            clock=lambda: self.now,
            command="a test",
        )

    def write(self, path: str, text: str, *, sync: bool = True) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        stamp = self.now.timestamp()
        os.utime(file, (stamp, stamp))
        if sync:
            self.keeper.sync()

    def fill(self, folder: str, count: int, first: int = 0) -> None:
        for number in range(first, first + count):
            self.write(f"{folder}/Day {number}.md", text_of(number), sync=False)
        self.keeper.sync()

    def wait(self, **delta: float) -> None:
        self.now += timedelta(**delta)

    def tend(self, *scopes: str, force: bool = False) -> list[str]:
        done = self.keeper.trees.tend(scopes or None, force=force)
        self.keeper.sync()
        return done.paths

    def summaries(self) -> dict[str, bytes]:
        folder = self.root / "wiki"
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.md"))
        }
