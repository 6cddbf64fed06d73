"""Times that a question tells by something that happened: "before the move", "since the kickoff".

Owns which note such words mean: one with a date of its own that has them in its title, or begins with them. Where the
notes that could be meant are not from about the same day, none is.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from vaultkeeper.index.reads import fetch_leaves, fetch_undated
from vaultkeeper.index.words import STOP_WORDS, parse_words
from vaultkeeper.present.sentences import find_sentences
from vaultkeeper.present.snippet import stems
from vaultkeeper.retrieval.keyword import keyword
from vaultkeeper.retrieval.timephrases import Phrase
from vaultkeeper.types import TimeWindow

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.index.reads import Leaf

APART = timedelta(days=3)
"""How far apart the notes may be that tell of one event: the day itself, and what was written the days after."""

READ = 40
"""Best chunks by words that are looked at."""

_EVENT = re.compile(
    r"\b(?P<rel>before|after|since|until|till)\s+(?:the|our|my)\s+(?P<what>[^\W\d_][\w’'-]*(?:\s+[^\W\d_][\w’'-]*){0,3})"
    r"\s*(?=$|[,.;:!?])",
    re.IGNORECASE,
)
_NO_TIME = re.compile(
    r"\b(?:look|looks|looked|looking|take|takes|took|named?|ask|asks|asked|runs?|ran|go|goes)\s+$", re.I
)
"""Verbs whose "after" is no time: who looks after the hives."""


def find_landmark(db: Connection, question: str) -> tuple[Phrase, str] | None:
    """Returns the time that is told by an event, and the path of the note that says when that was; or None."""
    asked = _EVENT.search(question)
    if asked is None or _NO_TIME.search(question[: asked.start()]):
        return None
    words = {stem for stem in stems(asked["what"]) if stem} - STOP_WORDS
    found = _dated(db, asked["what"], words) if words else []
    if not found or _begin(found[-1]) - _begin(found[0]) > APART:
        return None
    titled = [leaf for leaf in found if words <= stems(leaf.title)]
    first = (titled or found)[0]
    day = _begin(first).replace(hour=0, minute=0, second=0, microsecond=0)
    before, last = day - timedelta(milliseconds=1), day + timedelta(days=1, milliseconds=-1)
    relation = asked["rel"].lower()
    if relation == "before":
        window = TimeWindow(None, before)
    elif relation in ("until", "till"):
        window = TimeWindow(None, last)
    else:
        window = TimeWindow(day, None)
    return Phrase(asked[0].strip(), asked.start(), window), first.path


def _dated(db: Connection, text: str, words: set[str]) -> list[Leaf]:
    """Notes of one day that have the words in their title or first sentence, earliest first."""
    found = keyword(db, parse_words(text), None, near=False)
    scores = found.scores
    best = sorted(scores, key=lambda pk: (-round(scores[pk], 6), found.positions[pk].order))[:READ]
    leaves = [leaf for leaf in fetch_leaves(db, best).values() if leaf.kind == "note" and leaf.seq == 0]
    undated = fetch_undated(db, {leaf.path for leaf in leaves})
    chosen = [
        leaf
        for leaf in leaves
        if leaf.path not in undated
        and leaf.end_ms - leaf.start_ms < 86_400_000
        and (words <= stems(leaf.title) or words <= stems(_opening(leaf.body)))
    ]
    return sorted(chosen, key=lambda leaf: (leaf.start_ms, leaf.path))


def _opening(body: str) -> str:
    sentences = find_sentences(body)
    return body[sentences[0].start : sentences[0].end] if sentences else ""


def _begin(leaf: Leaf) -> datetime:
    return datetime.fromtimestamp(leaf.start_ms / 1000, UTC)
