"""What to say when nothing was found: names spelt like a word of the question, and filters that leave no note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultkeeper.index.reads import Filters, fetch_allowed, fetch_names
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


def barred_by(db: Connection, filters: Filters) -> tuple[tuple[str, str], ...]:
    """Returns the filters that alone leave no note, as `(tag | folder | kind | source, value)`.

    When each alone leaves some, but together they leave none, it is one pair `("all", <the filters>)`. Empty when notes
    are left, and when it is the time alone that leaves none.
    """
    if fetch_allowed(db, filters) != frozenset():
        return ()
    ways = [("tag", tag.lstrip("#"), Filters(tags=(tag,))) for tag in filters.tags]
    if filters.folder:
        ways.append(("folder", filters.folder, Filters(folder=filters.folder)))
    # Any of several kinds or sources will do.
    if filters.kinds:
        ways.append(("kind", "` or `".join(filters.kinds), Filters(kinds=filters.kinds)))
    if filters.sources:
        ways.append(("source", "` or `".join(filters.sources), Filters(sources=filters.sources)))
    alone = tuple((name, value) for name, value, way in ways if not fetch_allowed(db, way))
    if alone or not ways:
        return alone
    timed = filters.since_ms is not None or filters.until_ms is not None
    if not fetch_allowed(db, Filters(filters.since_ms, filters.until_ms)) and timed:
        return ()
    every = [f"{name} `{value}`" for name, value, _ in ways] + ["the time"] * timed
    return (("all", ", ".join(every)),)
