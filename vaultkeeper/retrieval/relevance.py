"""How well leaves and nodes fit a text: by their words and by their meaning, as one number.

Owns what the modes of the tree share: from chunks to leaves and nodes, and the fusion of words and vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vaultkeeper.errors import ProviderError
from vaultkeeper.index.reads import fetch_shas
from vaultkeeper.index.trees import Place, fetch_places
from vaultkeeper.index.words import parse_words, split_terms
from vaultkeeper.retrieval.dense import NEAREST, dense
from vaultkeeper.retrieval.fuse import by_greatest, by_range, fuse
from vaultkeeper.retrieval.keyword import keyword
from vaultkeeper.types import Why

if TYPE_CHECKING:
    from vaultkeeper.retrieval.corpus import Corpus

WORDS = 1.0
STATIC, MODEL = 0.3, 0.5
"""Weights of words and of vectors, relative to each other; a weak encoder of equal weight would lose exact facts."""

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
    found = keyword(corpus.db, parse_words(query), allowed, near=False)
    near, weight, notes = _near(corpus, query, allowed)
    places = fetch_places(corpus.db, [*dict.fromkeys([*found.scores, *near])])
    signals = {"keyword": by_greatest(found.scores), "dense": by_range(near)}
    fused = fuse(signals, {"keyword": WORDS, "dense": weight})
    best: dict[Place, int] = {}
    for pk, score in fused.items():
        place = places.get(pk)
        if place is not None and score > 0 and (place not in best or score > fused[best[place]]):
            best[place] = pk
    why = {
        place: Why(
            {name: round(scores[pk], 4) for name, scores in signals.items() if scores.get(pk, 0.0) > 0},
            tuple(dict.fromkeys(term.label for term in found.terms if pk in term.scores)),
        )
        for place, pk in best.items()
    }
    return Relevance({place: fused[pk] for place, pk in best.items()}, why, notes)


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
    wanted = [
        *(term.text.casefold() for term in words.terms),
        *(p.casefold() for p in words.phrases),
        *words.cjk,
    ]
    shares: dict[int, float] = {}
    matched: dict[int, tuple[str, ...]] = {}
    for at, (_, content) in enumerate(contents):
        plain = content.casefold()
        tokens = {_bare(token) for token in split_terms(plain)}
        found = tuple(
            word
            for word in wanted
            if _bare(word) in tokens
            or (not word.isalnum() and word in plain)
            or (not word.isascii() and word in plain)
        )
        if found:
            shares[at] = len(found) / len(wanted)
            matched[at] = found
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


def _bare(word: str) -> str:
    """A word without the ending of its plural: enough to compare a handful of texts."""
    for ending in ("'s", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word[: -len(ending)]
    return word
