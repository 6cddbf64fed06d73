"""Who occurs with whom: weights, neighbours and hops, derived from the index each time they are asked for.

No edge is stored, so none can drift. Two entities are one hop apart when a leaf or a summary names both.

Source: BEHAVIOUR §8.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.connections import count_together, fetch_matching, fetch_newest, fetch_together
from vaultkeeper.index.trees import Place, fetch_node_chunks, fetch_place_rows, fetch_places

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection

DEFAULT_LIMIT = 100
"""Source: BEHAVIOUR §8."""

FANOUT = 200
"""Neighbours of an entity that a search for hops goes on to, most shared nodes first. Bounds its time."""


class CoOccurrence(NamedTuple):
    """Two entities and the number of distinct nodes that name both."""

    subject: str
    object: str
    weight: int


class PairDistance(NamedTuple):
    """Two entities, `a` < `b`, and the least number of hops between them."""

    distance: int
    a: str
    b: str


def co_occurring_entities(
    db: Connection, subject: str, limit: int = DEFAULT_LIMIT
) -> tuple[CoOccurrence, ...]:
    """Returns the neighbours of an entity: most shared nodes first, then by id. Never itself."""
    weights = count_together(db, subject)
    ranked = sorted(weights, key=lambda other: (-weights[other], other))
    return tuple(CoOccurrence(subject, other, weights[other]) for other in ranked[:limit])


def neighbors(db: Connection, subject: str, limit: int = DEFAULT_LIMIT) -> tuple[str, ...]:
    """Returns the ids of the neighbours in the same order."""
    return tuple(edge.object for edge in co_occurring_entities(db, subject, limit))


def group_by_weight(edges: Iterable[CoOccurrence]) -> dict[int, tuple[str, ...]]:
    """Returns the neighbours by weight, greatest weight first, ids sorted."""
    groups: dict[int, list[str]] = {}
    for edge in edges:
        groups.setdefault(edge.weight, []).append(edge.object)
    return {weight: tuple(sorted(groups[weight])) for weight in sorted(groups, reverse=True)}


def shared_places(db: Connection, a: str, b: str, limit: int) -> tuple[Place, ...]:
    """Returns the newest nodes that name both entities: by end descending, then by id."""
    rarer = min((fetch_newest(db, one) for one in (a, b)), key=len)
    places = fetch_places(db, {row.chunk_pk for row in rarer})
    parts = fetch_node_chunks(db, {place.pk for place in places.values() if place.node})
    chunks = {pk: place for pk, place in places.items() if not place.node}
    chunks |= {pk: Place(True, note_pk) for note_pk, pks in parts.items() for pk in pks}
    named: dict[Place, set[str]] = {}
    for pk, entities in fetch_matching(db, chunks, (a, b)).items():
        named.setdefault(chunks[pk], set()).update(entities)
    rows = fetch_place_rows(db, [place for place, entities in named.items() if len(entities) == 2])
    return tuple(sorted(rows, key=lambda place: rows[place].newest_first)[:limit])


class _Neighbourhood:
    """Neighbours by the newest nodes of each entity, remembered while one search goes on."""

    def __init__(self, db: Connection) -> None:
        self.db = db
        self.known: dict[str, tuple[str, ...]] = {}

    def of(self, entity_id: str) -> tuple[str, ...]:
        if entity_id not in self.known:
            places = fetch_places(self.db, {row.chunk_pk for row in fetch_newest(self.db, entity_id)})
            parts = fetch_node_chunks(self.db, {place.pk for place in places.values() if place.node})
            chunks = {pk: place for pk, place in places.items() if not place.node}
            chunks |= {pk: Place(True, note_pk) for note_pk, pks in parts.items() for pk in pks}
            weights: dict[str, set[Place]] = {}
            for pk, entities in fetch_together(self.db, chunks).items():
                for other in entities:
                    weights.setdefault(other, set()).add(chunks[pk])
            weights.pop(entity_id, None)
            ranked = sorted(weights, key=lambda other: (-len(weights[other]), other))
            self.known[entity_id] = tuple(ranked[:FANOUT])
        return self.known[entity_id]


def pair_distances(db: Connection, entity_ids: Sequence[str], max_hops: int) -> tuple[PairDistance, ...]:
    """Returns how far apart entities are, for the pairs within reach, by distance, then ids.

    Breadth first from each entity. An entity goes on to at most `FANOUT` neighbours in its newest nodes.

    Args:
        max_hops: Greatest distance; 0 finds nothing.
    """
    ids = sorted(set(entity_ids))
    if max_hops <= 0 or len(ids) < 2:
        return ()
    around = _Neighbourhood(db)
    found: dict[tuple[str, str], int] = {}
    for start in ids:
        wanted = {other for other in ids if other != start and _pair(start, other) not in found}
        visited, frontier = {start}, [start]
        for distance in range(1, max_hops + 1):
            reached = dict.fromkeys(other for one in frontier for other in around.of(one))
            frontier = [one for one in reached if one not in visited]
            visited.update(frontier)
            for other in wanted.intersection(frontier):
                found[_pair(start, other)] = distance
            wanted.difference_update(frontier)
            if not wanted or not frontier:
                break
    return tuple(sorted(PairDistance(distance, *pair) for pair, distance in found.items()))


def _pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)
