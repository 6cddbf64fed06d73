"""Full-text search: the only way from words to MATCH.

Owns the MATCH expressions over `chunks_fts` and `chunks_cjk`, and bm25. Whatever a user types becomes a valid
expression: every word is quoted, so no operator of FTS5 can be reached. It never writes.

Words are ORed and scored one by one: bm25 is a sum over words, and who knows the parts can say which words matched,
and can let a word count that stands in a neighbouring turn.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.words import CJK_RUN, MAX_TERMS, STOP_WORDS, Words, parse_words, split_terms

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection

COLUMN_WEIGHTS = (2.0, 1.5, 1.0, 0.5)
"""bm25 weights of title, heading, body, context: a word in the title says more than one in the text, and what is
searched but never shown says less."""

DIGITS = 6
"""Decimals that scores are rounded to, so that equal states give equal bytes."""

BUDGET = 1_000
"""Rows that are scored for their own sake. Words are taken rarest first; those that would go beyond only score rows
that a rarer word has found. Bounds the time of a search for common words; small vaults never notice."""

_FTS = f"bm25(chunks_fts, {', '.join(map(str, COLUMN_WEIGHTS))}) FROM chunks_fts WHERE chunks_fts MATCH ?"
_GRAMS = "bm25(chunks_cjk) FROM chunks_cjk WHERE chunks_cjk MATCH ?"


class Scored(NamedTuple):
    """A chunk and how well it fits. Positive, higher is better; comparable only within one call."""

    chunk_pk: int
    score: float


class TermScores(NamedTuple):
    """What one word of the query adds to each chunk that has it.

    Attributes:
        label: The word as asked; a phrase in double quotes.
        found: In how many chunks of the whole index it stands.
        scores: bm25 by chunk.
    """

    label: str
    found: int
    scores: dict[int, float]


class _Atom(NamedTuple):
    label: str
    expression: str
    sql: str


def quote(text: str) -> str:
    """Returns a text as an FTS5 string, which FTS5 cuts into a phrase itself."""
    return '"' + text.replace('"', '""').replace("\0", " ") + '"'


def _bigrams(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def _atoms(words: Words) -> tuple[list[_Atom], list[_Atom]]:
    """Returns what must occur, and what is ORed."""
    required: dict[str, _Atom] = {}
    for phrase in words.phrases:
        runs = CJK_RUN.findall(phrase)
        if runs:  # grams in a row are the phrase
            grams = quote(" ".join(gram for run in runs for gram in _bigrams(run)))
            required[phrase] = _Atom(f'"{phrase}"', grams, _GRAMS)
        else:
            required[phrase] = _Atom(f'"{phrase}"', quote(phrase), _FTS)
    either: dict[str, _Atom] = {}
    for term in words.terms:
        star = " *" if term.prefix else ""
        either[term.text] = _Atom(term.text + star.strip(), quote(term.text) + star, _FTS)
    for run in words.cjk:
        for gram in _bigrams(run):
            # A single character asks for every pair that begins with it.
            either.setdefault(gram, _Atom(gram, quote(gram) + (" *" if len(gram) == 1 else ""), _GRAMS))
    return list(required.values()), list(either.values())[:MAX_TERMS]


def score_terms(
    db: Connection, words: Words, allowed: Collection[int] | None = None, budget: int | None = BUDGET
) -> list[TermScores]:
    """Scores every word of a query by bm25 (Porter stems; bigrams for Chinese, Japanese and Korean).

    Args:
        words: The query.
        allowed: Chunks that may be found; None means all.
        budget: See `BUDGET`; None scores every row.

    Returns:
        One entry a word, in the order of the query; all empty when a phrase in quotes does not occur.
    """
    required, either = _atoms(words)
    atoms = required + either
    numbers = [_count(db, atom) for atom in atoms]
    wholly = _affordable(atoms, numbers, budget)
    scored: list[dict[int, float]] = [{} for _ in atoms]
    for at in wholly:
        scored[at] = {
            pk: -score for pk, score in db.execute("SELECT rowid, " + atoms[at].sql, (atoms[at].expression,))
        }
    sums: dict[str, dict[int, float]] = {}
    for at, atom in enumerate(atoms):
        if at in wholly or not numbers[at]:
            continue
        rarer = [other for other in wholly if atoms[other].sql == atom.sql]
        either_rarer = " OR ".join(atoms[other].expression for other in rarer)
        of_rarer = sums.setdefault(atom.sql, {})
        if not of_rarer:
            of_rarer.update(add_up([scored[other] for other in rarer]))
        rows = db.execute("SELECT rowid, " + atom.sql, (f"{atom.expression} AND ({either_rarer})",))
        scored[at] = {pk: -score - of_rarer[pk] for pk, score in rows}
    for at in range(len(required)):
        scored = [{pk: score for pk, score in scores.items() if pk in scored[at]} for scores in scored]
    if allowed is not None:
        scored = [{pk: score for pk, score in scores.items() if pk in allowed} for scores in scored]
    return [
        TermScores(atom.label, number, scores)
        for atom, number, scores in zip(atoms, numbers, scored, strict=True)
    ]


def count_word(db: Connection, word: str) -> int:
    """Returns how many chunks hold a word, or a character of a script without blanks."""
    atoms = _atoms(parse_words(word))[1]
    return _count(db, atoms[0]) if len(atoms) == 1 else 0


class TermChunks(NamedTuple):
    """The chunks that hold a word of the query.

    Attributes:
        label: The word as asked; a phrase in double quotes.
        found: In how many chunks of the whole index it stands; `most` + 1 when in more than that.
        chunks: Those of them that may be found; empty when the word stands in more than `most`.
    """

    label: str
    found: int
    chunks: frozenset[int]


def find_terms(db: Connection, words: Words, allowed: Collection[int], most: int) -> list[TermChunks]:
    """Finds the chunks of each word without scoring them, which is many times quicker than `score_terms`.

    Args:
        words: The query; phrases are terms like others here.
        allowed: Chunks that may be found.
        most: A word in more chunks than this says little and is passed over.
    """
    required, either = _atoms(words)
    found: list[TermChunks] = []
    for atom in required + either:
        table = atom.sql.partition(" FROM ")[2]
        rows = db.execute(f"SELECT rowid FROM {table} LIMIT ?", (atom.expression, most + 1)).fetchall()
        few = len(rows) <= most
        found.append(
            TermChunks(atom.label, len(rows), frozenset(pk for (pk,) in rows if few and pk in allowed))
        )
    return found


def _count(db: Connection, atom: _Atom) -> int:
    table = atom.sql.partition(" FROM ")[2]
    return int(db.execute("SELECT count(*) FROM " + table, (atom.expression,)).fetchone()[0])


def _affordable(atoms: Sequence[_Atom], numbers: Sequence[int], budget: int | None) -> list[int]:
    """Returns the words whose rows are all scored: the rarest, within the budget, at least one a table."""
    wholly: list[int] = []
    spent = 0
    for at in sorted(range(len(atoms)), key=lambda at: (numbers[at], at)):
        first = not any(atoms[other].sql == atoms[at].sql for other in wholly)
        if not numbers[at] or not (first or budget is None or spent + numbers[at] <= budget):
            continue
        wholly.append(at)
        spent += numbers[at]
    return sorted(wholly)


def total(terms: Sequence[TermScores]) -> dict[int, float]:
    """Returns the sum over the words, which is bm25 of the whole query."""
    return add_up([term.scores for term in terms])


def add_up(parts: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Returns the sum of several scores for each chunk, added in their order."""
    sums: dict[int, float] = {}
    for part in parts:
        if not sums:
            sums.update(part)
            continue
        for pk, score in part.items():
            sums[pk] = sums.get(pk, 0.0) + score
    return sums


