"""Mode `query_source`: summaries and unsealed leaves of a source, of a kind of sources, or of all."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from vaultkeeper.index.trees import (
    ALWAYS,
    Window,
    count_nodes,
    count_unsealed,
    fetch_chunks_of_nodes,
    fetch_newest_nodes,
    fetch_newest_unsealed,
    fetch_nodes,
    fetch_place_rows,
    fetch_unsealed_chunks,
)
from vaultkeeper.retrieval.hits import Found, make_hits, stale_notes
from vaultkeeper.retrieval.relevance import NOTHING, Relevance, find_relevant
from vaultkeeper.retrieval.sources import Chosen, choose
from vaultkeeper.types import QueryResponse

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.retrieval.corpus import Corpus
    from vaultkeeper.retrieval.params import QuerySourceParams

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
