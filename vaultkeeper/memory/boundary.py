"""Where one segment of a conversation ends and the next begins.

Owns the four checks in the order of what they cost (number of exchanges, silence, a phrase that opens a new topic, and
a message whose meaning is far from the segment's), and the state of an open segment, which is never stored: it is
computed anew from the turns after the last closed one, so nothing is lost with an index. A pure function of turns,
rules, vectors and the time.

Source: BEHAVIOUR §2.1 and §2.2; sentence starts, apostrophes and Chinese are ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import sqrt
from typing import Literal, NamedTuple

from vaultkeeper.memory.central import content_terms
from vaultkeeper.memory.episodes import Turn

Reason = Literal["turn_count_exceeded", "time_gap", "explicit_marker", "embedding_drift", "session_end"]
"""Why a segment was closed. `session_end` is said by whoever ends a session."""

ENGLISH_MARKERS = (
    "now let's", "now lets", "switching to", "different topic", "moving on to", "let's move on", "lets move on",
    "can you help me with", "new question", "unrelated but", "changing subject", "on another note", "anyway,",
    "by the way,", "btw,",
)  # fmt: skip
"""Source: BEHAVIOUR §2.1."""

CHINESE_MARKERS = (
    "换个话题", "換個話題", "换一个话题", "換一個話題", "另外", "顺便", "順便", "接下来", "接下來", "对了", "對了",
    "新问题", "新問題", "下一个问题", "下一個問題", "还有个问题", "還有個問題", "言归正传", "言歸正傳",
    "话说回来", "話說回來",
    "不相关的问题", "说点别的", "說點別的",
)  # fmt: skip

MARKERS = ENGLISH_MARKERS + CHINESE_MARKERS

_OPENS = r"(?:^|(?<=[.!?…\n])|(?<=[。！？；]))[\s\"'“”‘’(（*_>-]*"
_FILLERS = (
    r"(?:(?:ok(?:ay)?|so|and|but|alright|all right|right|well|great|"
    r"thanks|thank you|cool|oh|good|好的?|嗯|哦|那)[\s,，.!！、—–-]+)"
    r"{0,2}"
)
_NOT_BEHIND = {
    "另外": r"(?!的|那|这|這|两|兩|三|几|幾|一[个個位只条條家张張件种種边邊半])",
    "对了": r"(?!一半|吗|嗎|没|沒|的|就|以后|以後|之后|之後)",
    "對了": r"(?!一半|吗|嗎|没|沒|的|就|以后|以後|之后|之後)",
}
"""What makes an ordinary word of these markers."""


@dataclass(frozen=True, slots=True)
class SegmentRules:
    """What closes a segment.

    Attributes:
        max_gap_s: Silence that is still the same segment, in seconds.
        min_similarity: Cosine below which a message has left the topic, -1..1.
        max_turns: Exchanges of a segment at most.
        markers: Phrases that open a new topic when a sentence begins with them; one that ends in a comma needs one.
    """

    max_gap_s: float = 600.0
    min_similarity: float = 0.4
    max_turns: int = 20
    markers: tuple[str, ...] = MARKERS


@dataclass(frozen=True, slots=True)
class SegmentState:
    """What is known of an open segment.

    Attributes:
        turn_count: Exchanges, that is messages of the user.
        start_s: When it began, Unix seconds.
        end_s: When it last went on; None when it has only begun.
        centroid: Mean of its messages' vectors; None without any.
    """

    turn_count: int
    start_s: float
    end_s: float | None = None
    centroid: Sequence[float] | None = None


def detect_boundary(
    state: SegmentState,
    message: str,
    timestamp_s: float,
    vector: Sequence[float] | None = None,
    rules: SegmentRules | None = None,
) -> Reason | None:
    """Returns why a user's message opens a new segment; None when it goes on with the open one."""
    rules = rules or SegmentRules()
    if state.turn_count >= rules.max_turns:
        return "turn_count_exceeded"
    since = state.start_s if state.end_s is None else state.end_s
    if timestamp_s - since > rules.max_gap_s:
        return "time_gap"
    if opens_topic(message, rules.markers):
        return "explicit_marker"
    centroid = state.centroid
    comparable = vector is not None and centroid is not None and 0 < len(centroid) == len(vector)
    if comparable and cosine(centroid or (), vector or ()) < rules.min_similarity:
        return "embedding_drift"
    return None


def opens_topic(message: str, markers: tuple[str, ...] = MARKERS) -> bool:
    """Whether a sentence of the user's own begins with a marker; small words such as "ok" may stand before it."""
    if not markers:
        return False
    found = _pattern(markers).search(message.replace("’", "'"))
    if found is None:
        return False
    if not _QUOTING.search(message):
        return True
    from vaultkeeper.memory.events.masking import mask

    return _pattern(markers).search(mask(message).replace("’", "'")) is not None


_QUOTING = re.compile('[`>"“”„«「『~]|^ {4}', re.M)


@lru_cache(maxsize=8)
def _pattern(markers: tuple[str, ...]) -> re.Pattern[str]:
    parts = []
    for marker in markers:
        phrase = marker.strip().replace("’", "'").lower()
        comma = phrase.endswith((",", "，"))
        core = phrase.rstrip(",，").strip()
        if not core:
            continue
        text = r"\s+".join(map(re.escape, core.split()))
        end = r"\s*(?:[,，:：;…—–]|\.\.|-\s)" if comma else r"(?!\w)" if core[-1].isascii() else ""
        parts.append(text + end + _NOT_BEHIND.get(core, ""))
    return re.compile(f"{_OPENS}{_FILLERS}(?:{'|'.join(parts)})", re.I | re.M)


def incremental_mean(centroid: Sequence[float] | None, new: Sequence[float], count: int) -> list[float]:
    """Returns the mean with one more vector; `new` alone when there was none, or one of another length.

    Args:
        count: How many vectors `centroid` is the mean of.
    """
    if not centroid or len(centroid) != len(new):
        return list(new)
    return [old + (value - old) / (count + 1) for old, value in zip(centroid, new, strict=True)]


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """Returns the cosine of two vectors of equal length, -1..1; 0 when one of them is zero."""
    lengths = sqrt(sum(x * x for x in a)) * sqrt(sum(y * y for y in b))
    if not lengths:
        return 0.0
    return max(-1.0, min(1.0, sum(x * y for x, y in zip(a, b, strict=True)) / lengths))


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
its own topic lie around 0.2 and to another around 0.06, where sentence models give 0.6 and 0.2."""

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
