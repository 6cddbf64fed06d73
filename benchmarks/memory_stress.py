"""Curated memory under stress: many writers, killed at random, and a person who edits the same file meanwhile.

    python benchmarks/memory_stress.py [--processes 8] [--appends 200] [--facts 300] [--seed 1] [--kill-every 0.25]

Every process appends facts from one list, each several times over; some are killed with SIGKILL and started again
where they were. Meanwhile a person adds lines with an editor that knows no locks, and ticks boxes in place. In the end
every fact must be there once, every line of the person's must be as they left it, and nothing else must be left.
Exits with 1 when something is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

PROJECT = Path(__file__).parents[1]

WORKER = """
import sys
from pathlib import Path
from vaultkeeper.memory.curated import append
root, facts = Path(sys.argv[1]), sys.stdin.read().splitlines()
for number, fact in enumerate(facts):
    append(root, "MEMORY.md", fact)
    print(number, flush=True)
"""

MOST_LINES = 400
HEAD = "# Memory\n\nWhat I wrote myself stays as it is.\n\n"


@dataclass(slots=True)
class Outcome:
    """What the run did, and what is wrong after it; `wrong` is empty when all is well."""

    appends: int = 0
    kills: int = 0
    lines_by_hand: int = 0
    ticks_by_hand: int = 0
    seconds: float = 0.0
    appends_per_s: float = 0.0
    bytes: int = 0
    wrong: list[str] = field(default_factory=list)


def facts(number: int, seed: int) -> list[str]:
    """Facts that are alike but say different things."""
    dice = random.Random(seed)
    words = "ferry kiln gauge relay orchard ledger turbine harbour quarry loom signal bakery".split()
    return [
        f"- [fact] The {dice.choice(words)} number {at} opens at {dice.randrange(24):02}:{dice.randrange(60):02}"
        for at in range(number)
    ]


class Writer:
    """One process that appends its share; what it has confirmed is not asked for again after a kill."""

    def __init__(self, root: Path, share: list[str]) -> None:
        self.root = root
        self.share = share
        self.kills = 0
        self.fresh = 0
        self.errors: list[str] = []
        self.process: subprocess.Popen[str] | None = None
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        done = 0
        while done < len(self.share):
            self.process = subprocess.Popen(
                [sys.executable, "-c", WORKER, str(self.root)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=os.environ | {"PYTHONPATH": str(PROJECT)},
            )
            assert self.process.stdin is not None
            assert self.process.stdout is not None
            assert self.process.stderr is not None
            begun, self.fresh = done, 0
            try:
                self.process.stdin.write("\n".join(self.share[done:]))
                self.process.stdin.close()
            except BrokenPipeError:
                pass
            for line in self.process.stdout:
                if line.endswith("\n"):
                    done = begun + int(line) + 1
                    self.fresh = done - begun
            said = self.process.stderr.read()
            code = self.process.wait()
            self.process.stdout.close()
            self.process.stderr.close()
            if code == -signal.SIGKILL:
                self.kills += 1
            elif code:
                self.errors.append(said.strip()[-400:])
                return

    def kill(self) -> None:
        """Kills the process, unless it has done nothing yet: it would never come to an end."""
        if self.fresh >= 2 and self.process is not None and self.process.poll() is None:
            self.process.kill()


class Person:
    """Edits the file with programs that know no locks: adds lines to its end, and ticks boxes where they stand."""

    def __init__(self, root: Path, seed: int, stale: float) -> None:
        self.stale = stale
        self.file = root / "MEMORY.md"
        self.dice = random.Random(seed)
        self.lines: list[str] = []
        self.ticked: set[int] = set()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self.over.wait(self.dice.uniform(0.001, 0.03)):
            if self.lines and (self.dice.random() < 0.3 or len(self.lines) >= MOST_LINES):
                self._tick(self.dice.randrange(len(self.lines)))
            else:
                self._add()

    def _add(self) -> None:
        number = len(self.lines)
        line = f"- [ ] by hand {number:04}: {self.dice.getrandbits(64):016x}"
        if self.dice.random() < self.stale:
            text = self.file.read_text("utf-8")
            self.file.write_text(f"{text}{line}\n", "utf-8")
            self.lines.append(line)
            return
        with self.file.open("a", encoding="utf-8") as file:
            if self.dice.random() < 0.3:
                time.sleep(0.002)  # an editor that takes its time
            file.write(line + "\n")
        self.lines.append(line)

    def _tick(self, number: int) -> None:
        with self.file.open("r+b") as file:
            at = file.read().find(self.lines[number].encode())
            if at < 0:
                return
            file.seek(at + 3)
            file.write(b"x")
        self.lines[number] = self.lines[number].replace("[ ]", "[x]")
        self.ticked.add(number)


def stress(
    root: Path, processes: int, appends: int, number: int, seed: int, kill_every_s: float, stale: float = 0.0
) -> Outcome:
    """Runs it on an empty folder and looks at what came out.

    Args:
        stale: Share of the lines by hand that are added by reading the whole file and writing it back. Whatever was
            written between the two is undone by that, which nobody can prevent; it is made good when it is seen at once.
    """
    dice = random.Random(seed)
    (root / "MEMORY.md").write_text(HEAD, "utf-8")
    (root / "MEMORY.md").chmod(0o640)
    known = facts(number, seed)
    work = (known * (processes * appends // number + 1))[: processes * appends]
    dice.shuffle(work)
    writers = [Writer(root, work[at::processes]) for at in range(processes)]
    person = Person(root, seed, stale)
    outcome = Outcome(appends=len(work))
    begun = time.monotonic()
    for one in (*writers, person):
        one.thread.start()
    while any(writer.thread.is_alive() for writer in writers):
        time.sleep(dice.uniform(0.2, 1.8) * kill_every_s)
        dice.choice(writers).kill()
    for writer in writers:
        writer.thread.join()
    person.over.set()
    person.thread.join()
    outcome.seconds = round(time.monotonic() - begun, 2)
    outcome.kills = sum(writer.kills for writer in writers)
    outcome.appends_per_s = round(len(work) / outcome.seconds, 1)
    outcome.lines_by_hand, outcome.ticks_by_hand = len(person.lines), len(person.ticked)
    outcome.wrong = [error for writer in writers for error in writer.errors]
    outcome.wrong += examine(root, known, person.lines)
    outcome.bytes = (root / "MEMORY.md").stat().st_size
    return outcome


def examine(root: Path, known: list[str], by_hand: list[str]) -> list[str]:
    """Says what is wrong after a run."""
    from vaultkeeper.memory.curated import append

    wrong = []
    receipt = append(root, "MEMORY.md", known[0])  # finds the lock free, and clears what killed writers left
    text = (root / "MEMORY.md").read_text("utf-8")
    if receipt.changed:
        wrong.append("the first fact was missing")
    lines = text.split("\n")
    if not text.startswith(HEAD) or lines.pop() != "":
        wrong.append("the file is cut")
    counts = {line: lines.count(line) for line in [*known, *by_hand]}
    wrong += [f"{count} times: {line}" for line, count in counts.items() if count != 1]
    strange = set(lines) - set(counts) - set(HEAD.split("\n"))
    wrong += [f"nobody wrote: {line}" for line in sorted(strange)]
    if (root / "MEMORY.md").stat().st_mode & 0o777 != 0o640:
        wrong.append("the permissions changed")
    left = sorted(
        path.name for path in root.iterdir() if path.name not in ("MEMORY.md", ".memory-write.lock")
    )
    wrong += [f"left behind: {name}" for name in left]
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--appends", type=int, default=200, help="of each process")
    parser.add_argument("--facts", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kill-every", type=float, default=0.25, metavar="S")
    parser.add_argument(
        "--stale", type=float, default=0.0, metavar="SHARE", help="of lines by hand, see `stress`"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcome = stress(
            Path(folder),
            options.processes,
            options.appends,
            options.facts,
            options.seed,
            options.kill_every,
            options.stale,
        )
    print(json.dumps(asdict(outcome), indent=2))
    return 1 if outcome.wrong else 0


if __name__ == "__main__":
    sys.path.insert(0, str(PROJECT))
    sys.exit(main())
