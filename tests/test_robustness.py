"""What `docs/robustness.md` promises, where no other test does, and that each test that it names is there."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tomllib
from hashlib import sha256
from pathlib import Path

import pytest

from tests.cli.conftest import Run, environment, home, run  # noqa: F401 (fixtures)

PROJECT = Path(__file__).parents[1]
PAGE = (PROJECT / "docs/robustness.md").read_text("utf-8")


@pytest.mark.parametrize("named", sorted(set(re.findall(r"`([\w/]+\.py(?:::\w+)?)`", PAGE))))
def test_each_test_that_the_page_names_is_there(named: str) -> None:
    file, _, name = named.partition("::")
    text = (PROJECT / "tests" / file).read_text("utf-8")
    assert f"def {name}(" in text if name else text


def test_each_row_of_the_page_names_a_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "---" not in line]
    rows = [row for row in rows if not row.startswith(("| what hurts |", "| what happens |"))]
    assert len(rows) >= 22
    assert [row for row in rows if not re.search(r"`[\w/]+\.py", row)] == []


def awkward(root: Path) -> None:
    """Files that made other programs give up."""
    (root / "folder.md").mkdir(parents=True)
    (root / "folder.md/inside.md").write_text("# Inside\n\nplanted word zebra\n", "utf-8")
    (root / "date.md").write_text("---\ndate: 2024-13-45\ncreated: 99999-01-01\n---\nzebra\n", "utf-8")
    for folder in ("a", "b"):
        (root / folder).mkdir()
        (root / folder / "same.md").write_text(
            f"---\nid: same\ntitle: Same\n---\n# Same\nzebra in {folder}\n", "utf-8"
        )
    (root / "latin.md").write_bytes("# Grün\n\nzebra Straße\n".encode("latin-1"))
    (root / "wide.md").write_bytes("# Wide\n\nzebra\n".encode("utf-16"))
    (root / "binary.md").write_bytes(bytes(range(256)) * 9)
    (root / "empty.md").touch()
    (root / "open.md").write_text(
        "---\ntags: [a\n\tx: {\n---\nzebra [[same]] ![[nowhere#^x]]\n```\n", "utf-8"
    )
    (root / "Zoe\u0308.md").write_text("zebra", "utf-8")
    (root / "link to zoe.md").write_text("zebra [[Zo\u00eb]]", "utf-8")
    (root / ("x" * 240 + ".md")).write_text("zebra", "utf-8")
    (root / "con.md").write_text("zebra", "utf-8")
    (root / "trailing. .md").write_text("zebra", "utf-8")
    (root / "a\nb\x1b.md").write_text("zebra", "utf-8")
    deep = root
    for _ in range(60):
        deep /= "deep"
    deep.mkdir(parents=True)
    (deep / "down.md").write_text("zebra", "utf-8")
    for at, when in (("old", -1e9), ("zero", 0), ("future", 4e9)):
        (root / f"{at}.md").write_text("zebra", "utf-8")
        os.utime(root / f"{at}.md", (when, when))
    (root / "broken.md").symlink_to("nothing")
    (root / "loop.md").symlink_to("loop.md")
    (root / "outside.md").symlink_to("/etc/passwd")
    (root / "linked").symlink_to("a")
    (root / "up").symlink_to("..")
    os.mkfifo(root / "pipe.md")


def fingerprint(root: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        content = sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else ""
        found[str(path.relative_to(root))] = (status.st_mode, status.st_mtime_ns, status.st_ino, content)
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="no such files there")
def test_a_vault_of_awkward_files_is_indexed_and_not_touched(
    tmp_path: Path,
    run: Run,  # noqa: F811
) -> None:
    root = tmp_path / "Vault"
    awkward(root)
    server = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(root)
    try:
        server.bind("socket.md")
    finally:
        os.chdir(here)
    before = fingerprint(root)
    for words in (["sync"], ["ask", "zebra"], ["doctor"], ["status"], ["rebuild"], ["entity", "list"]):
        said = run("--vault", str(root), *words)
        assert said.code == (8 if words == ["doctor"] else 0), (words, said.err)
        assert "Traceback" not in said.err
    server.close()
    assert fingerprint(root) == before
    found = run("--vault", str(root), "search", "zebra", "--json", "--limit", "100").json
    paths = {hit["note_path"] for hit in found["hits"]}
    plain = {p.relative_to(root).as_posix() for p in root.rglob("*.md") if p.is_file() and not p.is_symlink()}
    assert plain - {"empty.md", "binary.md"} - paths == set()
    assert paths <= plain
    problems = {p["code"] for p in run("--vault", str(root), "doctor", "--json").json["problems"]}
    assert {"symlink-broken", "symlink-outside", "symlink-inside", "text-encoding"} <= problems


def test_no_command_reaches_for_the_network(tmp_path: Path, environment: dict[str, str]) -> None:  # noqa: F811
    root = tmp_path / "Vault"
    root.mkdir()
    (root / "tea.md").write_text("# Tea\n\nMara drinks tea.\n", "utf-8")
    program = (
        "import sys\n"
        "def watch(event, arguments):\n"
        "    local = event == 'socket.connect' and isinstance(arguments[1], (str, bytes))\n"
        "    if event in ('socket.connect', 'socket.getaddrinfo', 'socket.gethostbyname') and not local:\n"
        "        raise SystemExit(99)\n"
        "sys.addaudithook(watch)\n"
        "from vaultkeeper.cli.main import run\n"
        "sys.exit(run(sys.argv[1:]))\n"
    )
    for words in (["sync"], ["ask", "who drinks tea?"], ["search", "tea"], ["status"], ["rebuild"]):
        call = [sys.executable, "-c", program, "--vault", str(root), *words]
        done = subprocess.run(call, env=environment, capture_output=True, check=False, timeout=120)
        assert done.returncode == 0, (words, done.stderr)


def test_no_extension_of_sqlite_is_loaded() -> None:
    sources = (PROJECT / "vaultkeeper").rglob("*.py")
    assert [path for path in sources if "load_extension" in path.read_text("utf-8")] == []


def test_every_requirement_has_an_upper_end() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [need for needs in project.get("optional-dependencies", {}).values() for need in needs]
    assert [need for need in project["dependencies"] + extras if not re.search(r"<|==", need)] == []
