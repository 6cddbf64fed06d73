"""Which sentences of the evidence answer the question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vaultkeeper.index.reads import Leaf
from vaultkeeper.present.sentences import Sentence, find_sentences
from vaultkeeper.present.snippet import stems

READ = 6
"""Hits that sentences are taken from."""

ABOVE = 0.5
"""What a word is worth that stands in the heading or title above a sentence and not in it."""

NAMED = 0.3
"""What naming an entity of the question is worth, beside having all its words."""

FITS = 0.25
"""What having the kind of thing that is asked for is worth: a number, a day, a name."""

KEEP = 0.6
"""Sentences below this share of the best one's score are not quoted beside it."""

LONGEST = 600
"""Characters of a quote; a longer sentence (a line without marks) is not quoted."""

_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|half|twice)\b", re.IGNORECASE
)
_DAY = re.compile(
    r"\b\d{4}\b|\b\d{1,2}[:.]\d{2}\b|\b\d{1,2}(?:st|nd|rd|th)?\b(?=.*\b)|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|"
    r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|\b(?:today|yesterday|tomorrow|last|next|ago|week|month|year)\b|[年月日号]"
)  # fmt: skip
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+|\[\[")
_ASKS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (re.compile(r"\bhow (?:many|much|long|old|far|often|big|tall|high)\b|多少|几个|幾個|多久|多长", re.I), _NUMBER),
    (re.compile(r"\bwhen\b|\bwhat (?:time|day|date|year|month)\b|什么时候|什麼時候|几号|哪天|哪年", re.I), _DAY),
    (re.compile(r"\bwho(?:m|se)?\b", re.I), _NAME),
)  # fmt: skip


class Found(NamedTuple):
    """A sentence and how well it answers; `hit` is the position of its leaf in the ranking."""

    hit: int
    sentence: Sentence
    score: float


@dataclass(frozen=True, slots=True)
class Question:
    """What a sentence is compared with.

    Attributes:
        text: As asked.
        weights: Information of each stem, or run of CJK, that is looked for.
        surfaces: Spellings of the entities of the question, in small letters.
        own: Notes that declare an entity of the question: whatever they say, they say of it.
    """

    text: str
    weights: Mapping[str, float]
    surfaces: frozenset[str]
    own: frozenset[int] = frozenset()


def choose_quotes(
    question: Question, leaves: Sequence[Leaf], scores: Sequence[float], count: int
) -> list[Found]:
    """Returns the best sentences of the first leaves, best first.

    A sentence is scored by the share of the question's information that it has, what stands above it counting half,
    by the entities that it names, by whether it has the kind of thing that is asked for, and by its leaf's score.
    """
    everything = sum(question.weights.values()) or 1.0
    asked_for = next((thing for asks, thing in _ASKS if asks.search(question.text)), None)
    found: list[Found] = []
    names = {word for surface in question.surfaces for word in stems(surface)} & question.weights.keys()
    for hit, (leaf, leaf_score) in enumerate(zip(leaves[:READ], scores, strict=False)):
        above = _have(question.weights, f"{leaf.title} {leaf.heading}")
        if leaf.note_pk in question.own:
            above |= names
        # A note that is called what the question names is about it in every sentence.
        of_above = (
            1.0 if leaf.note_pk in question.own or stems(leaf.title) <= question.weights.keys() else ABOVE
        )
        for sentence in find_sentences(leaf.body):
            text = leaf.body[sentence.start : sentence.end]
            low = text.casefold()
            if (
                sentence.kind in ("heading", "code")
                or len(text) > LONGEST
                or text.rstrip().endswith(("?", "？"))
            ):
                continue
            have = _have(question.weights, text)
            score = sum(question.weights[word] for word in have)
            score = (score + of_above * sum(question.weights[word] for word in above - have)) / everything
            if leaf.note_pk in question.own or any(surface in low for surface in question.surfaces):
                score += NAMED
            if asked_for and score and asked_for.search(text):
                score += FITS
            if score:
                found.append(Found(hit, sentence, round(score * leaf_score, 6)))
    found.sort(key=lambda item: (-item.score, item.hit, item.sentence.start))
    chosen: list[Found] = []
    seen: set[str] = set()
    for item in found:
        body = leaves[item.hit].body[item.sentence.start : item.sentence.end]
        if item.score < KEEP * found[0].score or len(chosen) == count:
            break
        if body not in seen:
            seen.add(body)
            chosen.append(item)
    return chosen or _opening(leaves)


def _have(weights: Mapping[str, float], text: str) -> set[str]:
    there = stems(text)
    return {word for word in weights if word in there or (not word.isascii() and word in text)}


def _opening(leaves: Sequence[Leaf]) -> list[Found]:
    """The first sentence of the first leaf that has one: better than none, when only meaning or a name led there."""
    for hit, leaf in enumerate(leaves[:READ]):
        for kinds in (("prose",), ("row",)):
            for sentence in find_sentences(leaf.body):
                if sentence.kind in kinds and sentence.end - sentence.start <= LONGEST:
                    return [Found(hit, sentence, 0.0)]
    return []
