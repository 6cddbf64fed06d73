"""The smaller modes of `memory_tree`: find entities, read a source, open a summary, fetch leaves.

Parameters and a corpus in, an answer out; none of them writes. `walk` and `cover` are modules of their own.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.connections import find_entities
from vaultkeeper.index.reads import fetch_entities_of, fetch_leaves_by_id, fetch_pks_by_id, fetch_tags_of
from vaultkeeper.index.trees import (
    ALWAYS,
    Place,
    Window,
    count_nodes,
    count_unsealed,
    fetch_child_ids,
    fetch_chunks_of_nodes,
    fetch_newest_nodes,
    fetch_newest_unsealed,
    fetch_node_chunks,
    fetch_nodes,
    fetch_nodes_by_id,
    fetch_place_rows,
    fetch_unsealed_chunks,
    find_node,
)
from vaultkeeper.memory.admission import score_leaf
from vaultkeeper.retrieval.hits import Found, make_hits, stale_notes
from vaultkeeper.retrieval.relevance import NOTHING, Relevance, find_relevant, rerank
from vaultkeeper.retrieval.sources import Chosen, choose, may_see, source_kind_of
from vaultkeeper.types import QueryResponse, RetrievalHit

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.retrieval.corpus import Corpus
    from vaultkeeper.retrieval.params import (
        DrillDownParams,
        FetchLeavesParams,
        QuerySourceParams,
        SearchEntitiesParams,
    )


DAY_MS = 86_400_000


def last_days(days: int | None, now: datetime) -> Window:
    """Returns the window of the last days, up to now; always, when no days are given."""
    if days is None:
        return ALWAYS
    now_ms = int(now.timestamp() * 1000)
    return now_ms - days * DAY_MS, now_ms


def query_source(corpus: Corpus, params: QuerySourceParams, now: datetime) -> QueryResponse:
    """Returns nodes of every level and leaves that none owns, whose time touches the window.

    Without a query the newest come first. With one, what fits comes first, and then the newest. The score of a summary
    is that of its node, that of a leaf 0; how well a hit fits is in `why`.
    """
    window = last_days(params.time_window_days, now)
    chosen = choose(corpus, params.source_id, params.source_kind)
    if chosen.scopes == ():
        return QueryResponse((), 0, False, "empty")
    reading = _Reading(corpus.db, window, chosen, leaves=not params.summaries_only)
    query = (params.query or "").strip()
    relevant = find_relevant(corpus, query, reading.chunks()) if query else NOTHING
    ranked = reading.ranked(relevant)
    if len(ranked) < params.limit:
        ranked += reading.newest(params.limit, {(one.node, one.pk) for one in ranked})
    hits = make_hits(corpus.db, ranked[: params.limit])
    total = max(reading.count(), len(hits))
    route = "empty" if not hits else "relevance" if relevant.scores else "recent"
    notes = (*relevant.notes, *stale_notes(corpus.db, ranked[: params.limit]))
    return QueryResponse(hits, total, total > len(hits), route, notes)


class _Reading:
    """What a call may find. Of a part of a tree, such as one session, only leaves: nodes tell of the rest as well."""

    def __init__(self, db: Connection, window: Window, chosen: Chosen, *, leaves: bool) -> None:
        self.db, self.window, self.scopes, self.within = db, window, chosen.scopes, chosen.leaves
        self.with_nodes, self.with_leaves = chosen.leaves is None, leaves

    def _unsealed(self) -> frozenset[int]:
        found = fetch_unsealed_chunks(self.db, self.window, self.scopes)
        return found if self.within is None else found & self.within

    def chunks(self) -> frozenset[int]:
        found = self._unsealed() if self.with_leaves else frozenset()
        if self.with_nodes:
            found |= fetch_chunks_of_nodes(self.db, self.window, self.scopes)
        return found

    def count(self) -> int:
        number = count_nodes(self.db, self.window, self.scopes) if self.with_nodes else 0
        if not self.with_leaves:
            return number
        if self.within is not None:
            return number + len(self._unsealed())
        return number + count_unsealed(self.db, self.window, self.scopes)

    def ranked(self, relevant: Relevance) -> list[Found]:
        rows = fetch_place_rows(self.db, list(relevant.scores))
        nodes = fetch_nodes(self.db, [place.pk for place in relevant.scores if place.node])
        best = sorted(rows, key=lambda place: (-relevant.scores[place], rows[place].newest_first))
        return [
            Found(*place, nodes[place.pk].score if place.node else 0.0, relevant.why[place]) for place in best
        ]

    def newest(self, limit: int, there: set[tuple[bool, int]]) -> list[Found]:
        rows: list[tuple[tuple[int, int, str], Found]] = []
        enough = limit + len(there)
        if self.with_nodes:
            for node in fetch_newest_nodes(self.db, self.window, self.scopes, enough):
                rows.append(
                    ((-node.end_ms, -node.level, node.node_id), Found(True, node.note_pk, node.score))
                )
        if self.with_leaves:
            for spot in fetch_newest_unsealed(self.db, self.window, self.scopes, enough, self.within):
                rows.append(((-spot.end_ms, 0, spot.chunk_id), Found(False, spot.chunk_pk)))
        rows.sort(key=lambda row: row[0])
        return [found for _, found in rows if (found.node, found.pk) not in there]


def drill_down(corpus: Corpus, params: DrillDownParams) -> QueryResponse:
    """Returns the children of a node, then theirs, level by level, each in the order of its parent.

    A leaf or an unknown id has none. Older versions of documents, and children that are gone, are left out. The score
    of a node is its own, that of a leaf 0. With a query, what fits comes first.
    """
    db = corpus.db
    top = find_node(db, params.node_id)
    if top is None or not may_see(top.scope, corpus.sources):
        return QueryResponse((), 0, False, "empty")
    found: list[Found] = []
    level, seen = [top.note_pk], {top.note_pk}
    for _ in range(params.max_depth):
        listed = fetch_child_ids(db, level)
        wanted = list(dict.fromkeys(child for pk in level for child in listed.get(pk, ())))
        if not wanted:
            break
        nodes = fetch_nodes_by_id(db, wanted)
        leaves = fetch_pks_by_id(db, [child for child in wanted if child not in nodes])
        level = []
        for child in wanted:
            if child in nodes:
                node = nodes[child]
                if node.note_pk not in seen:
                    seen.add(node.note_pk)
                    level.append(node.note_pk)
                    found.append(Found(True, node.note_pk, node.score))
            elif child in leaves:
                found.append(Found(False, leaves[child]))
    total = len(found)
    if params.query and params.query.strip() and found:
        hits = _ordered(corpus, params.query, found)[: params.limit]
    else:
        hits = make_hits(db, found if params.limit is None else found[: params.limit])
    route = "tree" if found else "empty"
    return QueryResponse(hits, total, total > len(hits), route, stale_notes(db, found[: len(hits)]))


def _ordered(corpus: Corpus, query: str, found: list[Found]) -> tuple[RetrievalHit, ...]:
    """The hits, those first that fit the query, each with its reasons."""
    hits = make_hits(corpus.db, found)
    chunks = fetch_node_chunks(corpus.db, [one.pk for one in found if one.node])
    rows = fetch_place_rows(corpus.db, [Place(one.node, one.pk) for one in found])
    pks = {row.node_id: chunks.get(one.pk, (0,))[0] if one.node else one.pk for one, row in rows.items()}
    ranked = rerank(corpus, query, [(pks[hit.node_id], hit.content) for hit in hits])
    return tuple(replace(hits[at], why=why) for at, why in ranked)


def fetch_leaves(corpus: Corpus, params: FetchLeavesParams) -> QueryResponse:
    """Returns leaves in the order of the ids; what does not exist is left out.

    The score is that of admission (`memory.admission`), 0 for a leaf that no tree takes.
    """
    db = corpus.db
    leaves = [
        leaf for leaf in fetch_leaves_by_id(db, params.chunk_ids) if may_see(leaf.source, corpus.sources)
    ]
    entities = fetch_entities_of(db, [leaf.chunk_pk for leaf in leaves])
    tags = fetch_tags_of(db, {leaf.note_pk for leaf in leaves})
    found = []
    for leaf in leaves:
        judged = score_leaf(
            leaf.body,
            source_kind_of(leaf.source),
            tags.get(leaf.note_pk, ()),
            entities.get(leaf.chunk_pk, ()),
        )
        found.append(Found(False, leaf.chunk_pk, round(judged.total, 4) if judged.kept else 0.0))
    hits = make_hits(db, found)
    return QueryResponse(hits, len(hits), False, "leaves" if hits else "empty")


class EntityMatch(NamedTuple):
    """An entity that fits.

    Attributes:
        surface: How it is written most often.
        mention_count: In how many chunks it occurs; 0 for one that only the registry knows.
        last_seen_ms: End of the newest of them, Unix milliseconds; None when there is none.
    """

    canonical_id: str
    kind: str
    surface: str
    mention_count: int
    last_seen_ms: int | None


def search_entities(corpus: Corpus, params: SearchEntitiesParams) -> tuple[EntityMatch, ...]:
    """Returns the entities that fit: most mentions first, then last seen, then by id. A blank query finds none."""
    found = find_entities(corpus.db, params.query, params.kinds)
    return tuple(
        EntityMatch(row.entity_id, row.entity_id.partition(":")[0], row.surface, row.chunks, row.newest_ms)
        for row in found[: params.limit]
    )
