"""Names that are spelt like a word of the question, for when nothing was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultkeeper.index.reads import fetch_names

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection

NEAR = 75.0
"""Least similarity, 0..100 (normalised Levenshtein distance of the better of whole name and single word)."""


def near_names(db: Connection, words: tuple[str, ...], limit: int = 3) -> tuple[str, ...]:
    """Returns titles, aliases and names of entities that look like one of the words, nearest first."""
    from rapidfuzz import fuzz, process

    names = list(dict.fromkeys(name for name, _ in fetch_names(db)))
    lowered = [name.casefold() for name in names]
    scored: dict[str, float] = {}
    for word in words:
        if len(word) < 3:
            continue
        wanted = word.strip('"*').casefold()
        for scorer in (fuzz.ratio, fuzz.partial_token_ratio):
            for _, score, at in process.extract(
                wanted, lowered, scorer=scorer, limit=limit, score_cutoff=NEAR
            ):
                # A part of a name is a weaker hint than the whole name.
                worth = score if scorer is fuzz.ratio else score - 10
                scored[names[at]] = max(scored.get(names[at], 0.0), worth)
    return tuple(sorted(scored, key=lambda name: (-scored[name], name))[:limit])
