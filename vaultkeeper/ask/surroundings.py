"""An entity among those that it occurs with, with the notes that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultkeeper.ask.citing import cite
from vaultkeeper.index.registry import load_entities
from vaultkeeper.present.shapes import GraphEdge, GraphNode, GraphView
from vaultkeeper.retrieval.cooccurrence import co_occurring_entities, pair_distances, shared_places
from vaultkeeper.retrieval.hits import Found, make_hits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vaultkeeper.retrieval.corpus import Corpus

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
