"""What happened in a window of time, by source, as few pieces as possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultkeeper.ask.citing import cite
from vaultkeeper.index.reads import fetch_leaves_by_id
from vaultkeeper.present.shapes import Brief, BriefPart
from vaultkeeper.retrieval.cover import cover_window
from vaultkeeper.retrieval.sources import display_name
from vaultkeeper.types import TimeWindow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vaultkeeper.present.shapes import Evidence
    from vaultkeeper.retrieval.corpus import Corpus
    from vaultkeeper.retrieval.params import CoverWindowParams
    from vaultkeeper.types import RetrievalHit

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
