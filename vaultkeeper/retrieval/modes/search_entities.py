"""Mode `search_entities`: people, places and things by a part of their id, name or spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.connections import find_entities

if TYPE_CHECKING:
    from vaultkeeper.retrieval.corpus import Corpus
    from vaultkeeper.retrieval.params import SearchEntitiesParams


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
