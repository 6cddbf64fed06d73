"""Mode `fetch_leaves`: leaves whole, by their ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultkeeper.index.reads import fetch_entities_of, fetch_leaves_by_id, fetch_tags_of
from vaultkeeper.memory.admission import score_leaf
from vaultkeeper.retrieval.hits import Found, make_hits
from vaultkeeper.retrieval.sources import may_see, source_kind_of
from vaultkeeper.types import QueryResponse

if TYPE_CHECKING:
    from vaultkeeper.retrieval.corpus import Corpus
    from vaultkeeper.retrieval.params import FetchLeavesParams


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
