"""What the index holds and how current it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vaultkeeper.index.reports import count_problems, count_tally, read_meta

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A vault's index in numbers.

    Attributes:
        built: False when there is no index that can be read; then the counts are 0.
        synced_at_ms: When the vault was last compared with the index; None when never.
        vectors_pending: Texts whose vector is missing.
        index_bytes: Size of the folder of the index.
    """

    vault: Path
    index_dir: Path
    built: bool
    embedder: str
    notes: int = 0
    chunks: int = 0
    entities: int = 0
    problems: int = 0
    vectors_pending: int = 0
    index_bytes: int = 0
    synced_at_ms: int | None = None


def read_status(db: Connection | None, vault: Path, index_dir: Path, embedder: str, pending: int) -> Status:
    """Counts what the index holds."""
    size = sum(path.stat().st_size for path in index_dir.glob("*") if path.is_file())
    if db is None:
        return Status(vault=vault, index_dir=index_dir, built=False, embedder=embedder, index_bytes=size)
    tally = count_tally(db)
    synced = read_meta(db, "synced_at")
    return Status(
        vault=vault,
        index_dir=index_dir,
        built=True,
        embedder=embedder,
        notes=tally.notes,
        chunks=tally.chunks,
        entities=tally.entities,
        problems=count_problems(db),
        vectors_pending=pending,
        index_bytes=size,
        synced_at_ms=int(synced) if synced is not None else None,
    )
