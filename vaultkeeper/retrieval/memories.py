"""What a namespace knows that fits a query, or is like a text.

Owns where to look and what counts as found, and the line in which a hit is shown; the weights are those of
`retrieval.ranking`. Conversations belong to the namespace `global`: their turns and events are found beside its
memories.

Source: BEHAVIOUR §12.1, §12.2 and §4.9.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import log1p
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

from vaultkeeper.errors import ProviderError
from vaultkeeper.index.connections import count_together
from vaultkeeper.index.fts import TermScores, count_word
from vaultkeeper.index.reads import (
    Filters,
    Leaf,
    count_indexed,
    count_occurrences,
    fetch_allowed,
    fetch_entities_of,
    fetch_leaves,
    fetch_properties,
)
from vaultkeeper.index.words import parse_words
from vaultkeeper.memory.namespaces import GLOBAL, Memory, file_stem, memory_from
from vaultkeeper.memory.segments import EVENTS_HEADING, format_ms, read_event
from vaultkeeper.providers.words import idf
from vaultkeeper.retrieval.primitives import by_greatest, dense, entity, keyword, named_entities
from vaultkeeper.retrieval.ranking import (
    Direction,
    Relation,
    asks_for_time,
    parse_direction,
    priority_of,
    supporting,
    weigh_events,
    weigh_memories,
    weigh_times,
    weigh_turns,
    weigh_unasked,
)
from vaultkeeper.retrieval.timephrases import find_phrase
from vaultkeeper.types import Mention, TimeWindow

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.ports import Embedder, VectorSearch

NEAR: Final = 0.35
"""Cosine from which on a memory is found that shares no word with the query."""

WORDS_IN_COMMON: Final = 0.6
"""What stands for a cosine when there are none: the share of words in common must be at least this."""

SHARE: Final = 0.5
"""A turn or an event must hold more than this share of the query's words; a memory is found by one."""

MOST_SAID: Final = 20
"""Turns, and events, that are ranked at most."""

MOST_ENTITIES: Final = 12
"""Entities of a hit whose relations are looked up."""

MAX_SHOWN_CHARS: Final = 500
ALWAYS: Final = TimeWindow()

