"""The archivist: turns that have come to rest become segments, recaps, events, facets, and now and then a line of
memory.

Owns the order of these steps. The segment's note is written last, since it says that the work is done: whoever is
interrupted before does it again and finds his facets there already. Everything is computed from notes, so several
archivists may work at once and none is needed for long.

Source: BEHAVIOUR §2.4 to §2.6 and §4.1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from vaultkeeper.errors import ConflictError
from vaultkeeper.memory.boundary import (
    EmbedTexts,
    Reason,
    SegmentRules,
    Stretch,
    close_idle,
    cut_session,
    idle_at_ms,
)
from vaultkeeper.memory.episodes import list_seqs, list_session_dirs, load_turns, session_dir
from vaultkeeper.memory.failures import find_failures
from vaultkeeper.memory.profile import Learnt, Statement, load_profile
from vaultkeeper.memory.promotion import (
    MOST_AT_ONCE,
    Promote,
    find_entries,
    is_repeated,
    mistake_text,
)
from vaultkeeper.memory.recap import RECAP_DEADLINE_S, summarize
from vaultkeeper.memory.reflection import Reflecting, propose_goals, reflect
from vaultkeeper.memory.resummarise import resummarise_pending
from vaultkeeper.memory.segments import (
    FOLDER,
    Remark,
    Segment,
    find_events,
    last_closed_seq,
    load_segment,
    load_segments,
    make_segment,
    render_segment,
    segment_path,
)
from vaultkeeper.ports import LanguageModel
from vaultkeeper.vault.lock import edit_lock
from vaultkeeper.vault.write import create_notes

TRIES = 3
"""Times that facets are learnt anew when somebody edits them at the same moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tending:
    """How the archivist works.

    Attributes:
        embed: Vectors of texts, for topic drift; None leaves that check out.
        lock_dir: Folder of the edit lock, outside the vault.
        profile: Whether facets are learnt.
        mistakes: Whether failures of tools are noted, and promoted when they come back.
        promote: Writes to MEMORY.md; None leaves it alone.
        confirmed_only: Whether only what was said again and again is promoted; else once is enough.
        model: Writes recaps; None leaves them extractive.
        reflect: What the model may add of its own; None is nothing.
    """

    rules: SegmentRules = field(default_factory=SegmentRules)
    embed: EmbedTexts | None = None
    lock_dir: Path | None = None
    profile: bool = True
    mistakes: bool = True
    promote: Promote | None = None
    confirmed_only: bool = True
    model: LanguageModel | None = None
    reflect: Reflecting | None = None
    deadline_s: float = RECAP_DEADLINE_S


class Closed(NamedTuple):
    """A segment that was closed now."""

    path: str
    session_id: str
    turns: int
    reason: str
    recap_by: str
    events: int


@dataclass(frozen=True, slots=True)
class Tended:
    """What the archivist did.

    Attributes:
        facets_created: Names, `<type>/<key>`; so are those that were confirmed and superseded.
        promoted: Lines that went to MEMORY.md.
        goals: Goals that a model proposed and that were added.
        recaps: Segment notes whose recap a model wrote anew.
        due_at: When the next open segment ends by silence; None when none is open.
        still_open: Conversations that are open.
    """

    closed: tuple[Closed, ...] = ()
    events: dict[str, int] = field(default_factory=dict)
    facets_created: tuple[str, ...] = ()
    facets_confirmed: tuple[str, ...] = ()
    facets_superseded: tuple[str, ...] = ()
    promoted: tuple[str, ...] = ()
    recaps: tuple[str, ...] = ()
    due_at: datetime | None = None
    still_open: int = 0
    goals: tuple[str, ...] = ()

    @property
    def wrote(self) -> bool:
        """Whether any note was written."""
        return bool(self.closed or self.promoted or self.recaps or self.goals)

    def __str__(self) -> str:
        if not self.wrote:
            return "nothing was due"
        parts = [_count(len(self.closed), "segment") + " closed"]
        if self.events:
            parts.append(_count(sum(self.events.values()), "event"))
        changed = len(self.facets_created) + len(set(self.facets_confirmed))
        if changed:
            parts.append(f"{_count(changed, 'facet')} learnt or confirmed")
        if self.facets_superseded:
            parts.append(f"{len(self.facets_superseded)} superseded")
        if self.recaps:
            parts.append(_count(len(self.recaps), "better recap"))
        if self.promoted:
            parts.append(f"{_count(len(self.promoted), 'line')} added to MEMORY.md")
        if self.goals:
            parts.append(f"{_count(len(self.goals), 'goal')} added")
        return ", ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def tend(
    root: Path,
    now: datetime,
    how: Tending,
    *,
    attempts: Counter[str] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Tended:
    """Does whatever is due: closes segments that have ended, with recap, events and facets, and promotes what is
    confirmed.

    Args:
        now: Aware time; a session that has been silent for longer than the rules allow is taken to have ended.
        attempts: How often this process has tried to improve each recap.
        stop: Asked between sessions; True leaves the rest to the next time.

    Raises:
        NotesLockedError: another process edits the profile and does not end.
        ConflictError: a person edits the same facets again and again; what was not done is done next time.
        RefusedError, StorageError: a note cannot be written.
    """
    now_ms = int(now.timestamp() * 1000)
    ended: list[Stretch] = []
    due_ms: list[int] = []
    for folder in list_session_dirs(root):
        if stop():
            break
        closed, running = open_turns(root, folder, how)
        if running is not None:
            idle = close_idle(running, how.rules, now_ms)
            if idle is None:
                due_ms.append(idle_at_ms(running, how.rules))
            else:
                closed = [*closed, idle]
        ended += closed
    done = close_stretches(root, ended, how, now)
    promoted = [*done.promoted, *(promote_confirmed(root, how, now) if how.profile else ())]
    recaps: list[str] = []
    if how.model is not None and any(closed.recap_by == "llm" for closed in done.closed):
        recaps = resummarise_pending(
            root,
            list(_segment_paths(root)),
            how.model,
            attempts if attempts is not None else Counter(),
            deadline_s=how.deadline_s,
            stop=stop,
        )
    due_at = datetime.fromtimestamp(min(due_ms) / 1000, UTC) if due_ms else None
    return replace(
        done, promoted=tuple(promoted), recaps=tuple(recaps), due_at=due_at, still_open=len(due_ms)
    )


