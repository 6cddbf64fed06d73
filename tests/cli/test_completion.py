from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run

BREAKS = " \t\n\"'><=;|&(:"


def complete(run: Run, line: str) -> list[str]:
    """What bash would be given for a line."""
    env = {"_VAULTKEEPER_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": BREAKS}
    done = run(env=env)
    assert done.err == ""
    return [text.partition(",")[2] for text in done.out.splitlines() if text]


@pytest.fixture
def filled(run: Run, vault: Path) -> Path:
    for path, text in {
        "Projects/Tide plan.md": "---\ntags: [project/tide]\n---\nThe plan.",
        "Projects/Tide log.md": "The log.",
        "entities/person/mara.md": "---\nid: person:mara\nkind: person\ndisplay_name: Mara Lindqvist\n---\nMara.",
        "episodic/move-2026/000000.md": '---\nsession_id: "move-2026"\nseq: 0\ntimestamp_ms: 1\nrole: user\n---\nHello.',
    }.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(text)
    run("vault", "add", str(vault))
    run("sync")
    return vault


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script_that_it_can_read(run: Run, shell: str, tmp_path: Path) -> None:
    script = run("completion", shell).out
    assert "_VAULTKEEPER_COMPLETE" in script
    if shutil.which(shell):
        file = tmp_path / "script"
        file.write_text(script)
        subprocess.run([shell, "-n", str(file)], check=True)


def test_commands_options_and_settings_are_completed(run: Run, vault: Path) -> None:
    run("vault", "add", str(vault))
    assert "completion" in complete(run, "vaultkeeper comp")
    assert {"show", "get"} <= set(complete(run, "vaultkeeper config "))
    assert "--vault" in complete(run, "vaultkeeper config show --v")
    assert "Notes" in complete(run, "vaultkeeper config show --vault No")
    assert complete(run, "vaultkeeper vault remove ") == ["Notes"]
    assert complete(run, "vaultkeeper config get chunk.m") == ["chunk.max_tokens"]
    assert complete(run, "vaultkeeper --set chunk.m") == ["chunk.max_tokens="]
    assert complete(run, "vaultkeeper doctor --code link-d") == ["link-dead"]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("note Projects/Tide\\ p", ["Projects/Tide\\ plan.md"]),
        ("note projects/", ["Projects/Tide\\ log.md", "Projects/Tide\\ plan.md"]),
        ('note "Projects/Tide p', ["Projects/Tide plan.md"]),
        ("entity show person:m", ["mara"]),  # bash takes what stands behind the colon for the word
        ("entity show Mar", ["Mara\\ Lindqvist"]),
        ("ask x --source notes:P", ["Projects"]),
        ("ask x --source n", ["notes:", "notes:Projects"]),
        ("brief --source-id conv", ["conversations:agent"]),
        ("session show ", ["move-2026"]),
        ("ask x --tag pro", ["project/tide"]),
        ("ask x --folder Pro", ["Projects"]),
        ("ask x --kind fac", ["facet"]),
        ("graph Mara ", ["person:mara", "Mara\\ Lindqvist"]),
    ],
)
def test_values_are_completed_from_the_index(run: Run, filled: Path, line: str, offered: list[str]) -> None:
    assert complete(run, f"vaultkeeper {line}") == offered


def test_zsh_is_given_the_same_with_remarks(run: Run, filled: Path) -> None:
    env = {
        "_VAULTKEEPER_COMPLETE": "zsh_complete",
        "COMP_WORDS": "vaultkeeper entity show person:m",
        "COMP_CWORD": "3",
    }
    kind, value, remark = run(env=env).out.splitlines()
    assert (kind, value.replace("\\", ""), remark) == ("plain", "person:mara", "Mara Lindqvist")


def test_without_an_index_or_a_vault_nothing_is_offered_and_nothing_made(run: Run, vault: Path) -> None:
    assert complete(run, f"vaultkeeper --vault {vault} note ") == []
    assert complete(run, "vaultkeeper --vault /nowhere/at/all entity show ") == []
    assert not run("status", "--json", "--vault", str(vault)).json["built"]


def test_a_key_press_imports_nothing_heavy(filled: Path, environment: dict[str, str]) -> None:
    code = (
        "import sys; from vaultkeeper.cli.main import run\n"
        "try: run([])\n"
        "except SystemExit: pass\n"
        "print(sorted({'numpy', 'yaml', 'dulwich', 'rapidfuzz', 'dateparser', 'watchdog'} & set(sys.modules)))"
    )
    env = {**environment, "_VAULTKEEPER_COMPLETE": "bash_complete"}
    env |= {"COMP_WORDS": f"vaultkeeper --vault {filled} note Projects/", "COMP_CWORD": BREAKS}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "Tide" in done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_a_real_bash_completes(filled: Path, run: Run, environment: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "completion.bash"
    script.write_text(run("completion", "bash").out)
    command = tmp_path / "vaultkeeper"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m vaultkeeper "$@"\n')
    command.chmod(0o755)
    line = "vaultkeeper entity show person:m"
    asked = (
        f'source "{script}"; compopt() {{ :; }}; COMP_LINE="{line}"; COMP_POINT={len(line)}; '
        f'_vaultkeeper_completion "{command}"; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run(["bash", "-c", asked], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["mara"]
    assert done.stderr == ""
