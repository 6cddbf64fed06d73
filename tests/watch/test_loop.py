from __future__ import annotations

import os
import re
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.watch.conftest import Watched, until
from tests.watch.fake import Disk
from vaultkeeper.errors import Exit, LockedError, StorageError, VaultNotFoundError
from vaultkeeper.index.sync import SyncStats
from vaultkeeper.watch.batcher import MAX_WAIT_S
from vaultkeeper.watch.client import ask_server
from vaultkeeper.watch.loop import WatchOptions, plural, summary

Start = Callable[..., Watched]


def test_it_begins_with_a_full_sync_and_ends_with_the_code_it_is_told(disk: Disk, watch: Start) -> None:
    watched = watch().ready()
    assert disk.syncs[0] is None
    assert disk.rows == {"notes/one.md": "one\n"}
    watched.stop.set(Exit.INTERRUPTED)
    watched.end()
    assert watched.result == [Exit.INTERRUPTED]
    assert watched.said("Watching")
    assert watched.said("1 added")
    assert watched.said("Stopped.")
    assert disk.closed == disk.opened


def test_lines_carry_the_time(watch: Start) -> None:
    watched = watch().ready()
    watched.end()
    for line in watched.lines:
        assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d \S", line)


def test_a_change_is_synced_by_its_path(disk: Disk, watch: Start) -> None:
    watch().ready()
    (disk.root / "notes" / "two.md").write_text("two")
    disk.wait_for(lambda: disk.rows.get("notes/two.md") == "two")
    assert disk.syncs[1] == ("notes/two.md",)
    (disk.root / "notes" / "two.md").rename(disk.root / "three.md")
    disk.wait_for(lambda: "three.md" in disk.rows and "notes/two.md" not in disk.rows)
    shutil.rmtree(disk.root / "notes")
    disk.wait_for(lambda: set(disk.rows) == {"three.md"})
    assert None not in disk.syncs[1:]


def test_a_folder_of_notes_that_moves_is_followed(disk: Disk, watch: Start, tmp_path: Path) -> None:
    watch().ready()
    (disk.root / "notes").rename(disk.root / "texts")
    disk.wait_for(lambda: set(disk.rows) == {"texts/one.md"})
    (disk.root / "texts").rename(tmp_path / "away")
    disk.wait_for(lambda: not disk.rows)
    (tmp_path / "away").rename(disk.root / "back")
    disk.wait_for(lambda: set(disk.rows) == {"back/one.md"})


def test_a_checkout_of_two_thousand_files_is_few_batches(disk: Disk, watch: Start) -> None:
    watch().ready()
    started_s = time.monotonic()
    for number in range(2000):
        folder = disk.root / f"{number % 20}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.md").write_text(f"note {number}")
    disk.wait_for(lambda: len(disk.rows) == 2001, 30)
    assert len(disk.syncs) <= 4 + (time.monotonic() - started_s) / MAX_WAIT_S
    shutil.rmtree(disk.root / "3")
    disk.wait_for(lambda: len(disk.rows) == 1901)


def test_its_own_reads_and_what_obsidian_writes_for_itself_cause_nothing(disk: Disk, watch: Start) -> None:
    watch().ready()
    for _ in range(20):
        (disk.root / "notes" / "one.md").read_text()
        (disk.root / ".obsidian" / "workspace.json").write_text(str(time.monotonic_ns()))
    (disk.root / "end.md").write_text("")
    disk.wait_for(lambda: "end.md" in disk.rows)
    assert disk.syncs == [None, ("end.md",)]


def test_an_index_and_a_log_inside_the_vault_cause_nothing(disk: Disk, watch: Start) -> None:
    disk.index_dir = disk.root / "index"
    log = disk.root / "watch.log"
    watched = watch(WatchOptions(tick_s=0.05, log_file=log)).ready()
    (disk.index_dir / "rows.db").write_text("x")
    (disk.root / "end.md").write_text("")
    disk.wait_for(lambda: "end.md" in disk.rows)
    watched.end()
    assert [sync for sync in disk.syncs if sync] == [("end.md",)]
    assert log.stat().st_mode & 0o777 == 0o600


