"""Cuts the turns of a session into segments. A pure function of turns, rules, vectors and the time.

Owns the state of an open segment, which is never stored: it is computed anew from the turns after the last closed one,
so nothing is lost with an index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from vaultkeeper.memory.boundary import (
    Reason,
    SegmentRules,
    SegmentState,
    detect_boundary,
    incremental_mean,
)
from vaultkeeper.memory.central import content_terms
from vaultkeeper.memory.episodes import Turn

EmbedTexts = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Texts → their vectors, of equal length."""

JUDGED_TERMS = 5
"""Telling words that a message must have before its meaning is judged: "yes, do that" is near to nothing."""

JUDGED_MESSAGES = 3
"""Messages that a centroid must be made of."""

SHARED_TERMS = 0.25
"""A message that shares this part of its telling words with its segment has not left the topic, whatever vectors
say."""

WORD_VECTORS = 0.25
"""What of `min_similarity` holds for embedders that know words and no sentences. Their cosines between a message and
its
own topic lie around 0.2 and to another around 0.06, where sentence models give 0.6 and 0.2."""

REPLY_GAPS = 6
"""Gaps that a user's message waits for its answer before an idle session's segment is closed."""


class Stretch(NamedTuple):
    """Consecutive turns of a session that belong together, and why they ended; None while they may go on."""

    turns: tuple[Turn, ...]
    reason: Reason | None

    @property
    def exchanges(self) -> int:
        """Number of messages of the user."""
        return sum(turn.role == "user" for turn in self.turns)

    @property
    def last_ms(self) -> int:
        """When it last went on; 0 when no turn says."""
        return max((turn.timestamp_ms for turn in self.turns), default=0)


@dataclass(slots=True)
class _Open:
    """The open segment, as the turns go by."""

    turns: list[Turn] = field(default_factory=list)
    turn_count: int = 0
    start_s: float = 0.0
    end_s: float = 0.0
    asked_ms: int = 0
    centroid: list[float] | None = None
    embedded: int = 0
    terms: set[str] = field(default_factory=set)

    def add(self, turn: Turn, vector: Sequence[float] | None, terms: Sequence[str]) -> None:
        at_s = turn.timestamp_ms / 1000 if turn.timestamp_ms else self.end_s
        if not self.turns:
            self.start_s = self.end_s = at_s
        if turn.role == "user":
            self.turn_count += 1
            self.asked_ms = turn.timestamp_ms
            self.end_s = at_s
        elif turn.timestamp_ms - self.asked_ms > 1:  # the hook's own millisecond is no time
            self.end_s = max(self.end_s, at_s)
        self.turns.append(turn)
        self.terms.update(terms)
        if vector is not None:
            self.centroid = incremental_mean(self.centroid, vector, self.embedded)
            self.embedded += 1

    def ended_by(
        self, turn: Turn, vector: Sequence[float] | None, terms: Sequence[str], rules: SegmentRules
    ) -> Reason | None:
        judged = vector is not None and self.embedded >= JUDGED_MESSAGES
        if judged and len(self.terms.intersection(terms)) >= SHARED_TERMS * len(set(terms)):
            judged = False
        state = SegmentState(self.turn_count, self.start_s, self.end_s, self.centroid)
        at_s = turn.timestamp_ms / 1000 if turn.timestamp_ms else self.end_s
        return detect_boundary(state, turn.content, at_s, vector if judged else None, rules)


def cut_session(
    turns: Sequence[Turn], rules: SegmentRules, embed: EmbedTexts | None = None
) -> tuple[list[Stretch], Stretch | None]:
    """Cuts turns into segments that are closed and the one that is open.

    Only messages of the user open a segment; every other turn belongs to the one before it.

    Args:
        turns: Of one session, in order, from the first that no closed segment has.
        embed: Gives vectors, and is asked once; None leaves the fourth check out.

    Returns:
        The closed ones in order, and the open one; None when there are no turns.
    """
    asked = [at for at, turn in enumerate(turns) if turn.role == "user"]
    terms = [content_terms(turn.content) for turn in turns] if embed else [[] for _ in turns]
    judged = [at for at in asked if len(set(terms[at])) >= JUDGED_TERMS] if embed else []
    vectors: dict[int, Sequence[float]] = {}
    if embed and len(judged) > JUDGED_MESSAGES:
        vectors = dict(zip(judged, embed([turns[at].content for at in judged]), strict=True))
    closed: list[Stretch] = []
    current = _Open()
    for at, turn in enumerate(turns):
        if turn.role == "user" and current.turn_count:
            reason = current.ended_by(turn, vectors.get(at), terms[at], rules)
            if reason is not None:
                closed.append(Stretch(tuple(current.turns), reason))
                current = _Open()
        current.add(turn, vectors.get(at), terms[at])
    return closed, Stretch(tuple(current.turns), None) if current.turns else None


def idle_at_ms(stretch: Stretch, rules: SegmentRules) -> int:
    """Returns when an open segment ends by silence alone, in Unix milliseconds."""
    waits = stretch.turns[-1].role == "user"
    return stretch.last_ms + int(rules.max_gap_s * 1000) * (REPLY_GAPS if waits else 1)


def close_idle(stretch: Stretch, rules: SegmentRules, now_ms: int) -> Stretch | None:
    """Returns an open segment closed by silence, or None when it may still go on: what its next turn would find."""
    return stretch._replace(reason="time_gap") if now_ms > idle_at_ms(stretch, rules) else None


def for_word_vectors(rules: SegmentRules) -> SegmentRules:
    """Returns the rules for an embedder that knows words only; see `WORD_VECTORS`."""
    return replace(rules, min_similarity=rules.min_similarity * WORD_VECTORS)
