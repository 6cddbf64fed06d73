"""The watcher on the real keeper and index: whatever happens to the notes, events alone end as a rebuild
does.
"""

from __future__ import annotations

import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.watch.conftest import until
from vaultkeeper.config import Settings
from vaultkeeper.errors import LockedError
from vaultkeeper.index import store
from vaultkeeper.keeper import Keeper
from vaultkeeper.watch.batcher import MAX_WAIT_S
from vaultkeeper.watch.client import ask_server
from vaultkeeper.watch.loop import WatchOptions, run_watch
from vaultkeeper.watch.stop import Stop

_DUMPS = (
    "SELECT path, title, sha256, aliases FROM notes ORDER BY 1",
    "SELECT path, seq, chunk_id, c.body FROM chunks c JOIN notes USING(note_pk) ORDER BY 1, 2",
    "SELECT path, ord, target, resolved FROM links JOIN notes USING(note_pk) ORDER BY 1, 2",
    "SELECT path, seq, entity_id, surface FROM occurrences JOIN chunks USING(chunk_pk)"
    " JOIN notes USING(note_pk) ORDER BY 1, 2, 3",
)


def _dump(index_dir: Path) -> list[list[tuple[object, ...]]]:
    db = store.open_reader(index_dir).db
    if db is None:
        return []
    try:
        return [db.execute(query).fetchall() for query in _DUMPS]
    finally:
        db.close()


def _opener(root: Path, index_dir: Path) -> Callable[[], Keeper]:
    return lambda: Keeper(
        root,
        index_dir,
        Settings(embedder="none"),
        clock=lambda: datetime.now(UTC),
        command="vaultkeeper watch",
    )


def _answer(keeper: Keeper, verb: str, _params: dict[str, object]) -> object:
    return {"verb": verb, "notes": keeper.status().notes}


class Real:
    def __init__(self, folder: Path) -> None:
        self.root = folder / "vault"
        self.index_dir = folder / "index"
        self.spare = folder / "spare"
        (self.root / "people").mkdir(parents=True)
        (self.root / ".obsidian").mkdir()
        (self.root / "people" / "mara.md").write_text("---\nkind: person\naliases: [Mari]\n---\nMara Voss\n")
        for number in range(30):
            (self.root / f"note {number}.md").write_text(
                f"# Note {number}\n\nMari saw [[note {number + 1}]].\n"
            )
        self.lines: list[str] = []
        self.stop = Stop()
        self.errors: list[BaseException] = []
        self.thread = threading.Thread(target=self._run)
        self.thread.start()
        until(lambda: (ask_server(self.index_dir, "ping") or {}).get("state") == "watching", 60)

    def _run(self) -> None:
        try:
            run_watch(
                _opener(self.root, self.index_dir),
                WatchOptions(),
                self.lines.append,
                self.stop,
                answer=_answer,
            )
        except BaseException as error:
            self.errors.append(error)

    def arrives(self) -> None:
        """Waits until the index is what a rebuild from the notes would make."""
        shutil.rmtree(self.spare, ignore_errors=True)
        keeper = _opener(self.root, self.spare)()
        keeper.sync()
        keeper.close()
        wanted = _dump(self.spare)
        until(lambda: self.errors or _dump(self.index_dir) == wanted, 30)
        assert not self.errors

    def end(self) -> None:
        self.stop.set()
        self.thread.join(30)
        self.stop.__exit__()
        assert not self.errors


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Real]:
    real = Real(tmp_path)
    yield real
    real.end()


@pytest.mark.parametrize("seed", range(3))
def test_a_history_of_edits_ends_as_a_rebuild(real: Real, seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    outside = tmp_path / "outside"
    outside.mkdir()

    def notes() -> list[Path]:
        return sorted(real.root.rglob("*.md"))

    def folders() -> list[Path]:
        return [
            real.root,
            *sorted(path for path in real.root.iterdir() if path.is_dir() and path.name[0] != "."),
        ]

    def fresh(name: str) -> Path:
        return dice.choice(folders()) / f"{name} {dice.randrange(10**9)}.md"

    def save_atomically() -> None:
        note = dice.choice(notes())
        draft = note.with_name(".draft")
        draft.write_text(f"Mari met [[note {dice.randrange(30)}]] {dice.random()}\n")
        draft.replace(note)

    def move_folder() -> None:
        folder = dice.choice(folders()[1:] or [real.root / "people"])
        if folder.exists():
            folder.rename(real.root / f"folder {dice.randrange(10**9)}")

    def leave_and_return() -> None:
        folder = dice.choice(folders()[1:] or [real.root / "none"])
        if folder.exists():
            folder.rename(outside / "kept")
            (outside / "kept" / "while away.md").write_text("Mari was away")
            (outside / "kept").rename(real.root / f"back {dice.randrange(10**9)}")

    def new_tree() -> None:
        folder = real.root / f"tree {dice.randrange(10**9)}" / "deep"
        folder.mkdir(parents=True)
        for number in range(5):
            (folder / f"leaf {number}.md").write_text(f"Mari [[note {number}]]")

    acts: list[Callable[[], object]] = [
        save_atomically,
        move_folder,
        leave_and_return,
        new_tree,
        lambda: fresh("new").write_text(f"Mara {dice.random()}"),
        lambda: dice.choice(notes()).rename(fresh("renamed")),
        lambda: dice.choice(notes()).unlink(),
        lambda: dice.choice(notes()).write_text(f"---\nkind: person\naliases: [N{dice.randrange(9)}]\n---\n"),
        lambda: shutil.copy(dice.choice(notes()), fresh("copy")),
    ]
    for _ in range(4):
        for _ in range(12):
            dice.choice(acts)()
        real.arrives()


def test_a_new_alias_is_known_to_the_next_question_in_old_notes(real: Real) -> None:
    (real.root / "old.md").write_text("Zibby paid for lunch.")
    real.arrives()
    note = real.root / "people" / "mara.md"
    note.write_text(note.read_text().replace("[Mari]", "[Mari, Zibby]"))
    ask_server(real.index_dir, "ask", {})
    surfaces = {(row[0], row[3]) for row in _dump(real.index_dir)[3]}
    assert ("old.md", "Zibby") in surfaces


def test_a_checkout_of_two_thousand_files(real: Real) -> None:
    started_s = time.monotonic()
    for number in range(2000):
        folder = real.root / f"branch {number % 10}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.md").write_text(f"Mari {number}\n")
    until(lambda: (ask_server(real.index_dir, "status") or {}).get("notes") == 2031, 60)
    real.arrives()
    assert sum("added" in line for line in real.lines) <= 4 + (time.monotonic() - started_s) / MAX_WAIT_S


def test_readers_of_other_processes_work_and_writers_are_told(real: Real) -> None:
    other = _opener(real.root, real.index_dir)()
    assert other.status().notes == 31
    with pytest.raises(LockedError, match="vaultkeeper watch"):
        other.sync()
    other.close()
    (real.root / "more.md").write_text("x")
    assert (ask_server(real.index_dir, "sync", vault=real.root) or {})["complete"] is True
    assert other.status().notes == 32
    other.close()
