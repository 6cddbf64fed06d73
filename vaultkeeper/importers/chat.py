"""Chats: messages → one note a day, a unit for each message.

Owns the form of a unit, `## <time> — <author>`, and that no message can pretend to be two. The same message in two
batches that overlap is one unit.

Source: BEHAVIOUR §6.1, §6.2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from vaultkeeper.errors import UsageError
from vaultkeeper.importers.item import Item, Source
from vaultkeeper.memory.nodes import format_ms
from vaultkeeper.vault.note import parse_note

_LEAST_MS = 10**11
"""Anything smaller is seconds, which would put a message into 1970. Source: BEHAVIOUR §6.1."""


def parse_timestamp(value: object, now: datetime) -> int:
    """Returns Unix milliseconds of an RFC 3339 text, of milliseconds as a number or digits, or now for None and blank.

    Raises:
        UsageError: it is none of these, or seconds.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return round(now.timestamp() * 1000)
    if isinstance(value, str):
        text = value.strip()
        if not text.lstrip("-").isdigit():
            try:
                moment = datetime.fromisoformat(text)
            except ValueError:
                raise UsageError(reason=f"{text[:60]!r} is no time") from None
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
            return round(moment.timestamp() * 1000)
        value = int(text[:20])
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise UsageError(reason=f"{value!r} is no time")
    if abs(value) < _LEAST_MS:
        raise UsageError(reason=f"{value} is no time in milliseconds; it looks like seconds")
    try:
        format_ms(int(value))
    except (OverflowError, ValueError):
        raise UsageError(reason=f"{value} is no time") from None
    return int(value)


_UNIT = re.compile(r"^## (?P<time>\d{4}-\d\d-\d\dT[\d:.]+Z) — (?P<author>[^\n]*)\n", re.M)
_STRUCTURE = re.compile(r"^( {0,3})(#{1,6}(?=[ \t]|$)|(?:-{3,}|={3,}|\*{3,}|_{3,})[ \t]*$)", re.M)

_CLOSINGS = ("", "$$", "%%", "-->", "```", "~~~", "</pre>", "</script>", "?>", "]]>", ">")
_OPENING = re.compile(r"```|~~~|<|%%|\$\$|^ {0,3}\[|^---", re.M)


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `ref` is where it can be found, such as a URL."""

    time_ms: int
    author: str
    body: str
    ref: str = ""


def read_messages(value: object, now: datetime) -> list[Message]:
    """Reads messages from JSON: a list, or an object with `messages`.

    A message has `text` (or `body`, `content`), `author` (or `from`, `role`, `sender`, `user`), `timestamp` (or `time`,
    `ts`, `date`, `created_at`), and may have a `source_ref` (or `url`).

    Raises:
        UsageError: it is nothing like that, or a time is none.
    """
    listed = value.get("messages") if isinstance(value, Mapping) else value
    if not isinstance(listed, list):
        raise UsageError(reason="a chat is a JSON list of messages, or one message a line")
    found = []
    for each in listed:
        if not isinstance(each, Mapping):
            raise UsageError(reason="a message is a JSON object with text, author and timestamp")
        time_ms = parse_timestamp(_first(each, "timestamp", "time", "ts", "date", "created_at"), now)
        author = str(_first(each, "author", "from", "role", "sender", "user") or "unknown")
        body = _first(each, "text", "body", "content")
        ref = str(_first(each, "source_ref", "url") or "").strip()
        found.append(Message(time_ms, author, body if isinstance(body, str) else "", ref))
    return found


def load_messages(text: str, now: datetime) -> list[Message]:
    """Reads messages from JSON, or from JSON lines.

    Raises:
        UsageError: see `read_messages`.
    """
    try:
        try:
            value: object = json.loads(text)
        except json.JSONDecodeError:
            value = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (json.JSONDecodeError, RecursionError):
        raise UsageError(reason="a chat is a JSON list of messages, or one message a line") from None
    return read_messages(value if isinstance(value, list) or "messages" in _keys(value) else [value], now)


def _keys(value: object) -> Iterable[object]:
    return value.keys() if isinstance(value, Mapping) else ()


def _first(message: Mapping[str, object], *keys: str) -> object:
    return next((message[key] for key in keys if message.get(key) is not None), None)


def render_units(messages: Iterable[Message]) -> str:
    """Returns messages in the order of their time, blank ones left out, each once."""
    ordered = sorted(messages, key=lambda message: (message.time_ms, message.author))
    units = (render_unit(message) for message in ordered if message.body.strip())
    return "\n".join(dict.fromkeys(units))


def render_unit(message: Message) -> str:
    """`## 2026-03-01T10:00:00Z — Mara`, then the body. Nothing in the body begins a unit or a section."""
    author = " ".join(message.author.split()) or "unknown"
    body = _STRUCTURE.sub(r"\1\\\2", message.body.replace("\r\n", "\n").replace("\r", "\n").strip())
    return f"## {format_ms(message.time_ms)} — {author}\n{_closed(body)}\n"


def _closed(body: str) -> str:
    """The body, inside of a code block when something that it opens would go on over the next message."""
    if not _OPENING.search(body):
        return body
    if all(_is_one_section(body, closing) for closing in _CLOSINGS):
        return body
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{body}\n{fence}"


def _is_one_section(body: str, closing: str) -> bool:
    """Whether the heading behind a body is one, even if something further on closes what the body opens."""
    note = parse_note("body.md", f"{body}\n\n## next\n\n{closing}\n".encode("utf-8", "replace"))
    return [heading.text for heading in note.headings] == ["next"]


def split_units(body: str) -> list[str]:
    """Cuts what `render_units` made into its units again; text before the first is dropped."""
    starts = [match.start() for match in _UNIT.finditer(body)]
    return [body[a:b].strip() + "\n" for a, b in zip(starts, [*starts, len(body)][1:], strict=True)]


def join_units(old: str, new: str) -> str:
    """The units of two bodies in the order of their time, each once."""
    units = dict.fromkeys([*split_units(old), *split_units(new)])
    return "\n".join(sorted(units, key=lambda unit: unit[3:].partition(" — ")[0]))


def chat_items(messages: Sequence[Message], source: Source, title: str = "") -> list[Item]:
    """Returns a note for each day (of UTC) on which something was said; none for an empty batch."""
    days: dict[str, list[Message]] = {}
    for message in sorted(messages, key=lambda message: message.time_ms):
        if message.body.strip():
            days.setdefault(format_ms(message.time_ms)[:10], []).append(message)
    items = []
    for day, said in days.items():
        ref = source.ref or next((message.ref for message in said if message.ref), "")
        items.append(
            Item(
                "chat",
                source.id,
                f"{source.id}#{day}",
                f"{title or source.id} {day}",
                render_units(said),
                day,
                said[0].time_ms,
                said[-1].time_ms,
                source.tags,
                source.owner,
                ref,
                "union",
            )
        )
    return items