def search_words(
    db: Connection, words: Words, limit: int, allowed: Collection[int] | None = None
) -> list[Scored]:
    """Searches title, heading, body and context; Chinese, Japanese and Korean by bigrams.

    Args:
        words: The query.
        limit: Greatest number of results.
        allowed: Chunks that may be found; None means all. Applied before the limit.

    Returns:
        Best first; equal scores ordered by chunk id, then path. Scores are above 0 and rounded to six decimals.
    """
    return best(db, total(score_terms(db, words, allowed)), limit)


def find_phrases(db: Connection, phrases: Collection[str], limit: int) -> dict[str, tuple[int, ...]]:
    """Returns for each name the chunks that hold it; a name that more than `limit` chunks hold is left out.

    The words between its first and last that say nothing (`Bank of England`) are not compared, since they stand
    everywhere and reading their places is what costs.

    Args:
        phrases: Any texts.
        limit: Greatest number of chunks that a phrase may be in.

    Returns:
        By phrase; the order of its chunks is not meaningful.
    """
    sql = "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? LIMIT ?"
    found: dict[str, tuple[int, ...]] = {}
    for phrase in phrases:
        rows = [pk for (pk,) in db.execute(sql, (_near(phrase), limit + 1))]
        if 0 < len(rows) <= limit:
            found[phrase] = tuple(rows)
    return found


def count_phrase(db: Connection, phrase: str) -> int:
    """Returns how many chunks hold a name, compared as `find_phrases` does."""
    sql = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?"
    return int(db.execute(sql, (_near(phrase),)).fetchone()[0])


def _near(phrase: str) -> str:
    words = split_terms(phrase)
    telling = [word for word in words if word.casefold() not in STOP_WORDS]
    if not 1 < len(telling) < len(words):
        return quote(phrase)
    return f"NEAR({' '.join(map(quote, telling))}, {len(words) - len(telling)})"


def best(db: Connection, scores: Mapping[int, float], limit: int) -> list[Scored]:
    """Returns the `limit` best chunks, equal scores ordered by chunk id, then path: never by row id."""
    if limit <= 0:
        return []
    least = 10.0**-DIGITS
    edge = float("-inf")
    if len(scores) > limit:
        edge = sorted(scores.values(), reverse=True)[limit - 1] - 2 * least
    # bm25 of FTS5 is next to 0 for a word that half of all chunks hold; such a chunk is still found.
    rounded = {pk: max(round(score, DIGITS), least) for pk, score in scores.items() if score >= edge}
    keys = _order_keys(db, rounded)
    ranked = sorted(rounded, key=lambda pk: (-rounded[pk], keys[pk]))
    return [Scored(pk, rounded[pk]) for pk in ranked[:limit]]


def _order_keys(db: Connection, pks: Collection[int]) -> dict[int, tuple[str, str, int]]:
    sql = (
        "SELECT c.chunk_pk, c.chunk_id, n.path, c.seq FROM json_each(?) AS wanted "
        "JOIN chunks AS c ON c.chunk_pk = wanted.value JOIN notes AS n ON n.note_pk = c.note_pk"
    )
    return {pk: (cid, path, seq) for pk, cid, path, seq in db.execute(sql, (json.dumps(list(pks)),))}
