"""Read marks: up to which snapshot somebody has seen a source.

There is one mark for each source that was looked at alone and one for all together; the newer of the two counts. A
mark never moves backwards, and never to a snapshot that knows nothing of its source.
"""

from __future__ import annotations

from vaultkeeper.errors import HistoryError
from vaultkeeper.history.compare import check_knows
from vaultkeeper.history.names import check_source, ref_name
from vaultkeeper.history.repository import Repository
from vaultkeeper.history.snapshots import Snapshot, read_snapshot

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
