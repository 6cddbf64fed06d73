"""The time that a question names: what is from then is preferred, and found even where no other word fits.

Owns how much a time in the question's own words counts, and which note tells the day of something that happened
("before the move"): one with a date of its own that has the words in its title, or begins with them. Where the notes
that could be meant are not from about the same day, none is. A time never leaves anything out, since what happened in
March may be written down in April; that is what `--since`, `--until` and `--last` are for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from vaultkeeper.index.reads import (
    Filters,
    Position,
    extend_positions,
    fetch_allowed,
    fetch_leaves,
    fetch_undated,
)
from vaultkeeper.index.words import STOP_WORDS, parse_words
from vaultkeeper.present.sentences import find_sentences
from vaultkeeper.present.snippet import stems
from vaultkeeper.retrieval.primitives import keyword
from vaultkeeper.retrieval.timephrases import Phrase
from vaultkeeper.types import TimeWindow

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.index.reads import Leaf


OUTSIDE = 0.6
"""What is left of the score of a chunk that is not from the time."""

EDITED = 0.5
"""How much it says that a note without a date was changed at the time."""

BROAD, BROADER = 0.25, 3
"""How much it says that a note is of a time many times as long, such as a whole year when a month is asked for; and how
many. Where nothing but the time is asked for, such a note is not from then."""

MONTH_AND_A_HALF_MS = 45 * 86_400_000
"""Up to this length the time of a note is no broad one, whatever is asked for: a journey, a week's review."""

FEW = 60
"""Up to so many chunks of a time are found for being from then, whatever their words."""

UNSAID = 0.3
"""What being from the time is worth to a chunk that no other signal found."""

HAPPENED = {"note": 1.0, "document": 0.95, "summary": 0.9, "segment": 0.8, "turn": 0.75}
"""Kinds of notes that tell what happened, and their order where only the time is asked for."""

LATER = 0.9
"""What the further sections of a note are worth there, beside its first one."""

_NOT_THE_DAY = frozenset(
    "happen happens happened happening going new news write wrote written note notes day days week month year time"
    " thing things work worked working planned tell show list summary summarise summarize everything anything".split()
)
_NOT_THE_DAY_CJK = re.compile(r"(?:我|我们|我們|都|有|在|做|干|幹|写|寫|发生|發生|过|過|了|的|事情|事)+")
_BY_EVENT = re.compile(r"(?i)\b(?:before|after|since|until|till)\s+(?:the|our|my)\b")
_SPAN = re.compile(
    r"\b(?:hour|day|week|month|year|spring|summer|autumn|fall|winter)s?\b|[前近去最以上这這本]", re.IGNORECASE
)
_WRITTEN = re.compile(
    r"(?i)\b\d[\w-]*|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|[^\W\d_]*月\S*"
)

_ISO_DAY = re.compile(r"\b\d{4}-\d{2}(?:-\d{2})?\b")
_MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
_MONTH_NAME = re.compile(
    r"\b(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\b"
)


@dataclass(frozen=True, slots=True)
class Period:
    """A time that a question names.

    Attributes:
        query: The question as it is searched: without words such as "last week"; a date stays, since it may be written
            in the text too.
        alone: Nothing but the time is asked for, as in "What happened yesterday?".
        inside: Chunks from then that may be found.
        by: The note that says when that was, where the question tells a time by an event.
    """

    phrase: Phrase
    query: str
    alone: bool
    inside: frozenset[int]
    by: str = ""

    @property
    def window(self) -> TimeWindow:
        """The time that is meant."""
        return self.phrase.window


def find_period(
    db: Connection, question: str, now: datetime, allowed: frozenset[int] | None
) -> Period | None:
    """Returns the first time that a question names, or None.

    Args:
        allowed: Chunks that may be found; None means all.
    """
    from vaultkeeper.retrieval.timephrases import find_phrase

    phrase, by = find_phrase(question, now), ""
    if phrase is None:
        if _BY_EVENT.search(question) is None:
            return None

        landmark = find_landmark(db, question)
        if landmark is None:
            return None
        phrase, by = landmark
    left = phrase.cut_from(question)
    alone = not _says_something(left)
    kinds = tuple(HAPPENED) if alone else ()
    inside = fetch_allowed(db, _filters(phrase.window)._replace(kinds=kinds)) or frozenset()
    if allowed is not None:
        inside &= allowed
    if alone or by or not inside:  # what is from the event itself may be asked for too
        return Period(phrase, question, alone, inside, by)
    written = [] if _SPAN.search(phrase.text) else _WRITTEN.findall(phrase.text)
    return Period(phrase, " ".join([left, *written]), alone, inside, by)


