"""Full-text search: the only way from words to MATCH.

Owns the MATCH expressions over `chunks_fts` and `chunks_cjk`, and bm25. Whatever a user types becomes a valid
expression: every word is quoted, so no operator of FTS5 can be reached. It never writes.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.words import MAX_TERMS, Words, parse_words

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection

COLUMN_WEIGHTS = (2.0, 1.5, 1.0, 0.5)
"""bm25 weights of title, heading, body, context: a word in the title says more than one in the text, and what is
searched but never shown says less."""

DIGITS = 6
"""Decimals that scores are rounded to, so that equal states give equal bytes."""


class Scored(NamedTuple):
    """A chunk and how well it fits. Positive, higher is better; comparable only within one call."""

    chunk_pk: int
    score: float


def quote(text: str) -> str:
    """Returns a text as an FTS5 string, which FTS5 cuts into a phrase itself."""
    return '"' + text.replace('"', '""').replace("\0", " ") + '"'


def match_words(words: Words) -> str:
    """Returns the expression for `chunks_fts`; empty when it has no words.

    Words are ORed: a question finds a note that has one of them, and bm25 puts those with more first. A phrase in
    quotes must occur; the other words then only rank.
    """
    alternatives = [quote(term.text) + (" *" if term.prefix else "") for term in words.terms]
    phrases = [quote(phrase) for phrase in words.phrases]
    # A run of CJK is one word to unicode61: where it stands alone between blanks it is found here as well.
    alternatives += [quote(run) for run in words.cjk]
    either = " OR ".join([*phrases, *alternatives])
    if not phrases:
        return either
    return f"({' AND '.join(phrases)}) AND ({either})"


def bigrams(run: str) -> list[str]:
    """Returns the overlapping pairs of a run of CJK; the run itself when it is one character."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def match_grams(words: Words) -> str:
    """Returns the expression for `chunks_cjk`; empty when the query has no CJK.

    A single character asks for every pair that begins with it.
    """
    grams: dict[str, None] = {}
    for run in words.cjk:
        grams.update(dict.fromkeys(bigrams(run)))
    for phrase in words.phrases:
        for run in parse_words(phrase).cjk:
            grams.update(dict.fromkeys(bigrams(run)))
    return " OR ".join(quote(gram) + (" *" if len(gram) == 1 else "") for gram in list(grams)[:MAX_TERMS])


def search_words(
    db: Connection, words: Words, limit: int, allowed: Collection[int] | None = None
) -> list[Scored]:
    """Searches title, heading, body and context by bm25 with Porter stems.

    Args:
        words: The query.
        limit: Greatest number of results.
        allowed: Chunks that may be found; None means all. Applied before the limit.

    Returns:
        Best first; equal scores ordered by chunk id, then path. Scores are above 0 and rounded to six decimals.
    """
    expression = match_words(words)
    weights = ", ".join(str(weight) for weight in COLUMN_WEIGHTS)
    sql = f"SELECT rowid, bm25(chunks_fts, {weights}) FROM chunks_fts WHERE chunks_fts MATCH ?"
    return _search(db, sql, expression, limit, allowed)


def search_grams(
    db: Connection, words: Words, limit: int, allowed: Collection[int] | None = None
) -> list[Scored]:
    """Searches the bigrams of Chinese, Japanese and Korean text by bm25. Arguments and order as `search_words`."""
    sql = "SELECT rowid, bm25(chunks_cjk) FROM chunks_cjk WHERE chunks_cjk MATCH ?"
    return _search(db, sql, match_grams(words), limit, allowed)


def search_phrases(
    db: Connection, phrases: Collection[str], limit: int, allowed: Collection[int] | None = None
) -> dict[str, tuple[int, ...]]:
    """Returns for each phrase the chunks that hold it, at most `limit` each; a phrase with more is left out.

    Order within a phrase is not meaningful. A phrase that more chunks hold than the limit says nothing about which.
    """
    sql = "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? LIMIT ?"
    found: dict[str, tuple[int, ...]] = {}
    for phrase in phrases:
        rows = [pk for (pk,) in db.execute(sql, (quote(phrase), limit + 1))]
        if 0 < len(rows) <= limit:
            found[phrase] = tuple(pk for pk in rows if allowed is None or pk in allowed)
    return found


def _search(
    db: Connection, sql: str, expression: str, limit: int, allowed: Collection[int] | None
) -> list[Scored]:
    if not expression or limit <= 0:
        return []
    scored = [
        # bm25 of FTS5 is negative, and 0 for a word that half of all chunks hold.
        Scored(pk, max(round(-score, DIGITS), 10.0**-DIGITS))
        for pk, score in db.execute(sql, (expression,))
        if allowed is None or pk in allowed
    ]
    return best(db, scored, limit)


def best(db: Connection, scored: list[Scored], limit: int) -> list[Scored]:
    """Returns the `limit` best, equal scores ordered by chunk id, then path: never by row id."""
    if len(scored) > limit:
        edge = sorted((score for _, score in scored), reverse=True)[limit - 1]
        scored = [found for found in scored if found.score >= edge]
    keys = order_keys(db, [found.chunk_pk for found in scored])
    scored.sort(key=lambda found: (-found.score, keys[found.chunk_pk]))
    return scored[:limit]


def order_keys(db: Connection, pks: Collection[int]) -> dict[int, tuple[str, str, int]]:
    """Returns for each chunk what orders equal scores: chunk id, path, position in the note."""
    import json

    sql = (
        "SELECT c.chunk_pk, c.chunk_id, n.path, c.seq FROM json_each(?) AS wanted "
        "JOIN chunks AS c ON c.chunk_pk = wanted.value JOIN notes AS n ON n.note_pk = c.note_pk"
    )
    return {pk: (cid, path, seq) for pk, cid, path, seq in db.execute(sql, (json.dumps(sorted(pks)),))}
