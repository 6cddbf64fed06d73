"""A full or read-only index folder: readers answer from what there is, writers say what became of the note."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.conftest import Run, environment, home, run  # noqa: F401 (fixtures)


class Disk:
    """A small file system of its own, which can be filled or made read-only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def mount(self, options: str) -> None:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(self.folder)],
            capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        if done.returncode:
            pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")

    def fill(self) -> None:
        with (self.folder / "filling").open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"x" * 4096)
        with pytest.raises(OSError, match="space") as full:
            (self.folder / "probe").write_bytes(b"x" * 4096)
        assert full.value.errno == errno.ENOSPC
        (self.folder / "probe").unlink()

    def lock(self) -> None:
        subprocess.run(["mount", "-o", "remount,ro", str(self.folder)], check=True)

    def free(self) -> None:
        subprocess.run(["mount", "-o", "remount,rw", str(self.folder)], check=True)
        (self.folder / "filling").unlink(missing_ok=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    if os.name != "posix" or not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    disk = Disk(tmp_path / "disk")
    disk.folder.mkdir()
    disk.mount("size=24m")
    yield disk
    subprocess.run(["umount", "-l", str(disk.folder)], check=True)


@pytest.fixture
def ask_here(disk: Disk, tmp_path: Path, run: Run) -> Callable[..., object]:  # noqa: F811
    vault = tmp_path / "Notes"
    (vault / "entities/person").mkdir(parents=True)
    (vault / "Tea.md").write_text("# Tea\n\nGreen tea is steeped at 70 degrees by Mara.\n", "utf-8")
    (vault / "entities/person/mara.md").write_text(
        "---\nkind: person\ndisplay_name: Mara Lind\n---\n", "utf-8"
    )
    env = {"VAULTKEEPER_INDEX_DIR": str(disk.folder / "index")}
    return lambda *words, **more: run("--vault", str(vault), *words, env=env, **more)


READERS = (
    ("ask", "green tea"),
    ("search", "green tea"),
    ("note", "Tea.md"),
    ("entity", "list"),
    ("entity", "show", "Mara Lind"),
    ("entities", "mara"),
    ("sources",),
    ("tree", "list"),
    ("tree", "verify"),
    ("window", "--since", "2020-01-01"),
    ("walk", "green tea"),
    ("graph", "Mara Lind"),
    ("recall", "tea"),
    ("memory", "recall", "tea"),
)


@pytest.mark.parametrize("fault", ["fill", "lock"])
def test_readers_answer_from_the_index_as_it_is(
    disk: Disk, ask_here: Run, tmp_path: Path, fault: str
) -> None:
    assert ask_here("sync").code == 0
    before = {words: ask_here(*words) for words in READERS}
    getattr(disk, fault)()
    (tmp_path / "Notes/New.md").write_text("Green tea again.\n", "utf-8")
    for words, old in before.items():
        said = ask_here(*words)
        assert "Traceback" not in said.err, (words, said.err)
        assert (said.code, said.out) == (old.code, old.out), (words, said.err)
        assert re.search(r"cannot be written: .* The index is as it was .* ago \(20", said.err), (
            words,
            said.err,
        )
    answer = ask_here("ask", "green tea", "--json").json
    assert "index_stale" in answer["notes"]
    found = {hit["note_path"] for hit in answer["hits"]}
    assert "Tea.md" in found
    assert "New.md" not in found
    assert "index_stale" in ask_here("walk", "green tea", "--json").json["notes"]
    for words in (("brief", "--last", "7d"), ("changes",), ("session", "list"), ("profile", "show")):
        said = ask_here(*words)
        assert said.code == 0, (words, said.err)
    status = ask_here("status", "--json")
    assert (status.code, status.json["notes"], status.json["built"]) == (0, 2, True)
    health = ask_here("doctor", "--json")
    assert (health.code, health.json["first_blocking_cause"]) == (8, "storage_unavailable")
    assert "cannot be written" in health.json["stages"][0]["note"]
    disk.free()
    again = ask_here("search", "green tea", "--json")
    assert {"New.md", "Tea.md"} <= {hit["note_path"] for hit in again.json["hits"]}
    assert (again.err, "index_stale" in again.json["notes"]) == ("", False)


@pytest.mark.parametrize("fault", ["fill", "lock"])
def test_what_a_killed_writer_left_is_read(disk: Disk, ask_here: Run, fault: str) -> None:
    assert ask_here("sync").code == 0
    database = next((disk.folder / "index").glob("index-*.sqlite"))
    script = (
        "import os, signal, sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "db.execute(\"INSERT INTO tags SELECT note_pk, 'left' FROM notes WHERE path = 'Tea.md'\")\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run(["python3", "-c", script, str(database)], check=False)
    database.with_name(f"{database.name}-shm").unlink()
    assert database.with_name(f"{database.name}-wal").stat().st_size > 0
    getattr(disk, fault)()
    said = ask_here("search", "green", "--tag", "left", "--json")
    assert [hit["note_path"] for hit in said.json["hits"]] == ["Tea.md"], said.err


def test_a_damaged_index_on_a_read_only_disk_ends_in_an_answer_or_a_sentence(
    disk: Disk, ask_here: Run
) -> None:
    assert ask_here("sync").code == 0
    database = next((disk.folder / "index").glob("index-*.sqlite"))
    sound = database.read_bytes()
    codes = set()
    for at in range(0, len(sound), 2 * 8192):
        database.write_bytes(sound[:at] + bytes(range(256)) * 32 + sound[at + 8192 :])
        disk.lock()
        said = ask_here("search", "green tea")
        assert "Traceback" not in said.err, (at, said.err)
        assert ("[[Tea]]" in said.out, said.code) == (True, 0) or (
            "The index of this vault was damaged" in said.err and said.code == 4
        ), (at, said)
        codes.add(said.code)
        disk.free()
    assert codes == {0, 4}
    assert "[[Tea]]" in ask_here("search", "green tea").out


@pytest.mark.parametrize("fault", ["fill", "lock"])
def test_without_an_index_one_is_made_for_the_answer(disk: Disk, ask_here: Run, fault: str) -> None:
    getattr(disk, fault)()
    said = ask_here("search", "green tea", "--json")
    assert [hit["note_path"] for hit in said.json["hits"]] == ["Tea.md"]
    assert "An index was made for this answer only." in said.err
    assert not list((disk.folder).glob("index/*.sqlite"))
    nowhere = ask_here("entity", "add", "person", "Bo Lund")
    assert (nowhere.code, "Traceback" in nowhere.err) == (5, False)
    assert ask_here("status", "--json").json["built"] is False
    assert "none can be made" in ask_here("doctor", "--json").json["stages"][0]["note"]
    sync = ask_here("sync")
    assert (sync.code, "cannot be written" in sync.err) == (5, True)


def test_a_watcher_on_a_full_disk_answers_and_says_so(
    disk: Disk,
    ask_here: Run,
    environment: dict[str, str],  # noqa: F811
    tmp_path: Path,
) -> None:
    vault = tmp_path / "Notes"
    watch = subprocess.Popen(
        [sys.executable, "-m", "vaultkeeper", "--vault", str(vault), "watch"],
        env=environment | {"VAULTKEEPER_INDEX_DIR": str(disk.folder / "index")},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip

    def watcher() -> dict[str, str]:
        return ask_here("status", "--json").json["watcher"] or {}

    try:
        until(lambda: watcher().get("state") == "watching" and not watcher()["changes_pending"])
        disk.fill()
        (vault / "New.md").write_text("Green tea again.\n" * 2000, "utf-8")
        until(lambda: bool(watcher()["error"]))
        for words in (("search", "green tea"), ("note", "Tea.md"), ("ask", "green tea")):
            said = ask_here(*words)
            assert (said.code, "cannot be written" in said.err) == (0, True), (words, said)
        assert "index_stale" in ask_here("search", "green tea", "--json").json["notes"]
        disk.free()
        until(lambda: not watcher()["error"])
        assert "[[New" in ask_here("search", "green tea again").out
    finally:
        watch.terminate()
        watch.wait(20)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


WRITERS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("entity", "add", "person", "Bo Lund"), "entities/person/*.md", ""),
    (("entity", "alias", "Mara Lind", "Maz"), "entities/person/mara.md", ""),
    (("entity", "merge", "Other One", "Mara Lind"), "entities/person/mara.md", ""),
    (("ingest", "-", "--source-id", "letter", "--suffix", ".md"), "sources/**/*.md", "Dear all."),
    (("memory", "append", "MEMORY.md", "The kettle is new."), "MEMORY.md", ""),
    (("memory", "store", "kettle", "The kettle is new."), "memory/**/*.md", ""),
    (
        ("capture",),
        "episodic/**/*.md",
        '{"session_id": "s1", "user": "Hello there.", "assistant": "Good day."}',
    ),
    (("profile", "set", "tea", "green"), "profile/**/*.md", ""),
    (("preferences", "save", "tea", "Green, please."), "memory/**/*.md", ""),
    (("goals", "add", "Drink less tea."), "MEMORY_GOALS.md", ""),
)


@pytest.mark.parametrize("fault", ["fill", "lock"])
def test_a_writer_says_what_became_of_the_note(disk: Disk, ask_here: Run, tmp_path: Path, fault: str) -> None:
    vault = tmp_path / "Notes"
    (vault / "entities/person/other.md").write_text(
        "---\nkind: person\ndisplay_name: Other One\n---\n", "utf-8"
    )
    assert ask_here("sync").code == 0
    getattr(disk, fault)()

    def state() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}

    seen: dict[str, tuple[int, bool]] = {}
    for words, pattern, stdin in WRITERS:
        before = state()
        said = ask_here(*words, stdin=stdin)
        after = state()
        changed = {path for path in after if before.get(path) != after[path]}
        assert "Traceback" not in said.err, (words, said.err)
        assert not changed or changed & set(vault.glob(pattern)), (words, changed)
        told = "written, but the index could not be brought up to date" in said.err
        assert said.code == (5 if told or not changed else 0), (words, said.err)
        assert told <= bool(changed), (words, said.err)
        seen[" ".join(words[:2])] = said.code, bool(changed)
    expected = {"fill": {"entity add": (5, True), "entity alias": (5, True), "ingest -": (5, True)}}
    everywhere = {
        "memory append": (0, True),
        "memory store": (0, True),
        "capture": (0, True),
        "goals add": (0, True),
    }
    assert seen.items() >= (everywhere | expected.get(fault, {"entity add": (5, False)})).items(), seen
    disk.free()
    assert ask_here("sync").code == 0
    assert ask_here("search", "kettle", "--json").json["hits"]
    names = json.loads(ask_here("entity", "list", "--json").out)
    assert (fault == "fill") == ("Bo Lund" in json.dumps(names))
