"""What changed in a vault since somebody last looked.

Owns the meeting of the index, which knows the notes, with `history`, which remembers them, and the lock around both.
Nothing is written but the state folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from vaultkeeper.errors import (
    HistoryLockedError,
    LockedError,
    NoIndexError,
    SnapshotNotFoundError,
    SourceNotFoundError,
)
from vaultkeeper.history import bookmarks, snapshots
from vaultkeeper.history.bookmarks import Checkpoint
from vaultkeeper.history.compare import SourceChanges, compare, compare_snapshots, differing_sources
from vaultkeeper.history.repository import Repository, check_source, is_source
from vaultkeeper.history.snapshots import Entry, Snapshot
from vaultkeeper.history.trailers import Trigger
from vaultkeeper.index.reports import NoteRow, fetch_note_rows, is_unfinished
from vaultkeeper.ports import Clock
from vaultkeeper.vault.lock import acquire

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection

REPOSITORY = "history.git"
LOCK = "history.lock"
_WAIT_S = 10.0

Since = Literal["read", "last", "checkpoint", "snapshot"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesParams:
    """Parameters of `changes`. Source: BEHAVIOUR §12.6.

    Attributes:
        source: Id of one source, or what follows the colon in it; None means all.
        since: What to compare with: what was read last, the snapshot before the last one, a checkpoint, a snapshot.
        checkpoint: For `checkpoint`: its id, the beginning of it, or its label.
        before: For `snapshot`: the earlier one; at least seven digits.
        after: For `snapshot`: the later one; None means the newest.
        commit: For `read`: whether what is shown counts as read from now on.
        text_diff: Whether modified notes come with a unified diff.
    """

    source: str | None = None
    since: Since = "read"
    checkpoint: str = ""
    before: str = ""
    after: str | None = None
    commit: bool = True
    text_diff: bool = False


class Changes(NamedTuple):
    """What changed. Sources that did not change are left out, unless one was asked for.

    Attributes:
        marked: Whether what is shown counts as read from now on.
        notes: Short machine-readable remarks: `first_look`, `index_unfinished`, `sources_left_out`.
    """

    since: Since
    sources: tuple[SourceChanges, ...]
    marked: bool
    notes: tuple[str, ...]


@dataclass(slots=True)
class History:
    """See the module.

    Args:
        root: The vault's real path.
        folder: The state folder of the vault.
        open_db: Opens the index for reading; None when there is none.
        command: What this process is doing, for whoever waits for the lock.
    """

    root: Path
    folder: Path
    open_db: Callable[[], Connection | None]
    clock: Clock
    command: str = "vaultkeeper changes"

    def changes(self, params: ChangesParams) -> Changes:
        """Takes a snapshot when something changed, and compares.

        Raises:
            NoIndexError: there is no index.
            SourceNotFoundError, SnapshotNotFoundError, CheckpointNotFoundError, CrossSourceError: see the parameters.
            HistoryError: the history is damaged.
            HistoryLockedError: another process holds it.
        """
        with self._open() as repository:
            head, notes = self._take(repository, "auto")
            source = self._find_source(repository, head, params.source)
            if head is None:
                return Changes(params.since, (), False, notes)
            found, first_look = self._compare(repository, head, source, params)
            marked = params.since == "read" and params.commit and self._mark(repository, head, source)
            notes = ("first_look", *notes) if first_look else notes
            return Changes(params.since, tuple(found), marked, notes)

    def snapshot(self, trigger: Trigger = "manual") -> Snapshot | None:
        """Takes a snapshot when something changed; returns the newest one, None in an empty vault."""
        with self._open() as repository:
            return self._take(repository, trigger)[0]

    def remember(self) -> bool:
        """Takes a snapshot when something changed, if somebody looks at this history at all: has begun one before.

        Returns:
            Whether there is a new one.

        Raises:
            HistoryError: the history is damaged.
            HistoryLockedError: another process holds it.
        """
        if not (self.folder / REPOSITORY).exists():
            return False
        with self._open() as repository:
            before = repository.head()
            head, _ = self._take(repository, "auto")
            return head is not None and head.id != before

    def add_checkpoint(self, label: str = "") -> Checkpoint:
        """Takes a snapshot of all sources and gives it a name.

        Raises:
            SnapshotNotFoundError: the vault is empty and always was.
        """
        with self._open() as repository:
            head, _ = self._take(repository, "manual")
            if head is None:
                raise SnapshotNotFoundError(what="note in this vault yet, so there is nothing to name")
            return bookmarks.add_checkpoint(repository, label, head, self._now_ms())

    def list_checkpoints(self) -> list[Checkpoint]:
        """Returns all checkpoints, oldest first."""
        if not (self.folder / REPOSITORY).exists():
            return []
        with closing(Repository(self.folder / REPOSITORY)) as repository:
            return bookmarks.list_checkpoints(repository)

    def clean_checkpoints(self, before_ms: int) -> list[Checkpoint]:
        """Removes the checkpoints made before a time; snapshots and read marks stay."""
        with self._open() as repository:
            return bookmarks.clean_checkpoints(repository, before_ms)

    def check(self) -> None:
        """Reads what every command needs.

        Raises:
            HistoryError: the history is damaged.
        """
        if not (self.folder / REPOSITORY).exists():
            return
        with closing(Repository(self.folder / REPOSITORY)) as repository:
            head = snapshots.find_head(repository)
            if head is not None:
                repository.read_tree(head.tree)
            bookmarks.list_checkpoints(repository)

    def _compare(
        self, repository: Repository, head: Snapshot, source: str | None, params: ChangesParams
    ) -> tuple[list[SourceChanges], bool]:
        """Returns the changes, and whether nothing was read before."""
        diff = params.text_diff
        if params.since == "last":
            return self._since_last(repository, head, source, diff), False
        if params.since == "snapshot":
            before = snapshots.find_snapshot(repository, params.before)
            after = snapshots.find_snapshot(repository, params.after) if params.after else head
            if source is not None:
                return [compare_snapshots(repository, source, before, after, text_diff=diff)], False
            return self._between(repository, before, after, None, diff), False
        if params.since == "checkpoint":
            named = bookmarks.find_checkpoint(repository, params.checkpoint)
            before = bookmarks.read_checkpoint(repository, named)
            return self._between(repository, before, head, source, diff), False
        if source is not None:
            mark = bookmarks.read_mark(repository, source)
            return [compare(repository, source, mark, head, text_diff=diff)], mark is None
        whole = bookmarks.read_mark_of_all(repository)
        found = []
        for name in differing_sources(repository, whole, head):
            mark = bookmarks.read_mark(repository, name)
            found.append(compare(repository, name, mark, head, text_diff=diff))
        return [changes for changes in found if changes.total], whole is None

    def _between(
        self, repository: Repository, before: Snapshot, after: Snapshot, source: str | None, diff: bool
    ) -> list[SourceChanges]:
        if source is not None:
            return [compare(repository, source, before, after, text_diff=diff)]
        names = differing_sources(repository, before, after)
        found = [compare(repository, name, before, after, text_diff=diff) for name in names]
        return [changes for changes in found if changes.total]

    def _since_last(
        self, repository: Repository, head: Snapshot, source: str | None, diff: bool
    ) -> list[SourceChanges]:
        names = [source] if source is not None else snapshots.list_sources(repository, head)
        found = []
        for name, last in snapshots.latest_two(repository, names).items():
            if not last:
                raise SnapshotNotFoundError(what=f"snapshot of the source {name}")
            before = last[1] if len(last) > 1 else None
            found.append(compare(repository, name, before, last[0], text_diff=diff))
        return [changes for changes in found if changes.total or source is not None]

    def _mark(self, repository: Repository, head: Snapshot, source: str | None) -> bool:
        if source is None:
            return bookmarks.advance_all(repository, head)
        return bookmarks.advance_mark(repository, source, head)

    def _find_source(self, repository: Repository, head: Snapshot | None, name: str | None) -> str | None:
        """Returns the id of the source that a name means: of one that has notes, or had some."""
        if name is None:
            return None
        check_source(name)
        known = {*snapshots.list_sources(repository, head)} if head else set()
        if name in known:
            return name
        labelled = sorted(
            source for source in known if source.partition(":")[2].casefold() == name.casefold()
        )
        if len(labelled) == 1:
            return labelled[0]
        if any(snapshot.names(name) for snapshot in snapshots.walk_back(repository)):
            return name
        raise SourceNotFoundError(source=name, near=_near(name, labelled, known))

    def _take(self, repository: Repository, trigger: Trigger) -> tuple[Snapshot | None, tuple[str, ...]]:
        db = self.open_db()
        if db is None:
            raise NoIndexError()
        if is_unfinished(db):
            return snapshots.find_head(repository), ("index_unfinished",)
        entries = _entries(fetch_note_rows(db))
        head = snapshots.take(repository, entries, self._read, now_ms=self._now_ms(), trigger=trigger)
        return head, () if all(map(is_source, entries)) else ("sources_left_out",)

    def _read(self, path: str) -> bytes | None:
        try:
            return (self.root / path).read_bytes()
        except OSError:
            return None

    def _now_ms(self) -> int:
        return int(self.clock().timestamp() * 1000)

    @contextmanager
    def _open(self) -> Iterator[Repository]:
        try:
            lock = acquire(self.folder / LOCK, command=self.command, since=self.clock(), timeout_s=_WAIT_S)
        except LockedError as error:
            raise HistoryLockedError(**error.facts) from None
        with lock, closing(Repository(self.folder / REPOSITORY)) as repository:
            repository.create()
            yield repository


def _entries(rows: list[NoteRow]) -> dict[str, list[Entry]]:
    """Groups the notes by source. Of notes with one id the first by path keeps it, the others go by their paths."""
    found: dict[str, dict[str, Entry]] = {}
    for row in rows:
        items = found.setdefault(row.source, {})
        item = row.path if row.identity in items else row.identity
        while item in items:
            item += " "
        items[item] = Entry(item, row.path, row.sha256)
    return {source: list(items.values()) for source, items in found.items()}


def _near(name: str, labelled: list[str], known: set[str]) -> str:
    import difflib

    if labelled:
        return f"It could be {', '.join(labelled)}."
    labels = {source.partition(":")[2] or source: source for source in sorted(known)}
    near = difflib.get_close_matches(name, [*known, *labels], n=3, cutoff=0.5)
    return f"Did you mean {', '.join(labels.get(found, found) for found in near)}?" if near else ""
