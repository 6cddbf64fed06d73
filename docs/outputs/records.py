"""What conversations, memory, sources, trees, settings and measuring print with `--json`."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from vaultkeeper.importers.files import Skipped
from vaultkeeper.importers.shelf import Ingested
from vaultkeeper.memory.archivist import Closed
from vaultkeeper.memory.failures import Failure
from vaultkeeper.memory.segments import Remark
from vaultkeeper.memory.tool_rules import ToolRule
from vaultkeeper.retrieval.ranking import Relation
from vaultkeeper.retrieval.recall import Recalled

# Conversations


class TurnReceipt(TypedDict):
    """A turn that was written."""

    path: str
    sha256: str
    bytes: int


class CaptureOutput(TypedDict):
    """An exchange that was written; one object for each, one after the other.

    Attributes:
        redacted: Secrets that were taken out, by class.
    """

    session_id: str
    turns: list[TurnReceipt]
    redacted: dict[str, int]
    warnings: list[str]


class RecallOutput(TypedDict):
    """What other conversations said lately.

    Attributes:
        notes: `vectors_pending` or `vectors_unavailable`.
        block: The same as text for an agent.
    """

    items: list[Recalled]
    notes: list[str]
    block: str


class SessionOutput(TypedDict):
    """A conversation at a glance."""

    session_id: str
    folder: str
    turns: int
    segments: int
    open_turns: int
    first_at: str
    last_at: str


class EventOutput(TypedDict):
    """A decision, commitment, preference or fact: characters `start` to `end` of turn `seq`.

    Attributes:
        negated: It says that something holds no longer.
    """

    event_id: str
    kind: str
    quote: str
    negated: bool
    seq: int
    start: int
    end: int
    confidence: float


class SegmentOutput(TypedDict):
    """A closed part of a conversation, with its recap and events."""

    id: str
    path: str
    start_seq: int
    end_seq: int
    turn_count: int
    time_range_start: str
    time_range_end: str
    reason: str
    recap: str
    recap_by: str
    events: list[EventOutput]
    failures: list[Failure]
    remarks: list[Remark]


class RecapOutput(TypedDict):
    """A recap of what is open of a conversation; empty when nothing says anything."""

    session_id: str
    recap: str


class OpenTurn(TypedDict):
    """A turn that is in no segment yet."""

    seq: int
    role: str
    content: str


class SessionView(SessionOutput):
    """A conversation with its segments and open turns."""

    closed: list[SegmentOutput]
    open: list[OpenTurn]


class FacetChanges(TypedDict):
    """Names of facets, by what happened to them."""

    created: list[str]
    confirmed: list[str]
    superseded: list[str]


class SealedOutput(TypedDict):
    """Paths of summary notes, by what was done with them."""

    sealed: list[str]
    rebuilt: list[str]
    marked: list[str]
    retired: list[str]
    adopted: list[str]


class EndOutput(TypedDict):
    """What the archivist did.

    Attributes:
        events: How many of each kind.
        recaps: Segments that got a better recap.
        promoted: Lines that went into MEMORY.md.
        goals: Goals that went into MEMORY_GOALS.md.
        due_at: When the next one is due, or null.
    """

    closed: list[Closed]
    events: dict[str, int]
    facets: FacetChanges
    recaps: list[str]
    promoted: list[str]
    goals: list[str]
    open: int
    due_at: str | None


class TendOutput(EndOutput):
    """What the archivist did, summaries included.

    Attributes:
        flavours: Notes that tell how the user works and writes and were compiled anew.
    """

    summaries: NotRequired[SealedOutput]
    flavours: NotRequired[list[str]]


class FacetOutput(TypedDict):
    """Something that is known of the user.

    Attributes:
        state: `auto`, `pinned` or `forgotten`.
        current: It holds now.
        valid_from: Since when it holds, where that was said.
        superseded_by: Name of the facet that took its place.
    """

    name: str
    path: str
    type: str
    key: str
    value: str
    state: str
    current: bool
    confidence: float
    evidence_count: int
    first_seen_at: str | None
    last_seen_at: str | None
    valid_from: str | None
    valid_until: str | None
    superseded_by: str | None
    segments: list[str]
    history: list[str]
    promoted: bool


class ForgottenFacet(FacetOutput):
    """A facet that was forgotten; `also` names others that said the same."""

    also: list[str]


# Memory


class SectionOutput(TypedDict):
    """A section of a curated file, and the line of its heading."""

    level: int
    title: str
    line: int


class ShownFile(TypedDict):
    """A curated file."""

    path: str
    sha256: str
    bytes: int
    sections: list[SectionOutput]
    text: str


class MemoryOutput(TypedDict):
    """A memory of a namespace."""

    namespace: str
    key: str
    category: str
    content: str
    path: str
    updated_at: str


class RecalledMemory(MemoryOutput):
    """A memory that fits, with its score, and who occurs with whom in it.

    Attributes:
        kind: `memory`, `turn` or `event`.
    """

    score: float
    kind: str
    relations: list[Relation]


class RecalledMemories(TypedDict):
    """Memories that fit, best first."""

    memories: list[RecalledMemory]
    notes: list[str]


class StoreOutput(TypedDict):
    """A memory that was written; `removed` counts the secrets that were taken out, by class."""

    namespace: str
    key: str
    path: str
    sha256: str
    bytes: int
    changed: bool
    removed: dict[str, int]


class ForgottenMemory(TypedDict):
    """A memory that lies in the trash now."""

    key: str
    trashed: str


class GoalOutput(TypedDict):
    """A line of MEMORY_GOALS.md."""

    id: str
    text: str
    line: int


class GoalReceiptOutput(TypedDict):
    """What was written; `dropped` are goals that there was no room for any more."""

    path: str
    sha256: str
    bytes: int
    changed: bool
    goal: GoalOutput
    dropped: list[GoalOutput]


class SavedPreference(StoreOutput):
    """A preference that was written, and others that may say the same or the contrary."""

    related: list[MemoryOutput]


class FoundPreferences(TypedDict):
    """Preferences that fit, best first."""

    preferences: list[RecalledMemory]
    notes: list[str]


class ForgottenPreference(TypedDict):
    """A preference whose notes lie in the trash now."""

    topic: str
    trashed: list[str]


class SavedRule(StoreOutput):
    """A rule that was written."""

    rule: ToolRule


class DeletedRule(TypedDict):
    """A rule that lies in the trash now."""

    tool: str
    id: str
    trashed: str


# Sources and trees


class GoneOutput(TypedDict):
    """A note whose file is no longer in the folder: it is superseded, and stays."""

    id: str
    path: str


class IngestOutput(TypedDict):
    """What was taken in.

    Attributes:
        chunks: Sections that can be found now.
        skipped: Files that were not taken in, and why.
        superseded: Summaries of older versions, and of what is gone.
        gone: Notes whose files are no longer in the folder.
        dry_run: Nothing was written; this is what would be.
    """

    source_id: str
    source_kind: str
    chunks: int
    items: list[Ingested]
    skipped: list[Skipped]
    superseded: list[str]
    gone: list[GoneOutput]
    dry_run: bool


class NodeOutput(TypedDict):
    """A summary.

    Attributes:
        parent: Id of the summary above it, or null.
        child_ids: What it was made of: leaves on level 1, else summaries.
        summary_by: `extractive`, or the model.
        stale: It is older than what it summarises, and will be made anew.
        subtree: It is one of the summaries of a single long document.
    """

    node_id: str
    level: int
    path: str
    parent: str | None
    child_ids: list[str]
    time_range_start: str
    time_range_end: str
    entities: list[str]
    topics: list[str]
    score: float
    sealed_at: str
    summary_by: str
    doc_id: str | None
    version_ms: int | None
    subtree: bool
    superseded: bool
    stale: bool
    content: str


class TreeOutput(TypedDict):
    """The tree of a source; `waiting` are ids of leaves that no summary has yet."""

    scope: str
    tree_id: str
    nodes: list[NodeOutput]
    waiting: list[str]


class LeafScore(TypedDict):
    """Why a leaf is kept or dropped; the numbers lie in 0 to 1.

    Attributes:
        reason: `definite_keep`, `kept`, `priority`, `low_score` or `tiny`.
    """

    chunk_id: str
    path: str
    heading: str
    total: float
    token_count: float
    unique_words: float
    metadata_weight: float
    source_weight: float
    interaction: float
    entity_density: float
    llm_importance: float | None
    kept: bool
    reason: str


# Settings and measuring


class InitOutput(TypedDict):
    """A vault, and the files that were made in it, or would be."""

    vault: str
    created: list[str]
    dry_run: bool


class VaultOutput(TypedDict):
    """A vault of the list."""

    name: str
    path: str
    default: bool
    exists: bool


class SettingOutput(TypedDict):
    """A setting, and which layer it comes from."""

    value: Any
    origin: str


class SettingsOutput(TypedDict):
    """All settings, by their keys."""

    vault: str
    index_dir: str
    state_dir: str
    settings: dict[str, SettingOutput]


class QuestionOutcome(TypedDict):
    """How one question went.

    Attributes:
        rank: Of the first answer, from 1; null when it was not found.
        error: Why it failed, or null.
    """

    query: str
    answers: list[str]
    elapsed_ms: float
    status: str
    route: str
    hits: int
    recall: float | None
    rank: int | None
    error: str | None


class BenchOutput(TypedDict):
    """How fast and how good the answers were.

    Attributes:
        judged: Questions that came with answers.
        k: Hits that were looked at.
        recall: Mean share of the answers among the first k; null without answers.
        routes: Number of questions by route.
        missed: Limits that were not kept.
    """

    queries: int
    failed: int
    judged: int
    k: int
    p50_ms: float | None
    p95_ms: float | None
    recall: float | None
    mrr: float | None
    routes: dict[str, int]
    missed: list[str]
    outcomes: list[QuestionOutcome]
