"""Primitive: Personalised PageRank over the notes and names around a question.

Answers whose words stand in two notes ("where was the director of X born?") are found by walking from the names
of the question to the notes that hold them, on to the names in those notes, and to their notes. The graph is
built for each question from the index: nothing of it is stored, so nothing of it can drift.

Source: Haveliwala 2002, "Topic-Sensitive PageRank"; over passages and entities: Gutiérrez et al. 2024,
"HippoRAG". The constants are those of the latter where it has them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from vaultkeeper.index.fts import find_phrases
from vaultkeeper.index.reads import Leaf, fetch_entities_of, fetch_occurrences, fetch_places
from vaultkeeper.retrieval.keyword import idf
from vaultkeeper.retrieval.spans import base_title, find_spans

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection

SEEDS = 30
"""Best chunks by words that the walk may start from."""

ON_NAMES = 0.9
"""Share of the restarts that lead to the names of the question; the rest lead to the best chunks."""

DAMPING = 0.7
ROUNDS = 20
"""0.7^20 is below 0.001: more rounds change no order."""

COMMON = 15
"""A capitalised span in more chunks than this is no name worth following."""

COMMON_ENTITY = 100
"""The same for registered entities, whose occurrences are certain."""


def graph(
    db: Connection,
    question: str,
    entity_ids: Collection[str],
    seeds: Sequence[tuple[Leaf, float]],
    chunks: int,
) -> dict[int, float]:
    """Returns the probability of each reached chunk, 0..1; empty when the question names nothing that is known.

    Args:
        question: Its capitalised spans and wikilinks are the names to start from.
        entity_ids: Entities of the registry that it mentions.
        seeds: The best chunks by words, with their scores; the first `SEEDS` are used.
        chunks: Number of chunks in the index, for idf.
    """
    seeds = seeds[:SEEDS]
    asked = find_spans(question)
    names = dict.fromkeys(asked)
    for leaf, _ in seeds:
        names.update(dict.fromkeys([base_title(leaf.title), *find_spans(leaf.body)]))
    postings: dict[str, tuple[int, ...]] = find_phrases(db, names, COMMON)
    for entity_id, pks in _entities(db, entity_ids, [leaf.chunk_pk for leaf, _ in seeds]).items():
        postings[entity_id] = pks
    start = [name for name in (*asked, *entity_ids) if name in postings]
    if not start:
        return {}
    # A name in a single chunk leads nowhere.
    postings = {name: pks for name, pks in postings.items() if len(pks) > 1 or name in start}
    return _walk(db, postings, start, [(leaf.chunk_pk, score) for leaf, score in seeds], chunks)


def _entities(
    db: Connection, asked: Collection[str], seed_pks: Collection[int]
) -> dict[str, tuple[int, ...]]:
    ids = set(asked)
    for found in fetch_entities_of(db, seed_pks).values():
        ids.update(found)
    postings: dict[str, list[int]] = {}
    for row in fetch_occurrences(db, sorted(ids)):
        postings.setdefault(row.entity_id, []).append(row.chunk_pk)
    return {name: tuple(pks) for name, pks in sorted(postings.items()) if len(pks) <= COMMON_ENTITY}


def _walk(
    db: Connection,
    postings: Mapping[str, tuple[int, ...]],
    start: Sequence[str],
    seeds: Sequence[tuple[int, float]],
    chunks: int,
) -> dict[int, float]:
    """Power iteration. Nodes are numbered by name and by chunk id, so that sums do not depend on row ids."""
    pks = {pk for found in postings.values() for pk in found} | {pk for pk, _ in seeds}
    places = fetch_places(db, pks)
    ordered = sorted(places, key=lambda pk: places[pk].order)
    number = {pk: at for at, pk in enumerate(ordered)}
    names = sorted(postings)
    chunks_of = [sorted(number[pk] for pk in postings[name] if pk in number) for name in names]
    weights = [idf(chunks, len(found)) for found in chunks_of]
    names_of: list[list[tuple[int, float]]] = [[] for _ in ordered]
    for at, found in enumerate(chunks_of):
        for chunk in found:
            names_of[chunk].append((at, weights[at]))
    for chunk, edges in enumerate(names_of):
        everything = sum(weight for _, weight in edges)
        names_of[chunk] = [(at, DAMPING * weight / everything) for at, weight in edges]

    where = {name: at for at, name in enumerate(names)}
    restart_names = [0.0] * len(names)
    mass = sum(weights[where[name]] for name in start)
    for name in start:
        restart_names[where[name]] += ON_NAMES * weights[where[name]] / mass
    restart_chunks = [0.0] * len(ordered)
    mass = sum(score for _, score in seeds) or 1.0
    for pk, score in seeds:
        restart_chunks[number[pk]] += (1 - ON_NAMES) * score / mass

    on_names, on_chunks = restart_names, restart_chunks
    for _ in range(ROUNDS):
        next_names = [(1 - DAMPING) * value for value in restart_names]
        next_chunks = [(1 - DAMPING) * value for value in restart_chunks]
        for at, value in enumerate(on_names):
            if value and chunks_of[at]:
                share = DAMPING * value / len(chunks_of[at])
                for chunk in chunks_of[at]:
                    next_chunks[chunk] += share
        for chunk, value in enumerate(on_chunks):
            if value:
                for at, share in names_of[chunk]:
                    next_names[at] += value * share
        on_names, on_chunks = next_names, next_chunks
    return {pk: on_chunks[number[pk]] for pk in ordered if on_chunks[number[pk]] > 0}
