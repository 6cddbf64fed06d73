from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.cli.conftest import Run
from vaultkeeper.cli.boundary import from_os_error, guarded
from vaultkeeper.errors import Exit, LockedError, NotPermittedError, StorageError


def command(failure: BaseException) -> click.Command:
    @click.command()
    @click.option("--json", "as_json", is_flag=True)
    def fails(as_json: bool) -> None:
        raise failure

    return fails


@pytest.mark.parametrize(
    ("failure", "code", "words"),
    [
        (LockedError(holder="process 7"), Exit.LOCKED, "written by process 7"),
        (KeyboardInterrupt(), Exit.INTERRUPTED, "interrupted"),
        (OSError(errno.ENOSPC, "full", "/x"), Exit.REFUSED, "/x cannot be written"),
        (PermissionError(errno.EACCES, "no", "/x"), Exit.REFUSED, "/x may not be opened"),
        (click.UsageError("what?"), Exit.USAGE, "what?"),
    ],
)
def test_a_failure_becomes_a_sentence_and_a_code(
    failure: BaseException, code: Exit, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert guarded(command(failure), [], None) == code
    said = capsys.readouterr()
    assert words in said.err
    assert not said.out
    assert "Traceback" not in said.err


def test_with_json_an_error_is_one_object_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    guarded(command(LockedError(holder="process 7")), ["--json"], None)
    error = json.loads(capsys.readouterr().err)["error"]
    assert error["type"] == "LockedError"
    assert error["exit_code"] == 6
    assert error["hint"]


def test_bugs_are_not_caught() -> None:
    with pytest.raises(ZeroDivisionError):
        guarded(command(ZeroDivisionError()), [], None)
    with pytest.raises(FileNotFoundError):
        guarded(command(FileNotFoundError(errno.ENOENT, "gone", "/x")), [], None)


def test_which_errors_of_the_system_a_user_can_act_on() -> None:
    assert isinstance(from_os_error(OSError(errno.EROFS, "read-only")), StorageError)
    assert isinstance(from_os_error(PermissionError(errno.EPERM, "no")), NotPermittedError)
    assert from_os_error(OSError(errno.EBADF, "bad")) is None


def test_usage_errors_end_with_2_and_say_what_helps(run: Run) -> None:
    for words in (["nonsense"], ["ask"], ["config", "get"], ["search", "x", "--bogus"]):
        said = run(*words)
        assert said.code == 2, words
        assert "--help" in said.err
        assert not said.out


def test_a_closed_pipe_ends_the_call_quietly(environment: dict[str, str], tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "vaultkeeper", "completion", "bash"],
        stdout=writer,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=tmp_path,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_colours_appear_only_when_asked_for_or_on_a_terminal(run: Run) -> None:
    plain, forced = run("nonsense"), run("nonsense", env={"FORCE_COLOR": "1"})
    assert "\x1b[" not in plain.err
    assert "\x1b[" in forced.err
    assert "\x1b[" not in run("nonsense", env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).err


def test_help_imports_no_command_and_nothing_heavy(environment: dict[str, str], tmp_path: Path) -> None:
    heavy = {"numpy", "hnswlib", "tokenizers", "markdown_it", "yaml", "rapidfuzz", "sqlite3", "watchdog"}
    code = (
        "import sys\n"
        "from vaultkeeper.cli.main import run\n"
        "code = run([sys.argv[1]])\n"
        "print(*sorted(m for m in sys.modules), file=sys.stderr)\n"
        "sys.exit(code)"
    )
    for words in ("--help", "--version"):
        done = subprocess.run(
            [sys.executable, "-c", code, words],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        modules = set(done.stderr.split())
        assert not modules & heavy
        assert not modules & {"vaultkeeper.cli.query", "vaultkeeper.keeper", "platformdirs", "tomllib"}


def test_ctrl_c_ends_with_130(environment: dict[str, str], tmp_path: Path) -> None:
    code = (
        "import os, signal, click\n"
        "from vaultkeeper.cli.boundary import guarded\n"
        "@click.command()\n"
        "def waits():\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    signal.pause()\n"
        "raise SystemExit(guarded(waits, [], None))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, check=False
    )
    assert signal.SIGINT
    assert done.returncode == 130
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-", "2>/dev/full"])
@pytest.mark.parametrize("words", ["status", "sync", "ask tea"])
def test_a_closed_stream_is_no_bug(
    environment: dict[str, str], vault: Path, tmp_path: Path, closed: str, words: str
) -> None:
    program = f"exec {sys.executable} -m vaultkeeper --vault Notes {words} {closed}"
    if "/dev/full" in closed and not Path("/dev/full").exists():
        closed = ""
    quiet = environment | {"VAULTKEEPER_EMBEDDER": "none"}
    done = subprocess.run(["sh", "-c", program], cwd=tmp_path, env=quiet, capture_output=True, check=False)
    assert (done.returncode & 127, b"Traceback" in done.stderr) in ((0, False), (120, False)), done.stderr


def test_a_note_does_not_command_the_terminal(run: Run, vault: Path) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f"
    (vault / "evil.md").write_text(f"# Evil tea {evil}\n\nAn evil tea {evil} here.\n", "utf-8")
    for words in (["ask", "evil tea"], ["search", "evil tea"], ["note", "evil"], ["ask", f"evil {evil}"]):
        for more in ({}, {"FORCE_COLOR": "1"}):
            said = run(*words, "--vault", str(vault), env=more)
            assert said.code == 0
            bare = re.sub(r"\x1b\[[0-9;]*m", "", said.out + said.err)
            assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", bare), (words, bare)


def test_in_a_folder_that_was_deleted_other_vaults_still_answer(
    environment: dict[str, str], vault: Path, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    status = f"{sys.executable} -m vaultkeeper status"
    program = f"rmdir ../gone; {status} --vault {vault} && {status}"
    done = subprocess.run(["sh", "-c", program], cwd=gone, env=environment, capture_output=True, check=False)
    assert done.returncode == 3, done.stderr
    assert b"No vault is meant here" in done.stderr


@pytest.mark.parametrize(
    "words", [["init", "--dry-run"], ["init", "new", "--dry-run"], ["vault", "add", "."]]
)
@pytest.mark.parametrize("known", [True, False])
def test_a_folder_that_was_deleted_becomes_no_vault(
    environment: dict[str, str], tmp_path: Path, words: list[str], known: bool
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    unset = "" if known else "unset PWD;"
    program = f"rmdir ../gone; {unset} exec {sys.executable} -m vaultkeeper {' '.join(words)}"
    done = subprocess.run(["sh", "-c", program], cwd=gone, env=environment, capture_output=True, check=False)
    assert done.returncode == 3, done.stderr
    assert done.stdout == b""
    assert done.stderr.startswith(b"error: There is no folder here.\n  It was deleted.")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_vault_whose_name_is_no_utf8_can_be_asked(run: Run, vault: Path) -> None:
    odd = os.fsdecode(os.fsencode(vault.parent) + b"/bad\xff")
    vault.rename(odd)
    for words in (["ask", "tea"], ["search", "tea", "--json"], ["status", "--json"], ["doctor"]):
        assert "Traceback" not in run("--vault", odd, *words).err
    assert run("vault", "add", odd).code == 2


def test_an_interrupt_before_the_start_is_quiet(environment: dict[str, str]) -> None:
    program = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'vaultkeeper.cli.boundary':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from vaultkeeper.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"")
