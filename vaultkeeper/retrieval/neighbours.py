"""What stands beside a chunk: the turns before and after, the sections before and after.

A conversation answers over several turns ("Where did you go?" "To the lake, it was lovely."), so a turn is
judged together with its neighbours: each word of the question counts where it stands nearest, and counts less with
every turn in between; least of all in the answer to a turn that asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from vaultkeeper.index.fts import add_up
from vaultkeeper.index.reads import Position, fetch_at

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection

TURN_REACH = 3
TURN_DECAY = 0.6
"""What a word in a turn is worth one turn further. Recall is flat between 0.5 and 0.7."""

ANSWERED = 0.8
"""What a word in a turn that asks is worth in the next one, which answers. Recall is flat between 0.8 and 0.9."""

SECTION_REACH = 1
SECTION_DECAY = 0.25
"""Sections are longer and more independent than turns."""

FOLLOWED = 60
"""Chunks whose neighbours are looked up although no word of the question stands in them."""


def _kernel(reach: int, decay: float, following: float) -> tuple[tuple[int, float], ...]:
    """Steps with what they leave of a score; `following` is what the first step forwards leaves."""
    behind = [(-step, decay**step) for step in range(reach, 0, -1)]
    return (*behind, *((step, following * decay ** (step - 1)) for step in range(1, reach + 1)))


_TURNS = _kernel(TURN_REACH, TURN_DECAY, TURN_DECAY)
_ASKING = _kernel(TURN_REACH, TURN_DECAY, ANSWERED)
_SECTIONS = _kernel(SECTION_REACH, SECTION_DECAY, SECTION_DECAY)


def spread(
    db: Connection, terms: Sequence[Mapping[int, float]], places: Mapping[int, Position]
) -> dict[int, float]:
    """Returns the score of each chunk with its neighbours' words.

    Args:
        terms: Scores of each word by chunk.
        places: Where all these chunks stand.

    Returns:
        For each chunk, and each neighbour of the best ones: the sum over the words of the greatest of the word's
        scores in the chunk itself and, decayed by distance, in its neighbours. Never less than its own score.
    """
    at: dict[tuple[str, int], list[int]] = {}
    spots = {pk: place.spot for pk, place in places.items()}
    for pk, spot in spots.items():
        at.setdefault(spot, []).append(pk)
    turns = {pk for pk, (group, _) in spots.items() if group != places[pk].path}
    if turns:
        sums = add_up(terms)
        leaders = sorted(places, key=lambda pk: (-round(sums.get(pk, 0.0), 6), places[pk].order))[:FOLLOWED]
        wanted = {
            (spots[pk][0], spots[pk][1] + step) for pk in leaders if pk in turns for step, _ in _TURNS
        } - at.keys()
        for spot, found in fetch_at(db, wanted).items():
            at.setdefault(spot, []).extend(found)

    around: dict[int, list[tuple[int, float]]] = {}
    for pk, (group, position) in spots.items():
        kernel = _SECTIONS if pk not in turns else _ASKING if places[pk].asks else _TURNS
        beside = [
            (target, factor) for step, factor in kernel for target in at.get((group, position + step), ())
        ]
        if beside:
            around[pk] = beside
    spread_sums: dict[int, float] = {}
    for scores in terms:
        nearest = dict(scores)
        for pk, score in scores.items():
            for target, factor in around.get(pk, ()):
                if score * factor > nearest.get(target, 0.0):
                    nearest[target] = score * factor
        for pk, score in nearest.items():
            spread_sums[pk] = spread_sums.get(pk, 0.0) + score
    return spread_sums
