"""Snapshots: taking one, and finding them again.

A snapshot is a commit whose tree holds a subtree for each source, with a blob for each item; sources that did not
change are carried forward, a source without items has no subtree. One snapshot covers all sources that changed, and
its message names them; it is a snapshot of each of these.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from vaultkeeper.errors import HistoryError, SnapshotNotFoundError
from vaultkeeper.history.repository import Repository, decode_name, encode_name, is_source
from vaultkeeper.history.trailers import (
    Message,
    SourceLine,
    Trigger,
    parse_message,
    render_message,
    source_line,
)

PATHS = b"m_paths"
"""Blob beside the items of a source: JSON of the paths of those whose path is not their id."""

_KNOWN = "known.json"
_LEAST_PREFIX = 7


class Entry(NamedTuple):
    """An item of a source as the index knows it.

    Attributes:
        item: Its id, unique in its source.
        path: Of its note.
        sha256: Of the note's bytes.
    """

    item: str
    path: str
    sha256: bytes


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A state of all sources.

    Attributes:
        id: 40 hex digits.
        number: Position in the history, from 1; later ones are greater.
        sources: Those that changed with it.
        tree: The tree of all sources.
    """

    id: str
    number: int
    sources: tuple[SourceLine, ...]
    trigger: str
    taken_at_ms: int
    tree: str
    parent: str | None

    def names(self, source: str) -> bool:
        """Tells whether it is a snapshot of a source: the source changed with it."""
        return any(line.source == source for line in self.sources)


Read = Callable[[str], bytes | None]
"""Returns the bytes of a note by its path; None when it is gone or cannot be read."""


def take(
    repository: Repository,
    entries: Mapping[str, Sequence[Entry]],
    read: Read,
    *,
    now_ms: int,
    trigger: Trigger,
) -> Snapshot | None:
    """Stores what changed since the newest snapshot, if anything did.

    Only notes with another hash than before are read. A note that cannot be read stays as it was.

    Args:
        entries: Items by source, of all sources; those with ids that cannot be one are left out.

    Returns:
        The newest snapshot, a new one or not; None when there is none and nothing to store.

    Raises:
        HistoryError: the repository is damaged.
    """
    head = find_head(repository)
    root = repository.read_tree(head.tree) if head else {}
    known = _load_known(repository.folder, head.id if head else "")
    seen: dict[str, dict[str, list[str]]] = {}
    changed: list[SourceLine] = []
    now = dict(root)
    for source in sorted(filter(is_source, entries)):
        found = {entry.item: [entry.sha256.hex(), entry.path] for entry in entries[source]}
        name = encode_name(source)
        seen[source] = found
        if not found or (name in root and known.get(source) == found):
            continue
        before = repository.read_tree(root[name]) if name in root else {}
        files = _store_items(repository, found, known.get(source, {}), before, read)
        if files and files != before:
            now[name] = repository.tree(files, {})
            changed.append(source_line(source, len(files) - (PATHS in files)))
    for name in root:
        source = decode_name(name) or ""
        if not seen.get(source):
            del now[name]
            changed.append(source_line(source, 0))
    if changed:
        number = head.number + 1 if head else 1
        message = Message(tuple(sorted(changed)), trigger, number, now_ms)
        parent = head.id if head else None
        commit_id = repository.commit(repository.tree({}, now), parent, render_message(message), now_ms)
        repository.tidy()
        head = read_snapshot(repository, commit_id)
    if head is not None and (changed or seen != known):
        _save_known(repository.folder, head.id, seen)
    return head


def _store_items(
    repository: Repository,
    found: dict[str, list[str]],
    known: Mapping[str, list[str]],
    before: Mapping[bytes, str],
    read: Read,
) -> dict[bytes, str]:
    """Returns the entries of a source's subtree, and corrects the hashes in `found` to what was really stored."""
    files: dict[bytes, str] = {}
    for item, (sha256, path) in found.items():
        name = encode_name(item)
        old = before.get(name)
        if old is not None and item in known and known[item][0] == sha256:
            files[name] = old
            continue
        data = read(path)
        if data is not None:
            files[name] = repository.blob(data)
            found[item][0] = hashlib.sha256(data).hexdigest()  # the note may have changed since the sync
            continue
        found[item][0] = ""
        if old is not None:
            files[name] = old
    paths = {
        item: path for item, (_, path) in sorted(found.items()) if path != item and encode_name(item) in files
    }
    if paths:
        files[PATHS] = repository.blob(json.dumps(paths, indent=0).encode())
    return files


def _load_known(folder: Path, head: str) -> dict[str, dict[str, list[str]]]:
    """What the newest snapshot was made from; empty when that is not known, and then everything is read again."""
    try:
        value = json.loads((folder.parent / _KNOWN).read_bytes())
        known: dict[str, dict[str, list[str]]] = value["sources"] if value["head"] == head else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return known


def _save_known(folder: Path, head: str, seen: Mapping[str, Mapping[str, list[str]]]) -> None:
    partial = folder.parent / f".{_KNOWN}.tmp"
    partial.write_text(json.dumps({"head": head, "sources": seen}), "utf-8")
    partial.replace(folder.parent / _KNOWN)


def find_head(repository: Repository) -> Snapshot | None:
    """Returns the newest snapshot; None when there is none."""
    head = repository.head()
    return None if head is None else read_snapshot(repository, head)


def read_snapshot(repository: Repository, snapshot_id: str) -> Snapshot:
    """Returns a snapshot by its whole id.

    Raises:
        HistoryError: it is not there, or is none of ours.
    """
    stored = repository.read_commit(snapshot_id)
    message = parse_message(stored.message)
    if message is None:
        raise HistoryError(path=repository.folder, reason=f"the commit {snapshot_id[:12]} is no snapshot")
    return Snapshot(
        stored.id,
        message.number,
        message.sources,
        message.trigger,
        message.taken_at_ms,
        stored.tree,
        stored.parent,
    )


def walk_back(repository: Repository) -> Iterator[Snapshot]:
    """Yields all snapshots, newest first."""
    snapshot = find_head(repository)
    while snapshot is not None:
        yield snapshot
        snapshot = read_snapshot(repository, snapshot.parent) if snapshot.parent else None


def find_snapshot(repository: Repository, prefix: str) -> Snapshot:
    """Returns the snapshot whose id begins so.

    Raises:
        SnapshotNotFoundError: there is none, or the prefix is shorter than seven digits or fits several.
    """
    wanted = prefix.strip().lower()
    found = (
        [s for s in walk_back(repository) if s.id.startswith(wanted)] if len(wanted) >= _LEAST_PREFIX else []
    )
    if len(found) != 1:
        raise SnapshotNotFoundError(what=f"snapshot {prefix!r}")
    return found[0]


def latest_two(repository: Repository, sources: Sequence[str]) -> dict[str, list[Snapshot]]:
    """Returns for each source its newest two snapshots, newest first; fewer when there are fewer."""
    found: dict[str, list[Snapshot]] = {source: [] for source in sources}
    missing = set(sources)
    for snapshot in walk_back(repository):
        for line in snapshot.sources:
            if line.source in missing:
                found[line.source].append(snapshot)
                if len(found[line.source]) == 2:
                    missing.discard(line.source)
        if not missing:
            break
    return found


def list_sources(repository: Repository, snapshot: Snapshot) -> list[str]:
    """Returns the sources that a snapshot holds, sorted."""
    return sorted(filter(None, map(decode_name, repository.read_tree(snapshot.tree))))
