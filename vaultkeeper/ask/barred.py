"""Which filters of a query leave no note at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultkeeper.index.reads import Filters, fetch_allowed

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection


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
