"""Asks every primitive and fuses what they found.

The one place that knows how much each signal weighs. One configuration for all vaults and questions; what adapts
to the question is said here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vaultkeeper.ask.period import Period, find_period, prefer_period
from vaultkeeper.errors import ProviderError
from vaultkeeper.index.fts import TermScores, count_word
from vaultkeeper.index.reads import (
    Counts,
    Position,
    count_indexed,
    extend_positions,
    fetch_allowed,
    fetch_leaves,
)
from vaultkeeper.index.words import Words, parse_words
from vaultkeeper.memory.entities import is_template
from vaultkeeper.providers.words import idf
from vaultkeeper.retrieval.graph import SEEDS, Walked, graph
from vaultkeeper.retrieval.neighbours import spread
from vaultkeeper.retrieval.primitives import (
    KeywordFound,
    by_greatest,
    by_magnitude,
    by_range,
    dense,
    entity,
    fuse,
    keyword,
    named_entities,
)

if TYPE_CHECKING:
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    from vaultkeeper.ask.params import Corpus, SearchParams

KEYWORD = 1.0
"""Weight of the words; the others are relative to it."""

ENTITY = 0.15
"""Enough to put the right one first among notes with the same words, and to find a note under another name."""

GRAPH = 3.0
"""Weight of a walk from a rare name, which finds what the words cannot; less when the names say less."""

DENSE_STATIC, DENSE_MODEL = 0.3, 0.5
"""Weight of vectors: static ones know words, a transformer knows sentences. Equal weight would lose exact facts."""

TEMPLATE = 0.5
"""What a hit counts in a folder of templates: it holds the words of many notes and says nothing of any."""

SURE = 10
"""Best chunks by words that may cover the question."""

_NO_QUOTES = str.maketrans(dict.fromkeys('"“”„', " "))


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was found, best first, duplicates removed.

    Attributes:
        ranked: Chunks with their fused scores, 0..1.
        signals: Scores of each signal by chunk, 0..1.
        names: How the question writes its entities.
        indexed: Number of chunks in the index.
        searched: How much could be found at all.
        positions: Where the ranked chunks stand.
        vector: Of the question; None without vectors.
        period: The time that the question names in its own words; None where none was looked for or found.
        route: Signals that had something to say, joined by `+`; `none` when nothing was found.
    """

    ranked: tuple[tuple[int, float], ...]
    signals: Mapping[str, Mapping[int, float]]
    words: Words
    terms: tuple[TermScores, ...]
    entity_ids: tuple[str, ...]
    names: tuple[str, ...]
    indexed: int
    searched: Counts
    route: str
    notes: tuple[str, ...]
    positions: dict[int, Position]
    vector: NDArray[np.float32] | None = None
    period: Period | None = None


