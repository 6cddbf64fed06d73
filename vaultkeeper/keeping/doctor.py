"""Gathers what the doctor judges: from the index, the trees, the history and the machine. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from vaultkeeper.errors import ConfigError, HistoryError, ProviderError, VaultkeeperError
from vaultkeeper.index.db import DatabaseError
from vaultkeeper.index.reports import count_tally, fetch_newer, fetch_problems
from vaultkeeper.retrieval.health import CLOCK_SLACK_MS, Facts, Health, examine
from vaultkeeper.types import Problem

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.keeping.history import History
    from vaultkeeper.keeping.trees import Trees


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the doctor must know of the machine, and only a surface can see. See `retrieval.health.Facts`."""

    watching: bool = False
    folders: int = 0
    watches: int | None = None
    index_in_vault: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """What is looked at.

    Attributes:
        db: The index; None when there is none that can be read.
        open_embedder: Loads the embedder of the settings.
        pending: Counts the vectors that are missing.
        history: None for a keeper without one.
        stale: Why the index could not be brought up to date just now.
    """

    db: Connection | None
    embedder: str
    open_embedder: Callable[[], object]
    pending: Callable[[], int]
    trees: Trees
    history: History | None
    now: datetime
    stale: VaultkeeperError | None = None


def diagnose(patient: Patient, around: Surroundings) -> Health:
    """Gathers the facts and judges them."""
    failure, error = _embedder_failure(patient.open_embedder)
    facts = Facts(
        embedder=patient.embedder,
        embedder_error=error,
        embedder_failure=failure,
        hnsw_error=_hnsw_error(patient.embedder),
        watching=around.watching,
        folders=around.folders,
        watches=around.watches,
        index_in_vault=around.index_in_vault,
        problems=_history_problems(patient.history),
    )
    if patient.db is None:
        reason = f"and none can be made: {patient.stale}" if patient.stale else "`vaultkeeper sync` makes it."
        return examine(replace(facts, storage_error=f"There is no index; {reason}"))
    try:
        return examine(_of_index(patient, patient.db, facts))
    except DatabaseError as broken:
        reason = f"The index cannot be read ({broken}); `vaultkeeper sync` makes it anew."
        return examine(replace(facts, storage_error=reason))


def _of_index(patient: Patient, db: Connection, facts: Facts) -> Facts:
    now_ns = int(patient.now.timestamp() * 1e9)
    newer = fetch_newer(db, now_ns + CLOCK_SLACK_MS * 1_000_000)
    tally = count_tally(db)
    findings = patient.trees.verify()
    return replace(
        facts,
        storage_error=f"The index is not up to date: {patient.stale}" if patient.stale else None,
        notes=tally.notes,
        chunks=tally.chunks,
        chunks_with_entities=tally.chunks_with_entities,
        entities=tally.entities,
        summaries=tally.summaries,
        trees_due=len(patient.trees.due()),
        vectors_pending=patient.pending() if facts.embedder_error is None else tally.chunks,
        problems=[
            *facts.problems,
            *fetch_problems(db),
            *(
                Problem(found.path, None, "tree-damaged", f"{found.message} ({found.code})")
                for found in findings
                if not found.due
            ),
        ],
        future_files=[(path, (mtime_ns - now_ns) / 3.6e12) for path, mtime_ns in newer],
    )


def _hnsw_error(embedder: str) -> str | None:
    """Why hnswlib cannot be loaded; None when it can, or is not wanted."""
    if embedder.strip() == "none":
        return None
    from vaultkeeper.index.vectors import hnsw_available

    return None if hnsw_available() else "it is not installed, or was built for another processor"


def _embedder_failure(open_embedder: Callable[[], object]) -> tuple[str | None, str | None]:
    """Returns a code of BEHAVIOUR §12.4 and a sentence; None twice when it can be loaded."""
    try:
        open_embedder()
    except ConfigError as error:
        return "embeddings_unconfigured", str(error)
    except ProviderError as error:
        return "local_model_unavailable", str(error)
    return None, None


def _history_problems(history: History | None) -> list[Problem]:
    if history is None:
        return []
    try:
        history.check()
    except HistoryError as error:
        return [Problem("", None, "history-damaged", f"{error} {error.advice}")]
    except (VaultkeeperError, OSError) as error:
        return [Problem("", None, "history-damaged", f"The history cannot be read: {error}")]
    return []
