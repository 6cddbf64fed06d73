"""Runs console transcripts: what a person typed, and what was printed.

A line `$ words` is a command for bash, in which `vaultkeeper` is the program under test; the lines below it are its
output, stderr included. `…` stands for any text in a line, and alone on a line for any lines. A command that ends with
another code than 0 is followed by `[exit CODE]`. Lines that begin with `#` before the first command are remarks.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple


class Step(NamedTuple):
    """A command and the output that it must have."""

    line: int
    command: str
    expected: str


def parse_transcript(text: str, first_line: int = 1) -> list[Step]:
    """Returns the steps of a transcript."""
    steps: list[tuple[int, list[str], list[str]]] = []
    for number, line in enumerate(text.splitlines(), first_line):
        if line.startswith("$ "):
            steps.append((number, [line[2:]], []))
        elif line.startswith("> ") and steps and not steps[-1][2]:
            steps[-1][1].append(line[2:])
        elif steps:
            steps[-1][2].append(line)
    return [Step(number, "\n".join(command), "\n".join(out).strip("\n")) for number, command, out in steps]


def run_step(step: Step, folder: Path, environment: dict[str, str]) -> str:
    """Runs a step and returns what it printed, as it would stand in a transcript."""
    programs = folder.parent / "programs"
    programs.mkdir(exist_ok=True)
    program = programs / "vaultkeeper"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m vaultkeeper "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", step.command],
        cwd=folder,
        env=environment | {"COLUMNS": "100", "PATH": f"{programs}:{environment['PATH']}"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    lines = [line.rstrip() for line in done.stdout.strip("\n").splitlines()]
    if done.returncode:
        lines.append(f"[exit {done.returncode}]")
    return "\n".join(lines)


def matches(expected: str, printed: str) -> bool:
    """Tells whether an output is the one that a transcript shows."""
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "…":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += "[^\n]*".join(re.escape(part) for part in line.rstrip().split("…")) + "\n"
    return re.fullmatch(pattern, printed + "\n" if printed else "") is not None
