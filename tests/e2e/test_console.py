from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.e2e.transcript import matches, parse_transcript, run_step

PROJECT = Path(__file__).parents[2]
TRANSCRIPTS = sorted(Path(__file__).parent.glob("*.console"))


@pytest.fixture
def world(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A folder with a copy of the sample vault, and an environment whose caches and settings lie beside it."""
    folder = tmp_path / "world"
    shutil.copytree(PROJECT / "sample_vault", folder / "sample_vault")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("VAULTKEEPER_") and name not in ("FORCE_COLOR", "NO_COLOR")
    }
    home = tmp_path / "home"
    return folder, kept | {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_STATE_HOME": str(home / "state"),
        "VAULTKEEPER_CONFIG_DIR": str(home / "config"),
        "PYTHONPATH": str(PROJECT),
        "PYTHONWARNINGS": "error",
    }


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_transcript_is_what_happens(path: Path, world: tuple[Path, dict[str, str]]) -> None:
    steps = parse_transcript(path.read_text("utf-8"))
    assert steps
    for step in steps:
        printed = run_step(step, *world)
        assert matches(step.expected, printed), f"{path.name}:{step.line}: $ {step.command}\n{printed}"


def test_the_readme_shows_what_happens(world: tuple[Path, dict[str, str]]) -> None:
    text = (PROJECT / "README.md").read_text("utf-8")
    blocks = [(i, part) for i, part in enumerate(text.split("```")) if part.startswith("console\n")]
    assert blocks, "the README has a transcript"
    for at, block in blocks:
        line = "```".join(text.split("```")[:at]).count("\n") + 1
        for step in parse_transcript(block, line):
            printed = run_step(step, *world)
            assert matches(step.expected, printed), f"README.md:{step.line}: $ {step.command}\n{printed}"


def test_every_command_has_a_transcript() -> None:
    from vaultkeeper.cli.main import COMMANDS

    commands = [s.command for path in TRANSCRIPTS for s in parse_transcript(path.read_text("utf-8"))]
    assert [
        name for name in COMMANDS if not any(f"vaultkeeper {name}" in command for command in commands)
    ] == []


def test_a_transcript_is_compared_line_by_line() -> None:
    assert matches("a … c\nd", "a b c\nd")
    assert matches("a\n…\nd", "a\nb\nc\nd")
    assert matches("", "")
    assert not matches("", "x")
    assert not matches("a", "a\nb")
    assert not matches("a … c", "a b\nc")
