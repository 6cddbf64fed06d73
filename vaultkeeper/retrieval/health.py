"""What the index holds, how current it is, and what is wrong with a vault, its index and the machine around them.

Owns the judgement. The facts are gathered by others: counts and Problems by the index, the environment by the
surface. No live probe is made and nothing is repaired.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.reports import count_problems, count_tally, read_meta
from vaultkeeper.types import Problem

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


STAGES = ("storage", "embeddings", "scheduler_gate", "queue", "extraction", "summary_tree")
"""In the order in which one depends on the other. Source: BEHAVIOUR §12.4."""

CLOCK_SLACK_MS = 24 * 3600 * 1000
"""A note may be dated so far ahead without being odd: time zones lie up to 26 hours apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the doctor looks at.

    Attributes:
        storage_error: Why the index cannot be read; None when it can.
        embedder: The setting, such as `static` or `none`.
        embedder_error: Why it cannot be loaded; None when it can.
        embedder_failure: Code of that failure.
        hnsw_error: Why hnswlib cannot be loaded; None when it can.
        chunks_with_entities: Chunks in which at least one entity was found.
        vectors_pending: Chunks whose vector is still to be computed.
        summaries: Notes of sealed summaries.
        trees_due: Summary trees in which something is to be sealed or rebuilt.
        problems: What the sync found in and around the notes.
        future_files: Notes whose time on disk lies in the future, with the hours.
        folders: Number of folders of the vault; watches: how many the kernel allows, None where it has no limit.
        watching: Whether a watcher answers.
    """

    notes: int = 0
    chunks: int = 0
    chunks_with_entities: int = 0
    entities: int = 0
    summaries: int = 0
    trees_due: int = 0
    vectors_pending: int = 0
    storage_error: str | None = None
    embedder: str = "static"
    embedder_error: str | None = None
    embedder_failure: str | None = None
    hnsw_error: str | None = None
    index_in_vault: str | None = None
    problems: Sequence[Problem] = ()
    future_files: Sequence[tuple[str, float]] = ()
    folders: int = 0
    watches: int | None = None
    watching: bool = False


class Stage(NamedTuple):
    """One stage of the pipeline: whether it works, why not, and a remark."""

    stage: str
    ok: bool
    note: str
    failure: str | None = None


class Group(NamedTuple):
    """All problems of one code."""

    code: str
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Health:
    """The report.

    Attributes:
        healthy: Every stage works. Problems in notes do not make a vault unhealthy.
        first_blocking_cause: The failure of the first stage that does not work.
        degraded: What works less well than it could.
        counters: Numbers under fixed names; `extraction_coverage` is None without chunks.
        groups: Problems by code, most frequent first.
    """

    healthy: bool
    stages: tuple[Stage, ...]
    first_blocking_cause: str | None
    degraded: dict[str, bool]
    counters: dict[str, int | float | None]
    groups: tuple[Group, ...] = field(default=())

    @property
    def found(self) -> int:
        """Number of problems and of stages that do not work."""
        return sum(len(group.problems) for group in self.groups) + sum(not s.ok for s in self.stages)


def examine(facts: Facts) -> Health:
    """Judges the facts. Same facts, same report."""
    stages = (
        _storage(facts),
        _embeddings(facts),
        Stage("scheduler_gate", True, _gate_words(facts)),
        Stage("queue", True, _pending_words(facts)),
        Stage("extraction", True, _extraction_words(facts)),
        Stage("summary_tree", True, _tree_words(facts)),
    )
    blocking = next((stage.failure for stage in stages if not stage.ok), None)
    coverage = round(facts.chunks_with_entities / facts.chunks, 4) if facts.chunks else None
    return Health(
        healthy=blocking is None,
        stages=stages,
        first_blocking_cause=blocking,
        degraded={
            "semantic_recall": facts.embedder == "none" or facts.embedder_error is not None,
            "vectors_pending": facts.vectors_pending > 0,
            "exact_vectors_only": facts.hnsw_error is not None,
            "not_watching": not facts.watching,
        },
        counters={
            "total_notes": facts.notes,
            "total_chunks": facts.chunks,
            "jobs_ready": facts.vectors_pending + facts.trees_due,
            "jobs_running": 0,
            "jobs_failed": 0,
            "extraction_coverage": coverage,
        },
        groups=_grouped([*facts.problems, *_around(facts)]),
    )


def _storage(facts: Facts) -> Stage:
    if facts.storage_error is not None:
        return Stage("storage", False, facts.storage_error, "storage_unavailable")
    return Stage("storage", True, _storage_words(facts))


def _storage_words(facts: Facts) -> str:
    notes, sections = _count(facts.notes, "note"), _count(facts.chunks, "section")
    return f"{notes} in {sections} can be searched."


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' * (number != 1)}"


def _embeddings(facts: Facts) -> Stage:
    if facts.embedder == "none":
        return Stage(
            "embeddings", True, "Disabled by you (embedder = none): notes are found by their words only."
        )
    if facts.embedder_error is not None:
        return Stage(
            "embeddings", False, facts.embedder_error, facts.embedder_failure or "local_model_unavailable"
        )
    return Stage(
        "embeddings", True, f"Notes are found in other words too, by the embedder `{facts.embedder}`."
    )


def _pending_words(facts: Facts) -> str:
    if facts.vectors_pending:
        sections = _count(facts.vectors_pending, "section")
        return (
            f"{sections} cannot be found in other words yet, only in their own; a running watcher or "
            "`vaultkeeper sync --embed` sees to it."
        )
    return "Nothing waits to be worked on."


def _gate_words(facts: Facts) -> str:
    """No watcher is a choice and no fault."""
    if facts.watching:
        return "It runs: what you edit can be found at once."
    return "None runs, so each command looks for changed notes first; `vaultkeeper watch` would make that quicker."


def _extraction_words(facts: Facts) -> str:
    if not facts.entities:
        return "None has a note yet; with one (`vaultkeeper entity add person NAME`) it is found under all its names."
    known = f"{facts.entities:,} have a note and are found under all their names"
    if not facts.chunks:
        return f"{known}."
    return f"{known}; {100 * facts.chunks_with_entities // facts.chunks} % of the sections name somebody or something."


def _tree_words(facts: Facts) -> str:
    words = f"There are {facts.summaries:,}" if facts.summaries else "There are none"
    if not facts.trees_due:
        return f"{words}; nothing new is due."
    sources = _count(facts.trees_due, "source")
    return f"{words}; `vaultkeeper tree seal` would write some for {sources}, as notes below wiki/. You need not."


def _around(facts: Facts) -> list[Problem]:
    """Problems of the machine and of where things lie, in the same shape as those of notes."""
    found = []
    if facts.index_in_vault is not None:
        message = "The index lies inside the vault; sync services break live databases. Unset index_dir."
        found.append(Problem(facts.index_in_vault, None, "index-in-vault", message))
    if facts.hnsw_error is not None:
        message = f"hnswlib cannot be loaded, so large vaults are searched exactly: {facts.hnsw_error}"
        found.append(Problem("", None, "hnsw-unavailable", message))
    if facts.watches is not None and facts.folders > facts.watches:
        message = (
            f"The vault has {facts.folders} folders and the kernel lets one user watch {facts.watches}; raise "
            "fs.inotify.max_user_watches, or run `vaultkeeper watch --poll`."
        )
        found.append(Problem("", None, "inotify-limit", message))
    for path, hours in facts.future_files:
        message = f"The file's time lies {hours:.0f} hours in the future; check the clock of the machine that wrote it."
        found.append(Problem(path, None, "clock-skew", message))
    return found


def _grouped(problems: Sequence[Problem]) -> tuple[Group, ...]:
    by_code: dict[str, list[Problem]] = {}
    for problem in problems:
        by_code.setdefault(problem.code, []).append(problem)
    ordered = sorted(by_code.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(
        Group(code, tuple(sorted(found, key=lambda p: (p.path, p.line or 0, p.message))))
        for code, found in ordered
    )
