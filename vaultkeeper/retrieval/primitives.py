"""Primitives, and their fusion: chunks that have the words of the question, are near its meaning, or name its entities.

Each gives scores by chunk that are comparable within one call. Scores are fused, not ranks: a weak signal that is sure
of little must not outvote a strong one that is sure of much, and a rank hides how sure each is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import log10
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.fts import TermScores, add_up, best, score_terms, total
from vaultkeeper.index.reads import (
    Position,
    count_occurrences,
    extend_positions,
    fetch_chunks_by_sha,
    fetch_occurrences,
    fetch_positions,
    fetch_shas,
)
from vaultkeeper.index.words import Words, split_terms
from vaultkeeper.providers.words import idf
from vaultkeeper.retrieval.neighbours import spread
from vaultkeeper.types import Mention

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vaultkeeper.index.db import Connection
    from vaultkeeper.ports import VectorSearch


POOL = 200
"""Chunks that go on to the next step. On conversations of 700 turns, 1,000 give the same recall@10."""


class Named(NamedTuple):
    """An entity that the question names.

    Attributes:
        surface: Its name in the question.
        worth: What its occurrence is worth: its idf, which is about what bm25 gives for a word that stands once.
        chunks: Where it occurs, under whatever name.
    """

    surface: str
    worth: float
    chunks: frozenset[int]


class KeywordFound(NamedTuple):
    """What the words found.

    Attributes:
        scores: By chunk, above 0, comparable within one call.
        terms: What each word found on its own.
        positions: Where the chunks of `scores` stand.
    """

    scores: dict[int, float]
    terms: tuple[TermScores, ...]
    positions: dict[int, Position]


def keyword(
    db: Connection,
    words: Words,
    allowed: Collection[int] | None,
    near: bool = True,
    named: Sequence[Named] = (),
) -> KeywordFound:
    """Finds chunks by bm25.

    Args:
        words: The question.
        allowed: Chunks that may be found; None means all.
        named: Entities that the question names; another name of one counts as the word that was asked.
        near: Lets a word count in the neighbouring turns and sections too.
    """
    terms = score_terms(db, words, allowed)
    sums = total(terms)
    if allowed is not None and len(sums) < min(POOL, len(allowed)):
        # The rare words are outside of what is allowed: look at the common ones on their own.
        terms = score_terms(db, words, allowed, budget=None)
        sums = total(terms)
    others = [_other_names(entity, terms) for entity in named]
    sums = add_up([sums, *(term.scores for term in others)])
    scores = {found.chunk_pk: found.score for found in best(db, sums, POOL)}
    positions = fetch_positions(db, scores)
    if near and scores:
        kept = [
            {pk: term.scores[pk] for pk in term.scores.keys() & scores.keys()} for term in [*terms, *others]
        ]
        scores = spread(db, kept, positions)
        if allowed is not None:
            scores = {pk: score for pk, score in scores.items() if pk in allowed}
        extend_positions(db, positions, scores)
    return KeywordFound(scores, tuple(terms), positions)


def _other_names(entity: Named, terms: Sequence[TermScores]) -> TermScores:
    """The chunks that hold the entity, but not the name that was asked."""
    asked = {word.casefold() for word in split_terms(entity.surface)}
    holding = {pk for term in terms if term.label.casefold() in asked for pk in term.scores}
    chunks = entity.chunks - holding
    return TermScores(entity.surface, len(chunks), dict.fromkeys(chunks, entity.worth))


NEAREST = 100
"""Texts that are asked of the vectors."""


def dense(
    db: Connection,
    vectors: VectorSearch,
    query_vector: NDArray[np.float32],
    allowed: Collection[int] | None,
    k: int = NEAREST,
) -> dict[int, float]:
    """Returns the cosine of each near chunk, -1..1, comparable within one embedder.

    Args:
        query_vector: float32 `(dim,)`, L2-normalised. A zero vector finds nothing.
        allowed: Chunks that may be found; None means all.
    """
    if not query_vector.any():
        return {}
    shas = None if allowed is None else fetch_shas(db, allowed)
    near = vectors.search(query_vector, k, shas)
    chunks = fetch_chunks_by_sha(db, [sha for sha, _ in near])
    return {
        pk: float(score)
        for sha, score in near
        for pk in chunks.get(sha, ())
        if allowed is None or pk in allowed
    }


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


DIGITS = 6

Scores = Mapping[int, float]


def by_greatest(scores: Scores) -> dict[int, float]:
    """Scales to 0..1 by the greatest, for scores whose zero means "nothing of it" (bm25, idf sums)."""
    greatest = max(scores.values(), default=0.0)
    return {pk: score / greatest for pk, score in scores.items()} if greatest > 0 else {}


def by_range(scores: Scores) -> dict[int, float]:
    """Scales to 0..1 between the least and the greatest, for scores without a meaningful zero (cosines)."""
    if not scores:
        return {}
    least, greatest = min(scores.values()), max(scores.values())
    if greatest <= 0:
        return {}
    spread = greatest - least
    return {pk: (score - least) / spread if spread else 1.0 for pk, score in scores.items()}


def by_magnitude(scores: Scores, decades: float = 3.0) -> dict[int, float]:
    """Scales to 0..1 by powers of ten below the greatest, for probabilities that fall off steeply (PageRank)."""
    greatest = max(scores.values(), default=0.0)
    if greatest <= 0:
        return {}
    scaled = {pk: 1 + log10(score / greatest) / decades for pk, score in scores.items() if score > 0}
    return {pk: score for pk, score in scaled.items() if score > 0}


def fuse(signals: Mapping[str, Scores], weights: Mapping[str, float]) -> dict[int, float]:
    """Returns the weighted mean of the signals for each chunk, 0..1, rounded to six decimals.

    A signal that found nothing at all is left out of the mean; one that did not find this chunk counts as 0.

    Args:
        signals: Scores in 0..1 by name of the signal.
        weights: Above or equal to 0, by name.
    """
    present = [name for name, scores in signals.items() if scores and weights.get(name, 0.0) > 0]
    everything = sum(weights[name] for name in present)
    sums: dict[int, float] = {}
    for name in present:
        for pk, score in signals[name].items():
            sums[pk] = sums.get(pk, 0.0) + weights[name] * score
    return {pk: round(score / everything, DIGITS) for pk, score in sums.items()}
