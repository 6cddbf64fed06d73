"""What asking, reading, the index and the entities print with `--json`."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from vaultkeeper.types import RetrievalHit, Task
from vaultkeeper.vault.write import Receipt

# Asking and reading


class Citation(TypedDict):
    """Where a hit stands. There is one for each hit, in their order.

    Attributes:
        number: From 1; quotes name it.
        link: A wikilink.
        url: An `obsidian://` address.
        date: A day, or two joined by `/`.
        edited: The date is only that of the file's last change.
    """

    number: int
    node_id: str
    link: str
    url: str
    date: str
    edited: bool
    snippet: str


class CitedResponse(TypedDict):
    """Hits, best first, with citations.

    Attributes:
        total: How many were found before the limit.
        truncated: `total` is greater than the number of hits.
        route: Which way led to the hits; see schema.md.
        notes: Remarks for machines; see schema.md.
    """

    schema: Literal[1]
    hits: list[RetrievalHit]
    total: int
    truncated: bool
    route: str
    notes: list[str]
    citations: list[Citation]


class QuoteOutput(TypedDict):
    """A sentence, word for word as in the `content` of a hit; `number` is that of its citation."""

    text: str
    number: int


class NamedTimeOutput(TypedDict):
    """A time that the question names.

    Attributes:
        text: Its words.
        since: Begin, or null.
        until: End, or null.
        by: The note that says when an event was, or null.
    """

    text: str
    since: str | None
    until: str | None
    by: str | None


class SearchedOutput(TypedDict):
    """What was looked through.

    Attributes:
        notes: How many could be found.
        words: What was looked for.
        since: What `--since` and the like asked for, or null; so is `until`.
        named: The time that the question names; what is from then is preferred.
    """

    notes: int
    words: list[str]
    entities: list[str]
    since: str | None
    until: str | None
    named: NamedTimeOutput | None


class AnswerOutput(CitedResponse):
    """An answer of `ask`, or the list of `search`, which has no quotes.

    Attributes:
        total: How many were found before the limit.
        truncated: `total` is greater than the number of hits.
        route: Which way led to the hits; see schema.md.
        notes: Remarks for machines; see schema.md.
        near: Names spelt like a word of the question; only when no note has its words.
    """

    question: str
    quotes: list[QuoteOutput]
    searched: SearchedOutput
    near: list[str]


class BriefSource(TypedDict):
    """What one source has in a window; `omitted` counts what the limit left out."""

    source_id: str
    name: str
    hits: list[RetrievalHit]
    citations: list[Citation]
    omitted: int


class BriefOutput(TypedDict):
    """What happened in a window, by source."""

    schema: Literal[1]
    since: str | None
    until: str | None
    sources: list[BriefSource]
    total: int


class HeadingOutput(TypedDict):
    """A heading and the line that it stands in."""

    level: int
    text: str
    line: int


class BlockOutput(TypedDict):
    """A block id, without `^`."""

    id: str
    line: int


class LinkOutput(TypedDict):
    """A link, embed, or link in a property.

    Attributes:
        subpath: Heading or block, without `#`.
        markdown: Written as Markdown writes links, not as a wikilink.
        resolved: The file that it leads to, or null.
        status: `ok`, or what is wrong.
        candidates: Files that it could mean, unless all is well.
    """

    target: str
    subpath: str
    label: str
    line: int
    markdown: bool
    resolved: str | None
    status: str
    candidates: list[str]


class MentionOutput(TypedDict):
    """An entity in a note, and how it is written there first."""

    id: str
    surface: str
    mentions: int


class NoteProblem(TypedDict):
    """Something wrong in a note; see problems.md."""

    line: int | None
    code: str
    message: str


class BacklinkOutput(TypedDict):
    """Another note or canvas that leads here, with the number of links."""

    path: str
    links: int


class NoteOutput(TypedDict):
    """A note as parsed. With several paths it is a list of these.

    Attributes:
        sha256: Of the file, in hex.
        frontmatter: `none`, `ok`, or what is wrong with it.
        cards: File cards, of a canvas.
        targets: Files that it links to, with the number of links.
        unresolved: Targets that lead nowhere, with the number of links.
    """

    path: str
    title: str
    sha256: str
    frontmatter: str
    properties: dict[str, Any]
    tags: list[str]
    aliases: list[str]
    headings: list[HeadingOutput]
    block_ids: list[BlockOutput]
    links: list[LinkOutput]
    embeds: list[LinkOutput]
    property_links: list[LinkOutput]
    cards: list[LinkOutput]
    backlinks: list[BacklinkOutput]
    targets: dict[str, int]
    unresolved: dict[str, int]
    tasks: list[Task]
    callouts: list[str]
    entities: list[MentionOutput]
    problems: list[NoteProblem]


class ChangedNote(TypedDict):
    """A note that changed; `diff` is there when it was asked for."""

    id: str
    path: str
    title: str
    diff: NotRequired[str]


# The names of these two fields are words of Python.
SourceChange = TypedDict(
    "SourceChange",
    {
        "source": str,
        "kind": str,
        "label": str,
        "from": str | None,
        "to": str | None,
        "added": list[ChangedNote],
        "modified": list[ChangedNote],
        "removed": list[ChangedNote],
        "unchanged": int,
    },
)
SourceChange.__doc__ = """What changed in a source, between two snapshots.

