"""Mode `drill_down`: what a summary was made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultkeeper.index.reads import fetch_leaves_by_id
from vaultkeeper.index.trees import fetch_child_ids, fetch_node_chunks, fetch_nodes_by_id, find_node
from vaultkeeper.retrieval.hits import Found, make_hits, stale_notes
from vaultkeeper.retrieval.relevance import rerank
from vaultkeeper.retrieval.sources import may_see
from vaultkeeper.types import QueryResponse

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
        leaves = {leaf.chunk_id: leaf for leaf in reversed(fetch_leaves_by_id(db, wanted))}
        level = []
        for child in wanted:
            if child in nodes:
                node = nodes[child]
                if node.note_pk not in seen:
                    seen.add(node.note_pk)
                    level.append(node.note_pk)
                    found.append(Found(True, node.note_pk, node.score))
            elif child in leaves:
                found.append(Found(False, leaves[child].chunk_pk))
    if params.query and params.query.strip() and found:
        found = _ordered(corpus, params.query, found)
    total = len(found)
    chosen = found if params.limit is None else found[: params.limit]
    return QueryResponse(
        make_hits(db, chosen),
        total,
        total > len(chosen),
        "tree" if found else "empty",
        stale_notes(db, chosen),
    )


def _ordered(corpus: Corpus, query: str, found: list[Found]) -> list[Found]:
    """The hits with those first that fit the query, each with its reasons."""
    hits = {hit.node_id: hit for hit in make_hits(corpus.db, found)}
    contents = [hit.content for hit in hits.values()]
    if len(contents) != len(found):  # copies of one leaf
        return found
    chunks = fetch_node_chunks(corpus.db, [one.pk for one in found if one.node])
    pks = [chunks.get(one.pk, (0,))[0] if one.node else one.pk for one in found]
    ranked = rerank(corpus, query, list(zip(pks, contents, strict=True)))
    return [Found(*found[at][:3], why) for at, why in ranked]
