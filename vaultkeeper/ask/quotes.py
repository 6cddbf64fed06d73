"""Which sentences of the evidence answer the question."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from vaultkeeper.ask.expected import Expected, expected, fits, has_unit, standing
from vaultkeeper.ask.period import tells_of
from vaultkeeper.index.reads import Leaf
from vaultkeeper.index.words import STOP_WORDS, split_terms
from vaultkeeper.present.sentences import Sentence, find_sentences
from vaultkeeper.present.snippet import plain, stems
from vaultkeeper.types import TimeWindow

READ = 6
"""Hits that sentences are taken from."""

ABOVE = 0.5
"""What a word is worth that stands only above a sentence: in the title, a heading, a lead-in, a table's head."""

BEFORE = 0.35
"""The same in the sentence before it, which a pronoun may point back to."""

HIDDEN = 0.7
"""The same of what is only known of the note: its day in words, its aliases, its properties."""

LED = 0.85
"""The same in the sentence of another note that led here; it was about whom this note is about."""

NAMED = 0.15
"""What naming an entity of the question is worth, beside having its words."""

FITS, MAY_FIT = 0.35, 0.2
"""What having the kind of thing that is asked for is worth: a number or a day is told by its form, a name, a place or a
reason may be mistaken."""

UNIT = 0.25
"""What the right unit is worth beside: euros for a price, degrees for a temperature."""

UNSAID = 0.4
"""The part of it that a sentence gets which has no word of the question."""

LACKS = 0.7
"""What is left of a sentence that has no number or day when one is asked for."""

IN_TIME = 0.3
"""What naming a day or a month of the time that the question names is worth; half of it is lost by naming others."""

DATED = 0.15
"""What standing in the note of a day is worth when a day is asked for."""

LEADS = 0.05
"""What being the first sentence of a section is worth."""

OPENS = 0.8
"""What being the first sentence of the very note is worth, when the question is who somebody or what something is."""

NEAR = 0.25
"""What being near in meaning is worth, for what is said in other words."""

STANDING = 0.15
"""What speaking of what holds is worth when the question is about now; as much is lost by what is over."""

SAME = 0.6
"""Share of a sentence that stands in another one from which on they say the same."""

KEEP = 0.5
"""Sentences below this share of the best one's score are not quoted beside it."""

LONGEST = 600
"""Characters of a quote; a longer sentence (a line without marks) is not quoted."""

SHORT = 4
"""Telling words below which a sentence is quoted together with the next one."""

SIMILAR = 80
"""Sentences that are compared in meaning."""

_DIVIDER = re.compile(r"\n[ \t>]*\|?[ \t]*:?-[-: |\t]*(?:\n|$)")