def tells_of(text: str, window: TimeWindow) -> int:
    """Returns 1 when a text names a day or a month of a window, -1 when it names others only, and 0 when none.

    A month without a year may be any year's. A window that is open, or longer than a year, is told by no month.
    """
    since, until = window.since, window.until
    if since is None or until is None or until - since > timedelta(days=366):
        return 0
    months = {(since + timedelta(days=day)).month for day in range((until - since).days + 1)}
    first, last = since.date().isoformat(), until.date().isoformat()
    found = [first[: len(day)] <= day <= last[: len(day)] for day in _ISO_DAY.findall(text)]
    found += [_MONTHS.index(name[:3].lower()) // 3 + 1 in months for name in _MONTH_NAME.findall(text)]
    return (1 if any(found) else -1) if found else 0


def _says_something(text: str) -> bool:
    words = parse_words(text)
    return (
        bool(words.phrases)
        or any(term.text.casefold() not in STOP_WORDS | _NOT_THE_DAY for term in words.terms)
        or any(not _NOT_THE_DAY_CJK.fullmatch(run) for run in words.cjk)
    )


def prefer_period(
    db: Connection,
    period: Period,
    fused: Mapping[int, float],
    positions: dict[int, Position],
) -> tuple[dict[int, float], dict[int, float]]:
    """Returns the scores with the time taken into account, and how much each chunk is from then, 0..1.

    The second is empty when the vault has nothing from then: the scores are as they were, or there are none when
    nothing else is asked for.
    """
    inside = period.inside
    wanted = inside if period.alone or len(inside) <= FEW else inside & fused.keys()
    extend_positions(db, positions, wanted)
    broad = {pk for pk in wanted if _is_broad(positions[pk], period.phrase.window)}
    if period.alone:
        wanted -= broad
    if not wanted:
        return {} if period.alone else dict(fused), {}
    strength = _strengths(db, wanted, positions)
    strength.update(dict.fromkeys(broad & wanted, BROAD))
    if period.alone:
        order = sorted(wanted, key=lambda pk: (positions[pk].end_ms, positions[pk].path, positions[pk].seq))
        scores = {
            pk: round(
                strength[pk]
                * HAPPENED[positions[pk].kind]
                * (LATER if positions[pk].seq else 1.0)
                * (1 - at / (20 * len(order))),
                6,
            )
            for at, pk in enumerate(order)
        }
        return scores, strength
    scores = {
        pk: round(score * (OUTSIDE + (1 - OUTSIDE) * strength.get(pk, 0.0)), 6) for pk, score in fused.items()
    }
    if len(inside) <= FEW:
        for pk in inside - fused.keys():
            scores[pk] = round(UNSAID * strength[pk], 6)
    return scores, strength


def _strengths(db: Connection, pks: Collection[int], positions: Mapping[int, Position]) -> dict[int, float]:
    edited = fetch_undated(db, {positions[pk].path for pk in pks})
    return {pk: EDITED if positions[pk].path in edited else 1.0 for pk in pks}


def _is_broad(place: Position, window: TimeWindow) -> bool:
    if window.since is None or window.until is None:
        return False
    asked_ms = (window.until - window.since).total_seconds() * 1000
    return place.end_ms - place.start_ms > max(BROADER * asked_ms, MONTH_AND_A_HALF_MS)


def _filters(window: TimeWindow) -> Filters:
    since, until = window.since, window.until
    return Filters(
        since_ms=None if since is None else round(since.timestamp() * 1000),
        until_ms=None if until is None else round(until.timestamp() * 1000),
    )


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
