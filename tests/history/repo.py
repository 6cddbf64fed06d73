"""A history over notes that live in a dict."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from vaultkeeper.history.repository import Repository
from vaultkeeper.history.snapshots import Entry, Snapshot, take
from vaultkeeper.history.trailers import Trigger


@dataclass
class Told:
    """Sources → items → texts; `reads` counts what was read."""

    folder: Path
    sources: dict[str, dict[str, str]] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)
    reads: list[str] = field(default_factory=list)
    now_ms: int = 1_000_000
    repository: Repository = field(init=False)

    def __post_init__(self) -> None:
        self.repository = Repository(self.folder / "history.git")
        self.repository.create()

    def take(self, trigger: Trigger = "auto") -> Snapshot | None:
        self.now_ms += 1000
        by_path = {
            self.paths.get(item, item): text
            for items in self.sources.values()
            for item, text in items.items()
        }
        entries = {
            source: [
                Entry(item, self.paths.get(item, item), hashlib.sha256(text.encode()).digest())
                for item, text in items.items()
            ]
            for source, items in self.sources.items()
        }

        def read(path: str) -> bytes | None:
            self.reads.append(path)
            return None if path in self.unreadable else by_path[path].encode()

        return take(self.repository, entries, read, now_ms=self.now_ms, trigger=trigger)

    def taken(self, trigger: Trigger = "auto") -> Snapshot:
        snapshot = self.take(trigger)
        assert snapshot is not None
        return snapshot
