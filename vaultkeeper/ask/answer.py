"""Answers a question, or lists what a query finds, from an index. No language model is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from vaultkeeper.ask.blanks import drop_blanks, drop_merely_near
from vaultkeeper.ask.evidence import make_evidence
from vaultkeeper.ask.expected import asking_words, expected
from vaultkeeper.ask.gather import Gathered, gather
from vaultkeeper.ask.hops import FROM, find_hops
from vaultkeeper.ask.misses import barred_by, near_names
from vaultkeeper.ask.quotes import READ, Found, Question, Similarity, choose_quotes, open_leaves
from vaultkeeper.ask.repeats import drop_recaps, drop_repeats
from vaultkeeper.index.reads import (
    Leaf,
    count_undated_outside,
    extend_positions,
    fetch_allowed,
    fetch_entity_notes,
    fetch_leaves,
    fetch_surfaces,
)
from vaultkeeper.index.words import CJK_RUN
from vaultkeeper.present.shapes import Answer, NamedTime, Quote, Searched
from vaultkeeper.present.snippet import stem, stems
from vaultkeeper.providers.words import idf
from vaultkeeper.types import TimeWindow

if TYPE_CHECKING:
    from datetime import datetime

    from vaultkeeper.ask.params import AskParams, Corpus, SearchParams
    from vaultkeeper.index.fts import TermScores


def ask(corpus: Corpus, params: AskParams, now: datetime) -> Answer:
    """Answers with the best sentences of the evidence, quoted, and the evidence. Deterministic.

    What is from a time that the question names ("last week") comes first. Never writes. Same index and same parameters
    give the same bytes. What is only near in meaning is listed, but not quoted: no sentence of it is known to be about
    the question.

    Args:
        now: The present, which such words are told by.
    """
    gathered = _trimmed(corpus, gather(corpus, params, follow=True, now=now), params.limit)
    alone = gathered.period is not None and gathered.period.alone
    if not alone and set(gathered.route.split("+")) <= {"dense", "time"}:
        leaves, scores = _leaves(corpus, gathered, params.limit)
        return _answer(corpus, params, gathered, leaves, scores, [], ())
    if alone:
        leaves, scores = _leaves(corpus, gathered, params.limit)
        opening = open_leaves(leaves, params.sentences)
        return _answer(corpus, params, gathered, leaves, scores, opening, _quotes(leaves, opening))
    weights = _weights(gathered, params.query)
    gathered, led = _hopped(corpus, gathered, weights, params)
    gathered = _trimmed(corpus, gathered, params.limit)
    leaves, scores = _leaves(corpus, gathered, params.limit)
    question = _question(corpus, gathered, params.query, weights, led)
    chosen = choose_quotes(question, leaves, scores, params.sentences)
    return _answer(corpus, params, gathered, leaves, scores, chosen, _quotes(leaves, chosen))


def search(corpus: Corpus, params: SearchParams) -> Answer:
    """Lists what has the words, entities or meaning of a query, best first; nothing is quoted."""
    gathered = gather(corpus, params, follow=False)
    if "words_not_found" not in gathered.notes and _knows_words(corpus, gathered):
        gathered = replace(gathered, ranked=drop_merely_near(gathered))
    gathered = replace(gathered, ranked=drop_blanks(corpus.db, gathered, params.limit))
    leaves, scores = _leaves(corpus, gathered, params.limit)
    return _answer(corpus, params, gathered, leaves, scores, [], ())


def _trimmed(corpus: Corpus, gathered: Gathered, limit: int) -> Gathered:
    """Leaves out what says nothing and what says the same again."""
    if "words_not_found" in gathered.notes or _knows_words(corpus, gathered):
        gathered = replace(gathered, ranked=drop_merely_near(gathered))
    gathered = replace(gathered, ranked=drop_recaps(gathered.ranked, gathered.positions, gathered.terms))
    gathered = replace(gathered, ranked=drop_blanks(corpus.db, gathered, 2 * limit))  # as some go below
    return replace(gathered, ranked=drop_repeats(corpus.db, gathered.ranked, gathered.positions, limit))


def _knows_words(corpus: Corpus, gathered: Gathered) -> bool:
    """Returns whether the vectors are those of words: quick, and often near where nothing is meant."""
    return gathered.vector is not None and corpus.embedder is not None and not corpus.embedder().slow


def _quotes(leaves: Sequence[Leaf], chosen: Sequence[Found]) -> tuple[Quote, ...]:
    return tuple(
        Quote(leaves[found.hit].body[found.sentence.start : found.sentence.end], found.hit + 1)
        for found in chosen
    )


def _leaves(corpus: Corpus, gathered: Gathered, limit: int) -> tuple[list[Leaf], list[float]]:
    first = gathered.ranked[:limit]
    found = fetch_leaves(corpus.db, [pk for pk, _ in first])
    return [found[pk] for pk, _ in first], [score for _, score in first]


def _weights(gathered: Gathered, question: str) -> dict[str, float]:
    """The information of each word that is looked for, by its stem."""
    asking = asking_words(question)
    words = [term for term in gathered.terms if term.label.casefold() not in asking] or gathered.terms
    return {_plain(term): idf(term.found, gathered.indexed) for term in words}


def _plain(term: TermScores) -> str:
    label = term.label.strip('"*')
    return stem(label) if label.isascii() else label.casefold()


def _hopped(
    corpus: Corpus, gathered: Gathered, weights: Mapping[str, float], params: AskParams
) -> tuple[Gathered, dict[int, frozenset[str]]]:
    """Brings up the notes that the best hits lead to, and says by which words each was reached."""
    db = corpus.db
    leaves, scores = _leaves(corpus, gathered, FROM)
    names = frozenset(word for name in gathered.names for word in stems(name))
    own = fetch_entity_notes(db, gathered.entity_ids)
    hops = find_hops(db, weights, names, own, params.query, expected(params.query), leaves, scores)
    allowed = fetch_allowed(db, params.filters) if hops else None
    hops = {pk: hop for pk, hop in hops.items() if allowed is None or pk in allowed}
    if not hops:
        return gathered, {}
    positions = gathered.positions
    extend_positions(db, positions, hops)
    led = {positions[pk].note_pk: hop.words for pk, hop in hops.items()}
    fused = dict(gathered.ranked)
    raised = {pk: hop.score for pk, hop in hops.items() if hop.score > fused.get(pk, 0.0)}
    if not raised:
        return gathered, led
    there = {positions[pk].text_sha: pk for pk in fused}
    for pk, score in raised.items():
        fused[there.get(positions[pk].text_sha, pk)] = score
    ranked = tuple(sorted(fused.items(), key=lambda one: (-one[1], positions[one[0]].order)))
    signals = {**gathered.signals, "link": raised}
    return replace(gathered, ranked=ranked, signals=signals, route=f"{gathered.route}+link"), led


def _question(
    corpus: Corpus,
    gathered: Gathered,
    text: str,
    weights: Mapping[str, float],
    led: Mapping[int, frozenset[str]],
) -> Question:
    db, entity_ids = corpus.db, gathered.entity_ids
    matched: dict[int, set[str]] = {}
    first = {pk for pk, _ in gathered.ranked[:READ]}
    for term in gathered.terms:
        for pk in first & term.scores.keys():
            if (word := _plain(term)) in weights:
                matched.setdefault(pk, set()).add(word)
    return Question(
        text,
        weights,
        fetch_surfaces(db, entity_ids) | {name.casefold() for name in gathered.names},
        fetch_entity_notes(db, entity_ids),
        frozenset(first & gathered.signals["entity"].keys()),
        {pk: frozenset(words) for pk, words in matched.items()},
        led,
        _similarity(corpus, gathered),
        gathered.period.window if gathered.period is not None else None,
    )


def _similarity(corpus: Corpus, gathered: Gathered) -> Similarity | None:
    """Compares sentences with the question in meaning, where the vectors are there and quick."""
    vector = gathered.vector
    if vector is None or corpus.embedder is None or not _knows_words(corpus, gathered):
        return None
    embedder = corpus.embedder()
    return lambda texts: [round(float(row @ vector), 6) for row in embedder.embed(texts)]


def _answer(
    corpus: Corpus,
    params: SearchParams,
    gathered: Gathered,
    leaves: list[Leaf],
    scores: list[float],
    chosen: list[Found],
    quotes: tuple[Quote, ...],
) -> Answer:
    lines: list[int | None] = [None] * len(leaves)
    for found in reversed(chosen):  # the best sentence of a leaf says which block is cited
        lines[found.hit] = leaves[found.hit].body.count("\n", 0, found.sentence.start)
    words = tuple(dict.fromkeys(term.label for term in gathered.terms))
    barred = () if gathered.searched.notes else barred_by(corpus.db, params.filters)
    notes, period = gathered.notes, gathered.period
    if barred:
        notes = (*(note for note in notes if note != "words_not_found"), "filters_leave_nothing")
    if leaves and "words_not_found" not in notes:
        notes += tuple(f"no_note_has:{word}" for word in _absent(gathered))
    evidence = make_evidence(corpus, gathered, leaves, scores, lines)
    if params.window != TimeWindow():
        shown, left = sum(one.edited for one in evidence), count_undated_outside(corpus.db, params.filters)
        notes += (f"by_last_edit:{shown}/{left}",) if shown or left else ()
    return Answer(
        question=params.query,
        quotes=quotes,
        evidence=evidence,
        total=len(gathered.ranked),
        truncated=len(gathered.ranked) > len(leaves),
        route=gathered.route,
        notes=notes,
        searched=Searched(
            gathered.searched.notes,
            words,
            gathered.entity_ids,
            params.window,
            barred,
            NamedTime(period.phrase.text.strip(), period.window, period.by) if period else None,
        ),
        near=near_names(corpus.db, words) if "words_not_found" in notes else (),
    )


def _absent(gathered: Gathered) -> list[str]:
    """The words that stand nowhere, but for those of the time; pairs of characters of Chinese are no words."""
    period = gathered.period
    if period is not None and period.alone:
        return []
    words = [term.label for term in gathered.terms if not term.found and CJK_RUN.search(term.label) is None]
    return [word for word in words if period is None or word not in period.phrase.text]
