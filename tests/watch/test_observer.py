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
from vaultkeeper.watch.observer import (
    CONFIRM_S,
    COVERAGE_PAUSE_S,
    PATIENCE_S,
    RETRY_S,
    Follower,
    VaultObserver,
)


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


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def follower(tmp_path: Path, said: list[str]) -> Iterator[Follower]:
    follower = Follower(tmp_path, lambda _path, _folder: None, lambda _path: False, said.append, None, 300.0)
    yield follower
    follower.stop()


def test_events_and_a_safety_net(follower: Follower, said: list[str]) -> None:
    follower.start(0.0)
    assert follower.mode == "events"
    assert follower.pace.pause_s == 300.0
    assert follower.healthy(1e6)
    assert said == []


def test_an_observer_that_dies_is_replaced_but_not_at_every_turn(
    follower: Follower, monkeypatch: pytest.MonkeyPatch
) -> None:
    follower.start(0.0)
    monkeypatch.setattr(VaultObserver, "alive", lambda _self: False)
    assert not follower.healthy(0.0)
    follower.start(0.0)
    assert follower.healthy(1.0)
    assert not follower.healthy(2.0)
    follower.start(2.0)
    assert follower.healthy(5.0)
    assert not follower.healthy(6.0)
    follower.start(6.0)
    assert not follower.healthy(6.0 + PATIENCE_S)
    follower.start(100.0)
    assert not follower.healthy(100.0)


def test_without_events_it_polls_says_so_once_and_tries_again_later(
    follower: Follower, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_self: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    with monkeypatch.context() as patch:
        patch.setattr(VaultObserver, "start", refuse)
        follower.start(0.0)
        assert follower.mode == "polling"
        assert follower.pace.pause_s == 2.0
        assert follower.healthy(RETRY_S - 1)
        assert not follower.healthy(RETRY_S)
        follower.start(RETRY_S)
    assert len(said) == 1
    assert said[0].endswith("The vault is scanned every 2 to 30 seconds instead.")
    follower.start(2 * RETRY_S)
    assert follower.mode == "events"
    assert follower.pace.pause_s == 300.0


def test_on_a_network_file_system_it_does_both(
    follower: Follower, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaultkeeper.watch.limits.file_system", lambda _path: "nfs4")
    follower.start(0.0)
    assert follower.mode == "events and polling"
    assert "nfs4" in said[0]


def shortage(patch: pytest.MonkeyPatch, *, refused: bool) -> None:
    patch.setattr("vaultkeeper.watch.limits.count_folders", lambda _root: 99)
    patch.setattr("vaultkeeper.watch.limits.own_watches", lambda: 2)
    patch.setattr("vaultkeeper.watch.limits.watch_refused", lambda _root: refused)


def new_folder(follower: Follower, root: Path) -> None:
    (root / "new").mkdir()
    observer = follower._observer
    assert observer
    until(lambda: observer.folders_changed)


def test_folders_that_could_not_be_watched_are_noticed_later_too(
    follower: Follower, said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    follower.start(0.0)
    new_folder(follower, tmp_path)
    later = COVERAGE_PAUSE_S
    with monkeypatch.context() as patch:
        shortage(patch, refused=True)
        assert follower.healthy(later - 1)
        assert follower.healthy(later)
        assert follower.healthy(later + CONFIRM_S / 2)
        assert said == []
        assert follower.healthy(later + CONFIRM_S)
        assert "of 99 folders cannot be watched: the limit of" in said[0]
        assert follower.mode == "events and polling"
        assert follower.healthy(2 * later + CONFIRM_S)
        patch.setattr("vaultkeeper.watch.limits.watch_refused", lambda _root: False)
        assert not follower.healthy(3 * later + CONFIRM_S), "the limit was raised"
    assert follower.healthy(4 * later + CONFIRM_S)
    assert follower.mode == "events"
    assert follower.pace.pause_s == 300.0
    assert said[1:] == ["All folders are watched again."]


def test_folders_made_in_one_go_raise_no_alarm(
    follower: Follower, said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted before watchdog has seen to them all."""
    follower.start(0.0)
    new_folder(follower, tmp_path)
    with monkeypatch.context() as patch:
        shortage(patch, refused=True)
        assert follower.healthy(COVERAGE_PAUSE_S)
    assert follower.healthy(COVERAGE_PAUSE_S + CONFIRM_S)
    assert said == []
    assert follower.mode == "events"


def test_watches_that_are_missing_without_a_limit_are_set_anew_and_no_limit_is_blamed(
    follower: Follower, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shortage(monkeypatch, refused=False)
    follower.start(0.0)
    assert not follower.healthy(CONFIRM_S)
    assert said == []
    follower.start(CONFIRM_S)
    assert follower.healthy(2 * CONFIRM_S)
    assert len(said) == 1
    assert "folders cannot be watched. The vault is scanned" in said[0]
    assert "limit" not in said[0]


def test_polling_on_request_asks_for_no_events(
    tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(VaultObserver, "start")
    follower = Follower(tmp_path, lambda _path, _folder: None, lambda _path: False, said.append, 5.0, 300.0)
    follower.start(0.0)
    assert follower.mode == "polling"
    assert follower.pace.pause_s == 5.0
    assert follower.healthy(1e9)
