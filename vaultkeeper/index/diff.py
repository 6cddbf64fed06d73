"""What changed between two states of a vault. Pure: no file and no database is touched."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vaultkeeper.types import FileStat

_HAS_CTIME = os.name == "posix"  # elsewhere it is the time of creation
_TICK_NS = 20_000_000
_SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Changes:
    """Paths, each list sorted.

    Attributes:
        added: Not there before.
        suspect: There before with another stat; whether the content differs only its hash can say.
        removed: There before and no more.
        unchanged: How many have the stat that they had.
    """

    added: list[str]
    suspect: list[str]
    removed: list[str]
    unchanged: int

    def __bool__(self) -> bool:
        return bool(self.added or self.suspect or self.removed)


def diff(before: Mapping[str, FileStat], after: Mapping[str, FileStat]) -> Changes:
    """Compares stats. Two swapped files are both suspect: their inodes differ."""
    if not before:
        return Changes(sorted(after), [], [], 0)
    known = before.get
    differing = [path for path, stat in after.items() if known(path) != stat]
    added = [path for path in differing if path not in before]
    suspect = [path for path in differing if path in before]
    none_gone = len(before) == len(after) - len(added)
    removed = [] if none_gone else [path for path in before if path not in after]
    return Changes(sorted(added), sorted(suspect), sorted(removed), len(after) - len(differing))


def pair_renames(removed: Mapping[str, bytes], added: Iterable[tuple[str, bytes]]) -> list[tuple[str, str]]:
    """Finds the notes that only moved: the content of one that is gone stands in one that is new.

    Args:
        removed: Path → hash of the content that it had.
        added: Paths with the hash of what they hold.

    Returns:
        (old, new), sorted by new. Of several with one content, those that kept their name are paired first, then in
        order of their paths; each takes part once.
    """
    gone: dict[bytes, list[str]] = {}
    for path in sorted(removed):
        gone.setdefault(removed[path], []).append(path)
    pairs: list[tuple[str, str]] = []
    waiting: list[tuple[str, bytes]] = []
    for path, content in sorted(added):
        old = [one for one in gone.get(content, ()) if _name(one) == _name(path)]
        if old:
            gone[content].remove(old[0])
            pairs.append((old[0], path))
        elif content in gone:
            waiting.append((path, content))
    for path, content in waiting:
        if gone[content]:
            pairs.append((gone[content].pop(0), path))
    return sorted(pairs, key=lambda pair: pair[1])


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def is_settled(stat: FileStat, scanned_ns: int) -> bool:
    """False when the file changed so shortly before the scan that it could change again without a trace in its stat.

    Such a stat must not be trusted the next time: the content hash decides. The clock of a file system ticks in steps
    of some milliseconds, or of up to two seconds where its times are whole seconds.
    """
    changed_ns = stat.ctime_ns if _HAS_CTIME else max(stat.ctime_ns, stat.mtime_ns)
    tick_ns = 2 * _SECOND_NS if changed_ns % _SECOND_NS == 0 else _TICK_NS
    return changed_ns < scanned_ns - tick_ns
