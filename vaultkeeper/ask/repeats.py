"""Keeps evidence from saying one thing twice: a summary or a recap, and what it was made of.

Owns which of the two stays. One leaf says it better than the summary; of several, the summary and the best of them. A
turn says it better than the recap of its conversation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from vaultkeeper.index.reads import fetch_children, fetch_leaves
from vaultkeeper.index.trees import fetch_child_ids
from vaultkeeper.present.links import anchor_of

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.index.fts import TermScores
    from vaultkeeper.index.reads import Leaf, Position

Ranked = tuple[tuple[int, float], ...]


def drop_repeats(db: Connection, ranked: Ranked, positions: Mapping[int, Position], limit: int) -> Ranked:
    """Returns the ranking without the summaries and leaves that would repeat what is among the first `limit`.

    Of a summary and one of its leaves the leaf stays, in the better place. Of a summary and several, the summary stays
    with those that stand before it, and with the best one else.
    """
    summaries = [pk for pk, _ in ranked[:limit] if positions[pk].kind == "summary"]
    if not summaries:
        return ranked
    notes = [positions[pk].note_pk for pk in summaries]
    ids, places = fetch_child_ids(db, notes), fetch_children(db, notes)
    scores = dict(ranked)
    for summary in summaries:
        order = sorted(scores, key=lambda pk: (-scores[pk], positions[pk].order))[:limit]
        if summary not in order:
            continue
        note = positions[summary].note_pk
        leaves = fetch_leaves(db, order)
        repeated = [
            pk
            for pk in order
            if pk != summary
            and (
                leaves[pk].chunk_id in ids.get(note, ())
                or _is_named(leaves[pk], places.get(note, frozenset()))
            )
        ]
        if len(repeated) == 1:
            scores[repeated[0]] = max(scores[repeated[0]], scores.pop(summary))
        else:
            at = order.index(summary)
            for pk in repeated[1:]:
                if order.index(pk) > at:
                    del scores[pk]
    return tuple(sorted(scores.items(), key=lambda one: (-one[1], positions[one[0]].order)))


def drop_recaps(ranked: Ranked, positions: Mapping[int, Position], terms: Sequence[TermScores]) -> Ranked:
    """Returns the ranking without the recaps and events whose words were all said by better hits.

    Those are turns of the same conversation, and other parts of the same recap.
    """
    said: dict[str | int, set[str]] = {}
    kept: list[tuple[int, float]] = []
    for pk, score in ranked:
        place = positions[pk]
        if place.kind in ("turn", "segment"):
            words = {term.label for term in terms if pk in term.scores}
            if place.kind == "turn":
                said.setdefault(place.source, set()).update(words)
            elif words and any(words <= said.get(where, set()) for where in (place.source, place.note_pk)):
                continue
            else:
                said.setdefault(place.note_pk, set()).update(words)
        kept.append((pk, score))
    return tuple(kept)


def _is_named(leaf: Leaf, children: Collection[tuple[str, str]]) -> bool:
    return (leaf.path, "") in children or (leaf.path, anchor_of(leaf.anchor)) in children