Attributes:
    from: Id of the earlier one; null when everything counts as added.
"""


class ChangesOutput(TypedDict):
    """What changed, by source.

    Attributes:
        since: `read`, `last`, `checkpoint` or `snapshot`: what was compared with.
        marked: Whether it counts as read now.
        notes: `first_look`; `index_unfinished`: nothing new was looked at; `sources_left_out`.
    """

    schema: Literal[1]
    since: str
    sources: list[SourceChange]
    marked: bool
    notes: list[str]


class CheckpointOutput(TypedDict):
    """A state of the vault with a name."""

    id: str
    label: str
    snapshot_ids: list[str]
    created_at: str


# The index


class StatusOutput(TypedDict):
    """What the index holds.

    Attributes:
        chunks: Sections, which are what is searched.
        problems: Found in notes.
        vectors_pending: Sections that are not found by their meaning yet.
        watcher: Null when none runs, else `pid state mode started_at last_sync_at vectors_pending` and more.
    """

    vault: str
    index_dir: str
    index_bytes: int
    built: bool
    notes: int
    chunks: int
    entities: int
    problems: int
    embedder: str
    vectors_pending: int
    synced_at: str | None
    watcher: dict[str, Any] | None


class StageOutput(TypedDict):
    """A stage of the pipeline; `failure` is there when it does not work.

    Attributes:
        stage: `storage`, `embeddings`, `scheduler_gate`, `queue`, `extraction` or `summary_tree`.
    """

    stage: str
    ok: bool
    note: str
    failure: NotRequired[str]


class PlaceOutput(TypedDict):
    """Where a problem is; the line is null for what concerns a whole file."""

    path: str
    line: int | None
    message: str


class ProblemsOutput(TypedDict):
    """All problems of one code; see problems.md."""

    code: str
    count: int
    places: list[PlaceOutput]


class DoctorOutput(TypedDict):
    """The doctor's report.

    Attributes:
        healthy: Every stage works; problems in notes do not count.
        first_blocking_cause: The failure of the first stage that does not work, or null.
        degraded: What works less well than it could.
        counters: Numbers; `extraction_coverage` is the share of sections that name an entity.
    """

    healthy: bool
    stages: list[StageOutput]
    first_blocking_cause: str | None
    degraded: dict[str, bool]
    counters: dict[str, float | None]
    problems: list[ProblemsOutput]


class BackgroundOutput(TypedDict):
    """The background service; `running` is null where that cannot be told."""

    name: str
    path: str
    installed: bool
    current: bool
    running: bool | None
    detail: str


# Entities


class HandleOutput(TypedDict):
    """A name at a service, such as `github`."""

    kind: str
    value: str


class EntityOutput(TypedDict):
    """An entity that a note declares."""

    id: str
    kind: str
    display_name: str
    path: str
    aliases: list[str]
    emails: list[str]
    handles: list[HandleOutput]
    merged_ids: list[str]
    created_at: str | None
    updated_at: str | None


class ListedEntity(EntityOutput):
    """An entity, with the number of sections that name it."""

    occurrences: int


class NoteMentions(TypedDict):
    """A note that names an entity, and how often."""

    path: str
    mentions: int


class ShownEntity(EntityOutput):
    """An entity with the notes that name it."""

    notes: list[NoteMentions]


class MergeOutput(TypedDict):
    """Two entities that became one; `trashed` is where the other's note lies now."""

    kept: Receipt
    trashed: str | None


class CandidateOutput(TypedDict):
    """An entity that a name could mean."""

    id: str
    score: float
    name: str


class ResolveOutput(TypedDict):
    """Whom a name means.

    Attributes:
        status: `exact`, `fuzzy`, `ambiguous` or `none`.
        score: 0 to 1.
    """

    name: str
    status: str
    entity: EntityOutput | None
    score: float
    candidates: list[CandidateOutput]


class GraphNodeOutput(TypedDict):
    """An entity in a graph; the path is null when no note declares it."""

    id: str
    name: str
    path: str | None


class GraphEdgeOutput(TypedDict):
    """Two entities that occur together, in `weight` sections; the newest are cited for edges of the subject."""

    subject: str
    object: str
    weight: int
    shared: list[Citation]


class DistanceOutput(TypedDict):
    """How many steps two entities are apart."""

    a: str
    b: str
    hops: int


class GraphOutput(TypedDict):
    """An entity among its neighbours."""

    schema: Literal[1]
    subject: str
    nodes: list[GraphNodeOutput]
    edges: list[GraphEdgeOutput]
    distances: list[DistanceOutput]
