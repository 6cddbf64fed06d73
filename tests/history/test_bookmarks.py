from __future__ import annotations

import json
import re

import pytest

from tests.history.repo import Told
from vaultkeeper.errors import CheckpointNotFoundError, CrossSourceError, HistoryError, UsageError
from vaultkeeper.history.bookmarks import (
    ALL,
    add_checkpoint,
    advance_all,
    advance_mark,
    clean_checkpoints,
    find_checkpoint,
    list_checkpoints,
    own_marks,
    read_checkpoint,
    read_mark,
    read_mark_of_all,
)
from vaultkeeper.history.snapshots import Snapshot, walk_back


@pytest.fixture
def snapshot(told: Told) -> Snapshot:
    told.sources = {"notes:a": {"a/1.md": "1\n"}}
    return told.taken()


def test_a_checkpoint_is_a_tag_with_json(told: Told, snapshot: Snapshot) -> None:
    made = add_checkpoint(told.repository, "before the\nmove", snapshot, 1234)
    assert re.fullmatch(r"ckpt_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", made.id)
    [(name, target)] = told.repository.list_refs(b"refs/tags").items()
    assert name.decode() == made.id
    assert json.loads(told.repository.read_tag(target)) == {
        "label": "before the move",
        "snapshot_ids": [snapshot.id],
        "created_at_ms": 1234,
    }
    assert list_checkpoints(told.repository) == [made]
    assert read_checkpoint(told.repository, made) == snapshot


def test_a_checkpoint_is_found_by_id_by_the_beginning_of_it_or_by_label(
    told: Told, snapshot: Snapshot
) -> None:
    old = add_checkpoint(told.repository, "Move", snapshot, 1)
    new = add_checkpoint(told.repository, "move", snapshot, 2)
    assert find_checkpoint(told.repository, old.id) == old
    assert find_checkpoint(told.repository, old.id[:14]) == old
    assert find_checkpoint(told.repository, old.id[5:17]) == old
    assert find_checkpoint(told.repository, "MOVE") == new
    for name in ("ckpt_", "", "nothing"):
        with pytest.raises(CheckpointNotFoundError) as caught:
            find_checkpoint(told.repository, name)
        assert "Move" in caught.value.advice


def test_cleaning_removes_only_old_checkpoints(told: Told, snapshot: Snapshot) -> None:
    told.repository.tag(b"mine", snapshot.id, "a tag of the user's", 1)
    old = add_checkpoint(told.repository, "old", snapshot, 1)
    new = add_checkpoint(told.repository, "new", snapshot, 100)
    advance_all(told.repository, snapshot)
    assert clean_checkpoints(told.repository, 100) == [old]
    assert list_checkpoints(told.repository) == [new]
    assert clean_checkpoints(told.repository, 100) == []
    assert set(told.repository.list_refs(b"refs/tags")) == {b"mine", new.id.encode()}
    assert read_mark_of_all(told.repository) == snapshot
    assert list(walk_back(told.repository)) == [snapshot]


def test_a_checkpoint_that_cannot_be_read_surfaces(told: Told, snapshot: Snapshot) -> None:
    told.repository.tag(b"ckpt_broken", snapshot.id, "{}", 1)
    with pytest.raises(HistoryError, match="ckpt_broken"):
        list_checkpoints(told.repository)


@pytest.fixture
def three(told: Told) -> list[Snapshot]:
    """Three snapshots of source a; b is in the last two."""
    found = []
    for n in range(3):
        told.sources.setdefault("notes:a", {})["a/1.md"] = f"{n}\n"
        if n:
            told.sources["notes:b"] = {"b/1.md": f"{n}\n"}
        found.append(told.taken())
    return found


def test_a_mark_advances(told: Told, three: list[Snapshot]) -> None:
    assert read_mark(told.repository, "notes:a") is None
    assert advance_mark(told.repository, "notes:a", three[0])
    assert read_mark(told.repository, "notes:a") == three[0]
    assert advance_mark(told.repository, "notes:a", three[2])
    assert read_mark(told.repository, "notes:a") == three[2]
    assert read_mark(told.repository, "notes:b") is None


def test_a_mark_never_moves_backwards(told: Told, three: list[Snapshot]) -> None:
    advance_mark(told.repository, "notes:a", three[1])
    assert not advance_mark(told.repository, "notes:a", three[0])
    assert not advance_mark(told.repository, "notes:a", three[1])
    assert read_mark(told.repository, "notes:a") == three[1]
    advance_all(told.repository, three[2])
    assert not advance_all(told.repository, three[0])
    assert read_mark_of_all(told.repository) == three[2]


def test_a_mark_never_moves_to_another_source(told: Told, three: list[Snapshot]) -> None:
    with pytest.raises(CrossSourceError):
        advance_mark(told.repository, "notes:b", three[0])
    assert read_mark(told.repository, "notes:b") is None


def test_the_newer_of_the_own_mark_and_that_of_all_counts(told: Told, three: list[Snapshot]) -> None:
    advance_all(told.repository, three[1])
    assert read_mark(told.repository, "notes:a") == three[1]
    assert not advance_mark(told.repository, "notes:a", three[0])
    advance_mark(told.repository, "notes:a", three[2])
    assert read_mark(told.repository, "notes:a") == three[2]
    assert read_mark(told.repository, "notes:b") == three[1]


def test_looking_at_all_takes_the_place_of_older_marks(told: Told, three: list[Snapshot]) -> None:
    advance_mark(told.repository, "notes:a", three[2])
    advance_mark(told.repository, "notes:b", three[1])
    advance_all(told.repository, three[1])
    assert own_marks(told.repository) == [b"i_notes%3Aa"]
    assert read_mark(told.repository, "notes:a") == three[2]


def test_a_mark_that_leads_nowhere_counts_as_none(told: Told, three: list[Snapshot]) -> None:
    told.repository.write_ref(ALL, "1" * 40)
    assert read_mark(told.repository, "notes:a") is None
    assert advance_all(told.repository, three[0])


@pytest.mark.parametrize(
    "source", ["notes:a..b", "notes:x.lock", "notes:" + "很长的名字" * 40, "notes:.", "notes:all"]
)
def test_every_source_can_have_a_mark(told: Told, source: str) -> None:
    told.sources = {source: {"1.md": "1\n"}, "notes:other": {"2.md": "2\n"}}
    snapshot = told.taken()
    assert advance_mark(told.repository, source, snapshot)
    assert read_mark(told.repository, source) == snapshot
    assert read_mark(told.repository, "notes:other") is None


def test_a_source_that_cannot_be_one_has_no_mark(told: Told, three: list[Snapshot]) -> None:
    for source in ("", " ", "a\nb"):
        with pytest.raises(UsageError):
            read_mark(told.repository, source)
        with pytest.raises(UsageError):
            advance_mark(told.repository, source, three[0])
