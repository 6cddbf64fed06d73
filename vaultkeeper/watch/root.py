"""Tells a vault that was emptied from one that is gone.

A vault on a drive that was unplugged, or whose folder was renamed, must never look like a vault in which
every note has been deleted.
"""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path


class RootState(Enum):
    """What became of the vault's folder since it was last seen."""

    SAME = "same"
    GONE = "gone"
    """It does not exist, cannot be read, or an empty folder (a mount point) stands in its place."""
    REPLACED = "replaced"
    """Another folder, with something in it, stands in its place."""


class RootGuard:
    """Remembers which folder the vault is, by device and inode.

    Args:
        root: The vault's folder; it need not exist yet.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._identity = _identity(root)

    def check(self) -> RootState:
        """Compares the folder with the one that was accepted last. One `stat` while nothing has changed."""
        identity = _identity(self._root)
        if identity is None:
            return RootState.GONE
        if identity == self._identity:
            return RootState.SAME
        return RootState.GONE if looks_empty(self._root) else RootState.REPLACED

    def accept(self) -> None:
        """Takes the folder that is there now as the vault."""
        self._identity = _identity(self._root)


def looks_empty(root: Path) -> bool:
    """True when a folder holds nothing that does not begin with a dot, or cannot be read."""
    try:
        with os.scandir(root) as entries:
            return all(entry.name.startswith(".") or entry.name == "lost+found" for entry in entries)
    except OSError:
        return True


def _identity(root: Path) -> tuple[int, int] | None:
    try:
        found = root.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
