"""Modes `walk` and `smart_walk`: from the entities of a question to what mentions them together.

Deterministic, without a language model. The route says which way was taken: `local` (nodes that two entities of the
question share, or the nodes of its only one), `occurrence` (what fits the words, those first that name the entities),
`global` (what fits the words, when the question names nobody), `empty`.

Source: BEHAVIOUR §10 with DESIGN §6.3 and §6.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from heapq import nsmallest
from typing import TYPE_CHECKING

from vaultkeeper.index.connections import count_chunks, fetch_matching, fetch_newest
from vaultkeeper.index.fts import find_terms
from vaultkeeper.index.trees import (
    ALWAYS,
    Place,
    PlaceRow,
    Window,
    fetch_node_chunks,
    fetch_place_rows,
    fetch_placed,
    fetch_window_chunks,
)
from vaultkeeper.index.words import STOP_WORDS, parse_words
from vaultkeeper.retrieval.hits import Found, make_hits, stale_notes
from vaultkeeper.retrieval.modes import last_days
from vaultkeeper.retrieval.primitives import DIGITS
from vaultkeeper.retrieval.relevance import MOST, NOTHING, Relevance, find_relevant, idf_scores
from vaultkeeper.retrieval.sources import may_see
from vaultkeeper.types import QueryResponse, Why

if TYPE_CHECKING:
    from vaultkeeper.retrieval.corpus import Corpus
    from vaultkeeper.retrieval.params import WalkParams


@dataclass(frozen=True, slots=True)
class Question:
    """A question cut into what is looked for.

    Attributes:
        text: Without the words that name a time.
        entity_ids: Canonical, in the order of the text, each once.
        rest: The text without the entities.
        notes: What was understood, such as the window that its words name.
    """

    text: str
    entity_ids: tuple[str, ...]
    rest: str
    window: Window
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A node with the entities of the question that occur in it, and what its other words score."""

    matched: frozenset[str]
    words: float
    row: PlaceRow

    @property
    def order(self) -> tuple[int, float, tuple[int, str, str]]:
        return (-len(self.matched), -self.words, self.row.newest_first)


def walk(corpus: Corpus, params: WalkParams, now: datetime) -> QueryResponse:
    """Answers with leaves and summaries, best first.

    On the local route the score is the number of entities that a hit names; equal ones are ordered by the other words
    of the question, then the newest first, then by id. When there are fewer than asked for, what fits the whole
    question follows with score 0. On the other routes the score is how well a hit fits, 0 to 1. The window holds on
    every route.

    `max_hops` bounds how far apart two entities may be to count as connected. Only those one step apart share a node,
    so a wider bound never adds or removes a hit; it is kept since callers give it.
    """
    question = read_question(corpus, params, now)
    candidates = _candidates(corpus, question)
    visible = {place: one for place, one in candidates.items() if may_see(one.row.scope, corpus.sources)}
    relevant = NOTHING
    if visible:
        route = "local"
        best = nsmallest(params.limit, visible.items(), key=lambda item: item[1].order)
        found = [_local(place, one, question) for place, one in best]
        total_found = len(visible)
        if len(found) < params.limit and question.rest:
            relevant = _relevant(corpus, question)
            more = _ranked(corpus, relevant)
            found += [one._replace(score=0.0) for one in more if Place(one.node, one.pk) not in visible]
            total_found = len(found)
    else:
        relevant = _relevant(corpus, question)
        found = _ranked(corpus, relevant)
        route = "global"
        if question.entity_ids:
            route = "occurrence"
            found = _entities_first(corpus, question, found, params.limit)
        total_found = len(found)
    chosen = found[: params.limit]
    notes = (*question.notes, *relevant.notes, *stale_notes(corpus.db, chosen))
    hits = make_hits(corpus.db, chosen)
    return QueryResponse(hits, total_found, total_found > len(hits), route if hits else "empty", notes)


def read_question(corpus: Corpus, params: WalkParams, now: datetime) -> Question:
    """Finds time and entities in a question; days that are given go before words of the question."""
    query = params.query.strip()
    window = last_days(params.time_window_days, now)
    notes: tuple[str, ...] = ()
    if params.time_window_days is None:
        query, window, notes = _take_time(query, now)
    mentions = sorted(corpus.mentions(query), key=lambda mention: mention.start)
    rest, at = [], 0
    for mention in mentions:
        rest.append(query[at : max(at, mention.start)])
        at = max(at, mention.end)
    rest.append(query[at:])
    ids = tuple(dict.fromkeys(mention.entity_id for mention in mentions))
    words = " ".join(rest).strip()
    return Question(query, ids, words if _says_something(words) else "", window, notes)


def _says_something(text: str) -> bool:
    words = parse_words(text)
    return bool(
        words.phrases or words.cjk or any(term.text.casefold() not in STOP_WORDS for term in words.terms)
    )