_POINTS_BACK = re.compile(
    r"(?:It|Its|They|Their|This|That|These|Those|He|She|His|Her|Him|Them|Both|There)\b(?!\s*:)|[它他她这這那]"
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\b")
_BY_FORM = frozenset({"moment", "duration", "frequency", "amount"})

Similarity = Callable[[Sequence[str]], Sequence[float]]
"""Texts to their nearness in meaning to the question, -1..1."""


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
        naming: Chunks in which an entity of the question occurs, under whatever name.
        matched: Words of `weights` that the index found in a chunk, seen or not.
        led: Words of the sentence that led to a note from another one.
        window: The time that the question names.
        similarity: None when there are no vectors, or they are slow.
    """

    text: str
    weights: Mapping[str, float]
    surfaces: frozenset[str]
    own: frozenset[int] = frozenset()
    naming: frozenset[int] = frozenset()
    matched: Mapping[int, frozenset[str]] = field(default_factory=dict)
    led: Mapping[int, frozenset[str]] = field(default_factory=dict)
    similarity: Similarity | None = None
    window: TimeWindow | None = None


class _Candidate(NamedTuple):
    hit: int
    sentence: Sentence
    text: str
    score: float


def choose_quotes(
    question: Question, leaves: Sequence[Leaf], scores: Sequence[float], count: int
) -> list[Found]:
    """Returns the best sentences of the first leaves, best first.

    A sentence is scored by the share of the question's information that it has, what is only around it counting less,
    by whether it has the kind of thing that is asked for, by nearness in meaning, and by its leaf's score.
    """
    expects = expected(question.text)
    names = {word for surface in question.surfaces for word in stems(surface)} & question.weights.keys()
    weights = _one_name(question.weights, names)
    candidates = [
        candidate
        for hit, leaf in enumerate(leaves[:READ])
        for candidate in _candidates(question, weights, names, expects, hit, leaf)
    ]
    if question.similarity is not None:
        candidates = _with_meaning(question.similarity, candidates)
    greatest = max(scores[:READ], default=0.0) or 1.0
    found = [
        Found(one.hit, one.sentence, round(one.score * (scores[one.hit] / greatest) ** 0.5, 6))
        for one in candidates
        if one.score > 0
    ]
    found.sort(key=lambda item: (-item.score, item.hit, item.sentence.start))
    chosen: list[Found] = []
    seen: set[str] = set()
    for item in found:
        body = leaves[item.hit].body[item.sentence.start : item.sentence.end]
        if item.score < KEEP * found[0].score or len(chosen) == count:
            break
        if not any(_repeats(body, other) for other in seen) and not any(
            _overlap(item, other) for other in chosen
        ):
            seen.add(body)
            chosen.append(item)
    chosen = [_with_antecedent(item, leaves[item.hit].body, chosen) for item in chosen]
    return chosen or open_leaves(leaves[:READ], 1)


def _with_antecedent(item: Found, body: str, chosen: Sequence[Found]) -> Found:
    """A sentence that begins with "it" or "she", together with the one before it, unless that is quoted too."""
    if not _POINTS_BACK.match(body, item.sentence.start):
        return item
    sentences = find_sentences(body)
    at = next((i for i, one in enumerate(sentences) if one.start == item.sentence.start), 0)
    before = sentences[at - 1] if at else item.sentence
    between = body[before.end : item.sentence.start]
    if before.kind != "prose" or not at or between.strip() or "\n" in between:
        return item
    longer = item._replace(sentence=Sentence(before.start, item.sentence.end, "prose"))
    apart = all(other is item or not _overlap(longer, other) for other in chosen)
    return longer if apart and longer.sentence.end - before.start <= LONGEST // 2 else item


def _one_name(weights: Mapping[str, float], names: set[str]) -> dict[str, float]:
    """Lets the words of a name count as one word: who has the name has said one thing."""
    among = sum(weights[word] for word in names)
    share = max((weights[word] for word in names), default=0.0) / among if among else 1.0
    return {word: weight * (share if word in names else 1.0) for word, weight in weights.items()}


def _candidates(
    question: Question,
    weights: Mapping[str, float],
    names: set[str],
    expects: Expected,
    hit: int,
    leaf: Leaf,
) -> Iterator[_Candidate]:
    everything = sum(weights.values()) or 1.0
    own = leaf.note_pk in question.own
    title = stems(leaf.title)
    # A note that is called what the question names is about it in every sentence.
    of_title = 1.0 if own or (title and title <= weights.keys()) else ABOVE
    around: dict[str, float] = {}
    visible = _have(weights, f"{leaf.title} {leaf.heading} {leaf.body}")
    _raise(around, question.matched.get(leaf.chunk_pk, frozenset()) - visible, HIDDEN)
    _raise(around, question.led.get(leaf.note_pk, frozenset()), LED)
    _raise(around, _have(weights, leaf.heading), ABOVE)
    _raise(around, _have(weights, leaf.title), of_title)
    if own:
        _raise(around, names, 1.0)
    elif leaf.chunk_pk in question.naming:
        _raise(around, names, ABOVE)
    dated = expects.kind == "moment" and _DAY.match(leaf.title) is not None
    first = True
    for sentence, short, above, before in _in_context(leaf.body):
        text = leaf.body[sentence.start : sentence.end]
        have = _have(weights, text)
        opens = first and leaf.seq == 0 and of_title == 1.0 and expects.kind == "meaning"
        if short and not opens and not _have(weights, short) - _have(weights, text[len(short) :]):
            continue
        credit = dict(around)
        _raise(credit, _have(weights, above), ABOVE)
        _raise(credit, _have(weights, before), BEFORE)
        _raise(credit, have, 1.0)
        score = sum(weights[word] * share for word, share in credit.items()) / everything
        fit = opens or fits(expects.kind, text, question.text)
        timely = tells_of(text, question.window) if question.window is not None else 0
        if not score and not fit and timely < 1:
            continue
        low = text.casefold()
        if any(surface in low for surface in question.surfaces):
            score += NAMED
        if fit:
            # Any number fits a question for a number: the less else is said of it, the less that is worth.
            worth = FITS if expects.kind in _BY_FORM else MAY_FIT
            if expects.kind == "amount" and has_unit(text, question.text):
                worth += UNIT
            score += worth * min(1.0, UNSAID + score)
        elif dated:
            score += DATED
        elif expects.kind in _BY_FORM:
            score *= LACKS
        score += IN_TIME * (timely if timely > 0 else timely / 2)
        if first:
            score += OPENS if opens else LEADS
            first = False
        if expects.current:
            score += STANDING * standing(text)
        yield _Candidate(hit, sentence, text, score)


def _raise(credit: dict[str, float], words: frozenset[str] | set[str], share: float) -> None:
    for word in words:
        credit[word] = max(credit.get(word, 0.0), share)


def _in_context(body: str) -> Iterator[tuple[Sentence, str, str, str]]:
    """Yields what can be quoted, with its surroundings.

    These are: the short sentence that it begins with and that does not stand alone; what stands above it in the body
    (heading, lead-in, table's head); and the sentence before it.
    """
    sentences = find_sentences(body)
    heading = lead = head = before = ""
    for at, sentence in enumerate(sentences):
        text = body[sentence.start : sentence.end]
        follows = at > 0 and "\n\n" not in body[sentences[at - 1].end : sentence.start]
        if sentence.kind == "heading":
            heading, lead, head, before = text, "", "", ""
            continue
        if sentence.kind == "row":
            if not (at > 0 and sentences[at - 1].kind == "row" and follows):
                head = ""
            if _DIVIDER.match(body, sentence.end):
                head = text
                continue
        else:
            head = ""
        if sentence.kind in ("code", "link") or len(text) > LONGEST or text.rstrip().endswith(("?", "？")):
            before = text
            continue
        if text.rstrip().endswith((":", "：")):
            lead, before = text, text
            continue
        above, behind = f"{heading} {lead} {head}", before if sentence.kind == "prose" else ""
        telling = SHORT if sentence.kind == "row" else _telling(text)
        if telling >= 2:
            yield sentence, "", above, behind
        longer = _stretched(body, sentences, at) if telling < SHORT else None
        if longer is not None:
            yield longer, text, above, behind
        before = text
        if not _is_item(body, sentence) and sentence.kind == "prose" and not follows:
            lead = ""


def _stretched(body: str, sentences: Sequence[Sentence], at: int) -> Sentence | None:
    """A short sentence with the next one of its line; None when there is none."""
    if at + 1 == len(sentences):
        return None
    sentence, after = sentences[at], sentences[at + 1]
    between = body[sentence.end : after.start]
    near = after.kind == sentence.kind == "prose" and not between.strip() and "\n" not in between
    return (
        Sentence(sentence.start, after.end, "prose")
        if near and after.end - sentence.start <= LONGEST
        else None
    )


def _telling(text: str) -> int:
    """Number of words that say something; a run of CJK counts by its characters."""
    words = [word for word in split_terms(text) if word.casefold() not in STOP_WORDS]
    return sum(1 if word.isascii() else max(1, len(word) // 2) for word in words)


def _is_item(body: str, sentence: Sentence) -> bool:
    line = body[body.rfind("\n", 0, sentence.start) + 1 : sentence.start]
    return bool(line.strip(" \t>"))


def _repeats(text: str, other: str) -> bool:
    """Returns whether two sentences say the same, up to a word or two around it ("User: …")."""
    short, long = sorted((plain(text).casefold(), plain(other).casefold()), key=len)
    return short in long and len(short) >= SAME * len(long)


def _overlap(one: Found, other: Found) -> bool:
    return (
        one.hit == other.hit
        and one.sentence.start < other.sentence.end
        and other.sentence.start < one.sentence.end
    )


def _with_meaning(similarity: Similarity, candidates: Sequence[_Candidate]) -> list[_Candidate]:
    best = sorted(range(len(candidates)), key=lambda at: (-candidates[at].score, at))[:SIMILAR]
    near = dict(zip(best, similarity([candidates[at].text for at in best]), strict=True))
    return [
        one._replace(score=one.score + NEAR * max(0.0, near.get(at, 0.0)))
        for at, one in enumerate(candidates)
    ]


def _have(weights: Mapping[str, float], text: str) -> set[str]:
    there = stems(text)
    return {word for word in weights if word in there or (not word.isascii() and word in text)}


def open_leaves(leaves: Sequence[Leaf], count: int) -> list[Found]:
    """Returns the first sentence of each of the first leaves that has one, at most `count`.

    It is better than none, where only meaning, a name or a time led there. A row of a table is taken when there is no
    sentence in any of them.
    """
    for kind in ("prose", "row"):
        found: list[Found] = []
        for hit, leaf in enumerate(leaves):
            sentences = find_sentences(leaf.body)
            for at, sentence in enumerate(sentences):
                head = kind == "row" and _DIVIDER.match(leaf.body, sentence.end)
                if sentence.kind == kind and not head and sentence.end - sentence.start <= LONGEST:
                    short = kind == "prose" and _telling(leaf.body[sentence.start : sentence.end]) < 2
                    longer = _stretched(leaf.body, sentences, at) if short else None
                    found.append(Found(hit, longer or sentence, 0.0))
                    break
        if found:
            return found[:count]
    return []
