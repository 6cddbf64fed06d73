"""The parameters of the modes of `memory_tree`: one frozen dataclass a mode, and nothing else.

They are the single schema of the command line, of MCP and of JSON; `docs/schema/` is generated from them. Defaults and
caps are those of BEHAVIOUR §9.2 and §9.5. An object of these classes is valid: making it checks what depends on more
than one field, and what has a sentence of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from vaultkeeper.errors import UsageError
from vaultkeeper.memory.canonical import KINDS
from vaultkeeper.retrieval.arguments import (
    check_choice,
    flag,
    number,
    optional_text,
    text,
    texts,
)

SOURCE_KINDS = ("chat", "email", "document")

MAX_LIMIT = 100
SEARCH_LIMIT = 5
DEFAULT_LIMIT = 10
COVER_LIMIT = 200
MOST_COVERED = 100_000
FETCH_BATCH = 20
HOPS, MAX_HOPS = 2, 4
MAX_DEPTH = 3

_LIMIT = f"How many results at most; 0 means {DEFAULT_LIMIT}, more than {MAX_LIMIT} means {MAX_LIMIT}."
_DAYS = "Only what touches the last so many days."
_SOURCE = "Only this source, such as `notes:Projects` or the `source_id` of an ingested document."
_KIND = "Only sources of this kind; `source_id` goes before."


def _limit(default: int, given: int) -> int:
    return given or default


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchEntitiesParams:
    """Find people, places and things by a part of their id, name or spelling."""

    query: str = text("A part of an id, a name, or a spelling, in any case. Blank finds nothing.")
    kinds: tuple[str, ...] = texts("Only entities of these kinds.", choices=KINDS)
    limit: int = number(
        f"How many at most; 0 means {SEARCH_LIMIT}, more than {MAX_LIMIT} means {MAX_LIMIT}.",
        SEARCH_LIMIT,
        most=MAX_LIMIT,
    )

    def __post_init__(self) -> None:
        for kind in self.kinds:
            check_choice(kind, KINDS, "memory_tree_search_entities: invalid kind")
        object.__setattr__(self, "limit", _limit(SEARCH_LIMIT, self.limit))


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySourceParams:
    """Read summaries and unsealed leaves of one source, of one kind of sources, or of all."""

    source_id: str | None = optional_text(_SOURCE)
    source_kind: str | None = optional_text(_KIND, choices=SOURCE_KINDS)
    time_window_days: int | None = number(_DAYS, most=1_000_000)
    query: str | None = optional_text("Puts what fits it first; without it the newest come first.")
    limit: int = number(_LIMIT, DEFAULT_LIMIT, most=MAX_LIMIT)
    summaries_only: bool = flag("Leave out leaves that no summary covers yet.")

    def __post_init__(self) -> None:
        if self.source_kind is not None:
            check_choice(self.source_kind, SOURCE_KINDS, "memory_tree_query_source: invalid source_kind")
        object.__setattr__(self, "limit", _limit(DEFAULT_LIMIT, self.limit))


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillDownParams:
    """Open a summary: its children, and theirs, down to the leaves."""

    node_id: str = text("Id of a summary, such as a hit has it.")
    max_depth: int = number(f"How many levels down, 1 to {MAX_DEPTH}.", 1, least=-(10**9), most=MAX_DEPTH)
    query: str | None = optional_text("Puts what fits it first.")
    limit: int | None = number("How many results at most, counted after the order; without it, all.")

    def __post_init__(self) -> None:
        if self.max_depth < 1:
            raise UsageError(reason="memory_tree_drill_down: max_depth must be >= 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverWindowParams:
    """Cover a window of time with as few nodes as possible, and with leaves where no summary lies inside."""

    since_ms: int = number("Begin, Unix milliseconds, inclusive.", least=-(10**15), required=True)
    until_ms: int = number("End, Unix milliseconds, inclusive.", least=-(10**15), required=True)
    source_id: str | None = optional_text(_SOURCE)
    source_kind: str | None = optional_text(_KIND, choices=SOURCE_KINDS)
    limit: int = number(
        f"How many results at most, taken from the sources in turn; 0 means {COVER_LIMIT}.",
        COVER_LIMIT,
        most=MOST_COVERED,
    )

    def __post_init__(self) -> None:
        if self.source_kind is not None:
            check_choice(self.source_kind, SOURCE_KINDS, "memory_tree_cover_window: invalid source_kind")
        if self.until_ms < self.since_ms:
            raise UsageError(
                reason=f"memory_tree_cover_window: until_ms ({self.until_ms}) precedes since_ms ({self.since_ms})"
            )
        object.__setattr__(self, "limit", _limit(COVER_LIMIT, self.limit))


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLeavesParams:
    """Read leaves whole, by their ids."""

    chunk_ids: tuple[str, ...] = texts(
        f"Ids of leaves; the first {FETCH_BATCH} are read.", required=True, cap=FETCH_BATCH
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestDocumentParams:
    """Put a document into the vault."""

    title: str = text(missing="ingest_document: missing required field `title`", doc="Title of the document.")
    body: str = text(missing="ingest_document: missing required field `body`", doc="Its text, Markdown.")
    source_id: str = text(
        missing="ingest_document: missing required field `source_id`",
        doc="Names the document for ever: the same id with another body is a new version.",
    )
    provider: str = text("Where it comes from.", "agent")
    source_ref: str | None = optional_text("An address or file to cite.")
    owner: str = text("Whose it is.", "")

    def __post_init__(self) -> None:
        if not (self.title.strip() and self.body.strip() and self.source_id.strip()):
            raise UsageError(reason="ingest_document: title, body, and source_id must be non-empty")


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkParams:
    """Walk from the entities of a question to what mentions them together, else to what fits its words."""

    query: str = text("The question.", missing="memory_tree walk: `query` is required")
    limit: int = number(_LIMIT, DEFAULT_LIMIT, most=MAX_LIMIT)
    max_hops: int = number(
        f"How far apart two entities may be to count as connected, up to {MAX_HOPS}; 0 means {HOPS}.",
        HOPS,
        most=MAX_HOPS,
    )
    time_window_days: int | None = number(
        _DAYS + " Without it, words such as `last week` decide.", most=1_000_000
    )

    def __post_init__(self) -> None:
        if not self.query.strip():
            raise UsageError(reason="memory_tree walk: `query` is required")
        object.__setattr__(self, "limit", _limit(DEFAULT_LIMIT, self.limit))
        object.__setattr__(self, "max_hops", _limit(HOPS, self.max_hops))


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSourcesParams:
    """List the sources that the vault's memory is made of."""

    user_email_hint: str | None = optional_text(
        "An address of the user's: sources between two people are shown by the other one."
    )


ModeParams = (
    SearchEntitiesParams
    | QuerySourceParams
    | DrillDownParams
    | CoverWindowParams
    | FetchLeavesParams
    | IngestDocumentParams
    | WalkParams
)

MODES: dict[str, type[ModeParams]] = {
    "search_entities": SearchEntitiesParams,
    "query_source": QuerySourceParams,
    "drill_down": DrillDownParams,
    "cover_window": CoverWindowParams,
    "fetch_leaves": FetchLeavesParams,
    "ingest_document": IngestDocumentParams,
    "walk": WalkParams,
    "smart_walk": WalkParams,
}
"""In the order in which errors list them."""
