"""Words and JSON for what a sync has done."""

from __future__ import annotations

import dataclasses
from typing import Any

_CHANGES = ("added", "changed", "renamed", "removed")


def summary(stats: Any) -> str:
    """Says what a sync changed, such as `2 added, 1 renamed`; empty when nothing did."""
    counts = [(name, count_of(stats, name)) for name in _CHANGES]
    return ", ".join(f"{count:,} {name}" for name, count in counts if count)


def sync_json(stats: Any) -> dict[str, object]:
    """What `vaultkeeper sync --json` prints; for None, that there was nothing to do."""
    if stats is None:
        return {**dict.fromkeys(_CHANGES, 0)}
    as_json = getattr(stats, "to_json", None)
    if as_json is not None:
        return dict(as_json())
    return dataclasses.asdict(stats)


def count_of(value: Any, name: str) -> int:
    """The count that an object holds under a name, as a number or as a collection; 0 when it holds none."""
    found = getattr(value, name, 0)
    return found if isinstance(found, int) else len(found or ())


def plural(count: int, noun: str) -> str:
    """A count with its noun: `1 note`, `2,345 notes`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
