"""How memories, turns and events are ranked beside each other: the weights, as functions of plain values.

Owns what a word of time in a question asks for, and every weight. Reads no index and no clock: the same values give the
same scores.

Source: BEHAVIOUR §12.2.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from vaultkeeper.retrieval.primitives import DIGITS, by_greatest, fuse

WITH_GRAPH: Final = {"graph": 0.55, "vector": 0.30, "keyword": 0.15}
WITHOUT_GRAPH: Final = {"vector": 0.65, "keyword": 0.35}
"""Weights of a memory's signals, with and without an entity of the query among the memories."""

BESIDE_TURNS: Final = {"graph": 0.45, "vector": 0.25, "keyword": 0.10}
"""The same when turns fit the query too; `TURNS` is what is left for these."""

TURNS: Final = 0.20
TURN: Final = {"rank": 0.7, "freshness": 0.3}
EVENT: Final = {"rank": 0.6, "freshness": 0.4}
KEYED: Final = {"keyword": 0.8, "freshness": 0.2}
UNASKED: Final = {"priority": 0.45, "graph": 0.30, "freshness": 0.25}

PRIORITIES: Final = {"critical": 1.0, "high": 0.75, "normal": 0.5, "low": 0.25}
OF_CATEGORY: Final = {"core": "high", "daily": "low"}
"""Priority of a memory that names none; `normal` for the other categories."""

MAX_RELATIONS: Final = 3

HOUR_MS: Final = 3_600_000
DAY_HOURS: Final = 24

Direction = Literal["before", "after", "history", "first", "latest"]
"""What a question asks of time: what was before or after a date, everything in its order, the oldest, or, where it says
nothing, the newest."""

_DIRECTIONS: Final[tuple[tuple[Direction, re.Pattern[str]], ...]] = (
    ("before", re.compile(r"\bbefore\b|\b(?:until|till)\b|之前|以前", re.I)),
    ("after", re.compile(r"\b(?:after|since)\b|之后|之後|以后|以後|以来|以來", re.I)),
    ("history", re.compile(r"\b(?:history|timeline|all)\b|历史|歷史|时间线|時間線|所有|全部", re.I)),
    ("first", re.compile(r"\b(?:first|earliest|initial(?:ly)?)\b|最早|最初|第一次|首次", re.I)),
)


class Relation(NamedTuple):
    """Two entities that occur together, and in how many notes.

    Attributes:
        a, b: Ids, a < b.
    """

    a: str
    b: str
    weight: int


def parse_direction(query: str) -> Direction:
    """Returns what a question asks of time; the first kind of word in the order of `Direction` decides."""
    return next((name for name, words in _DIRECTIONS if words.search(query)), "latest")


def asks_for_time(word: str) -> bool:
    """Whether a word of a query asks for a time and names nothing."""
    return any(words.fullmatch(word) for _, words in _DIRECTIONS)


def freshness(age_hours: float) -> float:
    """1 for what is of now, 1/2 after a day; what lies in the future is of now."""
    return 1 / (1 + max(0.0, age_hours) / DAY_HOURS)


def weigh_times(times_ms: Mapping[int, int], now_ms: int, direction: Direction) -> dict[int, float]:
    """Returns the freshness of each by its age; for `first` by how much later it is than the oldest."""
    if direction == "first":
        oldest = min(times_ms.values(), default=0)
        return {key: freshness((at - oldest) / HOUR_MS) for key, at in times_ms.items()}
    return {key: freshness((now_ms - at) / HOUR_MS) for key, at in times_ms.items()}


def weigh_ranks(ordered: Sequence[int]) -> dict[int, float]:
    """Returns 1 − i/n for each by its place: 1 for the first of n, 1/n for the last."""
    return {key: 1 - at / len(ordered) for at, key in enumerate(ordered)}


def weigh_memories(
    signals: Mapping[str, Mapping[int, float]],
    keyed: Mapping[int, float],
    fresh: Mapping[int, float],
    *,
    beside_turns: bool = False,
) -> dict[int, float]:
    """Returns the scores 0..1 of memories that were asked for.

    A memory of one line is a value under a key, too: it scores by its words in common with the query and by its age,
    when that is more. A signal that found nothing at all is left out of the mean.

    Args:
        signals: `graph`, `vector` and `keyword`, each 0..1; a missing memory counts as 0.
        keyed: Of memories of one line: the share of the query's words that they hold.
        fresh: Freshness 0..1; the same keys as `keyed` at least.
        beside_turns: Whether turns fit the query, which get `TURNS`.
    """
    if beside_turns:
        scores = {pk: (1 - TURNS) * score for pk, score in fuse(signals, BESIDE_TURNS).items()}
    else:
        scores = fuse(signals, WITH_GRAPH if signals.get("graph") else WITHOUT_GRAPH)
    for pk, share in keyed.items():
        if share > 0:
            value = KEYED["keyword"] * share + KEYED["freshness"] * fresh[pk]
            scores[pk] = max(scores.get(pk, 0.0), value)
    return {pk: round(score, DIGITS) for pk, score in scores.items()}


def weigh_turns(ordered: Sequence[int], fresh: Mapping[int, float]) -> dict[int, float]:
    """Returns the scores of turns, 0..`TURNS`, given best first."""
    return {
        key: round(TURNS * (TURN["rank"] * rank + TURN["freshness"] * fresh[key]), DIGITS)
        for key, rank in weigh_ranks(ordered).items()
    }


def weigh_events(ordered: Sequence[int], fresh: Mapping[int, float]) -> dict[int, float]:
    """Returns the scores of events, 0..1, given best first."""
    return {
        key: round(EVENT["rank"] * rank + EVENT["freshness"] * fresh[key], DIGITS)
        for key, rank in weigh_ranks(ordered).items()
    }


def weigh_unasked(
    priorities: Mapping[int, float], graph: Mapping[int, float], fresh: Mapping[int, float]
) -> dict[int, float]:
    """Returns the scores 0..1 of memories when nothing was asked.

    Args:
        priorities: Of each memory, 0..1.
        graph: How much each is connected, in any unit; the greatest counts as 1.
        fresh: Freshness of each.
    """
    scaled = by_greatest(graph) if graph else {}
    return {
        key: round(
            UNASKED["priority"] * priority
            + UNASKED["graph"] * scaled.get(key, 0.0)
            + UNASKED["freshness"] * fresh[key],
            DIGITS,
        )
        for key, priority in priorities.items()
    }


def priority_of(properties: Mapping[str, object], category: str) -> float:
    """Returns the priority of a memory: what its note says, else what its category is worth."""
    said = str(properties.get("priority", "")).strip().lower()
    return PRIORITIES[said if said in PRIORITIES else OF_CATEGORY.get(category, "normal")]


def supporting(
    relations: Iterable[Relation], entities: Collection[str], asked: Collection[str] = ()
) -> tuple[Relation, ...]:
    """Returns the relations that support a hit, three at most.

    Args:
        relations: Those to choose from.
        entities: In the hit. A relation supports it that is of two of these, or of one and one that was asked.
        asked: Named by the query; what leads to them comes first, then what is most frequent.
    """
    told = {
        relation
        for relation in relations
        if {relation.a, relation.b} <= {*entities, *asked} and {relation.a, relation.b} & {*entities}
    }
    ranked = sorted(told, key=lambda one: (not {one.a, one.b} & {*asked}, -one.weight, one.a, one.b))
    return tuple(ranked[:MAX_RELATIONS])
