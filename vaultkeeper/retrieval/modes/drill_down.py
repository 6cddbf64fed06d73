"""Mode `drill_down`: what a summary was made of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vaultkeeper.index.reads import fetch_pks_by_id
from vaultkeeper.index.trees import (
    Place,
    fetch_child_ids,
    fetch_node_chunks,
    fetch_nodes_by_id,
    fetch_place_rows,
    find_node,
)
from vaultkeeper.retrieval.hits import Found, make_hits, stale_notes
from vaultkeeper.retrieval.relevance import rerank
from vaultkeeper.retrieval.sources import may_see
from vaultkeeper.types import QueryResponse, RetrievalHit

if TYPE_CHECKING:
    from vaultkeeper.retrieval.corpus import Corpus
    from vaultkeeper.retrieval.params import DrillDownParams

NOTHING = QueryResponse((), 0, False, "empty")


def drill_down(corpus: Corpus, params: DrillDownParams) -> QueryResponse:
    """Returns the children of a node, then theirs, level by level, each in the order of its parent.

    A leaf or an unknown id has none. Older versions of documents, and children that are gone, are left out. The score
    of a node is its own, that of a leaf 0. With a query, what fits comes first.
    """
    db = corpus.db
    top = find_node(db, params.node_id)
    if top is None or not may_see(top.scope, corpus.sources):
        return NOTHING
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