def _take_time(query: str, now: datetime) -> tuple[str, Window, tuple[str, ...]]:
    from vaultkeeper.retrieval.timephrases import find_phrase

    phrase = find_phrase(query, now)
    if phrase is None:
        return query, ALWAYS, ()
    since, until = phrase.window.since, phrase.window.until
    since_ms = ALWAYS[0] if since is None else round(since.timestamp() * 1000)
    until_ms = ALWAYS[1] if until is None else round(until.timestamp() * 1000)
    return phrase.cut_from(query) or query, (since_ms, until_ms), (phrase.note,)


def _candidates(corpus: Corpus, question: Question) -> dict[Place, _Candidate]:
    """Nodes in which at least two entities of the question occur; of its only one, all that it occurs in."""
    db, ids = corpus.db, question.entity_ids
    numbers = count_chunks(db, ids)
    present = [one for one in ids if one in numbers]
    least = 1 if len(ids) == 1 else 2
    if len(present) < least:
        return {}
    # A shared node is in the list of the rarer of two entities, so the longest list need not be read.
    often = max(present, key=lambda one: numbers[one]) if least == 2 else ""
    newest = {
        row.chunk_pk for one in present if one != often for row in fetch_newest(db, one, question.window)
    }
    placed = fetch_placed(db, newest)
    rows = dict(placed.values())
    parts = fetch_node_chunks(db, {place.pk for place in rows if place.node})
    chunks = {pk: place for pk, (place, _) in placed.items() if not place.node}
    chunks |= {pk: Place(True, note_pk) for note_pk, pks in parts.items() for pk in pks}
    matched: dict[Place, frozenset[str]] = {}
    if least == 1:
        matched = dict.fromkeys(rows, frozenset(ids))
    else:
        for pk, entities in fetch_matching(db, chunks, present).items():
            place = chunks[pk]
            matched[place] = matched.get(place, frozenset()) | entities
        matched = {place: entities for place, entities in matched.items() if len(entities) >= least}
    words = _word_scores(
        corpus, question.rest, {pk: place for pk, place in chunks.items() if place in matched}
    )
    return {
        place: _Candidate(entities, words.get(place, 0.0), rows[place]) for place, entities in matched.items()
    }


def _word_scores(corpus: Corpus, rest: str, chunks: Mapping[int, Place]) -> dict[Place, float]:
    """How well the words beside the entities fit, 0 to 1."""
    if not rest or not chunks:
        return {}
    scores: dict[Place, float] = {}
    terms = find_terms(corpus.db, parse_words(rest), frozenset(chunks), MOST)
    for pk, score in idf_scores(corpus, terms).items():
        scores[chunks[pk]] = max(scores.get(chunks[pk], 0.0), score)
    greatest = max(scores.values(), default=0.0)
    return {place: round(score / greatest, DIGITS) for place, score in scores.items()} if greatest > 0 else {}


def _local(place: Place, candidate: _Candidate, question: Question) -> Found:
    signals = {"entity": round(len(candidate.matched) / len(question.entity_ids), 4)}
    if candidate.words > 0:
        signals["keyword"] = round(candidate.words, 4)
    asked = tuple(one for one in question.entity_ids if one in candidate.matched)
    return Found(*place, float(len(candidate.matched)), Why(signals, asked))


def _relevant(corpus: Corpus, question: Question) -> Relevance:
    allowed = None if question.window == ALWAYS else fetch_window_chunks(corpus.db, question.window)
    return find_relevant(corpus, question.text, allowed)


def _ranked(corpus: Corpus, relevant: Relevance) -> list[Found]:
    """What fits, best first; equal ones newest first, then by id."""
    rows = fetch_place_rows(corpus.db, list(relevant.scores))
    places: Iterable[Place] = (place for place, row in rows.items() if may_see(row.scope, corpus.sources))
    best = sorted(places, key=lambda place: (-relevant.scores[place], rows[place].newest_first))
    return [Found(*place, relevant.scores[place], relevant.why[place]) for place in best]


def _entities_first(corpus: Corpus, question: Question, found: list[Found], limit: int) -> list[Found]:
    """Of the first twice as many as asked for, those that name more of the entities come first."""
    head = found[: 2 * limit]
    parts = fetch_node_chunks(corpus.db, [one.pk for one in head if one.node])
    chunks = {
        pk: at for at, one in enumerate(head) for pk in (parts.get(one.pk, ()) if one.node else (one.pk,))
    }
    named: dict[int, set[str]] = {}
    for pk, entities in fetch_matching(corpus.db, chunks, question.entity_ids).items():
        named.setdefault(chunks[pk], set()).update(entities)
    order = sorted(range(len(head)), key=lambda at: -len(named.get(at, ())))
    first = []
    for at in order:
        one = head[at]
        if at in named:
            asked = tuple(entity for entity in question.entity_ids if entity in named[at])
            signals = {**one.why.signals, "entity": round(len(asked) / len(question.entity_ids), 4)}
            one = one._replace(why=Why(signals, tuple(dict.fromkeys([*one.why.matched, *asked]))))
        first.append(one)
    return first + found[2 * limit :]
