from __future__ import annotations

import configparser
import os
import plistlib
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultkeeper.errors import StorageError, UsageError
from vaultkeeper.watch.service import (
    describe_service,
    executable,
    install_service,
    render_launchd,
    render_systemd,
    service_name,
    service_status,
    this_kind,
    uninstall_service,
    watch_command,
)


def test_what_cannot_be_expressed_is_refused(tmp_path: Path) -> None:
    for kind, name in (
        ("systemd", "line\nbreak"),
        ("launchd", "bell\x07"),
        ("systemd", os.fsdecode(b"caf\xe9")),
    ):
        with pytest.raises(UsageError):
            describe_service(tmp_path / name, tmp_path / "log", ["/bin/v"], kind, tmp_path)  # type: ignore[arg-type]


class System:
    """Stands in for systemctl or launchctl: records how it is called, and fails on demand."""

    def __init__(self, folder: Path, name: str) -> None:
        self.log = folder / "calls"
        self.fails = folder / "fails"
        program = folder / name
        program.write_text(
            f'#!/bin/sh\necho "$@" >> "{self.log}"\n[ -e "{self.fails}" ] && echo no bus >&2 && exit 1\n'
            'case "$1 $2" in "--user is-active") echo active;; "print "*) echo "state = running";; esac\n'
            "exit 0\n"
        )
        program.chmod(0o755)

    def calls(self) -> list[str]:
        calls = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return calls


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/bin{os.pathsep}/usr/bin")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return tmp_path


def test_systemd_install_status_uninstall(home: Path) -> None:
    system = System(home / "bin", "systemctl")
    service = describe_service(home / "My Vault", home / "log", ["/bin/v"], "systemd", home)
    assert service.path == home / ".config" / "systemd" / "user" / service.unit
    assert not service_status(service).installed
    system.calls()
    done = install_service(service)
    assert system.calls() == [
        "--user daemon-reload",
        f"--user enable {service.unit}",
        f"--user restart {service.unit}",
    ]
    assert service.path.read_text() == service.text
    assert stat.S_IMODE(service.path.stat().st_mode) == 0o644
    assert "The watcher runs, and starts at each login." in done
    status = service_status(service)
    assert (status.installed, status.current, status.running, status.detail) == (True, True, True, "active")
    service.path.write_text("older")
    assert not service_status(service).current
    system.calls()
    uninstall_service(service)
    assert system.calls() == [f"--user disable --now {service.unit}", "--user daemon-reload"]
    assert not service.path.exists()
    assert "nothing to do" in uninstall_service(service)[0]


def test_launchd_install_status_uninstall(home: Path) -> None:
    system = System(home / "bin", "launchctl")
    service = describe_service(home / "My Vault", home / "log", ["/bin/v"], "launchd", home)
    domain = f"gui/{os.getuid()}"
    install_service(service)
    assert system.calls() == [f"bootout {domain}/{service.name}", f"bootstrap {domain} {service.path}"]
    assert plistlib.loads(service.path.read_bytes())["Label"] == service.name
    assert service_status(service).running is True
    system.calls()
    uninstall_service(service)
    assert system.calls() == [f"bootout {domain}/{service.name}"]
    assert not service.path.exists()


def test_without_a_session_the_file_is_written_and_the_rest_is_said(home: Path) -> None:
    system = System(home / "bin", "systemctl")
    system.fails.touch()
    service = describe_service(home / "vault", home / "log", ["/bin/v"], "systemd", home)
    done = install_service(service)
    assert service.path.exists()
    assert "`systemctl --user daemon-reload` failed: no bus" in done[-1]
    assert service_status(service).running is None
    uninstall_service(service)
    assert not service.path.exists()


def test_a_folder_that_cannot_be_written_is_said(home: Path) -> None:
    (home / ".config").write_text("a file")
    service = describe_service(home / "vault", home / "log", ["/bin/v"], "systemd", home)
    with pytest.raises(StorageError):
        install_service(service)


def test_the_program_is_named_by_an_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "vaultkeeper"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    assert executable(str(script)) == [str(script)]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert executable("vaultkeeper") == [str(script)]
    assert executable("/lib/vaultkeeper/__main__.py") == [sys.executable, "-m", "vaultkeeper"]


def test_systems() -> None:
    assert this_kind("darwin") == "launchd"
    assert this_kind("linux") == "systemd"
    with pytest.raises(UsageError):
        this_kind("win32")


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
    command = watch_command(["/opt/my tools/vaultkeeper"], Path(vault), Path(vault, "watch.log"))
    unit = _unit(render_systemd(command, Path(vault)))
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
    line = render_systemd(command, Path("/v")).partition("ExecStart=")[2].partition("\n")[0]
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
    command = watch_command([str(program)], Path(vault), Path("/tmp/x.log"))
    unit = tmp_path / "vaultkeeper-watch-test.service"
    unit.write_text(render_systemd(command, Path(vault)))
    done = subprocess.run(
        [analyze, "verify", "--man=no", str(unit)], capture_output=True, text=True, timeout=60
    )
    complaints = [line for line in done.stderr.splitlines() if unit.name in line]
    assert complaints == []


@pytest.mark.parametrize("vault", AWKWARD)
def test_a_property_list_names_its_words_exactly(vault: str) -> None:
    command = watch_command(["/opt/my tools/vaultkeeper"], Path(vault), Path(vault, "watch.log"))
    found = plistlib.loads(render_launchd(command, "vaultkeeper-watch-x").encode())
    assert found["ProgramArguments"] == command
    assert found["Label"] == "vaultkeeper-watch-x"
    assert found["RunAtLoad"] is True
    assert found["KeepAlive"] == {"SuccessfulExit": False}
    assert found["Umask"] == 0o077


def test_each_vault_has_its_own_name(tmp_path: Path) -> None:
    names = {
        service_name(Path(path))
        for path in ("/a/Notes", "/b/Notes", "/a/notes", "/a/笔记", "/a/" + "x" * 200)
    }
    assert len(names) == 5
    assert all(name.isascii() and len(name) < 80 and name.startswith("vaultkeeper-watch-") for name in names)
