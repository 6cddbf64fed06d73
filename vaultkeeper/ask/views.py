"""Answers of the modes with citations: a window of time by source, an entity among those that it occurs with.

Owns what a citation is made of: a wikilink, an address that opens it, its days, a snippet.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from vaultkeeper.index.reads import fetch_leaves_by_id, fetch_paths_keyed, fetch_undated
from vaultkeeper.index.registry import load_entities
from vaultkeeper.present.links import obsidian_url, wikilink
from vaultkeeper.present.shapes import Brief, BriefPart, Evidence, GraphEdge, GraphNode, GraphView
from vaultkeeper.present.snippet import make_snippet
from vaultkeeper.retrieval.cooccurrence import co_occurring_entities, pair_distances, shared_places
from vaultkeeper.retrieval.cover import cover_window
from vaultkeeper.retrieval.hits import Found, make_hits
from vaultkeeper.retrieval.sources import display_name
from vaultkeeper.types import TimeWindow
from vaultkeeper.vault.links import link_key

if TYPE_CHECKING:
    from vaultkeeper.retrieval.corpus import Corpus
    from vaultkeeper.retrieval.params import CoverWindowParams
    from vaultkeeper.types import RetrievalHit


def cite(corpus: Corpus, hits: Sequence[RetrievalHit], labels: Collection[str] = ()) -> tuple[Evidence, ...]:
    """Returns numbered evidence for hits, in their order.

    Args:
        labels: Words to mark in the snippets, beside those that a hit matched.
    """
    unique: dict[str, bool] = {}
    edited = fetch_undated(corpus.db, [hit.note_path for hit in hits])
    evidence = []
    for number, hit in enumerate(hits, 1):
        path = hit.note_path
        if path not in unique:
            unique[path] = len(fetch_paths_keyed(corpus.db, link_key(path))) <= 1
        where = tuple(hit.heading.split(" > "))[-1:] if hit.heading else ()
        first, last = hit.time_range_start[:10], hit.time_range_end[:10]
        evidence.append(
            Evidence(
                number=number,
                hit=hit,
                link=wikilink(path, unique[path], where, hit.block),
                url=obsidian_url(corpus.vault, path, where, hit.block),
                date=first if first == last else f"{first}/{last}",
                snippet=make_snippet(hit.content, tuple(dict.fromkeys([*hit.why.matched, *labels]))),
                edited=path in edited,
            )
        )
    return tuple(evidence)


_OMITTED = "omitted:"


def make_brief(corpus: Corpus, params: CoverWindowParams, window: TimeWindow) -> Brief:
    """Covers a window and cites what covers it; sources in order of their names, each by time.

    Args:
        window: The same as in `params`, for the title.
    """
    response = cover_window(corpus, params)
    omitted: dict[str, int] = {}
    for note in response.notes:
        if note.startswith(_OMITTED):
            scope, _, number = note.removeprefix(_OMITTED).rpartition("=")
            omitted[scope] = int(number)
    by_scope: dict[str, list[Evidence]] = {scope: [] for scope in omitted}
    for evidence in cite(corpus, _in_order(corpus, response.hits)):
        by_scope.setdefault(evidence.hit.tree_scope, []).append(evidence)
    parts = [
        BriefPart(scope, display_name(scope), tuple(found), omitted.get(scope, 0))
        for scope, found in by_scope.items()
    ]
    return Brief(
        window, tuple(sorted(parts, key=lambda part: (part.name.casefold(), part.scope))), response.total
    )


def _in_order(corpus: Corpus, hits: Sequence[RetrievalHit]) -> list[RetrievalHit]:
    """Hits as they come, but sections of a note of one time as they stand in it."""
    leaves = fetch_leaves_by_id(corpus.db, [hit.node_id for hit in hits if hit.node_kind == "leaf"])
    seq = {leaf.chunk_id: leaf.seq for leaf in leaves}
    first: dict[tuple[str, str], int] = {}
    for at, hit in enumerate(hits):
        first.setdefault((hit.note_path, hit.time_range_start), at)
    return sorted(hits, key=lambda hit: (first[hit.note_path, hit.time_range_start], seq.get(hit.node_id, 0)))


CITED = 3
"""Shared nodes that are cited for each neighbour."""


def graph_view(corpus: Corpus, entity_ids: Sequence[str], limit: int, max_hops: int) -> GraphView:
    """Returns the neighbours of the first entity, the edges among all that is shown, and how far those given are apart.

    Args:
        limit: Greatest number of neighbours.
        max_hops: How far distances are looked for.
    """
    db = corpus.db
    subject = entity_ids[0]
    edges = co_occurring_entities(db, subject, limit)
    shown = list(dict.fromkeys([*entity_ids, *(edge.object for edge in edges)]))
    found = []
    for edge in edges:
        places = shared_places(db, edge.subject, edge.object, CITED)
        evidence = cite(corpus, make_hits(db, [Found(*place) for place in places]))
        found.append(GraphEdge(edge.subject, edge.object, edge.weight, evidence))
    for at, other in enumerate(shown):
        if other == subject:
            continue
        rest = co_occurring_entities(db, other, 10 * limit + 100)
        later = set(shown[at + 1 :]) - {subject}
        found += [GraphEdge(other, edge.object, edge.weight) for edge in rest if edge.object in later]
    names = {entity.id: (entity.display_name, entity.path) for entity in load_entities(db)}
    nodes = tuple(GraphNode(one, *names.get(one, (one.partition(":")[2], ""))) for one in shown)
    distances = tuple((pair.a, pair.b, pair.distance) for pair in pair_distances(db, entity_ids, max_hops))
    return GraphView(subject, nodes, tuple(found), distances)
