"""Brings the scores of the primitives together.

Scores are fused, not ranks: a weak signal that is sure of little must not outvote a strong one that is sure of
much, and a rank hides how sure each is.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log10

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
