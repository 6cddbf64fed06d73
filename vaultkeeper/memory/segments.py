"""Closed segments as notes: `wiki/segments/<session>/<first turn>.md`.

Owns their bytes and ids. A segment note says where the segment begins and ends, why it ended, what was said (the
recap), which events were found in it and which tools failed, each a block with a link to its turn, and links its turns.
It follows from the turns, and from what other conversations failed at, so two processes that close the same segment
write the same note.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from vaultkeeper.memory.episodes import json_string, list_seqs, session_dir, turn_path
from vaultkeeper.memory.failures import Failure
from vaultkeeper.types import Note
from vaultkeeper.vault.note import parse_note

if TYPE_CHECKING:
    from vaultkeeper.memory.boundary import Stretch
    from vaultkeeper.memory.events import EventKind

FOLDER = "wiki/segments"
EVENTS_HEADING = "Events"
FAILURES_HEADING = "Failures"
REMARKS_HEADING = "Remarks"
TURNS_HEADING = "Turns"

_HEADINGS = (EVENTS_HEADING, FAILURES_HEADING, REMARKS_HEADING, TURNS_HEADING)

RecapBy = Literal["extractive", "bookend", "llm"]

_EVENT = re.compile(
    r"[-*+] \*\*(decision|commitment|preference|fact)( \(no longer\))?\*\* (.+) "
    r"\(\[\[episodic/[^\]|]*/(\d+)(?:\|[^\]]*)?\]\] (\d+)–(\d+), (\d(?:\.\d+)?)\) \^(evt-[0-9a-f]+)\s*"
)

_FAILURE = re.compile(
    r"[-*+] \*\*failure(, in MEMORY\.md)?\*\* (.+?): (.+) \(\[\[episodic/[^\]|]*/(\d+)(?:\|[^\]]*)?\]\]\) "
    r"\^(err-[0-9a-f]+)\s*"
)
_REMARK = re.compile(
    r"[-*+] \*\*remark\*\* (.+) \(\[\[episodic/[^\]|]*/(\d+)(?:\|[^\]]*)?\]\]\) \^(ref-[0-9a-f]+)\s*"
)

_KINDS: dict[str, EventKind] = {
    "decision": "decision",
    "commitment": "commitment",
    "preference": "preference",
    "fact": "fact",
}


class SegmentEvent(NamedTuple):
    """An event of a segment with its evidence: characters `start` to `end` of the content of turn `seq`."""

    event_id: str
    kind: EventKind
    quote: str
    negated: bool
    seq: int
    start: int
    end: int
    confidence: float = 0.6


class Remark(NamedTuple):
    """What a language model learnt from the exchange that ended with turn `seq`."""

    remark_id: str
    text: str
    seq: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A closed segment.

    Attributes:
        folder: Of its session.
        turn_count: Exchanges, that is messages of the user.
        recap_by: Who wrote the recap: the extractor, a language model, or nobody (`bookend`: first and last words).
        failures: Tools that failed in it.
        remarks: What a language model learnt from it.
        written: Hash of the recap as this program wrote it; another one tells that a person edited it.
    """

    session_id: str
    folder: str
    start_seq: int
    end_seq: int
    turn_count: int
    start_ms: int
    end_ms: int
    reason: str
    recap: str
    recap_by: RecapBy
    events: tuple[SegmentEvent, ...] = ()
    seqs: tuple[int, ...] = ()
    written: str = ""
    failures: tuple[Failure, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def segment_id(self) -> str:
        """The same for the same session and first turn, wherever it is computed."""
        return segment_id(self.session_id, self.start_seq)

    @property
    def path(self) -> str:
        """Where its note lies."""
        return segment_path(self.folder, self.start_seq)

    @property
    def edited(self) -> bool:
        """Whether a person has rewritten the recap."""
        return recap_mark(self.recap) != self.written


def segment_id(session_id: str, start_seq: int) -> str:
    """Returns the id of the segment that begins at this turn."""
    digest = hashlib.sha256(f"{session_id}\x1f{start_seq}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"seg-{digest[:20]}"


def segment_path(folder: str, start_seq: int) -> str:
    """Returns where the segment of a session's folder lies."""
    return f"{FOLDER}/{folder}/{start_seq:06}.md"


def recap_mark(recap: str) -> str:
    """Returns what tells whether a recap is still as it was written; never read as a number by YAML."""
    return "v-" + hashlib.sha256(" ".join(recap.split()).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def find_events(stretch: Stretch) -> tuple[SegmentEvent, ...]:
    """Returns the events in the user's messages, in order; the same statement once a segment, where it was first
    made."""
    from vaultkeeper.memory.events import event_id, extract_events
    from vaultkeeper.memory.redact import redact

    identifier = segment_id(stretch.turns[0].session_id, stretch.turns[0].seq)
    found: dict[str, SegmentEvent] = {}
    for turn in stretch.turns:
        if turn.role != "user":
            continue
        for event in extract_events(turn.content):
            quote = redact(" ".join(event.quote.split())).text
            name = event_id(identifier, event.kind, quote)
            found.setdefault(
                name,
                SegmentEvent(
                    name, event.kind, quote, event.negated, turn.seq, event.start, event.end, event.confidence
                ),
            )
    return tuple(found.values())


def make_segment(
    stretch: Stretch,
    events: Sequence[SegmentEvent],
    recap: str,
    recap_by: RecapBy,
    failures: Sequence[Failure] = (),
    remarks: Sequence[Remark] = (),
) -> Segment:
    """Returns the segment of a stretch that has ended."""
    from vaultkeeper.memory.redact import redact

    first, last = stretch.turns[0], stretch.turns[-1]
    times = [turn.timestamp_ms for turn in stretch.turns if turn.timestamp_ms > 0]
    recap = redact(recap).text.strip()
    return Segment(
        first.session_id,
        session_dir(first.session_id),
        first.seq,
        last.seq,
        stretch.exchanges,
        min(times, default=0),
        max(times, default=0),
        stretch.reason or "session_end",
        recap,
        recap_by,
        tuple(events),
        tuple(turn.seq for turn in stretch.turns),
        recap_mark(recap),
        tuple(failures),
        tuple(remarks),
    )


def format_ms(ms: int) -> str:
    """RFC 3339 in UTC, to the millisecond."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def render_segment(segment: Segment) -> bytes:
    """Returns the note of a segment."""
    lines = [
        "---",
        f"id: {segment.segment_id}",
        f"session_id: {json_string(segment.session_id)}",
        f"start_seq: {segment.start_seq}",
        f"end_seq: {segment.end_seq}",
        f"turn_count: {segment.turn_count}",
    ]
    if segment.start_ms:
        lines += [
            f"time_range_start: {format_ms(segment.start_ms)}",
            f"time_range_end: {format_ms(segment.end_ms)}",
        ]
    lines += [
        f"reason: {segment.reason}",
        f"status: {'closed' if segment.recap_by == 'bookend' else 'summarised'}",
        f"recap_by: {segment.recap_by}",
        f"written: {segment.written}",
        "---",
        "",
    ]
    if segment.recap:
        lines += [segment.recap, ""]
    for heading, told in (
        (EVENTS_HEADING, [_event_line(segment.folder, event) for event in segment.events]),
        (FAILURES_HEADING, [_failure_line(segment.folder, failure) for failure in segment.failures]),
        (REMARKS_HEADING, [_remark_line(segment.folder, remark) for remark in segment.remarks]),
    ):
        lines += [f"## {heading}", "", *told, ""] if told else []
    lines += [f"## {TURNS_HEADING}", "", " · ".join(_turn_link(segment.folder, seq) for seq in segment.seqs)]
    return ("\n".join(lines) + "\n").encode()


def _turn_link(folder: str, seq: int, label: str = "") -> str:
    return f"[[{turn_path(folder, seq).removesuffix('.md')}|{label or seq}]]"


def _event_line(folder: str, event: SegmentEvent) -> str:
    kind = event.kind + (" (no longer)" if event.negated else "")
    link = _turn_link(folder, event.seq, f"turn {event.seq}")
    return (
        f"- **{kind}** {event.quote} ({link} {event.start}–{event.end}, {event.confidence}) ^{event.event_id}"
    )


def _failure_line(folder: str, failure: Failure) -> str:
    kind = "failure, in MEMORY.md" if failure.told else "failure"
    link = _turn_link(folder, failure.seq, f"turn {failure.seq}")
    return f"- **{kind}** {failure.tool}: {failure.error} ({link}) ^{failure.failure_id}"


def _remark_line(folder: str, remark: Remark) -> str:
    link = _turn_link(folder, remark.seq, f"turn {remark.seq}")
    return f"- **remark** {remark.text} ({link}) ^{remark.remark_id}"


def read_segment(note: Note) -> Segment | None:
    """Reads a segment from its note; None when the note lies elsewhere or does not say where the segment ends."""
    folder, _, name = note.path.removeprefix(f"{FOLDER}/").rpartition("/")
    stem, values = name.removesuffix(".md"), note.properties
    end = values.get("end_seq")
    if not note.path.startswith(f"{FOLDER}/") or not stem.isdigit() or not isinstance(end, int):
        return None
    by = values.get("recap_by")
    body = note.text[note.body_start :]
    sections = [heading for heading in note.headings if heading.text in _HEADINGS]
    recap = note.text[note.body_start : sections[0].offset] if sections else body
    events = [read_event(line) for line in body.split("\n")] if "^evt-" in body else []
    turns = sections[-1].offset if sections and sections[-1].text == TURNS_HEADING else len(note.text)
    seqs = [
        int(link.target.rpartition("/")[2])
        for link in note.links
        if link.start > turns and link.target.rpartition("/")[2].isdigit()
    ]
    return Segment(
        str(values.get("session_id") or folder),
        folder,
        int(stem),
        end,
        _int(values.get("turn_count")),
        _ms(values.get("time_range_start")),
        _ms(values.get("time_range_end")),
        str(values.get("reason") or ""),
        recap.strip(),
        by if by in ("extractive", "bookend", "llm") else "llm",
        tuple(event for event in events if event is not None),
        tuple(seqs),
        str(values.get("written") or ""),
        _read_failures(body),
        _read_remarks(body),
    )


def read_event(line: str) -> SegmentEvent | None:
    """Reads an event from its line of a segment note; None when the line is none."""
    found = _EVENT.fullmatch(line)
    if found is None:
        return None
    kind, negated, quote, seq, start, end, confidence, name = found.groups()
    return SegmentEvent(
        name, _KINDS[kind], quote, bool(negated), int(seq), int(start), int(end), float(confidence)
    )


def _read_failures(text: str) -> tuple[Failure, ...]:
    lines = text.split("\n") if "^err-" in text else ()
    found = (_FAILURE.fullmatch(line) for line in lines)
    return tuple(Failure(one[5], one[2], one[3], int(one[4]), bool(one[1])) for one in found if one)


def _read_remarks(text: str) -> tuple[Remark, ...]:
    lines = text.split("\n") if "^ref-" in text else ()
    found = (_REMARK.fullmatch(line) for line in lines)
    return tuple(Remark(one[3], one[1], int(one[2])) for one in found if one)


def _int(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _ms(value: object) -> int:
    if not isinstance(value, str):
        return 0
    try:
        moment = datetime.fromisoformat(value)
        return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    except ValueError:
        return 0


def load_segments(root: Path, folder: str) -> list[Segment]:
    """Reads the closed segments of a session in order; notes that are none, or vanish meanwhile, are passed over."""
    segments = []
    for seq in list_seqs(root, folder, FOLDER):
        segment = load_segment(root, segment_path(folder, seq))
        if segment is not None:
            segments.append(segment)
    return segments


def load_segment(root: Path, path: str) -> Segment | None:
    """Reads one segment note; None when there is none."""
    try:
        data = (root / path).read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        return None
    return read_segment(parse_note(path, data))


def last_closed_seq(root: Path, folder: str) -> int:
    """Returns the last turn of a session that a closed segment has; -1 when none has."""
    for seq in reversed(list_seqs(root, folder, FOLDER)):
        segment = load_segment(root, segment_path(folder, seq))
        if segment is not None:
            return segment.end_seq
    return -1
