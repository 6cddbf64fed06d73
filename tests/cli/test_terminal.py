from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="only where terminals are made by pty")


def on_a_terminal(words: list[str], environment: dict[str, str], folder: Path) -> str:
    """Runs a command whose output is a terminal, and returns what it drew."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(
            sys.executable, [sys.executable, "-m", "vaultkeeper", *words], environment | {"TERM": "xterm"}
        )
    drawn = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            break
        if not part:
            break
        drawn += part
    os.close(terminal)
    os.waitpid(pid, 0)
    return drawn.decode()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_colours_and_a_progress_bar_appear_on_a_terminal(
    environment: dict[str, str], vault: Path, tmp_path: Path
) -> None:
    quiet = environment | {"VAULTKEEPER_EMBEDDER": "none"}
    drawn = on_a_terminal(["sync", "--vault", str(vault)], quiet, tmp_path)
    assert "Reading notes" in drawn
    assert "1 added" in drawn
    assert "\x1b[" in on_a_terminal(["search", "tea", "--vault", str(vault)], quiet, tmp_path)
    plain = on_a_terminal(["search", "tea", "--vault", str(vault)], quiet | {"NO_COLOR": "1"}, tmp_path)
    assert "Tea" in plain
    assert "\x1b[" not in plain
