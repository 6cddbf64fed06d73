"""Answers a question, or lists what a query finds, from an index. No language model is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultkeeper.ask.evidence import make_evidence
from vaultkeeper.ask.gather import Gathered, gather
from vaultkeeper.ask.near import near_names
from vaultkeeper.ask.quotes import Found, Question, choose_quotes
from vaultkeeper.index.reads import Leaf, fetch_entity_notes, fetch_leaves, fetch_surfaces
from vaultkeeper.present.shapes import Answer, Quote, Searched
from vaultkeeper.present.snippet import stem
from vaultkeeper.providers.words import idf

if TYPE_CHECKING:
    from vaultkeeper.ask.corpus import AskParams, Corpus, SearchParams


def ask(corpus: Corpus, params: AskParams) -> Answer:
    """Answers with the best sentences of the evidence, quoted, and the evidence. Deterministic.

    Never writes. Same index and same parameters give the same bytes.
    """
    gathered = gather(corpus, params, follow=True)
    leaves, scores = _leaves(corpus, gathered, params.limit)
    question = _question(corpus, gathered, params.query)
    chosen = choose_quotes(question, leaves, scores, params.sentences)
    quotes = tuple(
        Quote(leaves[found.hit].body[found.sentence.start : found.sentence.end], found.hit + 1)
        for found in chosen
    )
    return _answer(corpus, params, gathered, leaves, scores, chosen, quotes)


def search(corpus: Corpus, params: SearchParams) -> Answer:
    """Lists what has the words, entities or meaning of a query, best first; nothing is quoted."""
    gathered = gather(corpus, params, follow=False)
    leaves, scores = _leaves(corpus, gathered, params.limit)
    return _answer(corpus, params, gathered, leaves, scores, [], ())


def _leaves(corpus: Corpus, gathered: Gathered, limit: int) -> tuple[list[Leaf], list[float]]:
    first = gathered.ranked[:limit]
    found = fetch_leaves(corpus.db, [pk for pk, _ in first])
    return [found[pk] for pk, _ in first], [score for _, score in first]


def _question(corpus: Corpus, gathered: Gathered, text: str) -> Question:
    weights: dict[str, float] = {}
    for term in gathered.terms:
        label = term.label.strip('"*')
        weights[stem(label) if label.isascii() else label.casefold()] = idf(term.found, gathered.indexed)
    return Question(
        text,
        weights,
        fetch_surfaces(corpus.db, gathered.entity_ids),
        fetch_entity_notes(corpus.db, gathered.entity_ids),
    )


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
    return Answer(
        question=params.query,
        quotes=quotes,
        evidence=make_evidence(corpus, gathered, leaves, scores, lines),
        total=len(gathered.ranked),
        truncated=len(gathered.ranked) > len(leaves),
        route=gathered.route,
        notes=gathered.notes,
        searched=Searched(gathered.searched.notes, words, gathered.entity_ids, params.window),
        near=near_names(corpus.db, words) if "words_not_found" in gathered.notes else (),
    )
