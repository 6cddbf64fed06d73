"""Turns of conversations as notes: `episodic/<session>/<seq>.md`.

Owns their place, their bytes and their numbers. The folder is the only source of truth: the next number is one more
than the greatest there, and a note is published by a hard link, so that no writer ever overwrites another's. A turn is
never changed afterwards by this program; a person may, and is read tolerantly.

Source: BEHAVIOUR §1.3; length and Windows names are ours.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vaultkeeper.errors import ExistsError
from vaultkeeper.vault.write import Receipt, create_note, create_notes

FOLDER = "episodic"
UNKNOWN_SESSION = "unknown"
MAX_DIR_BYTES = 180
BATCH = 500
"""Turns that are written at a time; bounds memory and the temporary files of one write."""

_UNSAFE = re.compile(r"[^\w-]")
_WINDOWS = re.compile(r"(?i)(?:con|prn|aux|nul|com[0-9]|lpt[0-9])")
_OPENING = re.compile(r"---[ \t]*\n")
_CLOSING = re.compile(r"^---[ \t]*(?:\n|\Z)", re.M)
_LINE = re.compile(r'([a-z_]+): (?:("(?:[^"\\]|\\.)*")|(-?\d{1,18}))$')
_NO_JSON = re.compile("[\x7f-\xa0\u00ad\u2028\u2029\ufeff\ufffe\uffff]")
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")

Step = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation.

    Attributes:
        seq: Position in the session from 0, which is the file's name.
        role: user, assistant, or what a client calls its speakers.
        content: Without whitespace at its end.
        cost_microdollars: What the answer cost.
        lesson: Which tools failed; None when none did.
        tool_calls_json: JSON list of the tool calls; None when there were none.
    """

    session_id: str
    seq: int
    timestamp_ms: int
    role: str
    content: str
    cost_microdollars: int = 0
    lesson: str | None = None
    tool_calls_json: str | None = None

    @property
    def path(self) -> str:
        """Where its note lies."""
        return turn_path(session_dir(self.session_id), self.seq)


def session_dir(session_id: str) -> str:
    """Returns the folder of a session: its id where that is a safe name, else with `_` and twelve hex digits of its
    hash.

    Ids that differ never share a folder, as far as the file system tells capitals apart.
    """
    name = "".join(char if char.isalnum() or char in "-_" else "_" for char in session_id)
    room = MAX_DIR_BYTES
    changed = name != session_id or not name or _WINDOWS.fullmatch(name) is not None
    if len(name.encode()) > room:
        name, changed = name.encode()[:room].decode("utf-8", "ignore"), True
    if not changed:
        return name
    return f"{name}-{hashlib.sha256(session_id.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def turn_path(folder: str, seq: int) -> str:
    """Returns where the turn of a session's folder lies."""
    return f"{FOLDER}/{folder}/{seq:06}.md"


def json_string(text: str) -> str:
    """Returns a text as a JSON string that YAML reads the same."""
    return _NO_JSON.sub(lambda char: f"\\u{ord(char[0]):04x}", json.dumps(text, ensure_ascii=False))


