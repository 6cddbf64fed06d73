"""Words and JSON for what a sync has done."""

from __future__ import annotations

import dataclasses
from typing import Any

_CHANGES = ("added", "modified", "renamed", "removed")


def summary(stats: Any) -> str:
    """Says what a sync changed, such as `2 added, 1 renamed`; empty when nothing did."""
    counts = [(name, int(getattr(stats, name))) for name in _CHANGES]
    return ", ".join(f"{count:,} {name}" for name, count in counts if count)


def sync_json(stats: Any) -> dict[str, object]:
    """What `vaultkeeper sync --json` prints; nothing when there was nothing to do."""
    return {} if stats is None else dataclasses.asdict(stats)


def plural(count: int, noun: str) -> str:
    """A count with its noun: `1 note`, `2,345 notes`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
