"""Primitive: chunks that have the words of the question, or stand beside chunks that have them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.fts import TermScores, best, score_terms, total
from vaultkeeper.index.reads import Position, extend_positions, fetch_positions
from vaultkeeper.index.words import Words
from vaultkeeper.retrieval.neighbours import spread

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection

POOL = 200
"""Chunks that go on to the next step. On conversations of 700 turns, 1,000 give the same recall@10."""


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


def keyword(db: Connection, words: Words, allowed: Collection[int] | None, near: bool = True) -> KeywordFound:
    """Finds chunks by bm25.

    Args:
        words: The question.
        allowed: Chunks that may be found; None means all.
        near: Lets a word count in the neighbouring turns and sections too.
    """
    terms = score_terms(db, words, allowed)
    sums = total(terms)
    if allowed is not None and len(sums) < min(POOL, len(allowed)):
        # The rare words are outside of what is allowed: look at the common ones on their own.
        terms = score_terms(db, words, allowed, budget=None)
        sums = total(terms)
    scores = {found.chunk_pk: found.score for found in best(db, sums, POOL)}
    positions = fetch_positions(db, scores)
    if near and scores:
        kept = [{pk: term.scores[pk] for pk in term.scores.keys() & scores.keys()} for term in terms]
        scores = spread(db, kept, positions)
        if allowed is not None:
            scores = {pk: score for pk, score in scores.items() if pk in allowed}
        extend_positions(db, positions, scores)
    return KeywordFound(scores, tuple(terms), positions)


def idf(chunks: int, found: int) -> float:
    """Returns how much a word, or an entity, says that stands in `found` of `chunks` chunks."""
    from math import log

    return log(1 + chunks / (found + 1))
