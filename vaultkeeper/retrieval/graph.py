"""Primitive: Personalised PageRank over the notes and names around a question.

Answers whose words stand in two notes ("where was the director of X born?") are found by walking from the names
of the question to the notes that hold them, on to the names in those notes, and to their notes. The graph is
built for each question from the index: nothing of it is stored, so nothing of it can drift.

Source: Haveliwala 2002, "Topic-Sensitive PageRank"; over passages and entities: Gutiérrez et al. 2024,
"HippoRAG". The constants are those of the latter where it has them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.fts import count_phrase, find_phrases
from vaultkeeper.index.reads import (
    Leaf,
    Position,
    count_occurrences,
    extend_positions,
    fetch_chunks_with,
    fetch_entities_of,
    fetch_notes_called,
)
from vaultkeeper.index.words import STOP_WORDS
from vaultkeeper.providers.words import idf
from vaultkeeper.retrieval.spans import base_title, find_spans, plain_words
from vaultkeeper.vault.links import link_key

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection

SEEDS = 15
"""Best chunks by words that the walk may start from."""

ON_NAMES = 0.9
"""Share of the restarts that lead to the names of the question; the rest lead to the best chunks."""

DAMPING = 0.7
ROUNDS = 20
"""0.7^20 is below 0.001: more rounds change no order."""

COMMON = 15
"""A capitalised span in more chunks than this leads only to the note that is called so."""

COMMON_ENTITY = 100
"""The same for registered entities, whose occurrences are certain."""

ABOUT = 0.75
"""Share of a name that leads to the notes called so, as a wikilink would; the rest leads to those that mention it."""

MAX_NAMES = 80
"""Names that are looked up; those of the question and of the best chunks come first."""

WITH_NOTE = 2.0
"""What a name counts that has a note of its own, beside one that only occurs."""

Seed = tuple[Leaf, float]


class _Name(NamedTuple):
    """Where a name leads: to the notes that it is the title of, and to those that mention it."""

    about: tuple[int, ...]
    mentions: tuple[int, ...]

    @property
    def chunks(self) -> tuple[int, ...]:
        return self.about + self.mentions


class Walked(NamedTuple):
    """Where a walk led.

    Attributes:
        scores: Probability of each reached chunk, 0..1.
        telling: 0..1, how rare the rarest name is that it started from. A name that stands everywhere says little
            about where to go.
    """

    scores: dict[int, float]
    telling: float


def graph(
    db: Connection,
    question: str,
    entity_ids: Collection[str],
    seeds: Sequence[Seed],
    chunks: int,
    positions: dict[int, Position],
) -> Walked:
    """Walks from the names of the question; nowhere when it names nothing that is known.

    Args:
        question: Its capitalised spans, wikilinks and titles of seeds are the names to start from.
        entity_ids: Entities of the registry that it mentions.
        seeds: The best chunks by words, with their scores; the first `SEEDS` are used.
        chunks: Number of chunks in the index, for idf.
        positions: Where chunks stand, as far as it is known; what is reached is added.
    """
    seeds = seeds[:SEEDS]
    plain = f" {plain_words(question)} "
    titles = [leaf.title for leaf, _ in seeds if _is_named(leaf.title, plain)]
    asked = dict.fromkeys([*map(base_title, titles), *find_spans(question, titles=True)])
    names = _entities(db, entity_ids, [leaf.chunk_pk for leaf, _ in seeds])
    names.update(_names(db, dict.fromkeys(asked, ())))
    start = [name for name in (*asked, *entity_ids) if name in names]
    if not start:
        return Walked({}, 0.0)
    spans: dict[str, set[int]] = {}
    for leaf, _ in seeds:
        for span in (base_title(leaf.title), *find_spans(leaf.body)):
            if span in spans or len(spans) < MAX_NAMES:
                spans.setdefault(span, set()).add(leaf.chunk_pk)
    names.update(_names(db, spans))
    numbers = count_occurrences(db, entity_ids)
    telling = {name: idf(numbers.get(name) or count_phrase(db, name), chunks) for name in start}
    # A name in a single chunk leads nowhere.
    names = {name: found for name, found in names.items() if len(found.chunks) > 1 or name in start}
    scores = _walk(db, names, telling, [(leaf.chunk_pk, score) for leaf, score in seeds], chunks, positions)
    return Walked(scores, max(telling.values()) / idf(1, chunks))


def _is_named(title: str, plain: str) -> bool:
    words = plain_words(base_title(title))
    return any(word not in STOP_WORDS for word in words.split()) and f" {words} " in plain


def _names(db: Connection, spans: Mapping[str, Collection[int]]) -> dict[str, _Name]:
    """Looks names up; a common one leads only from the seeds that it was seen in to its own note."""
    keys = {span: link_key(span) for span in spans}
    called = fetch_notes_called(db, dict.fromkeys(keys.values()))
    found = find_phrases(db, spans, COMMON)
    names: dict[str, _Name] = {}
    for span in spans:
        about = called.get(keys[span], ())
        if len(about) > COMMON:  # a name such as README, which names nothing
            about = ()
        holding = found.get(span) or (spans[span] if about else ())
        mentions = tuple(pk for pk in holding if pk not in about)
        if about or mentions:
            names[span] = _Name(about, mentions)
    return names


def _entities(db: Connection, asked: Collection[str], seed_pks: Collection[int]) -> dict[str, _Name]:
    ids = set(asked)
    for found in fetch_entities_of(db, seed_pks).values():
        ids.update(found)
    numbers = count_occurrences(db, ids)
    mentions = fetch_chunks_with(db, [name for name in sorted(numbers) if numbers[name] <= COMMON_ENTITY])
    return {name: _Name((), tuple(pks)) for name, pks in sorted(mentions.items())}


def _walk(
    db: Connection,
    names: Mapping[str, _Name],
    start: Mapping[str, float],
    seeds: Sequence[tuple[int, float]],
    chunks: int,
    positions: dict[int, Position],
) -> dict[int, float]:
    """Power iteration. Nodes are numbered by name and by chunk id, so that sums do not depend on row ids."""
    pks = {pk for found in names.values() for pk in found.chunks} | {pk for pk, _ in seeds}
    extend_positions(db, positions, pks)
    ordered = sorted(pks, key=lambda pk: positions[pk].order)
    number = {pk: at for at, pk in enumerate(ordered)}
    labels = sorted(names)
    weights = [
        idf(len(names[label].chunks), chunks) * (WITH_NOTE if names[label].about else 1.0) for label in labels
    ]
    from_name: list[list[tuple[int, float]]] = []
    from_chunk: list[list[tuple[int, float]]] = [[] for _ in ordered]
    for at, label in enumerate(labels):
        about, mentions = names[label]
        to_about = ABOUT if mentions else 1.0
        edges = [(number[pk], DAMPING * to_about / len(about)) for pk in about]
        edges += [(number[pk], DAMPING * (1 - to_about if about else 1.0) / len(mentions)) for pk in mentions]
        from_name.append(sorted(edges))
        for chunk, _ in from_name[-1]:
            from_chunk[chunk].append((at, weights[at]))
    for chunk, edges in enumerate(from_chunk):
        everything = sum(weight for _, weight in edges)
        from_chunk[chunk] = [(at, DAMPING * weight / everything) for at, weight in edges]

    where = {label: at for at, label in enumerate(labels)}
    restart_names = [0.0] * len(labels)
    mass = sum(start.values())
    for name, weight in start.items():
        restart_names[where[name]] += ON_NAMES * weight / mass
    restart_chunks = [0.0] * len(ordered)
    mass = sum(score for _, score in seeds) or 1.0
    for pk, score in seeds:
        restart_chunks[number[pk]] += (1 - ON_NAMES) * score / mass

    on_names, on_chunks = restart_names, restart_chunks
    for _ in range(ROUNDS):
        on_names, on_chunks = (
            _step(from_chunk, on_chunks, restart_names),
            _step(from_name, on_names, restart_chunks),
        )
    return {pk: on_chunks[at] for at, pk in enumerate(ordered) if on_chunks[at] > 0}


def _step(
    edges: Sequence[Sequence[tuple[int, float]]], mass: Sequence[float], restart: Sequence[float]
) -> list[float]:
    """Moves the mass of one side of the graph to the other side."""
    moved = [(1 - DAMPING) * value for value in restart]
    for at, value in enumerate(mass):
        if value:
            for target, share in edges[at]:
                moved[target] += value * share
    return moved