Kind = Literal["memory", "turn", "event"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
OF_EVENTS: Final = ("decision", "commitment", "preference", "fact")
"""Kinds of events, which may be asked for one by one."""


class Recalled(NamedTuple):
    """What was found, with its score 0..1.

    Attributes:
        memory: A turn or an event is shown as one: its key is where it was said, its category `conversation` or the
            kind of the event.
        relations: Who occurs with whom, as far as it supports the hit.
        at_ms: When it was written or said, Unix milliseconds.
    """

    memory: Memory
    score: float
    kind: Kind = "memory"
    relations: tuple[Relation, ...] = ()
    at_ms: int = 0


@dataclass(frozen=True, slots=True)
class Sources:
    """What memories are searched with.

    Attributes:
        mentions: Finds registry entities in a text.
        vectors: None when they are switched off; those of another model than the embedder's count as absent.
    """

    db: Connection
    mentions: Callable[[str], Sequence[Mention]]
    vectors: VectorSearch | None = None
    embedder: Callable[[], Embedder] | None = None


class _Asked(NamedTuple):
    """A query, and what follows from it."""

    query: str
    now_ms: int
    direction: Direction
    window: TimeWindow
    entities: frozenset[str]


class _Found(NamedTuple):
    """A hit with the chunk that it stands in."""

    chunk_pk: int
    hit: Recalled


def recall_memories(
    sources: Sources,
    query: str | None,
    namespaces: Collection[str],
    limit: int,
    *,
    now: datetime,
    kinds: Collection[str] = KINDS,
) -> tuple[list[Recalled], list[str]]:
    """Returns what namespaces know that fits a query, best first, and remarks such as `vectors_unavailable`.

    Found is a memory that shares a word or an entity with the query, or lies near it in meaning, and a turn or an event
    that holds more than half of its words. Equal scores stand newest first. A question for what was *before* or *after*
    a date finds nothing else; one for what was *first* prefers the oldest; one for the *history* or for *all* gets its
    hits in the order of time.

    Args:
        query: None ranks the memories by priority, connections and age.
        namespaces: Where to look.
        now: Aware; what ages are counted from.
        kinds: What to look for, of `KINDS` and `OF_EVENTS`. Events are found without a query too, the newest first,
            when they are named.
    """
    asked = _ask(sources, query or "", now)
    remarks: list[str] = []
    found: list[_Found] = []
    if query is None:
        found = _unasked(sources.db, namespaces, asked) if "memory" in kinds else []
        if kinds is not KINDS and GLOBAL in namespaces:
            found += _events(sources.db, asked, kinds)
    else:
        said = kinds if GLOBAL in namespaces else ()
        events = _events(sources.db, asked, said)
        told = {one.hit.memory.path for one in events}
        turns = _turns(sources.db, asked, told) if "turn" in said else []
        if "memory" in kinds:
            found = _memories_asked(sources, namespaces, asked, bool(turns), remarks)
        found += [*events, *turns]
    found.sort(key=lambda one: (one.hit.memory.path, one.hit.memory.content))
    found.sort(key=lambda one: one.hit.at_ms, reverse=asked.direction != "first")
    found = sorted(found, key=lambda one: -one.hit.score)[:limit]
    if asked.direction == "history":
        found.sort(key=lambda one: one.hit.at_ms)
    return _supported(sources.db, found, asked.entities), remarks


def _ask(sources: Sources, query: str, now: datetime) -> _Asked:
    direction = parse_direction(query)
    phrase = find_phrase(query, now) if direction in ("before", "after") else None
    window = ALWAYS
    if phrase is not None:
        window, query = phrase.window, query.replace(phrase.text, " ") or query
    entities = frozenset(mention.entity_id for mention in sources.mentions(query))
    return _Asked(query, int(now.timestamp() * 1000), direction, window, entities)


def _memories_asked(
    sources: Sources, namespaces: Collection[str], asked: _Asked, beside_turns: bool, remarks: list[str]
) -> list[_Found]:
    db = sources.db
    allowed = fetch_allowed(db, _filters(namespaces))
    chunks = count_indexed(db).chunks
    named = named_entities(db, sources.mentions(asked.query), allowed, chunks)

    def ask(embedder: Embedder) -> Any:
        return embedder.embed_query(asked.query, lambda word: idf(count_word(db, word), chunks))

    cosines = _cosines(sources, ask, allowed, remarks)
    words = keyword(db, parse_words(asked.query), allowed, near=False, named=named)
    signals: dict[str, Mapping[int, float]] = {
        "graph": by_greatest(entity(named)),
        "vector": {pk: min(1.0, cosine) for pk, cosine in cosines.items() if cosine >= NEAR},
        "keyword": by_greatest(words.scores),
    }
    leaves = fetch_leaves(db, sorted(set().union(*signals.values())))
    memories, times = _read(db, leaves)
    fresh = weigh_times(times, asked.now_ms, asked.direction)
    keyed = {pk: _share(words.terms, pk) for pk, leaf in leaves.items() if "\n" not in leaf.body.strip()}
    scores = weigh_memories(signals, keyed, fresh, beside_turns=beside_turns)
    return _one_a_note(leaves, memories, times, scores, asked.window)


def _unasked(db: Connection, namespaces: Collection[str], asked: _Asked) -> list[_Found]:
    leaves = fetch_leaves(db, sorted(fetch_allowed(db, _filters(namespaces)) or ()))
    memories, times = _read(db, leaves)
    entities = fetch_entities_of(db, leaves)
    numbers = count_occurrences(db, {one for found in entities.values() for one in found})
    scores = weigh_unasked(
        {pk: priority_of(memory.properties, memory.category) for pk, memory in memories.items()},
        {pk: sum(log1p(numbers[one]) for one in found) for pk, found in entities.items()},
        weigh_times(times, asked.now_ms, asked.direction),
    )
    return _one_a_note(leaves, memories, times, scores, asked.window)


def _turns(db: Connection, asked: _Asked, told: Collection[str]) -> list[_Found]:
    """Turns but those that an event tells of."""
    found = {pk: leaf for pk, leaf in _said(db, asked, "turn")[0].items() if leaf.path not in told}
    fresh = weigh_times({pk: leaf.end_ms for pk, leaf in found.items()}, asked.now_ms, asked.direction)
    properties = fetch_properties(db, [leaf.note_pk for leaf in found.values()])
    hits = []
    for pk, score in weigh_turns(list(found), fresh).items():
        leaf = found[pk]
        session = str(properties.get(leaf.note_pk, {}).get("session_id") or leaf.source.partition(":")[2])
        seq = leaf.path.rpartition("/")[2].removesuffix(".md").lstrip("0") or "0"
        memory = _memory(leaf, f"{session} turn {seq}", "conversation", leaf.body.strip(), leaf.path)
        hits.append(_Found(pk, Recalled(memory, score, "turn", (), leaf.end_ms)))
    return hits


def _events(db: Connection, asked: _Asked, kinds: Collection[str]) -> list[_Found]:
    wanted = OF_EVENTS if "event" in kinds else [kind for kind in OF_EVENTS if kind in kinds]
    if not wanted:
        return []
    found, terms = _said(db, asked, "segment", EVENTS_HEADING)
    chunks = count_indexed(db).chunks
    lines: list[tuple[float, _Found]] = []
    for pk, leaf in found.items():
        session = leaf.source.partition(":")[2]
        for line in leaf.body.split("\n"):
            event = read_event(line)
            if event is None or event.kind not in wanted:
                continue
            held = [idf(term.found, chunks) for term in terms if _holds(event.quote, term.label)]
            if terms and len(held) <= SHARE * len(terms):
                continue
            text = event.quote + (" (no longer)" if event.negated else "")
            path = f"episodic/{session}/{event.seq:06}.md"
            memory = _memory(leaf, f"{session} turn {event.seq}", event.kind, text, path)
            lines.append((sum(held), _Found(pk, Recalled(memory, 0.0, "event", (), leaf.end_ms))))
    lines.sort(key=lambda one: (one[1].hit.memory.path, one[1].hit.memory.content))
    lines.sort(key=lambda one: (-one[0], -one[1].hit.at_ms))
    ordered = [one for _, one in lines[:MOST_SAID]]
    times = {at: one.hit.at_ms for at, one in enumerate(ordered)}
    scores = weigh_events(range(len(ordered)), weigh_times(times, asked.now_ms, asked.direction))
    return [one._replace(hit=one.hit._replace(score=scores[at])) for at, one in enumerate(ordered)]


def _said(
    db: Connection, asked: _Asked, kind: str, heading: str = ""
) -> tuple[dict[int, Leaf], Sequence[TermScores]]:
    """Leaves of conversations that hold enough of the words, best first, and these; all without a query, and none for a
    query without words."""
    words = parse_words(asked.query)
    if words.empty and asked.query:
        return {}, ()
    begin_ms, end_ms = _range(asked.window)
    allowed = fetch_allowed(db, Filters(begin_ms, end_ms, kinds=(kind,)))
    if not asked.query:
        every = fetch_leaves(db, sorted(allowed or ()))
        return {pk: leaf for pk, leaf in every.items() if leaf.heading == heading}, ()
    found = keyword(db, words, allowed, near=False)
    enough = [pk for pk in found.scores if _share(found.terms, pk) > SHARE]
    leaves = {pk: leaf for pk, leaf in fetch_leaves(db, enough).items() if leaf.heading == heading}
    best = sorted(leaves, key=lambda pk: (-found.scores[pk], leaves[pk].order))
    return {pk: leaves[pk] for pk in best[:MOST_SAID]}, _telling(found.terms)


def _telling(terms: Sequence[TermScores]) -> list[TermScores]:
    """The words that do not only ask for a time; all when there are no others."""
    return [term for term in terms if not asks_for_time(term.label)] or list(terms)


def _share(terms: Sequence[TermScores], pk: int) -> float:
    """The share of the query's words that a chunk holds."""
    terms = _telling(terms)
    return sum(pk in term.scores for term in terms) / len(terms) if terms else 0.0


def _holds(text: str, label: str) -> bool:
    """Whether a text holds a word, whatever its ending."""
    word = label.strip('"').casefold()
    if not word.isascii():
        return word in text.casefold()
    return re.search(rf"\b{re.escape(word[: max(4, len(word) - 2)])}", text, re.I) is not None


def _memory(leaf: Leaf, key: str, category: str, content: str, path: str) -> Memory:
    return Memory(GLOBAL, key, category, content, path, format_ms(leaf.end_ms) if leaf.end_ms else "")


def _read(db: Connection, leaves: Mapping[int, Leaf]) -> tuple[dict[int, Memory], dict[int, int]]:
    """The memories of chunks, and when each was written."""
    properties = fetch_properties(db, [leaf.note_pk for leaf in leaves.values()])
    memories = {
        pk: memory_from(leaf.path, properties.get(leaf.note_pk, {}), leaf.body, leaf.title)
        for pk, leaf in leaves.items()
    }
    return memories, {pk: _time(memories[pk].updated_at) or leaf.end_ms for pk, leaf in leaves.items()}


def _range(window: TimeWindow) -> tuple[int | None, int | None]:
    begin, end = (None if at is None else int(at.timestamp() * 1000) for at in (window.since, window.until))
    return begin, end


def _time(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def _one_a_note(
    leaves: Mapping[int, Leaf],
    memories: Mapping[int, Memory],
    times: Mapping[int, int],
    scores: Mapping[int, float],
    window: TimeWindow = ALWAYS,
) -> list[_Found]:
    """One hit for each note of the time that is asked for, from its best part."""
    begin_ms, end_ms = _range(window)
    best: dict[str, int] = {}
    for pk in sorted(leaves, key=lambda pk: (-scores.get(pk, 0.0), leaves[pk].order)):
        within = (begin_ms or 0) <= times[pk] and (end_ms is None or times[pk] <= end_ms)
        if scores.get(pk, 0.0) > 0 and within:
            best.setdefault(leaves[pk].path, pk)
    return [_Found(pk, Recalled(memories[pk], scores[pk], at_ms=times[pk])) for pk in best.values()]


def _supported(db: Connection, found: Sequence[_Found], asked: frozenset[str]) -> list[Recalled]:
    """The hits with the relations that support them."""
    entities = fetch_entities_of(db, [one.chunk_pk for one in found])
    together: dict[str, dict[str, int]] = {}
    hits = []
    for one in found:
        here = entities.get(one.chunk_pk, ())[:MOST_ENTITIES]
        for subject in here:
            if subject not in together:
                together[subject] = count_together(db, subject)
        pairs = [
            Relation(min(subject, other), max(subject, other), together[subject][other])
            for subject in here
            for other in {*here, *asked}
            if other in together[subject]
        ]
        hits.append(one.hit._replace(relations=supporting(pairs, here, asked)))
    return hits


def like_memories(
    sources: Sources, text: str, namespaces: Collection[str], floor: float, limit: int
) -> tuple[list[Recalled], list[str]]:
    """Returns the memories whose meaning is like a text's, most alike first, and remarks.

    The score is the cosine. Without vectors it is the share of words in common, and a remark says so.

    Args:
        floor: The least score, 0..1.
    """
    if not text.strip():
        return [], []
    db = sources.db
    allowed = fetch_allowed(db, _filters(namespaces))
    remarks: list[str] = []
    scores = _cosines(sources, lambda embedder: embedder.embed([text])[0], allowed, remarks)
    if remarks or sources.vectors is None:
        remarks = ["vectors_unavailable"]
        scores = _words_in_common(db, text, allowed or ())
        floor = max(floor, WORDS_IN_COMMON)
    kept = {pk: round(score, 6) for pk, score in scores.items() if score >= floor}
    leaves = fetch_leaves(db, sorted(kept))
    memories, times = _read(db, leaves)
    found = [one.hit for one in _one_a_note(leaves, memories, times, kept)]
    found.sort(key=lambda one: one.memory.path)
    found.sort(key=lambda one: one.at_ms, reverse=True)
    return sorted(found, key=lambda one: -one.score)[:limit], remarks


def render_recalled(found: Sequence[Recalled], why: bool = False) -> str:
    """What an agent reads: `Found N memories:` and a line each.

    Args:
        why: Whether the relations that support a hit stand below it.

    Source: BEHAVIOUR §12.1.
    """
    if not found:
        return "No memories found matching that query.\n"
    lines = [f"Found {len(found)} memories:"]
    for one in found:
        memory, score = one.memory, one.score
        content = " ".join(memory.content.split())
        if len(content) > MAX_SHOWN_CHARS:
            content = content[: MAX_SHOWN_CHARS - 1].rstrip() + "…"
        key, category = " ".join(memory.key.split()), " ".join(memory.category.split())
        lines.append(f"- [{category}] {key}: {content} [{score:.0%}]")
        if why and one.relations:
            told = (f"{rel.a} with {rel.b} ({rel.weight})" for rel in one.relations)
            lines.append(f"  {', '.join(' '.join(rel.split()) for rel in told)}")
    return "\n".join(lines) + "\n"


def _filters(namespaces: Collection[str]) -> Filters:
    return Filters(sources=tuple(f"memory:{file_stem(name)}" for name in namespaces), kinds=("memory",))


def _cosines(
    sources: Sources, ask: Callable[[Embedder], Any], allowed: Collection[int] | None, remarks: list[str]
) -> dict[int, float]:
    if sources.vectors is None or sources.embedder is None or not allowed:
        return {}
    try:
        return dense(sources.db, sources.vectors, ask(sources.embedder()), allowed)
    except ProviderError:
        remarks.append("vectors_unavailable")
        return {}


def _words_in_common(db: Connection, text: str, allowed: Collection[int]) -> dict[int, float]:
    from rapidfuzz import fuzz, utils

    return {
        pk: fuzz.token_set_ratio(text, leaf.body, processor=utils.default_process) / 100
        for pk, leaf in fetch_leaves(db, allowed).items()
    }
