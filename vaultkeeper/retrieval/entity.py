"""Primitive: chunks in which the entities of the question occur, under whatever name."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from vaultkeeper.index.reads import count_occurrences, fetch_occurrences
from vaultkeeper.providers.words import idf
from vaultkeeper.retrieval.keyword import Named
from vaultkeeper.types import Mention

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection


def named_entities(
    db: Connection, mentions: Sequence[Mention], allowed: Collection[int] | None, chunks: int
) -> list[Named]:
    """Returns the entities that a question names, each once, with the chunks that they occur in."""
    surfaces = {mention.entity_id: mention.surface for mention in reversed(mentions)}
    numbers = count_occurrences(db, surfaces)
    where: dict[str, set[int]] = {entity_id: set() for entity_id in sorted(numbers)}
    for row in fetch_occurrences(db, sorted(numbers), allowed):
        where[row.entity_id].add(row.chunk_pk)
    return [
        Named(surfaces[entity_id], idf(numbers[entity_id], chunks), frozenset(pks))
        for entity_id, pks in where.items()
    ]


def entity(named: Sequence[Named]) -> dict[int, float]:
    """Returns for each chunk the summed worth of those entities that occur in it, above 0."""
    scores: dict[int, float] = {}
    for one in named:
        for pk in one.chunks:
            scores[pk] = scores.get(pk, 0.0) + one.worth
    return scores
