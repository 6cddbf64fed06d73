"""Names that are spelt like a word of the question, for when nothing was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultkeeper.index.reads import fetch_names
from vaultkeeper.retrieval.spans import plain_words

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection

NEAR = 75.0
"""Least similarity, 0..100: normalised edit distance from a name, or from a word of one."""


def near_names(db: Connection, words: tuple[str, ...], limit: int = 3) -> tuple[str, ...]:
    """Returns titles, aliases and names of entities that look like one of the words, nearest first."""
    from rapidfuzz import fuzz, process

    forms: dict[str, dict[str, None]] = {}  # a name, or a word of one, to the names
    for name, _ in fetch_names(db):
        for form in (plain_words(name), *plain_words(name).split()):
            forms.setdefault(form, {})[name] = None
    scored: dict[str, float] = {}
    for word in words:
        wanted = plain_words(word)
        if len(wanted) < 3:
            continue
        for form, score, _ in process.extract(
            wanted, list(forms), scorer=fuzz.ratio, limit=limit, score_cutoff=NEAR
        ):
            for name in forms[form]:
                scored[name] = max(scored.get(name, 0.0), score)
    return tuple(sorted(scored, key=lambda name: (-scored[name], len(name), name))[:limit])
