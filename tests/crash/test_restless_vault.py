"""A vault that moves while it is read, and names, clocks and flags that other programs stumble over."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Run, environment, home, run  # noqa: F401 (fixtures)
from tests.index.vaults import Bench
from vaultkeeper.index.sync import sync

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has neither such names nor such flags")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def bodies(bench: Bench, path: str) -> str:
    query = "SELECT body FROM chunks JOIN notes USING(note_pk) WHERE path = ? ORDER BY seq"
    return "".join(str(body) for (body,) in bench.rows(query, path))


def test_a_note_that_is_written_while_it_is_read_is_whole_after_the_next_sync(bench: Bench) -> None:
    note = bench.root / "busy.md"
    note.write_text("begin\n")
    for number in range(20):
        bench.write(f"quiet {number}.md", "rest\n")
    enough = threading.Event()

    def write() -> None:
        turn = 0
        while not enough.is_set():
            turn += 1
            with note.open("w", buffering=1) as file:  # in place and in pieces, as a plain editor writes
                for _ in range(40):
                    file.write(f"{turn} " * 4 + "\n")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(12):
            bench.sync()
            bench.sync(paths=["busy.md"])
    finally:
        enough.set()
        writer.join()
    bench.sync()
    assert bodies(bench, "busy.md").split() == note.read_text().split()
    bench.assert_like_new()


def test_a_change_between_scan_and_reading_is_seen_by_the_next_sync(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vaultkeeper.index import work

    bench.write("a.md", "old words\n")
    os.utime(bench.root / "a.md", (1e9, 1e9))
    read = work.read_file

    def late(path: str, size: int) -> bytes | None:
        data = read(path, size)
        if path.endswith("a.md"):
            bench.write("a.md", "new words\n")
            os.utime(bench.root / "a.md", (1e9, 1e9))
        return data

    monkeypatch.setattr(work, "read_file", late)
    bench.sync()
    monkeypatch.undo()
    assert bodies(bench, "a.md") == "old words"
    bench.sync()
    assert bodies(bench, "a.md") == "new words"
    bench.assert_like_new()


def test_a_note_becomes_a_folder_and_a_note_again(bench: Bench) -> None:
    bench.write("plan.md", "first words [[other]]\n")
    bench.write("other.md", "[[plan]]\n")
    bench.sync()
    for hints in (None, ["plan.md"]):
        (bench.root / "plan.md").unlink()
        bench.write("plan.md/inner.md", "inner words\n")
        bench.sync(paths=hints)
        assert (bench.search("first"), bench.search("inner")) == ([], ["plan.md/inner.md"])
        bench.assert_like_new()
        (bench.root / "plan.md/inner.md").unlink()
        (bench.root / "plan.md").rmdir()
        bench.write("plan.md", "first words [[other]]\n")
        bench.sync(paths=hints)
        assert (bench.search("first"), bench.search("inner")) == (["plan.md"], [])
        bench.assert_like_new()


def test_a_rename_of_capitals(bench: Bench) -> None:
    bench.write("tea.md", "green\n")
    bench.write("a.md", "[[Tea]]\n")
    bench.sync()
    assert ("a.md", "link-case") in bench.codes()
    for old, new, hints in (("tea.md", "Tea.md", None), ("Tea.md", "TEA.md", ["Tea.md", "TEA.md"])):
        bench.move(old, new)
        stats = bench.sync(paths=hints)
        assert (stats.renamed, bench.search("green")) == (1, [new])
        bench.assert_like_new()


ODD = [
    b"two\nlines.md", b"tab\tname.md", b"caf\xe9.md", b"\xff\xfe.md", b"bell\x07.md", b"esc\x1b[31mred.md",
    b"quote'\".md", b"per%20cent%.md", b"trailing .md", b" leading.md", b"semi;colon && rm.md", b"-dash.md",
    "right\u202eleft.md".encode(), "line\u2028sep.md".encode(),
]  # fmt: skip


WORDS = "alder beech cedar dogwood elm fir ginkgo hazel ivy juniper kapok larch maple nutmeg".split()


def test_any_name_that_the_system_takes_is_read_and_shown(tmp_path: Path, run: Run) -> None:  # noqa: F811
    vault = tmp_path / "Notes"
    vault.mkdir()
    for number, name in enumerate(ODD):
        (vault / os.fsdecode(name)).write_text(f"# Odd\n\nkettle {WORDS[number]} of many\n", "utf-8")
    env = {"VAULTKEEPER_INDEX_DIR": str(tmp_path / "index")}
    assert run("--vault", str(vault), "sync", env=env).code == 0
    for number, name in enumerate(ODD):
        told = run("--vault", str(vault), "search", WORDS[number], "--json", env=env)
        assert told.code == 0, told.err
        paths = {hit["note_path"] for hit in told.json["hits"] if WORDS[number] in hit["content"]}
        assert paths == ({name.decode()} if name.decode("utf-8", "ignore").encode() == name else set()), name
    shown = run("--vault", str(vault), "ask", "kettle", "--limit", "100", env=env)
    assert shown.code == 0, shown.err
    assert not {"\x1b", "\x07"} & set(shown.out)
    named = run("--vault", str(vault), "note", "two\nlines.md", env=env)
    assert named.code == 0, named.err
    left_out = run("--vault", str(vault), "doctor", "--code", "name-not-utf8", env=env)
    assert (left_out.code, "2 problems of 1 kind" in left_out.err) == (8, True), left_out


def test_a_clock_that_was_set_back_hides_no_change(bench: Bench) -> None:
    later = datetime.now(UTC) + timedelta(days=3650)

    def at(moment: datetime) -> None:
        sync(bench.db, bench.root, bench.settings, clock=lambda: moment)

    bench.write("a.md", "one\n")
    at(later)
    bench.write("a.md", "two\n")
    os.utime(bench.root / "a.md", (later.timestamp(), later.timestamp()))
    at(datetime.now(UTC))
    assert bodies(bench, "a.md") == "two"
    bench.write("a.md", "six\n")
    os.utime(bench.root / "a.md", (later.timestamp(), later.timestamp()))
    at(datetime(2001, 1, 1, tzinfo=UTC))
    assert bodies(bench, "a.md") == "six"
    bench.assert_like_new()


def test_a_vault_in_a_folder_of_a_vault_is_one_of_its_own(tmp_path: Path, run: Run) -> None:  # noqa: F811
    outer, inner = tmp_path / "Outer", tmp_path / "Outer/Inner"
    for root in (outer, inner):
        (root / ".obsidian").mkdir(parents=True)
        (root / ".obsidian/app.json").write_text("{}", "utf-8")
    (outer / "Above.md").write_text("kettle above [[Below]]\n", "utf-8")
    (inner / "Below.md").write_text("kettle below [[Above]]\n", "utf-8")
    (inner / ".obsidian/kettle.md").write_text("kettle hidden\n", "utf-8")

    def paths(folder: Path) -> list[str]:
        told = run("search", "kettle", "--json", cwd=folder)
        return sorted(hit["note_path"] for hit in told.json["hits"])

    for _ in range(2):
        assert paths(outer) == ["Above.md", "Inner/Below.md"]
        assert paths(inner) == ["Below.md"]
    assert (
        run("status", "--json", cwd=inner).json["index_dir"]
        != run("status", "--json", cwd=outer).json["index_dir"]
    )
    assert run("doctor", "--code", "link-dead", cwd=inner).code == 8, (
        "from there the note above cannot be reached"
    )
    assert run("doctor", "--code", "link-dead", cwd=outer).code == 0


@pytest.fixture
def frozen(tmp_path: Path) -> Iterator[Path]:
    """A vault with a note that not even root may change."""
    note = tmp_path / "Notes/entities/person/mara.md"
    note.parent.mkdir(parents=True)
    note.write_text("---\nkind: person\ndisplay_name: Mara Lind\n---\n", "utf-8")
    try:
        done = subprocess.run(["chattr", "+i", str(note)], capture_output=True, encoding="utf-8", check=False)
    except FileNotFoundError:
        pytest.skip("there is no chattr here")
    if done.returncode:
        pytest.skip(f"files cannot be frozen here: {done.stderr.strip()}")
    yield note
    subprocess.run(["chattr", "-i", str(note)], check=True)


def test_a_frozen_note_is_read_and_not_changed(frozen: Path, tmp_path: Path, run: Run) -> None:  # noqa: F811
    before = frozen.read_bytes()
    vault = str(tmp_path / "Notes")
    assert run("--vault", vault, "entity", "show", "Mara Lind").code == 0
    for words in (("entity", "alias", "Mara Lind", "Maz"), ("entity", "merge", "Mara Lind", "Bo Lund")):
        if words[1] == "merge":
            assert run("--vault", vault, "entity", "add", "person", "Bo Lund").code == 0
        said = run("--vault", vault, *words)
        assert (said.code, "Traceback" in said.err) == (5, False), said.err
        assert frozen.read_bytes() == before
    assert [path.name for path in frozen.parent.iterdir() if path.name.startswith(".")] == []
