from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def complete(run: Run, words: str) -> list[str]:
    count = str(len(words.split(" ")) - 1)
    env = {"_VAULTKEEPER_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": count}
    return [line.partition(",")[2] for line in run(env=env).out.splitlines()]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script_that_it_can_read(run: Run, shell: str, tmp_path: Path) -> None:
    script = run("completion", shell).out
    assert "_VAULTKEEPER_COMPLETE" in script
    if shutil.which(shell):
        file = tmp_path / "script"
        file.write_text(script)
        subprocess.run([shell, "-n", str(file)], check=True)


def test_commands_options_and_names_are_completed(run: Run, vault: Path) -> None:
    run("vault", "add", str(vault))
    assert "completion" in complete(run, "vaultkeeper comp")
    assert {"show", "get"} <= set(complete(run, "vaultkeeper config "))
    assert "--vault" in complete(run, "vaultkeeper config show --v")
    assert "Notes" in complete(run, "vaultkeeper config show --vault No")
    assert complete(run, "vaultkeeper config get chunk.m") == ["chunk.max_tokens"]