def open_turns(root: Path, folder: str, how: Tending) -> tuple[list[Stretch], Stretch | None]:
    """Returns the stretches of a session that have ended and have no segment note yet, and the one that is open."""
    seqs = list_seqs(root, folder)
    first = last_closed_seq(root, folder) + 1
    if not seqs or seqs[-1] < first:
        return [], None
    return cut_session(load_turns(root, folder, first), how.rules, how.embed)


def flush_open_segment(root: Path, folder: str, how: Tending, now: datetime) -> Tended:
    """Closes what is open of a session, as at its end. Doing it again, or without an open segment, changes nothing."""
    closed, running = open_turns(root, folder, how)
    if running is not None:
        closed = [*closed, running._replace(reason="session_end")]
    return close_stretches(root, closed, how, now)


def on_segment_closed(root: Path, stretch: Stretch, how: Tending, now: datetime) -> bool:
    """Does the work of one closed segment; True when its recap is usable. Without turns nothing happens."""
    if not stretch.turns:
        return False
    done = close_stretches(root, [stretch], how, now)
    return any(closed.recap_by != "bookend" for closed in done.closed)


def close_stretches(root: Path, ended: Sequence[Stretch], how: Tending, now: datetime) -> Tended:
    """Writes facets and then segment notes of stretches that have ended, in the order in which they were said."""
    segments: list[Segment] = []
    made: Counter[str] = Counter()
    ended = sorted(ended, key=_said)
    for stretch in ended:
        events = find_events(stretch)
        recap = summarize(stretch.turns, events, how.model, deadline_s=how.deadline_s)
        recorded = [(turn.seq, turn.tool_calls_json) for turn in stretch.turns if turn.tool_calls_json]
        failures = find_failures(recorded) if how.mistakes else ()
        remarks = _reflect(root, stretch, how, made)
        segments.append(make_segment(stretch, events, recap.text, recap.by, failures, remarks))
    if not segments:
        return Tended()
    times = {
        (segment.folder, turn.seq): turn.timestamp_ms
        for segment, stretch in zip(segments, ended, strict=True)
        for turn in stretch.turns
        if turn.timestamp_ms > 0
    }
    learnt = _learn(root, statements_of(segments, times), how, now) if how.profile else Learnt([], [], [])
    segments, mistakes = _tell_mistakes(root, segments, how)
    written: set[str] = set()
    by_folder: dict[str, list[Segment]] = {}
    for segment in segments:
        by_folder.setdefault(segment.folder, []).append(segment)
    for group in by_folder.values():
        written |= _write(root, group)
    goals = _propose(
        root, [pair for pair in zip(segments, ended, strict=True) if pair[0].path in written], how
    )
    return Tended(
        tuple(
            Closed(s.path, s.session_id, len(s.seqs), s.reason, s.recap_by, len(s.events))
            for s in segments
            if s.path in written
        ),
        dict(Counter(event.kind for s in segments if s.path in written for event in s.events)),
        tuple(learnt.created),
        tuple(learnt.confirmed),
        tuple(learnt.superseded),
        tuple(mistakes),
        goals=tuple(goals),
    )


def _reflect(root: Path, stretch: Stretch, how: Tending, made: Counter[str]) -> tuple[Remark, ...]:
    """The model's remarks on a stretch; `made` counts those of each conversation."""
    if how.model is None or how.reflect is None or how.reflect.most_a_session == 0:
        return ()
    folder = session_dir(stretch.turns[0].session_id)
    if folder not in made:
        made[folder] = sum(len(segment.remarks) for segment in load_segments(root, folder))
    remarks = reflect(stretch.turns, how.model, how.reflect, made[folder], deadline_s=how.deadline_s)
    made[folder] += len(remarks)
    return remarks


