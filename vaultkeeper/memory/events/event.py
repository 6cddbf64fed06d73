"""An event of a conversation: its name, what a language's rules hand back of it, and how far its quote reaches."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, NamedTuple

EventKind = Literal["decision", "commitment", "preference", "fact"]
"""What an event is; the order is the order in which rules are tried."""

HEURISTIC_CONFIDENCE = 0.6
"""Confidence of everything that rules find. Source: BEHAVIOUR 3.2."""

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Event:
    """A statement of the user worth remembering.

    Attributes:
        kind: decision, commitment, preference or fact.
        quote: the words as typed: the sentence with its closing mark, or the clause when the sentence goes
            on to something else.
        start, end: character offsets of `quote` in the text that it was found in.
        negated: whether a fact says that something has stopped holding.
        confidence: 0 to 1; comparable with other events only.
    """

    kind: EventKind
    quote: str
    start: int
    end: int
    negated: bool = False
    confidence: float = HEURISTIC_CONFIDENCE


def event_id(segment_id: str, kind: str, sentence: str) -> str:
    """Returns the same id for the same statement of a segment, at every run and on every machine.

    The sentence is compared without regard to case, Unicode form, spacing, curly apostrophes and closing
    marks.
    """
    plain = unicodedata.normalize("NFKC", sentence).replace("’", "'").casefold()
    plain = _SPACE.sub(" ", plain).strip().rstrip(".!?。！？;；,， ")
    digest = hashlib.sha256("\x1f".join((segment_id, kind, plain)).encode("utf-8", "surrogatepass"))
    return f"evt-{digest.hexdigest()[:24]}"


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
