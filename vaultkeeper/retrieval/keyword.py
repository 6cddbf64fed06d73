"""Primitive: chunks that have the words of the question, or stand beside chunks that have them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.fts import TermScores, add_up, best, score_terms, total
from vaultkeeper.index.reads import Position, extend_positions, fetch_positions
from vaultkeeper.index.words import Words, split_terms
from vaultkeeper.retrieval.neighbours import spread

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection

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
