"""How well leaves and nodes fit a text: by their words and by their meaning, as one number.

Owns what the modes of the tree share: from chunks to leaves and nodes, and the fusion of words and vectors.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vaultkeeper.errors import ProviderError
from vaultkeeper.index.fts import TermChunks, find_terms
from vaultkeeper.index.reads import count_indexed, fetch_shas
from vaultkeeper.index.trees import Place, fetch_places
from vaultkeeper.index.words import Words, parse_words, split_terms
from vaultkeeper.providers.words import idf
from vaultkeeper.retrieval.primitives import (
    DIGITS,
    NEAREST,
    POOL,
    by_greatest,
    by_range,
    dense,
    fuse,
    keyword,
)
from vaultkeeper.types import Why

if TYPE_CHECKING:
    from vaultkeeper.retrieval.corpus import Corpus

WORDS = 1.0
STATIC, MODEL = 0.3, 0.5
"""Weights of words and of vectors, relative to each other; a weak encoder of equal weight would lose exact facts."""

MOST = 20_000
"""A word in more chunks than this is passed over where only a part of the index may be found."""

AFFORDABLE = 3_000
"""Rows that may be scored by bm25 where only a part of the index may be found."""

FEW = 5_000
"""Up to so many allowed chunks the vectors are told which; beyond, more are asked for and the others left out."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """What fits.

    Attributes:
        scores: By place, above 0 up to 1, six decimals; comparable within one call.
        why: Signals and matching words by place.
        notes: `vectors_pending`, `vectors_unavailable`.
    """

    scores: Mapping[Place, float]
    why: Mapping[Place, Why]
    notes: tuple[str, ...]


NOTHING = Relevance({}, {}, ())


def find_relevant(corpus: Corpus, query: str, allowed: frozenset[int] | None = None) -> Relevance:
    """Finds leaves and nodes by words (bm25) and vectors, and fuses both.

    Args:
        allowed: Chunks that may be found; None means all.

    A node has the greatest score of its chunks. What is superseded is left out.
    """
    if not query.strip() or (allowed is not None and not allowed):
        return NOTHING
    scores, terms = _by_words(corpus, parse_words(query), allowed)
    near, weight, notes = _near(corpus, query, allowed)
    places = fetch_places(corpus.db, [*dict.fromkeys([*scores, *near])])
    signals = {"keyword": by_greatest(scores), "dense": by_range(near)}
    fused = fuse(signals, {"keyword": WORDS, "dense": weight})
    best: dict[Place, int] = {}
    for pk, score in fused.items():
        place = places.get(pk)
        if place is not None and score > 0 and (place not in best or score > fused[best[place]]):
            best[place] = pk
    why = {
        place: Why(
            {name: round(scores[pk], 4) for name, scores in signals.items() if scores.get(pk, 0.0) > 0},
            tuple(dict.fromkeys(label for label, chunks in terms if pk in chunks)),
        )
        for place, pk in best.items()
    }
    return Relevance({place: fused[pk] for place, pk in best.items()}, why, notes)


def _by_words(
    corpus: Corpus, words: Words, allowed: frozenset[int] | None
) -> tuple[dict[int, float], list[tuple[str, Collection[int]]]]:
    """Scores by bm25; where common words would have to be scored for a few allowed chunks, by the idf of the words."""
    if allowed is not None:
        terms = find_terms(corpus.db, words, allowed, MOST)
        if sum(term.found for term in terms) > AFFORDABLE:
            scores = idf_scores(corpus, terms)
            edge = sorted(scores.values(), reverse=True)[POOL - 1] if len(scores) > POOL else 0.0
            best = {pk: score for pk, score in scores.items() if score >= edge}
            return best, [(term.label, term.chunks) for term in terms]
    found = keyword(corpus.db, words, allowed, near=False)
    return found.scores, [(term.label, term.scores) for term in found.terms]


def idf_scores(corpus: Corpus, terms: Sequence[TermChunks]) -> dict[int, float]:
    """Returns for each chunk the summed idf of the words in it, in the order of the words."""
    chunks = count_indexed(corpus.db).chunks
    scores: dict[int, float] = {}
    for term in terms:
        worth = idf(term.found, chunks)
        for pk in term.chunks:
            scores[pk] = scores.get(pk, 0.0) + worth
    return {pk: round(score, DIGITS) for pk, score in scores.items()}


def _near(
    corpus: Corpus, query: str, allowed: frozenset[int] | None
) -> tuple[dict[int, float], float, tuple[str, ...]]:
    """Returns cosines by chunk, the weight that they deserve, and remarks."""
    if corpus.vectors is None or corpus.embedder is None:
        return {}, 0.0, ()
    notes = ("vectors_pending",) if corpus.pending else ()
    try:
        embedder = corpus.embedder()
        vector = embedder.embed_query(query)
    except ProviderError:
        return {}, 0.0, (*notes, "vectors_unavailable")
    weight = MODEL if embedder.slow else STATIC
    if allowed is None or len(allowed) <= FEW:
        return dense(corpus.db, corpus.vectors, vector, allowed), weight, notes
    found = dense(corpus.db, corpus.vectors, vector, None, k=4 * NEAREST)
    return {pk: cosine for pk, cosine in found.items() if pk in allowed}, weight, notes


def rerank(corpus: Corpus, query: str, contents: Sequence[tuple[int, str]]) -> list[tuple[int, Why]]:
    """Orders a few contents by how well they fit a query.

    Args:
        contents: Row id of a chunk and the text of what it stands for, in the incoming order.

    Returns:
        For each, its number in the incoming order and why. Best first; those that nothing speaks for keep their order
        behind the others.
    """
    words = parse_words(query)
    wanted = [(term.text, _forms(term.text.casefold())) for term in words.terms]
    runs = [text.casefold() for text in (*words.phrases, *words.cjk)]
    shares: dict[int, float] = {}
    matched: dict[int, tuple[str, ...]] = {}
    for at, (_, content) in enumerate(contents):
        plain = content.casefold()
        tokens = frozenset(split_terms(plain))
        found = [word for word, forms in wanted if not tokens.isdisjoint(forms)]
        found += [run for run in runs if run in plain]
        if found:
            shares[at] = len(found) / (len(wanted) + len(runs))
            matched[at] = tuple(found)
    cosines, weight = _cosines(corpus, query, [pk for pk, _ in contents])
    signals = {"keyword": shares, "dense": by_range(cosines)}
    fused = fuse(signals, {"keyword": WORDS, "dense": weight})
    order = sorted(range(len(contents)), key=lambda at: (at not in fused, -fused.get(at, 0.0), at))
    return [
        (
            at,
            Why(
                {name: round(scores[at], 4) for name, scores in signals.items() if scores.get(at, 0.0) > 0},
                matched.get(at, ()),
            ),
        )
        for at in order
    ]


def _cosines(corpus: Corpus, query: str, chunk_pks: Sequence[int]) -> tuple[dict[int, float], float]:
    if corpus.vectors is None or corpus.embedder is None or not query.strip():
        return {}, 0.0
    try:
        embedder = corpus.embedder()
        vector = embedder.embed_query(query)
    except ProviderError:
        return {}, 0.0
    allowed = frozenset(chunk_pks)
    if not allowed or not fetch_shas(corpus.db, allowed):
        return {}, 0.0
    found = dense(corpus.db, corpus.vectors, vector, allowed, k=len(allowed))
    weight = MODEL if embedder.slow else STATIC
    return {at: found[pk] for at, pk in enumerate(chunk_pks) if pk in found}, weight


def _forms(word: str) -> frozenset[str]:
    """A word with and without the ending of its plural: enough to compare a handful of texts."""
    forms = {word, f"{word}s", f"{word}es"}
    forms.update(word[: -len(ending)] for ending in ("es", "s") if word.endswith(ending) and len(word) > 4)
    return frozenset(forms)
