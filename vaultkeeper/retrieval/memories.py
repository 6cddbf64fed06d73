"""Namespaced memories that fit a query, or are like a text.

Owns the weights of the signals, what counts as found, and the one line in which a memory is shown.

Source: BEHAVIOUR §12.1, §12.2 and §4.9.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vaultkeeper.errors import ProviderError
from vaultkeeper.index.fts import count_word
from vaultkeeper.index.reads import (
    Filters,
    Leaf,
    count_indexed,
    fetch_allowed,
    fetch_leaves,
    fetch_properties,
)
from vaultkeeper.index.words import parse_words
from vaultkeeper.memory.namespaces import Memory, file_stem, memory_from
from vaultkeeper.providers.words import idf
from vaultkeeper.retrieval.dense import dense
from vaultkeeper.retrieval.entity import entity, named_entities
from vaultkeeper.retrieval.fuse import by_greatest, fuse
from vaultkeeper.retrieval.keyword import keyword
from vaultkeeper.types import Mention

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.ports import Embedder, VectorSearch

WITH_GRAPH: Final = {"graph": 0.55, "vector": 0.30, "keyword": 0.15}
WITHOUT_GRAPH: Final = {"vector": 0.65, "keyword": 0.35}
"""Weights with and without an entity of the query among the memories. Source: BEHAVIOUR §12.2."""

NEAR: Final = 0.35
"""Cosine from which on a memory is found that shares no word with the query."""

WORDS_IN_COMMON: Final = 0.6
"""What stands for a cosine when there are none: the share of words in common must be at least this."""

MAX_SHOWN_CHARS: Final = 500


class Recalled(NamedTuple):
    """A memory that was found, with its score 0..1."""

    memory: Memory
    score: float


@dataclass(frozen=True, slots=True)
class Sources:
    """What memories are searched with.

    Attributes:
        mentions: Finds registry entities in a text.
        vectors: None when they are switched off.
    """

    db: Connection
    mentions: Callable[[str], Sequence[Mention]]
    vectors: VectorSearch | None = None
    embedder: Callable[[], Embedder] | None = None


def recall_memories(
    sources: Sources, query: str, namespaces: Collection[str], limit: int
) -> tuple[list[Recalled], list[str]]:
    """Returns the memories that fit a query, best first, and remarks such as `vectors_unavailable`.

    Found is what shares a word or an entity with the query, or lies near it in meaning. A signal that found nothing at
    all is left out of the mean.

    Args:
        query: Not blank.
        namespaces: Where to look.
    """
    db = sources.db
    allowed = fetch_allowed(db, _filters(namespaces))
    chunks = count_indexed(db).chunks
    named = named_entities(db, sources.mentions(query), allowed, chunks)
    remarks: list[str] = []

    def ask(embedder: Embedder) -> Any:
        return embedder.embed_query(query, lambda word: idf(count_word(db, word), chunks))

    cosines = _cosines(sources, ask, allowed, remarks)
    signals: dict[str, Mapping[int, float]] = {
        "graph": by_greatest(entity(named)),
        "vector": {pk: min(1.0, cosine) for pk, cosine in cosines.items() if cosine >= NEAR},
        "keyword": by_greatest(keyword(db, parse_words(query), allowed, near=False, named=named).scores),
    }
    scores = fuse(signals, WITH_GRAPH if signals["graph"] else WITHOUT_GRAPH)
    return _memories(db, scores)[:limit], remarks


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
    return _memories(db, kept)[:limit], remarks


def render_recalled(found: Sequence[Recalled]) -> str:
    """What an agent reads: `Found N memories:` and a line each.

    Source: BEHAVIOUR §12.1.
    """
    if not found:
        return "No memories found matching that query.\n"
    lines = [f"Found {len(found)} memories:"]
    for memory, score in found:
        content = " ".join(memory.content.split())
        if len(content) > MAX_SHOWN_CHARS:
            content = content[: MAX_SHOWN_CHARS - 1].rstrip() + "…"
        key, category = " ".join(memory.key.split()), " ".join(memory.category.split())
        lines.append(f"- [{category}] {key}: {content} [{score:.0%}]")
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


def _memories(db: Connection, scores: Mapping[int, float]) -> list[Recalled]:
    """One for each note, from its best part; equal scores by the time of writing, newest first, then by path."""
    leaves = fetch_leaves(db, [pk for pk, score in scores.items() if score > 0])
    best: dict[str, Leaf] = {}
    for leaf in sorted(leaves.values(), key=lambda leaf: (-scores[leaf.chunk_pk], leaf.order)):
        best.setdefault(leaf.path, leaf)
    properties = fetch_properties(db, [leaf.note_pk for leaf in best.values()])
    found = [
        Recalled(
            memory_from(path, properties.get(leaf.note_pk, {}), leaf.body, leaf.title), scores[leaf.chunk_pk]
        )
        for path, leaf in best.items()
    ]
    found.sort(key=lambda one: one.memory.path)
    found.sort(key=lambda one: one.memory.updated_at, reverse=True)
    return sorted(found, key=lambda one: -one.score)
