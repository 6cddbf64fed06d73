"""Recall: what other conversations said lately, as a block for the beginning of a new one.

Owns the two arms (recaps by meaning, turns by words), how they are merged, and the budget. The constants are those of
the public system that this follows.

Source: BEHAVIOUR §4.7.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from vaultkeeper.errors import ProviderError, UsageError
from vaultkeeper.index.fts import search_words
from vaultkeeper.index.talk import (
    SegmentRow,
    TurnRow,
    fetch_recent_segments,
    fetch_recent_turns,
    fetch_turn_pks,
    fetch_turns,
)
from vaultkeeper.index.words import parse_words

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.ports import Embedder, VectorSearch

RECENCY_WINDOW_DAYS = 14
RECENCY_WINDOW_MAX_SEGMENTS = 100
COSINE_GATE = 0.65
MAX_SEGMENT_RECAPS = 5
MAX_EPISODIC_TURNS = 5
CHAR_BUDGET = 6000
FTS_LIMIT = 20

SEGMENT_OVERHEAD = 60
TURN_OVERHEAD = 20

WORD_VECTORS_GATE = 0.30
"""The gate for embedders that know words and no sentences: their cosines of a question and a recap that answers it lie
where those of sentence models lie at half the height."""

DAY_MS = 86_400_000
HEADING = "## Recent context from other conversations"
WARNING = "What was said then; it may have changed since."


@dataclass(frozen=True, slots=True)
class RecallParams:
    """Parameters of `recall`.

    Attributes:
        query: What the new conversation begins with; empty means only what is newest.
        session: Folder of the session that asks, which is left out; empty leaves none out.
    """

    query: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class Recalled:
    """A recap of a segment, or a turn, of another conversation.

    Attributes:
        text: The recap, or what was said.
        role: Who said it; empty for a recap.
        end_ms: When, Unix milliseconds.
        score: Cosine of a recap, bm25 of a turn; 0 without a query. Comparable within one kind only.
    """

    kind: Literal["segment", "turn"]
    session_id: str
    path: str
    text: str
    role: str
    end_ms: int
    score: float = 0.0

    @property
    def cost(self) -> int:
        """What it takes of the budget, in characters."""
        if self.kind == "segment":
            return len(self.text) + SEGMENT_OVERHEAD
        return len(self.text) + len(self.role) + TURN_OVERHEAD


@dataclass(frozen=True, slots=True)
class Recall:
    """What is recalled, newest first, and remarks such as `vectors_pending`."""

    items: tuple[Recalled, ...]
    notes: tuple[str, ...] = ()


def recall(
    db: Connection,
    params: RecallParams,
    now: datetime,
    vectors: VectorSearch | None = None,
    embedder: Callable[[], Embedder] | None = None,
    answers: Sequence[tuple[str, str]] = (),
) -> Recall:
    """Recalls recaps and turns of other sessions, of the last fourteen days.

    Args:
        now: Aware time.
        vectors: Without them, and the embedder, only turns are found by a query.
        answers: What the profile answers to the query: segment as `<session>/<first turn>`, and what was said there.
    """
    cutoff_ms = int(now.timestamp() * 1000) - RECENCY_WINDOW_DAYS * DAY_MS
    exclude = f"episodic:{params.session}" if params.session else ""
    notes: list[str] = []
    accepted = _recaps(db, params.query, cutoff_ms, exclude, vectors, embedder, notes)
    turns = _turns(db, params.query, cutoff_ms, exclude)
    answering = [found for answer in answers for found in _answering(db, answer, cutoff_ms, exclude)]
    turns = list({row.path: (row, score) for row, score in (*answering, *turns)}.values())
    told = [(row.source, row.start_seq, row.end_seq) for row, _ in accepted if row.end_seq >= 0]
    turns = [
        (row, score)
        for row, score in turns
        if not any(row.source == source and first <= row.seq <= last for source, first, last in told)
    ]
    recaps = [
        Recalled("segment", row.session_id, row.path, row.recap.strip(), "", row.end_ms, score)
        for row, score in accepted
    ]
    said = [
        Recalled("turn", row.session_id, row.path, row.content.strip(), row.role, row.end_ms, score)
        for row, score in turns[:MAX_EPISODIC_TURNS]
    ]
    return Recall(tuple(_within_budget(recaps, said)), tuple(notes))


def search_turns(db: Connection, query: str, now: datetime, session: str = "") -> list[Recalled]:
    """Finds turns of other sessions by words, best first; what an agent asks in the middle of a conversation.

    Raises:
        UsageError: the query is blank.
    """
    if not query.strip():
        raise UsageError(reason="There is nothing to recall: the query is empty.")
    cutoff_ms = int(now.timestamp() * 1000) - RECENCY_WINDOW_DAYS * DAY_MS
    found = _turns(db, query, cutoff_ms, f"episodic:{session}" if session else "")
    return [
        Recalled("turn", row.session_id, row.path, row.content.strip(), row.role, row.end_ms, score)
        for row, score in found[:MAX_EPISODIC_TURNS]
    ]


def _recaps(
    db: Connection,
    query: str,
    cutoff_ms: int,
    exclude: str,
    vectors: VectorSearch | None,
    embedder: Callable[[], Embedder] | None,
    notes: list[str],
) -> list[tuple[SegmentRow, float]]:
    rows = fetch_recent_segments(db, cutoff_ms, RECENCY_WINDOW_MAX_SEGMENTS, exclude)
    if not query.strip():
        return [(row, 0.0) for row in rows[:MAX_SEGMENT_RECAPS]]
    if not rows or vectors is None or embedder is None:
        return []
    try:
        model = embedder()
        vector = model.embed_query(query)
    except ProviderError:
        notes.append("vectors_unavailable")
        return []
    if not vector.any():
        return []
    shas = frozenset(row.text_sha for row in rows)
    cosines = dict(vectors.search(vector, len(shas), shas))
    if len(cosines) < len(shas):
        notes.append("vectors_pending")
    gate = COSINE_GATE if model.slow else WORD_VECTORS_GATE
    near = [(row, float(cosines.get(row.text_sha, -1.0))) for row in rows]
    near = [(row, round(cosine, 6)) for row, cosine in near if cosine >= gate]
    near.sort(key=lambda found: (-found[1], -found[0].end_ms, found[0].path))
    return near[:MAX_SEGMENT_RECAPS]


def _turns(db: Connection, query: str, cutoff_ms: int, exclude: str) -> list[tuple[TurnRow, float]]:
    """Turns that fit best, or the newest without a query; those before the cutoff are dropped after the search."""
    if not query.strip():
        return [(row, 0.0) for row in fetch_recent_turns(db, cutoff_ms, FTS_LIMIT, exclude)]
    words = parse_words(query)
    if words.empty:
        return []
    found = search_words(db, words, FTS_LIMIT, fetch_turn_pks(db, exclude))
    rows = fetch_turns(db, [hit.chunk_pk for hit in found], exclude)
    hits = [(rows[hit.chunk_pk], hit.score) for hit in found if hit.chunk_pk in rows]
    return [(row, score) for row, score in hits if row.end_ms >= cutoff_ms]


def _answering(
    db: Connection, answer: tuple[str, str], cutoff_ms: int, exclude: str
) -> list[tuple[TurnRow, float]]:
    """The turn of a session in which the words of an answer were said."""
    session, value = f"episodic:{answer[0].rpartition('/')[0]}", answer[1]
    found = _turns(db, value, cutoff_ms, exclude)
    return [(row, score) for row, score in found if row.source == session and value in row.content][:1]


def _within_budget(recaps: Sequence[Recalled], turns: Sequence[Recalled]) -> list[Recalled]:
    """Newest first; what does not fit any more is skipped, and smaller ones behind it may still fit."""
    merged = sorted([*recaps[:MAX_SEGMENT_RECAPS], *turns], key=lambda item: (-item.end_ms, item.path))
    left = CHAR_BUDGET
    kept = []
    for item in merged:
        if item.text and item.cost <= left:
            left -= item.cost
            kept.append(item)
    return kept


def render_recall(found: Recall, now: datetime) -> str:
    """Returns the block for the first message of a session; empty when nothing was recalled."""
    if not found.items:
        return ""
    lines = [HEADING, "", WARNING, ""]
    for item in found.items:
        age = _age(item.end_ms, now)
        text = (
            " ".join(item.text.split())
            if item.kind == "segment"
            else f"{item.role}: {' '.join(item.text.split())}"
        )
        lines.append(f"- [{item.session_id}, {age}] {text}")
    return "\n".join(lines)


def _age(end_ms: int, now: datetime) -> str:
    days = max(0, int(now.timestamp() * 1000) - end_ms) // DAY_MS
    return "today" if days == 0 else f"~{days} day{'' if days == 1 else 's'} ago"