def test_latency_from_save_to_sync(disk: Disk, watch: Start) -> None:
    watch().ready()
    note = disk.root / "notes" / "one.md"
    delays_s = []
    for number in range(10):
        draft = note.with_name(".draft")
        draft.write_text(f"text {number}")
        started_s = time.monotonic()
        draft.replace(note)
        disk.wait_for(lambda: disk.rows["notes/one.md"] == f"text {number}")  # noqa: B023
        delays_s.append(time.monotonic() - started_s)
    assert sorted(delays_s)[2] < 0.3  # a busy machine delays some


def test_vectors_are_computed_beside_and_only_beside(disk: Disk, watch: Start) -> None:
    disk.pending = 1000
    watch().ready()
    disk.wait_for(lambda: disk.pending == 0)
    assert disk.embedded_in == {"vaultkeeper-vectors"}


def test_an_error_is_said_once_and_tried_again(
    disk: Disk, watch: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaultkeeper.watch.loop.RETRY_FIRST_S", 0.05)
    watched = watch().ready()
    disk.fail = [StorageError(path="index", reason="no space left on device") for _ in range(2)]
    (disk.root / "new.md").write_text("x")
    disk.wait_for(lambda: "new.md" in disk.rows)
    until(lambda: watched.said("works again"))
    assert sum("no space left" in line for line in watched.lines) == 1
    assert sum("Free some space" in line for line in watched.lines) == 1
    disk.fail = [ZeroDivisionError("a bug")]
    (disk.root / "newer.md").write_text("x")
    disk.wait_for(lambda: "newer.md" in disk.rows)
    assert watched.said("ZeroDivisionError: a bug")


def test_a_vault_that_disappears_keeps_its_index_and_comes_back(
    disk: Disk, watch: Start, tmp_path: Path
) -> None:
    watched = watch().ready()
    disk.root.rename(tmp_path / "elsewhere")
    until(lambda: watched.said("is gone"))
    with pytest.raises(VaultNotFoundError):
        ask_server(disk.index_dir, "sync")
    found = ask_server(disk.index_dir, "ask", {"query": "one"})
    assert found == {"hits": ["notes/one.md"]}
    (tmp_path / "elsewhere" / "while away.md").write_text("x")
    (tmp_path / "elsewhere").rename(disk.root)
    disk.wait_for(lambda: "while away.md" in disk.rows)
    assert all("removed" not in line for line in watched.lines)
    (disk.root / "after.md").write_text("x")
    disk.wait_for(lambda: "after.md" in disk.rows)


def test_an_empty_mount_point_is_no_vault(disk: Disk, watch: Start, tmp_path: Path) -> None:
    watched = watch().ready()
    disk.root.rename(tmp_path / "elsewhere")
    disk.root.mkdir()
    until(lambda: watched.said("is gone"))
    assert disk.rows == {"notes/one.md": "one\n"}
    disk.root.rmdir()
    (tmp_path / "elsewhere").rename(disk.root)
    until(lambda: watched.said("is back"))
    assert len(disk.rows) == 1


def test_an_empty_folder_at_the_start_of_a_known_vault_is_waited_for(disk: Disk, watch: Start) -> None:
    disk.rows["old.md"] = "old"
    shutil.rmtree(disk.root / "notes")
    watched = watch()
    until(lambda: watched.said("is gone"))
    assert disk.rows == {"old.md": "old"}
    (disk.root / "new.md").write_text("x")
    disk.wait_for(lambda: set(disk.rows) == {"new.md"})


def test_a_vault_that_its_user_empties_becomes_empty(disk: Disk, watch: Start) -> None:
    watch().ready()
    shutil.rmtree(disk.root / "notes")
    disk.wait_for(lambda: not disk.rows)


def test_a_vault_that_is_replaced_is_read_anew_and_followed(disk: Disk, watch: Start, tmp_path: Path) -> None:
    watch().ready()
    (tmp_path / "clone").mkdir()
    (tmp_path / "clone" / "other.md").write_text("x")
    disk.root.rename(tmp_path / "old")
    (tmp_path / "clone").rename(disk.root)
    disk.wait_for(lambda: set(disk.rows) == {"other.md"})
    (disk.root / "more.md").write_text("x")
    disk.wait_for(lambda: "more.md" in disk.rows)


def test_polling_needs_no_events(disk: Disk, watch: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vaultkeeper.watch.observer.VaultObserver.start", _never)
    watched = watch(WatchOptions(poll_s=0.05, tick_s=0.02)).ready()
    (disk.root / "two.md").write_text("two")
    disk.wait_for(lambda: "two.md" in disk.rows)
    (disk.root / "two.md").unlink()
    disk.wait_for(lambda: "two.md" not in disk.rows)
    assert watched.said("(polling)")
    assert set(disk.syncs) == {None}


def _never(*_: object) -> None:
    raise AssertionError


@pytest.mark.parametrize(("code", "setting"), [(28, "max_user_watches"), (24, "max_user_instances")])
def test_a_limit_is_said_with_its_remedy_and_polled_around(
    disk: Disk, watch: Start, monkeypatch: pytest.MonkeyPatch, code: int, setting: str
) -> None:
    def refuse(_self: object) -> None:
        raise OSError(code, "limit reached")

    monkeypatch.setattr("vaultkeeper.watch.observer.VaultObserver.start", refuse)
    monkeypatch.setattr("vaultkeeper.watch.pace.FALLBACK_S", 0.05)
    monkeypatch.setattr("vaultkeeper.watch.pace.FALLBACK_DUTY", 0.5)
    watched = watch(WatchOptions(tick_s=0.02)).ready()
    until(lambda: watched.said("cannot be watched"))
    if Path("/proc/sys/fs/inotify").exists():
        assert watched.said(f"sudo sysctl fs.inotify.{setting}=")
    (disk.root / "two.md").write_text("two")
    disk.wait_for(lambda: "two.md" in disk.rows)


def test_lost_events_bring_a_full_sync_and_a_new_observer(disk: Disk, watch: Start) -> None:
    watched = watch().ready()
    import logging

    logging.getLogger("watchdog.observers.inotify_c").warning("the queue overflowed")
    disk.wait_for(lambda: len(disk.syncs) >= 2)
    assert disk.syncs[1] is None
    (disk.root / "after.md").write_text("x")
    disk.wait_for(lambda: "after.md" in disk.rows)
    watched.end()


def test_a_machine_that_slept_is_compared_anew(disk: Disk, watch: Start) -> None:
    asleep_s = [0.0]
    watch(wall=lambda: time.time() + asleep_s[0]).ready()
    asleep_s[0] = 3600.0
    disk.wait_for(lambda: disk.syncs == [None, None])


def test_the_safety_net_compares_from_time_to_time(
    disk: Disk, watch: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaultkeeper.watch.pace.RESCAN_DUTY", 0.5)
    watch(WatchOptions(tick_s=0.02, rescan_s=0.1))
    disk.wait_for(lambda: len(disk.syncs) >= 3)
    assert set(disk.syncs) == {None}


def test_a_second_watcher_says_who_holds_the_vault(disk: Disk, watch: Start) -> None:
    watch().ready()
    second = watch()
    second.thread.join(10)
    assert isinstance(second.result[0], LockedError)
    assert f"process {os.getpid()}" in str(second.result[0])
    assert ask_server(disk.index_dir, "ping")


def test_stop_flushes_what_is_pending(disk: Disk, watch: Start) -> None:
    watched = watch(WatchOptions(tick_s=0.02, quiet_s=60.0, max_wait_s=60.0)).ready()
    (disk.root / "last.md").write_text("x")
    until(lambda: (ask_server(disk.index_dir, "ping") or {}).get("changes_pending"))
    assert "last.md" not in disk.rows
    watched.end()
    assert disk.syncs == [None, ("last.md",)]


def test_clients_ask_for_a_sync_and_wait_for_it(disk: Disk, watch: Start) -> None:
    watch(WatchOptions(tick_s=0.05, quiet_s=60.0, max_wait_s=60.0)).ready()
    (disk.root / "two.md").write_text("two")
    assert ask_server(disk.index_dir, "sync") == {"added": 1, "modified": 0, "renamed": 0, "removed": 0}
    assert disk.rows["two.md"] == "two"
    assert ask_server(disk.index_dir, "sync", {"flush": True}) is not None


def test_a_question_sees_what_was_saved_before_it(disk: Disk, watch: Start) -> None:
    watch().ready()
    for number in range(10):
        (disk.root / f"{number}.md").write_text(f"word{number}")
        found = ask_server(disk.index_dir, "ask", {"query": f"word{number}"})
        assert found == {"hits": [f"{number}.md"]}


def test_questions_are_answered_while_a_sync_runs(disk: Disk, watch: Start) -> None:
    watched = watch().ready()
    disk.go.clear()
    disk.in_sync.clear()
    (disk.root / "two.md").write_text("two")
    assert disk.in_sync.wait(10)
    assert ask_server(disk.index_dir, "ask", {"query": "one"}) == {"hits": ["notes/one.md"]}
    assert "two.md" not in disk.rows
    disk.go.set()
    watched.end()
    assert "two.md" in disk.rows


def test_a_reader_does_not_wait_for_the_first_sync_but_a_sync_does(disk: Disk, watch: Start) -> None:
    disk.go.clear()
    watch()
    assert disk.in_sync.wait(10)
    assert ask_server(disk.index_dir, "sync", {"flush": True}) == {}
    assert ask_server(disk.index_dir, "ask", {"query": "one"}) == {"hits": []}
    found: list[object] = []
    client = threading.Thread(target=lambda: found.append(ask_server(disk.index_dir, "sync")))
    client.start()
    (disk.root / "two.md").write_text("two")
    disk.go.set()
    client.join(10)
    assert found
    assert "two.md" in disk.rows


def test_a_failed_sync_is_reported_to_the_client_that_asked(disk: Disk, watch: Start) -> None:
    watch().ready()
    disk.fail = [StorageError(path="index", reason="no space left on device")]
    with pytest.raises(StorageError, match="no space left"):
        ask_server(disk.index_dir, "sync")


def test_an_index_that_is_deleted_is_made_anew(disk: Disk, watch: Start) -> None:
    watched = watch().ready()
    assert ask_server(disk.index_dir, "status") == {"notes": 1}
    disk.rows.clear()
    shutil.rmtree(disk.index_dir)
    disk.wait_for(lambda: disk.syncs == [None, None])
    assert watched.said("was deleted; beginning anew")
    assert (disk.index_dir / "lock").exists()
    assert ask_server(disk.index_dir, "status") == {"notes": 1}
    (disk.root / "after.md").write_text("x")
    disk.wait_for(lambda: "after.md" in disk.rows)


def test_ping_and_status_on_a_terminal(disk: Disk, watch: Start) -> None:
    statuses: list[str] = []
    watched = watch(status=statuses.append).ready()
    (disk.root / "two.md").write_text("two")
    disk.wait_for(lambda: "two.md" in disk.rows)
    until(lambda: any("2 notes · last change" in text for text in statuses))
    found = ask_server(disk.index_dir, "ping")
    assert found
    assert found["state"] == "watching"
    assert found["pid"] == os.getpid()
    assert found["vault"] == os.path.realpath(disk.root)
    assert str(found["last_change_at"]).endswith("Z")
    assert all(re.match(r"\d\d:\d\d:\d\d ", line) for line in watched.lines)


def test_no_thread_and_no_file_is_left_behind(disk: Disk, watch: Start) -> None:
    before = threading.active_count()
    watched = watch().ready()
    assert ask_server(disk.index_dir, "status") == {"notes": 1}
    watched.end()
    until(lambda: threading.active_count() == before)
    assert [path.name for path in disk.index_dir.iterdir()] == ["lock"]


def test_only_what_changes_an_answer_is_named() -> None:
    assert (
        summary(SyncStats(added=1200, renamed=1, unchanged=9, touched=3, scanned=1213))
        == "1,200 added, 1 renamed"
    )
    assert summary(SyncStats(unchanged=9, touched=3)) == ""
    assert summary(SyncStats(modified=1, removed=2)) == "1 modified, 2 removed"


def test_counts_with_nouns() -> None:
    assert [plural(count, "note") for count in (0, 1, 2, 2345)] == [
        "0 notes",
        "1 note",
        "2 notes",
        "2,345 notes",
    ]