def gather(corpus: Corpus, params: SearchParams, *, follow: bool, now: datetime | None = None) -> Gathered:
    """Searches by words, entities, names and meaning, and fuses. Deterministic, and independent of row ids.

    Args:
        follow: Goes on to what stands beside the words, and where their names lead. A plain search does not.
        now: The present, for words such as "last week"; None takes them as words only. A window that is given goes
            before them.
    """
    db = corpus.db
    allowed = fetch_allowed(db, params.filters)
    timed = params.window.since is not None or params.window.until is not None
    period = None if now is None or timed else find_period(db, params.query, now, allowed)
    query = params.query if period is None else period.query
    indexed = count_indexed(db)
    words = parse_words(query)
    mentions = corpus.mentions(query)
    entity_ids = tuple(dict.fromkeys(mention.entity_id for mention in mentions))
    named = named_entities(db, mentions, allowed, indexed.chunks)
    notes = list(corpus.notes)

    found = keyword(db, words, allowed, near=follow, named=named)
    if words.phrases and not found.scores:
        notes.append("phrase_not_found")
        words = parse_words(query.translate(_NO_QUOTES))
        found = keyword(db, words, allowed, near=follow, named=named)
    walked = _walk(corpus, query, entity_ids, found, indexed.chunks, allowed) if follow else Walked({}, 0.0)
    if not found.scores:
        notes.append("words_not_found")
    positions = found.positions
    counted = {term.label.casefold(): term.found for term in found.terms}
    near, near_weight, vector = _dense(corpus, query, allowed, indexed.chunks, counted, notes)
    near = by_range(near)
    if follow and near:
        extend_positions(db, positions, near)
        near = spread(db, [near], {pk: positions[pk] for pk in near})
    signals = {
        "keyword": by_greatest(found.scores),
        "entity": by_greatest(entity(named)),
        "graph": by_magnitude(walked.scores),
        "dense": near,
    }
    weights = {
        "keyword": KEYWORD,
        "entity": ENTITY,
        "graph": GRAPH * walked.telling,
        "dense": near_weight * (1 - walked.telling * _covered(found, indexed.chunks) ** 2),
    }
    fused = fuse(signals, weights)
    may = found.scores.keys() if words.phrases and not follow else allowed
    fused = {pk: score for pk, score in fused.items() if score > 0 and (may is None or pk in may)}
    used = [name for name, scores in signals.items() if scores and weights[name] > 0]
    if period is not None:
        notes.append(period.phrase.note)
        fused, from_then = prefer_period(db, period, fused, positions)
        if period.alone:  # none of its words was meant to be found
            used, notes = [], [note for note in notes if note != "words_not_found"]
        if from_then:
            used.append("time")
        else:
            notes.append("window_empty")
        signals["time"] = from_then
    extend_positions(db, positions, fused)
    fused = {pk: score * (TEMPLATE if is_template(positions[pk].path) else 1) for pk, score in fused.items()}
    ranked: list[tuple[int, float]] = []
    seen: set[bytes] = set()
    for pk in sorted(fused, key=lambda pk: (-fused[pk], positions[pk].order)):
        if positions[pk].text_sha not in seen:
            seen.add(positions[pk].text_sha)
            ranked.append((pk, fused[pk]))
    return Gathered(
        ranked=tuple(ranked),
        signals=signals,
        words=words,
        terms=found.terms,
        entity_ids=entity_ids,
        names=tuple(dict.fromkeys(mention.surface for mention in mentions)),
        indexed=indexed.chunks,
        searched=indexed if allowed is None else count_indexed(db, allowed),
        route="+".join(used) or "none",
        notes=tuple(notes),
        positions=positions,
        vector=vector,
        period=period,
    )


def _walk(
    corpus: Corpus,
    query: str,
    entity_ids: tuple[str, ...],
    found: KeywordFound,
    chunks: int,
    allowed: frozenset[int] | None,
) -> Walked:
    scores, positions = found.scores, found.positions
    best = sorted(scores, key=lambda pk: (-round(scores[pk], 6), positions[pk].order))[:SEEDS]
    leaves = fetch_leaves(corpus.db, best)
    seeds = [(leaves[pk], scores[pk]) for pk in best]
    reached, telling = graph(corpus.db, query, entity_ids, seeds, chunks, positions)
    return Walked({pk: score for pk, score in reached.items() if allowed is None or pk in allowed}, telling)


def _covered(found: KeywordFound, chunks: int) -> float:
    """Returns the greatest share of the question's information that one of the best chunks has, 0..1.

    Where one has it all, and a rare name leads on from there, there is nothing left that vectors could make good: what
    is only near in meaning then takes the places of what the name leads to.
    """
    worth = [(idf(term.found, chunks), term.scores) for term in found.terms]
    everything = sum(value for value, _ in worth)
    best = sorted(found.scores, key=lambda pk: (-round(found.scores[pk], 6), found.positions[pk].order))[
        :SURE
    ]
    most = max((sum(value for value, scores in worth if pk in scores) for pk in best), default=0.0)
    return most / everything if everything else 0.0


def _dense(
    corpus: Corpus,
    query: str,
    allowed: frozenset[int] | None,
    chunks: int,
    counted: Mapping[str, int],
    notes: list[str],
) -> tuple[dict[int, float], float, NDArray[np.float32] | None]:
    """Returns the cosines, the weight that they deserve, and the vector of the question."""
    if corpus.vectors is None or corpus.embedder is None:
        return {}, 0.0, None
    if corpus.pending:
        notes.append("vectors_pending")

    def rarity(word: str) -> float:
        found = counted.get(word)
        return idf(count_word(corpus.db, word) if found is None else found, chunks)

    try:
        embedder = corpus.embedder()
        vector = embedder.embed_query(query, rarity)
    except ProviderError:
        notes.append("vectors_unavailable")
        return {}, 0.0, None
    found = dense(corpus.db, corpus.vectors, vector, allowed)
    return found, DENSE_MODEL if embedder.slow else DENSE_STATIC, vector
