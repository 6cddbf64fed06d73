"""Primitive: chunks that have the words of the question, or stand beside chunks that have them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.fts import TermScores, best, score_terms, total
from vaultkeeper.index.reads import fetch_positions
from vaultkeeper.index.words import Words
from vaultkeeper.retrieval.neighbours import spread

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection

POOL = 400
"""Chunks that go on to the next step. On conversations of 700 turns, 200 and 1,000 give the same recall@10."""


class KeywordFound(NamedTuple):
    """What the words found.

    Attributes:
        scores: By chunk, above 0, comparable within one call.
        terms: What each word found on its own.
        coverage: 0..1, the share of the question's information (idf) that the chunk which covers most of it covers.
            Low when the words are spread over several notes, or do not occur.
    """

    scores: dict[int, float]
    terms: tuple[TermScores, ...]
    coverage: float


def keyword(
    db: Connection, words: Words, allowed: Collection[int] | None, chunks: int, near: bool = True
) -> KeywordFound:
    """Finds chunks by bm25.

    Args:
        words: The question.
        allowed: Chunks that may be found; None means all.
        chunks: Number of chunks in the index, for idf.
        near: Lets a word count in the neighbouring turns and sections too.
    """
    terms = score_terms(db, words, allowed)
    sums = total(terms)
    if allowed is not None and len(sums) < min(POOL, len(allowed)):
        # The rare words are outside of what is allowed: look at the common ones on their own.
        terms = score_terms(db, words, allowed, budget=None)
        sums = total(terms)
    pool = {found.chunk_pk for found in best(db, sums, POOL)}
    scores = {pk: sums[pk] for pk in pool}
    if near and scores:
        kept = [{pk: score for pk, score in term.scores.items() if pk in pool} for term in terms]
        scores = spread(db, kept, fetch_positions(db, pool))
        if allowed is not None:
            scores = {pk: score for pk, score in scores.items() if pk in allowed}
    return KeywordFound(scores, tuple(terms), _coverage(terms, pool, chunks))


def _coverage(terms: Collection[TermScores], pool: Collection[int], chunks: int) -> float:
    weights = {term.label: idf(chunks, term.found) for term in terms}
    everything = sum(weights.values())
    if not everything:
        return 0.0
    covered: dict[int, float] = {}
    for term in terms:
        for pk in term.scores:
            if pk in pool:
                covered[pk] = covered.get(pk, 0.0) + weights[term.label]
    return max(covered.values(), default=0.0) / everything


def idf(chunks: int, found: int) -> float:
    """Returns how much a word, or an entity, says that stands in `found` of `chunks` chunks."""
    from math import log

    return log(1 + chunks / (found + 1))