def _propose(root: Path, closed: Sequence[tuple[Segment, Stretch]], how: Tending) -> list[str]:
    """Goals that the model finds in its recaps, and that were added."""
    if how.model is None or how.reflect is None or not how.reflect.goals:
        return []
    return [
        goal
        for segment, stretch in closed
        if segment.recap_by == "llm"
        for goal in propose_goals(root, segment.recap, stretch.turns, how.model, deadline_s=how.deadline_s)
    ]


def _tell_mistakes(root: Path, segments: list[Segment], how: Tending) -> tuple[list[Segment], list[str]]:
    """Promotes failures that other conversations met too, once each; returns the segments that say so, and the lines.

    Done before the segments are written: whoever is killed in between finds the line there, and goes on.
    """
    met = {failure.failure_id for segment in segments for failure in segment.failures}
    promote = how.promote
    if not met or promote is None:
        return segments, []
    sessions: dict[str, set[str]] = {name: set() for name in met}
    told: set[str] = set()
    for path in _segment_paths(root):
        segment = load_segment(root, path)
        for failure in segment.failures if segment is not None else ():
            if segment is not None and failure.failure_id in met:
                sessions[failure.failure_id].add(segment.folder)
                told |= {failure.failure_id} if failure.told else set()
    lines: list[str] = []
    done: list[Segment] = []
    for segment in segments:
        failures = []
        for failure in segment.failures:
            sessions[failure.failure_id].add(segment.folder)
            repeated = is_repeated(len(sessions[failure.failure_id]), how.confirmed_only)
            if repeated and failure.failure_id not in told and len(lines) < MOST_AT_ONCE:
                text = mistake_text(failure)
                written = promote("mistake", text)
                if written:
                    lines.append(text)
                if written is not False:
                    told.add(failure.failure_id)
                    failure = failure._replace(told=True)
            failures.append(failure)
        done.append(replace(segment, failures=tuple(failures)))
    return done, lines


def _said(stretch: Stretch) -> tuple[int, str, int]:
    first = stretch.turns[0]
    return (first.timestamp_ms, first.session_id, first.seq)


def _write(root: Path, segments: list[Segment]) -> set[str]:
    """Creates the notes of one session; those that another archivist has written meanwhile stay."""
    written: set[str] = set()
    rest = segments
    while rest:
        receipts = create_notes(root, [(segment.path, render_segment(segment)) for segment in rest])
        written |= {receipt.path for receipt in receipts}
        rest = rest[len(receipts) + 1 :]
    return written


def statements_of(
    segments: Iterable[Segment], times: dict[tuple[str, int], int] | None = None
) -> list[Statement]:
    """Returns what the events of segments say about the user: facts and preferences.

    Args:
        times: When each turn was said, by folder and number; else the segment's end counts.
    """
    times = times or {}
    return [
        Statement(
            event.kind,
            event.quote,
            event.negated,
            times.get((segment.folder, event.seq), segment.end_ms),
            f"{segment.folder}/{segment.start_seq:06}",
            event.confidence,
        )
        for segment in segments
        for event in segment.events
        if event.kind == "fact" or event.kind == "preference"
    ]


def _learn(root: Path, said: list[Statement], how: Tending, now: datetime) -> Learnt:
    if not said:
        return Learnt([], [], [])
    with edit_lock(how.lock_dir, command="vaultkeeper tend", since=now):
        for last in (False,) * (TRIES - 1) + (True,):
            profile = load_profile(root)
            for statement in said:
                profile.learn(statement)
            try:
                profile.flush(root)
            except ConflictError:
                if last:
                    raise
                continue
            return profile.learnt
    raise AssertionError("the loop returns or raises")


def promote_confirmed(root: Path, how: Tending, now: datetime) -> tuple[str, ...]:
    """Appends what is confirmed to MEMORY.md, and remembers that it did; returns the lines."""
    promote = how.promote
    if promote is None or not find_entries(load_profile(root), how.confirmed_only):
        return ()
    lines: list[str] = []
    with edit_lock(how.lock_dir, command="vaultkeeper tend", since=now):
        profile = load_profile(root)
        for entry in find_entries(profile, how.confirmed_only):
            written = promote(entry.category, entry.text)
            if written:
                lines.append(entry.text)
            if written is not False:
                profile.put(replace(profile.facets[entry.facet], promoted=True))
        try:
            profile.flush(root)
        except ConflictError:
            pass  # the line is there; the mark follows next time, when MEMORY.md says that it knows it
    return tuple(lines)


def _segment_paths(root: Path) -> Iterable[str]:
    for folder in list_session_dirs(root):
        for seq in list_seqs(root, folder, FOLDER):
            yield segment_path(folder, seq)


__all__ = [
    "Closed",
    "Reason",
    "Tended",
    "Tending",
    "close_stretches",
    "flush_open_segment",
    "on_segment_closed",
    "tend",
]
