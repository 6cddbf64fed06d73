"""The central sentences of some texts: an extractive summary that invents nothing.

Owns how words are weighed and sentences chosen. Every sentence that is returned stands in one of the texts, at known
offsets. No model, no numpy; linear in the text but for the choice, which looks at every sentence once for each that is
taken. The same texts give the same sentences on every machine.

Source: centroid-based extraction (Radev et al. 2004) with redundancy taken off (Carbonell and Goldstein 1998).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from math import log, sqrt
from typing import NamedTuple

from vaultkeeper.memory.common_words import FUNCTION_WORDS
from vaultkeeper.memory.sentences import split_sentences
from vaultkeeper.vault.tokens import CJK, approx_tokens

MOST_SENTENCES = 2_000
"""Sentences that are looked at; of longer texts, those at even distances."""

REDUNDANCY = 0.5
"""What a sentence loses for each part of its weight that a chosen one has said already."""

FEWEST_TERMS = 2
"""A sentence with fewer telling words says nothing on its own."""

_CJK_RUN = re.compile(f"[{CJK}]+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ies|ied|ing|ed|es|s|ly)$")
_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n(?:.*?^[ \t]*\1[^\n]*$|.*\Z)", re.M | re.S)


class Picked(NamedTuple):
    """A sentence that was chosen: `texts[source][start:end]`, and how central it is, from 0 to 1 and a bonus."""

    source: int
    start: int
    end: int
    text: str
    score: float


def content_terms(text: str) -> list[str]:
    """Returns the telling words of a text, lower case and without endings; Chinese, Japanese and Korean as pairs."""
    terms: list[str] = []
    if not text.isascii():
        for run in _CJK_RUN.findall(text):
            terms += [run[at : at + 2] for at in range(len(run) - 1)] or [run]
        text = _CJK_RUN.sub(" ", text)
    for word in _WORD.findall(text.lower()):
        if len(word) > 2 and word not in FUNCTION_WORDS and "'" not in word and "’" not in word:
            terms.append(_ENDING.sub("", word))
    return terms


def pick_sentences(
    texts: Sequence[str],
    budget_tokens: int,
    *,
    bonus: Callable[[int, int, int], float] | None = None,
    most: int = 12,
) -> list[Picked]:
    """Chooses the sentences that say most of what the texts say, within a budget.

    Args:
        texts: What is to be summarised, in reading order. Code blocks are passed over.
        budget_tokens: Estimated tokens (`vault.tokens.approx_tokens`) of all chosen sentences at most.
        bonus: Adds to the score of a sentence, given its text's number, start and end; 0 to 1.
        most: Sentences at most.

    Returns:
        In reading order; none overlaps another. Empty when no sentence says anything or fits.
    """
    sentences = _sentences(texts)
    bags = [Counter(content_terms(sentence.text)) for sentence in sentences]
    spoken = [at for at, bag in enumerate(bags) if len(bag) >= FEWEST_TERMS]
    if not spoken:
        return []
    vectors = _weigh([bags[at] for at in spoken])
    centre: defaultdict[str, float] = defaultdict(float)
    for vector in vectors:
        for term, weight in vector.items():
            centre[term] += weight
    length = sqrt(sum(weight * weight for weight in centre.values())) or 1.0
    scores: dict[int, float] = {}
    for at, vector in zip(spoken, vectors, strict=True):
        one = sentences[at]
        central = sum(weight * centre[term] for term, weight in vector.items()) / length
        extra = bonus(one.source, one.start, one.end) if bonus else 0.0
        scores[at] = round(central * _fullness(len(bags[at])) + extra, 6)
    by_place = dict(zip(spoken, vectors, strict=True))
    chosen = _choose(sentences, by_place, scores, budget_tokens, most)
    return [sentences[at]._replace(score=scores[at]) for at in sorted(chosen)]


def _sentences(texts: Sequence[str]) -> list[Picked]:
    found: list[Picked] = []
    for number, text in enumerate(texts):
        shown = (
            _FENCE.sub(lambda block: " " * len(block[0]), text) if "```" in text or "~~~" in text else text
        )
        found += [
            Picked(number, span.start, span.end, text[span.start : span.end], 0.0)
            for span in split_sentences(shown)
        ]
    if len(found) > MOST_SENTENCES:
        step = len(found) / MOST_SENTENCES
        found = [found[int(at * step)] for at in range(MOST_SENTENCES)]
    return found


def _weigh(bags: Sequence[Counter[str]]) -> list[dict[str, float]]:
    """Unit vectors of log-tf times idf. A word in all sentences still counts a little."""
    spread: Counter[str] = Counter()
    for bag in bags:
        spread.update(bag.keys())
    vectors: list[dict[str, float]] = []
    for bag in bags:
        vector = {
            term: (1 + log(number)) * (0.2 + log((1 + len(bags)) / (1 + spread[term])))
            for term, number in bag.items()
        }
        length = sqrt(sum(weight * weight for weight in vector.values())) or 1.0
        vectors.append({term: weight / length for term, weight in vector.items()})
    return vectors


def _fullness(terms: int) -> float:
    """Short sentences lean on others, and very long ones take the place of many."""
    return min(1.0, 0.4 + 0.1 * terms) if terms <= 25 else 25 / terms


def _choose(
    sentences: Sequence[Picked],
    vectors: dict[int, dict[str, float]],
    scores: dict[int, float],
    budget_tokens: int,
    most: int,
) -> list[int]:
    left = dict(scores)
    chosen: list[int] = []
    while left and len(chosen) < most:
        best = min(left, key=lambda at: (-left[at], at))
        del left[best]
        cost = approx_tokens(sentences[best].text) + 1
        if cost > budget_tokens:
            continue
        budget_tokens -= cost
        chosen.append(best)
        said = vectors[best]
        for at in list(left):
            other = vectors[at]
            small, large = (other, said) if len(other) < len(said) else (said, other)
            same = sum(weight * large[term] for term, weight in small.items() if term in large)
            if same > 0.9:
                del left[at]  # said already
            elif same:
                left[at] -= REDUNDANCY * same * scores[at]
    return chosen
