"""What a language's rules hand back, and how far a quote reaches."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from vaultkeeper.memory.events.event import EventKind


class Found(NamedTuple):
    """An event as offsets into the text that its sentence came from."""

    kind: EventKind
    start: int
    end: int
    negated: bool


def widened(number: int, events: Collection[int], asked: Collection[int], count: int) -> tuple[int, int]:
    """Returns the first and last clause of an event's quote.

    A quote reaches over the clauses beside it that are neither events nor asked, so that it is the whole
    sentence unless that goes on to something else. What stands between two events belongs to the first.

    Args:
        number: the clause with the event.
        events: the clauses with events.
        asked: the clauses that are questions or requests.
        count: how many clauses the sentence has.
    """
    first = number
    while first > 0 and first - 1 not in asked and not any(event < first for event in events):
        first -= 1
    last = number
    while last + 1 < count and last + 1 not in asked and last + 1 not in events:
        last += 1
    return first, last
