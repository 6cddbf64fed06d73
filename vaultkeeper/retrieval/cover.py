"""Mode `cover_window`: a window of time in as few hits as possible.

A node stands for all below it when its whole time range lies inside of the window; what no such node owns is emitted as
leaves. So no emitted node is an ancestor of another, no emitted leaf lies below an emitted node, and everything kept in
the window is there once.

Since the range of a node holds those of everything below it, a leaf is covered exactly when the node that owns it lies
inside, and a node is emitted exactly when it lies inside and its owner does not. Both are told by one row of the index,
so that a window over everything costs one short scan.

Source: BEHAVIOUR §11, with DESIGN §6.6.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.trees import (
    LeafSpot,
    NodeSpot,
    Window,
    count_uncovered,
    earliest,
    fetch_all_uncovered,
    fetch_leaf_spots,
    fetch_maximal,
    fetch_owned_leaves,
    fetch_owned_nodes,
    fetch_uncovered,
)
from vaultkeeper.retrieval.hits import Found, make_hits, stale_notes
from vaultkeeper.retrieval.sources import Chosen, choose
from vaultkeeper.types import QueryResponse

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.retrieval.corpus import Corpus
    from vaultkeeper.retrieval.params import CoverWindowParams


AT_ONCE = 5_000
"""Up to so many uncovered leaves are read in one go; more are counted first, and read source by source."""


class Item(NamedTuple):
    """Something that is emitted, in the order of the answer: start, then end and level descending, then id and path."""

    start_ms: int
    minus_end_ms: int
    minus_level: int
    node_id: str
    path: str
    found: Found


def cover_window(corpus: Corpus, params: CoverWindowParams) -> QueryResponse:
    """Covers a window, by source, then by time.

    When there is more than the limit, sources are served in turn, each from its beginning, and `notes` says how many
    hits of which source were left out (`omitted:<scope>=<number>`).
    """
    window = (params.since_ms, params.until_ms)
    chosen = choose(corpus, params.source_id, params.source_kind)
    if chosen.scopes == ():
        return QueryResponse((), 0, False, "empty")
    db = corpus.db
    if chosen.leaves is not None:
        items = {(chosen.scopes or ("",))[0]: cover_part(db, window, chosen)}
        counts = {scope: len(found) for scope, found in items.items() if found}
        shares = share_out(counts, params.limit)
        picked = {scope: items[scope][:share] for scope, share in shares.items()}
    else:
        counts, shares, picked = _cover_scopes(db, window, chosen.scopes, params.limit)
    found = [item.found for scope in sorted(picked) for item in picked[scope]]
    hits = make_hits(db, found)
    total = sum(counts.values())
    omitted = tuple(
        f"omitted:{scope}={counts[scope] - shares.get(scope, 0)}"
        for scope in sorted(counts)
        if counts[scope] > shares.get(scope, 0)
    )
    notes = (*omitted, *stale_notes(db, found))
    return QueryResponse(hits, total, total > len(hits), "cover" if hits else "empty", notes)


def _cover_scopes(
    db: Connection, window: Window, scopes: Collection[str] | None, limit: int
) -> tuple[dict[str, int], dict[str, int], dict[str, list[Item]]]:
    """Returns for each scope how much covers it, how much of that is shown, and that."""
    nodes: dict[str, list[Item]] = {}
    for node in fetch_maximal(db, window, scopes):
        nodes.setdefault(node.scope, []).append(_node_item(node))
    rows = fetch_all_uncovered(db, window, scopes, AT_ONCE)
    leaves = count_uncovered(db, window, scopes) if rows is None else Counter(row[0] for row in rows)
    counts = {scope: len(nodes.get(scope, ())) + leaves.get(scope, 0) for scope in sorted({*nodes, *leaves})}
    shares = share_out(counts, limit)
    if rows is None:
        wanted = [scope for scope in shares if scope in leaves]
        spots = {scope: fetch_uncovered(db, window, scope, shares[scope]) for scope in wanted}
    else:
        spots = earliest(db, rows, shares)
    picked = {
        scope: sorted([*nodes.get(scope, ()), *map(_leaf_item, spots.get(scope, ()))])[:share]
        for scope, share in shares.items()
    }
    return counts, shares, picked


def share_out(counts: Mapping[str, int], limit: int) -> dict[str, int]:
    """Serves sources in turn, by name, until the limit is reached or nothing is left."""
    shares = dict.fromkeys(sorted(name for name, count in counts.items() if count > 0), 0)
    left = min(limit, sum(counts.values()))
    while left > 0:
        hungry = [name for name in shares if shares[name] < counts[name]]
        round_size = min(min(counts[name] - shares[name] for name in hungry), left // len(hungry))
        if round_size == 0:
            for name in hungry[:left]:
                shares[name] += 1
            break
        for name in hungry:
            shares[name] += round_size
        left -= round_size * len(hungry)
    return {name: share for name, share in shares.items() if share}


def cover_part(db: Connection, window: Window, chosen: Chosen) -> list[Item]:
    """Covers a part of a tree, such as one session: a node stands only where everything that it owns is in the part.

    One that does not is replaced by the nodes below it, and by the leaves of the part that it owns itself.
    """
    wanted = chosen.leaves or frozenset()
    items: list[Item] = []
    raw: set[int] = set()
    open_nodes = fetch_maximal(db, window, chosen.scopes)
    while open_nodes:
        node = open_nodes.pop()
        below = _below(db, node.note_pk)
        if below and below <= wanted:
            items.append(_node_item(node))
        elif below & wanted:
            raw.update(wanted.intersection(fetch_owned_leaves(db, node.note_pk)))
            open_nodes += fetch_owned_nodes(db, node.note_pk)
    scope = (chosen.scopes or ("",))[0]
    spots = fetch_uncovered(db, window, scope, len(wanted), within=wanted)
    spots += fetch_leaf_spots(db, raw)
    return sorted([*items, *map(_leaf_item, spots)])


def _below(db: Connection, note_pk: int) -> frozenset[int]:
    """All leaves below a node."""
    deeper = (_below(db, node.note_pk) for node in fetch_owned_nodes(db, note_pk))
    return frozenset(chain(fetch_owned_leaves(db, note_pk), *deeper))


def _node_item(node: NodeSpot) -> Item:
    found = Found(True, node.note_pk, node.score)
    return Item(node.start_ms, -node.end_ms, -node.level, node.node_id, node.path, found)


def _leaf_item(spot: LeafSpot) -> Item:
    found = Found(False, spot.chunk_pk)
    return Item(spot.start_ms, -spot.end_ms, 0, spot.chunk_id, spot.path, found)
