from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parents[2]


@dataclass
class Said:
    """What a call of the command line printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Said]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """An environment whose settings, cache and list of vaults are this test's own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VAULTKEEPER_")}
    for name in ("NO_COLOR", "FORCE_COLOR", "_VAULTKEEPER_COMPLETE"):
        kept.pop(name, None)
    return kept | {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_STATE_HOME": str(home / "state"),
        "VAULTKEEPER_CONFIG_DIR": str(home / "config"),
        "PYTHONPATH": str(PROJECT),
        "PYTHONWARNINGS": "error",
    }


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path) -> Run:
    """Runs the real command line in a process of its own."""

    def call(
        *words: str, cwd: Path | None = None, env: dict[str, str] | None = None, stdin: str = ""
    ) -> Said:
        done = subprocess.run(
            [sys.executable, "-m", "vaultkeeper", *words],
            cwd=cwd or tmp_path,
            env=environment | (env or {}),
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A folder with one note; no vault by its marks yet."""
    folder = tmp_path / "Notes"
    folder.mkdir()
    (folder / "Tea.md").write_text("# Tea\n\nGreen tea is steeped at 70 degrees.\n", "utf-8")
    return folder
