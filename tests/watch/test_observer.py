from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.watch.conftest import until
from vaultkeeper.watch.loop import ignored_by_default
from vaultkeeper.watch.observer import VaultObserver


class Seen:
    """An observer on a folder, and what it has marked."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.marks: list[tuple[str, bool]] = []
        self.observer = VaultObserver(
            root, lambda path, folder: self.marks.append((path, folder)), ignored_by_default
        )
        self.observer.start()

    def after(self, act: Callable[[], object]) -> set[str]:
        """Does something, then waits for a marker that is written after it: what came before is complete."""
        self.marks.clear()
        act()
        self.fence()
        return {path for path, _ in self.marks if not path.startswith("fence")}

    def fence(self) -> None:
        # Half of a move is held back for a moment, but order is kept.
        name = f"fence-{time.monotonic_ns()}"
        (self.root / name).write_text("")
        until(lambda: (name, False) in self.marks)


@pytest.fixture
def seen(tmp_path: Path) -> Iterator[Seen]:
    root = tmp_path / "vault"
    (root / "notes" / "deep").mkdir(parents=True)
    (root / ".obsidian").mkdir()
    (root / "notes" / "one.md").write_text("one")
    (root / "notes" / "deep" / "two.md").write_text("two")
    seen = Seen(root.resolve())
    yield seen
    seen.observer.stop()


def test_create_modify_delete(seen: Seen) -> None:
    note = seen.root / "new.md"
    assert seen.after(lambda: note.write_text("x")) == {"new.md"}
    assert seen.after(lambda: note.write_text("y")) == {"new.md"}
    assert seen.after(note.unlink) == {"new.md"}


def test_atomic_save(seen: Seen) -> None:
    def save() -> None:
        draft = seen.root / "notes" / ".one.md.tmp"
        draft.write_text("new text")
        draft.replace(seen.root / "notes" / "one.md")

    assert seen.after(save) == {"notes/one.md"}


def test_rename_and_case_only_rename(seen: Seen) -> None:
    note = seen.root / "notes" / "one.md"
    renamed = seen.root / "notes" / "One.md"
    assert seen.after(lambda: note.rename(renamed)) == {"notes/one.md", "notes/One.md"}


def test_folder_rename_marks_both_folders_and_is_followed(seen: Seen) -> None:
    marked = seen.after(lambda: (seen.root / "notes").rename(seen.root / "texts"))
    assert {"notes", "texts"} <= marked
    assert all(path.startswith(("notes", "texts")) for path in marked)
    assert seen.after(lambda: (seen.root / "texts" / "deep" / "two.md").write_text("2")) == {
        "texts/deep/two.md"
    }


def test_moves_across_the_edge(seen: Seen, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    assert seen.after(lambda: (seen.root / "notes" / "one.md").rename(outside / "one.md")) == {"notes/one.md"}
    assert "in.md" in seen.after(lambda: (outside / "one.md").rename(seen.root / "in.md"))
    assert "notes" in seen.after(lambda: (seen.root / "notes").rename(outside / "notes"))
    assert "back" in seen.after(lambda: (outside / "notes").rename(seen.root / "back"))
    assert seen.after(lambda: (seen.root / "back" / "deep" / "two.md").write_text("2")) == {
        "back/deep/two.md"
    }


def test_a_folder_that_is_deleted_and_made_again(seen: Seen) -> None:
    assert "notes" in seen.after(lambda: shutil.rmtree(seen.root / "notes"))
    assert "notes" in seen.after(lambda: (seen.root / "notes" / "deep").mkdir(parents=True))
    assert "notes/deep/three.md" in seen.after(
        lambda: (seen.root / "notes" / "deep" / "three.md").write_text("3")
    )


def test_a_tree_that_appears_at_once_is_watched_to_its_leaves(seen: Seen, tmp_path: Path) -> None:
    for number in range(40):
        folder = tmp_path / "tree" / f"{number % 7}" / f"{number}"
        folder.mkdir(parents=True)
        (folder / "note.md").write_text("x")
    seen.after(lambda: shutil.copytree(tmp_path / "tree", seen.root / "tree"))
    until(lambda: seen.observer.unwatched()[0] == 0)
    assert seen.after(lambda: (seen.root / "tree" / "3" / "3" / "note.md").write_text("y")) == {
        "tree/3/3/note.md"
    }


def test_times_and_permissions_count(seen: Seen) -> None:
    note = seen.root / "notes" / "one.md"
    assert seen.after(lambda: os.utime(note, (1e9, 1e9))) == {"notes/one.md"}
    assert seen.after(lambda: note.chmod(0o600)) == {"notes/one.md"}


def test_reading_marks_nothing_and_wakes_nobody(seen: Seen) -> None:
    """The kernel is not even asked for it: no thread of the library runs while a vault is read."""
    for number in range(300):
        (seen.root / "notes" / f"{number}.md").write_text("text")
    seen.fence()
    before = -1
    while before != (before := _watchdog_switches()):
        time.sleep(0.05)  # what was written before still echoes
    seen.marks.clear()
    for _ in range(3):
        for folder, _names, files in os.walk(seen.root):
            for name in files:
                with open(os.path.join(folder, name), "rb") as note:  # noqa: PTH123
                    note.read()
    assert _watchdog_switches() - before < 10
    assert seen.marks == []


def _watchdog_switches() -> int:
    """How often the threads of the library have gone to sleep so far."""
    if not sys.platform.startswith("linux"):
        return 0
    total = 0
    for thread in threading.enumerate():
        if type(thread).__module__.startswith("watchdog"):
            status = Path(f"/proc/self/task/{thread.native_id}/status").read_text()
            total += int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])
    assert total > 0
    return total


def test_dotfolders_mark_nothing(seen: Seen) -> None:
    assert seen.after(lambda: (seen.root / ".obsidian" / "workspace.json").write_text("{}")) == set()
    assert seen.after(lambda: (seen.root / ".git" / "objects").mkdir(parents=True)) == set()
    assert seen.after(lambda: (seen.root / ".git" / "objects" / "x").write_text("x")) == set()


def test_names_that_are_no_utf8_do_not_hurt(seen: Seen) -> None:
    if not sys.platform.startswith("linux"):
        return
    name = os.fsdecode(b"caf\xe9.md")
    assert seen.after(lambda: (seen.root / name).write_text("x")) == {name}


def test_an_overflow_of_the_kernels_queue_marks_everything(seen: Seen) -> None:
    """Thousands of events while the library's reader is held: the kernel drops the rest and says so once."""
    if not sys.platform.startswith("linux"):
        return
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    reader = seen.observer._observer._inotify_fd  # type: ignore[union-attr]
    seen.marks.clear()
    with reader._lock:
        path = str(seen.root / "busy.md")
        for _ in range(limit // 2 + 1000):
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
            os.unlink(path)  # noqa: PTH108
    until(lambda: ("", True) in seen.marks, 30)
    assert not seen.observer.alive()  # watches of new folders may be lost too: it has to be replaced


def test_an_observer_whose_root_is_deleted_is_not_alive(seen: Seen) -> None:
    assert seen.observer.alive()
    seen.marks.clear()
    shutil.rmtree(seen.root)
    until(lambda: not seen.observer.alive())
    until(lambda: ("", True) in seen.marks)


def test_unwatched_counts_what_the_kernel_does_not_watch(seen: Seen) -> None:
    if not sys.platform.startswith("linux"):
        return
    assert seen.observer.unwatched() == (0, 4)
    group = next(iter(seen.observer._observer.emitters))._inotify  # type: ignore[union-attr,attr-defined]
    watches = list(group._active_callbacks_by_watch)
    group._inotify_fd.remove_callbacks([(watches[-1], group._id)])
    assert seen.observer.unwatched() == (1, 4)


def test_starting_twice_leaves_no_thread_behind(tmp_path: Path) -> None:
    before = threading.active_count()
    for _ in range(3):
        observer = VaultObserver(tmp_path, lambda _path, _folder: None, ignored_by_default)
        observer.start()
        observer.stop()
        observer.stop()
    until(lambda: threading.active_count() == before)
