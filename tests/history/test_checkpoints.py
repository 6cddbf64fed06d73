from __future__ import annotations

import json
import re

import pytest

from tests.history.repo import Told
from vaultkeeper.errors import CheckpointNotFoundError, HistoryError
from vaultkeeper.history.checkpoints import (
    add_checkpoint,
    clean_checkpoints,
    find_checkpoint,
    list_checkpoints,
    read_checkpoint,
)
from vaultkeeper.history.marks import advance_all, read_mark_of_all
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
