from __future__ import annotations

import pytest

from tests.history.repo import Told
from vaultkeeper.errors import SnapshotNotFoundError
from vaultkeeper.history.compare import compare
from vaultkeeper.history.snapshots import find_snapshot, latest_two, list_sources, read_snapshot, walk_back


def test_without_a_change_there_is_no_new_snapshot_and_nothing_is_read(told: Told) -> None:
    told.sources = {"notes:a": {"a/1.md": "one\n"}, "notes:b": {"b/1.md": "one\n"}}
    first = told.taken()
    told.reads.clear()
    assert told.take() == first
    assert told.reads == []


def test_only_what_changed_is_read(told: Told) -> None:
    told.sources = {"notes:a": {f"a/{n}.md": f"{n}\n" for n in range(20)}, "notes:b": {"b/1.md": "one\n"}}
    told.taken()
    told.reads.clear()
    told.sources["notes:a"]["a/3.md"] = "new\n"
    told.taken()
    assert told.reads == ["a/3.md"]


def test_the_memory_of_hashes_can_be_lost(told: Told) -> None:
    told.sources = {"notes:a": {"a/1.md": "one\n"}}
    first = told.taken()
    (told.folder / "known.json").write_text("{}")
    assert told.take() == first
    (told.folder / "known.json").unlink()
    assert told.take() == first


def test_other_sources_are_carried_forward(told: Told) -> None:
    told.sources = {"notes:a": {"a/1.md": "one\n"}, "notes:b": {"b/1.md": "one\n"}}
    first = told.taken()
    told.sources["notes:a"]["a/1.md"] = "two\n"
    second = told.taken()
    assert list_sources(told.repository, second) == ["notes:a", "notes:b"]
    assert [line.source for line in second.sources] == ["notes:a"]
    b = b"i_notes%3Ab"
    assert told.repository.read_tree(first.tree)[b] == told.repository.read_tree(second.tree)[b]


def test_a_source_without_items_loses_its_subtree(told: Told) -> None:
    told.sources = {"notes:a": {"a/1.md": "one\n"}, "notes:b": {"b/1.md": "one\n"}}
    told.taken()
    told.sources["notes:a"] = {}
    emptied = told.taken()
    assert list_sources(told.repository, emptied) == ["notes:b"]
    assert [(line.source, line.items) for line in emptied.sources] == [("notes:a", 0)]
    del told.sources["notes:b"]
    assert list_sources(told.repository, told.taken()) == []
    assert told.take() == told.taken()


def test_a_snapshot_knows_its_number_time_and_trigger(told: Told) -> None:
    told.sources = {"notes:a": {"a/1.md": "one\n"}}
    first = told.taken("manual")
    told.sources["notes:a"]["a/1.md"] = "two\n"
    second = told.taken()
    assert (first.number, second.number) == (1, 2)
    assert (first.trigger, second.trigger) == ("manual", "auto")
    assert (first.taken_at_ms, second.taken_at_ms) == (1_001_000, 1_002_000)
    assert [s.id for s in walk_back(told.repository)] == [second.id, first.id]
    assert read_snapshot(told.repository, first.id) == first


def test_an_empty_vault_has_no_snapshot(told: Told) -> None:
    assert told.take() is None
    told.sources = {"notes:a": {}}
    assert told.take() is None


def test_a_source_that_cannot_be_one_keeps_nobody_else_out(told: Told) -> None:
    told.sources = {"notes:a\nTrigger: manual": {"x/1.md": "one\n"}, "notes:b": {"b/1.md": "one\n"}}
    assert list_sources(told.repository, told.taken()) == ["notes:b"]


def test_a_note_that_cannot_be_read_stays_as_it_was_until_it_can(told: Told) -> None:
    told.sources = {"notes:a": {"a/1.md": "one\n", "a/2.md": "one\n"}}
    first = told.taken()
    told.sources["notes:a"]["a/1.md"] = "two\n"
    told.unreadable = {"a/1.md"}
    assert told.take() == first
    told.unreadable.clear()
    changes = compare(told.repository, "notes:a", first, told.taken())
    assert [change.item for change in changes.modified] == ["a/1.md"]


def test_a_note_that_changed_after_the_sync_is_stored_as_it_is_and_once(told: Told) -> None:
    told.sources = {"notes:a": {"a/1.md": "one\n"}}
    told.take()
    told.reads.clear()
    (told.folder / "known.json").unlink()
    first = told.taken()
    assert told.taken() == first
    assert told.reads == ["a/1.md"]


def test_a_moved_note_with_an_id_of_its_own_is_the_same_item(told: Told) -> None:
    told.sources = {"notes:a": {"id-1": "one\n", "a/2.md": "two\n"}}
    told.paths = {"id-1": "a/old.md"}
    first = told.taken()
    told.paths = {"id-1": "a/new.md"}
    second = told.taken()
    changes = compare(told.repository, "notes:a", first, second)
    assert (changes.total, changes.unchanged) == (0, 2)
    told.sources["notes:a"]["id-1"] = "changed\n"
    changes = compare(told.repository, "notes:a", second, told.taken())
    assert [(change.item, change.path) for change in changes.modified] == [("id-1", "a/new.md")]


def test_snapshots_are_found_by_seven_digits(told: Told) -> None:
    told.sources = {"notes:a": {"a/1.md": "one\n"}}
    first = told.taken()
    assert find_snapshot(told.repository, first.id[:7]) == first
    assert find_snapshot(told.repository, first.id.upper()) == first
    for prefix in (first.id[:6], "0" * 40, "", "zzzzzzz"):
        with pytest.raises(SnapshotNotFoundError):
            find_snapshot(told.repository, prefix)


def test_the_latest_two_are_those_of_the_source(told: Told) -> None:
    told.sources = {"notes:a": {"a/1.md": "1\n"}, "notes:b": {"b/1.md": "1\n"}}
    first = told.taken()
    for n in range(2, 5):
        told.sources["notes:a"]["a/1.md"] = f"{n}\n"
        last = told.taken()
    found = latest_two(told.repository, ["notes:a", "notes:b", "notes:none"])
    assert [s.number for s in found["notes:a"]] == [last.number, last.number - 1]
    assert found["notes:b"] == [first]
    assert found["notes:none"] == []


def test_thousands_of_snapshots_are_packed_and_stay(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vaultkeeper.history.repository._LOOSE_MOST", 40)
    told.sources = {"notes:a": {"a/1.md": "0\n"}}
    first = told.taken()
    for n in range(30):
        told.sources["notes:a"]["a/1.md"] = f"{n} more\n"
        told.taken()
    assert len(list(walk_back(told.repository))) == 31
    assert compare(told.repository, "notes:a", first, told.taken()).modified
    loose = list((told.repository.folder / "objects").glob("??/*"))
    assert len(loose) <= 45
