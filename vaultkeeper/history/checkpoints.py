"""Checkpoints: states with a name, to compare with later.

A checkpoint is an annotated tag; its message is JSON. Removing one never removes a snapshot or a read mark.
"""

from __future__ import annotations

import json
import uuid
from typing import NamedTuple

from vaultkeeper.errors import CheckpointNotFoundError, HistoryError
from vaultkeeper.history.repository import Repository
from vaultkeeper.history.snapshots import Snapshot, read_snapshot
from vaultkeeper.history.trailers import flat

_TAGS = b"refs/tags"
_PREFIX = "ckpt_"


class Checkpoint(NamedTuple):
    """A state with a name.

    Attributes:
        id: `ckpt_` and a UUID.
        label: What the user called it; may be empty.
        snapshot_ids: The snapshots that it is of.
    """

    id: str
    label: str
    snapshot_ids: tuple[str, ...]
    created_at_ms: int


def add_checkpoint(repository: Repository, label: str, snapshot: Snapshot, now_ms: int) -> Checkpoint:
    """Names a snapshot."""
    made = Checkpoint(f"{_PREFIX}{uuid.uuid4()}", flat(label), (snapshot.id,), now_ms)
    body = {"label": made.label, "snapshot_ids": list(made.snapshot_ids), "created_at_ms": now_ms}
    repository.tag(made.id.encode(), snapshot.id, json.dumps(body, ensure_ascii=False), now_ms)
    return made


def list_checkpoints(repository: Repository) -> list[Checkpoint]:
    """Returns all checkpoints, oldest first; other tags are left alone."""
    found = []
    for name, target in repository.list_refs(_TAGS).items():
        if not name.startswith(_PREFIX.encode()):
            continue
        try:
            body = json.loads(repository.read_tag(target))
            ids = tuple(map(str, body["snapshot_ids"]))
            found.append(Checkpoint(name.decode(), str(body["label"]), ids, int(body["created_at_ms"])))
        except (ValueError, KeyError, TypeError) as error:
            reason = f"the checkpoint {name.decode()} cannot be read ({error})"
            raise HistoryError(path=repository.folder, reason=reason) from None
    return sorted(found, key=lambda checkpoint: (checkpoint.created_at_ms, checkpoint.id))


def find_checkpoint(repository: Repository, name: str) -> Checkpoint:
    """Returns a checkpoint by its id, the beginning of its id, or its label; of several with a label the newest.

    Raises:
        CheckpointNotFoundError: there is none.
    """
    known = list_checkpoints(repository)
    wanted = name.strip()
    by_id = [
        c for c in known if wanted and c.id.removeprefix(_PREFIX).startswith(wanted.removeprefix(_PREFIX))
    ]
    by_label = [c for c in known if wanted and c.label.casefold() == wanted.casefold()]
    exact = [c for c in known if c.id == wanted]
    found = exact or by_label or (by_id if len(by_id) == 1 else [])
    if not found:
        near = ", ".join(c.label or c.id for c in known[-5:])
        raise CheckpointNotFoundError(name=name, near=f"There are: {near}." if near else "There is none yet.")
    return found[-1]


def read_checkpoint(repository: Repository, checkpoint: Checkpoint) -> Snapshot:
    """Returns the newest snapshot that a checkpoint is of."""
    return max(
        (read_snapshot(repository, snapshot_id) for snapshot_id in checkpoint.snapshot_ids),
        key=lambda snapshot: snapshot.number,
    )


def clean_checkpoints(repository: Repository, before_ms: int) -> list[Checkpoint]:
    """Removes the checkpoints made before a time, and returns them."""
    old = [checkpoint for checkpoint in list_checkpoints(repository) if checkpoint.created_at_ms < before_ms]
    for checkpoint in old:
        repository.delete_ref(_TAGS + b"/" + checkpoint.id.encode())
    return old
