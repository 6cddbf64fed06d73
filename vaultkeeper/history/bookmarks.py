"""Places in the history: checkpoints, which have a name, and marks of what was read.

A checkpoint is an annotated tag; its message is JSON. Removing one never removes a snapshot or a mark. There is one
mark for each source that was looked at alone and one for all together; the newer of the two counts. A mark never moves
backwards, and never to a snapshot that knows nothing of its source.
"""

from __future__ import annotations

import json
import uuid
from typing import NamedTuple

from vaultkeeper.errors import CheckpointNotFoundError, HistoryError
from vaultkeeper.history.compare import check_knows
from vaultkeeper.history.repository import Repository, check_source, ref_name
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


READ = b"refs/vaultkeeper/read"
ALL = b"refs/vaultkeeper/read/all"


def read_mark(repository: Repository, source: str) -> Snapshot | None:
    """Returns the snapshot up to which a source was seen; None when it never was, or the mark leads nowhere."""
    check_source(source)
    marks = [mark for ref in (ALL, _ref(source)) if (mark := _resolve(repository, ref)) is not None]
    return max(marks, key=lambda mark: mark.number, default=None)


def read_mark_of_all(repository: Repository) -> Snapshot | None:
    """Returns the snapshot up to which everything was seen at once."""
    return _resolve(repository, ALL)


def advance_mark(repository: Repository, source: str, snapshot: Snapshot) -> bool:
    """Marks a source as seen up to a snapshot; False when it was seen further already.

    Raises:
        CrossSourceError: the snapshot knows nothing of the source.
    """
    check_source(source)
    check_knows(repository, snapshot, source)
    before = read_mark(repository, source)
    if before is not None and before.number >= snapshot.number:
        return False
    repository.write_ref(_ref(source), snapshot.id)
    return True


def advance_all(repository: Repository, snapshot: Snapshot) -> bool:
    """Marks everything as seen up to a snapshot; False when it was seen further already."""
    before = read_mark_of_all(repository)
    if before is not None and before.number >= snapshot.number:
        return False
    repository.write_ref(ALL, snapshot.id)
    for name in own_marks(repository):
        mark = _resolve(repository, READ + b"/" + name)
        if mark is None or mark.number <= snapshot.number:
            repository.delete_ref(READ + b"/" + name)
    return True


def own_marks(repository: Repository) -> list[bytes]:
    """Returns the names of the refs of sources that were looked at alone."""
    return sorted(name for name in repository.list_refs(READ) if name != b"all")


def _ref(source: str) -> bytes:
    return READ + b"/" + ref_name(source)


def _resolve(repository: Repository, ref: bytes) -> Snapshot | None:
    try:
        target = repository.read_ref(ref)
        return read_snapshot(repository, target) if target and repository.has(target) else None
    except HistoryError:
        return None