def storable(text: str) -> str:
    """Returns a text that UTF-8 and a Markdown file can hold: halves of surrogate pairs and NUL become U+FFFD."""
    return _NO_TEXT.sub("\ufffd", text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def render_turn(turn: Turn) -> bytes:
    """Returns the note of a turn."""
    lines = [
        "---",
        f"session_id: {json_string(turn.session_id)}",
        f"seq: {turn.seq}",
        f"timestamp_ms: {turn.timestamp_ms}",
        f"role: {json_string(turn.role)}",
        f"cost_microdollars: {turn.cost_microdollars}",
    ]
    if turn.lesson is not None:
        lines.append(f"lesson: {json_string(turn.lesson)}")
    if turn.tool_calls_json is not None:
        lines.append(f"tool_calls_json: {json_string(turn.tool_calls_json)}")
    body = turn.content.rstrip()
    return ("\n".join([*lines, "---", ""]) + f"\n{body}\n").encode()


def parse_turn(path: str, data: bytes) -> Turn | None:
    """Reads the note of a turn; a value that makes no sense takes its default.

    Args:
        path: Its file name is the number of the turn, its folder the session where none is named.

    Returns:
        None for a file without frontmatter, or whose name is no number.
    """
    folder, _, name = path.rpartition("/")
    seq = seq_of(name)
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if seq is None or opening is None or closing is None:
        return None
    values = _values(text[opening.end() : closing.start()])
    body = text[closing.end() :]
    return Turn(
        _text(values.get("session_id")) or folder.rpartition("/")[2],
        seq,
        _number(values.get("timestamp_ms")),
        _text(values.get("role")) or UNKNOWN_SESSION,
        body.removeprefix("\n").rstrip(),
        _number(values.get("cost_microdollars")),
        _text(values.get("lesson")),
        _text(values.get("tool_calls_json")),
    )


def _values(source: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for line in source.splitlines():
        found = _LINE.fullmatch(line)
        if found is None:
            from vaultkeeper.vault.frontmatter import parse_properties

            return parse_properties(source).properties
        try:
            values[found[1]] = json.loads(found[2]) if found[2] else int(found[3])
        except ValueError:
            continue
    return values


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None if value is None else str(value)


def _number(value: object) -> int:
    return (
        int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value == value else 0
    )


def seq_of(name: str) -> int | None:
    """Returns the number that a file name is; None for any other name."""
    stem, dot, extension = name.rpartition(".")
    return int(stem) if dot and extension == "md" and stem.isascii() and stem.isdigit() else None


def list_seqs(root: Path, folder: str, above: str = FOLDER) -> list[int]:
    """Returns the numbers of the notes of a session, ascending; empty when it has none."""
    try:
        names = os.listdir(root / above / folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(seq for name in names if (seq := seq_of(name)) is not None)


def list_session_dirs(root: Path) -> list[str]:
    """Returns the folders of all sessions, sorted."""
    try:
        with os.scandir(root / FOLDER) as entries:
            return sorted(
                entry.name
                for entry in entries
                if entry.is_dir(follow_symlinks=False) and entry.name[0] != "."
            )
    except (FileNotFoundError, NotADirectoryError):
        return []


def load_turns(root: Path, folder: str, first: int = 0, last: int | None = None) -> list[Turn]:
    """Reads the turns of a session in order; files that are no turns, or vanish meanwhile, are passed over.

    Args:
        folder: The session's folder, as `session_dir` names it.
        first: Number of the first turn that is read.
        last: Number of the last; None reads to the end.
    """
    turns = []
    top = os.fspath(root)
    for seq in list_seqs(root, folder):
        if seq < first or (last is not None and seq > last):
            continue
        path = turn_path(folder, seq)
        try:
            with open(f"{top}/{path}", "rb") as file:  # noqa: PTH123 (a Path for each costs as much as reading it)
                data = file.read()
        except (FileNotFoundError, IsADirectoryError):
            continue
        turn = parse_turn(path, data)
        if turn is not None:
            turns.append(turn)
    return turns


def append_turns(
    root: Path, session_id: str, turns: Sequence[Turn], *, step: Step = lambda _name: None
) -> list[tuple[Turn, Receipt]]:
    """Writes turns behind those that a session has, whoever else is writing.

    Args:
        turns: In order; their `session_id` and `seq` are replaced.

    Returns:
        The turns with their numbers, and what was written.

    Raises:
        RefusedError, StorageError: see `vault.write.create_note`; turns before are written.
    """
    folder = session_dir(session_id)
    done: list[tuple[Turn, Receipt]] = []
    while len(done) < len(turns):
        known = list_seqs(root, folder)
        first = known[-1] + 1 if known else 0
        rest = turns[len(done) : len(done) + BATCH]
        numbered = [replace(turn, session_id=session_id, seq=first + at) for at, turn in enumerate(rest)]
        notes = [(turn.path, render_turn(turn)) for turn in numbered]
        if len(notes) > 2:
            receipts = create_notes(root, notes, step=step)
        else:
            try:
                receipts = [create_note(root, *notes[0], step=step)]
            except ExistsError:
                receipts = []
        done += zip(numbered, receipts, strict=False)
    return done
