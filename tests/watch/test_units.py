from __future__ import annotations

import configparser
import plistlib
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultkeeper.watch import units

AWKWARD = [
    "/home/me/My Vault",
    "/home/me/100% mine & yours",
    "/home/me/\"quoted\" 'name'",
    "/home/me/back\\slash $HOME ${x}",
    "/home/me/保管库 <é>;#",
    "/home/me/%h/%%/trailing\\",
]


def _unit(text: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=True, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return parser


def _words(line: str) -> list[str]:
    """Reads a command line as systemd.service(5) describes it."""
    words = shlex.split(line.replace("%%", "%"), posix=True)
    return [words[0], *(word.replace("$$", "$") for word in words[1:])]


@pytest.mark.parametrize("vault", AWKWARD)
def test_a_unit_names_its_words_exactly(vault: str) -> None:
    command = units.watch_command(["/opt/my tools/vaultkeeper"], Path(vault), Path(vault, "watch.log"))
    unit = _unit(units.render_systemd(command, Path(vault)))
    assert _words(unit["Service"]["ExecStart"]) == command
    assert unit["Install"]["WantedBy"] == "default.target"
    assert unit["Service"]["Restart"] == "on-failure"


@settings(max_examples=200)
@given(
    st.lists(
        st.text(alphabet=st.characters(blacklist_characters="\0\r\n", codec="utf-8"), min_size=1), min_size=1
    )
)
def test_any_words_survive_a_unit(words: list[str]) -> None:
    command = ["/bin/vaultkeeper", *words]
    line = units.render_systemd(command, Path("/v")).partition("ExecStart=")[2].partition("\n")[0]
    assert _words(line) == command


@pytest.mark.parametrize("vault", AWKWARD)
def test_systemd_accepts_the_unit(vault: str, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        return
    program = tmp_path / "my %tools$" / "vaultkeeper"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    command = units.watch_command([str(program)], Path(vault), Path("/tmp/x.log"))
    unit = tmp_path / "vaultkeeper-watch-test.service"
    unit.write_text(units.render_systemd(command, Path(vault)))
    done = subprocess.run(
        [analyze, "verify", "--man=no", str(unit)], capture_output=True, text=True, timeout=60
    )
    complaints = [line for line in done.stderr.splitlines() if unit.name in line]
    assert complaints == []


@pytest.mark.parametrize("vault", AWKWARD)
def test_a_property_list_names_its_words_exactly(vault: str) -> None:
    command = units.watch_command(["/opt/my tools/vaultkeeper"], Path(vault), Path(vault, "watch.log"))
    found = plistlib.loads(units.render_launchd(command, "vaultkeeper-watch-x").encode())
    assert found["ProgramArguments"] == command
    assert found["Label"] == "vaultkeeper-watch-x"
    assert found["RunAtLoad"] is True
    assert found["KeepAlive"] == {"SuccessfulExit": False}
    assert found["Umask"] == 0o077


def test_each_vault_has_its_own_name(tmp_path: Path) -> None:
    names = {
        units.service_name(Path(path))
        for path in ("/a/Notes", "/b/Notes", "/a/notes", "/a/笔记", "/a/" + "x" * 200)
    }
    assert len(names) == 5
    assert all(name.isascii() and len(name) < 80 and name.startswith("vaultkeeper-watch-") for name in names)
