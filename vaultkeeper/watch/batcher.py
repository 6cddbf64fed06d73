"""Gathers changed paths into batches: after a short quiet, and at the latest after a while.

Pure: the time is an argument, nothing waits and nothing is dropped. `take` empties it at any moment, so a
stop flushes what is pending.
"""

from __future__ import annotations

from typing import NamedTuple

QUIET_S = 0.1
MAX_WAIT_S = 2.0
MAX_PATHS = 4096


class Batch(NamedTuple):
    """What has changed since the last batch.

    Attributes:
        paths: Vault-relative files and folders, sorted, none below another; empty when `everything`.
        everything: True when the whole vault has to be compared.
        events: Number of notifications that it stands for.
    """

    paths: tuple[str, ...]
    everything: bool
    events: int


class Batcher:
    """Collects dirty paths until they are due.

    Args:
        quiet_s: A batch is due when nothing has been added for so long.
        max_wait_s: It is due at the latest so long after its first path, however busy the vault is.
        max_paths: With more distinct paths than this one comparison of the whole vault is cheaper.
    """

    def __init__(
        self, quiet_s: float = QUIET_S, max_wait_s: float = MAX_WAIT_S, max_paths: int = MAX_PATHS
    ) -> None:
        self._quiet_s = quiet_s
        self._max_wait_s = max_wait_s
        self._max_paths = max_paths
        self._paths: set[str] = set()
        self._folders: set[str] = set()
        self._everything = False
        self._count = 0
        self._first_s: float | None = None
        self._last_s = 0.0

    def add(self, path: str, now_s: float, *, folder: bool = False) -> bool:
        """Notes that a path has changed.

        Args:
            path: Vault-relative; the empty path means the whole vault.
            now_s: Any monotonic time in seconds.
            folder: True when all below it may have changed too.

        Returns:
            True when the batch was empty before.
        """
        if path == "":
            return self.add_everything(now_s)
        was_empty = self._touch(now_s)
        if not self._everything:
            (self._folders if folder else self._paths).add(path)
            if len(self._paths) + len(self._folders) > self._max_paths:
                self._forget_paths()
        return was_empty

    def add_everything(self, now_s: float) -> bool:
        """Notes that anything may have changed. Returns True when the batch was empty before."""
        was_empty = self._touch(now_s)
        self._forget_paths()
        return was_empty

    def wait_s(self, now_s: float) -> float | None:
        """Seconds until the batch is due, 0.0 when it is; None when nothing is pending."""
        if self._first_s is None:
            return None
        due_s = min(self._last_s + self._quiet_s, self._first_s + self._max_wait_s)
        return max(0.0, due_s - now_s)

    def take(self) -> Batch | None:
        """Empties it, due or not. Returns None when nothing is pending."""
        if self._first_s is None:
            return None
        paths = () if self._everything else _outermost(self._paths, self._folders)
        batch = Batch(paths, self._everything, self._count)
        self._paths.clear()
        self._folders.clear()
        self._everything = False
        self._count = 0
        self._first_s = None
        return batch

    def put_back(self, batch: Batch, now_s: float) -> None:
        """Returns a batch that could not be synced, to be taken again with what has come since."""
        if batch.everything:
            self.add_everything(now_s)
        for path in batch.paths:
            self.add(path, now_s, folder=True)

    def _touch(self, now_s: float) -> bool:
        was_empty = self._first_s is None
        if was_empty:
            self._first_s = now_s
        self._last_s = now_s
        self._count += 1
        return was_empty

    def _forget_paths(self) -> None:
        self._everything = True
        self._paths.clear()
        self._folders.clear()


def _outermost(paths: set[str], folders: set[str]) -> tuple[str, ...]:
    def covered(path: str) -> bool:
        cut = path.rfind("/")
        while cut > 0:
            if path[:cut] in folders:
                return True
            cut = path.rfind("/", 0, cut)
        return False

    return tuple(sorted(path for path in paths | folders if not covered(path)))
