"""What the message of a snapshot says, as git trailers.

A snapshot may be of several sources: each `Source-Id` begins the lines of one. Only the last paragraph is read, so
nothing in a subject can pose as a trailer. Source: BEHAVIOUR §12.6; `Number` is ours.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Trigger = Literal["auto", "manual"]


class SourceLine(NamedTuple):
    """A source as a snapshot found it.

    Attributes:
        kind: Such as `notes` or `episodic`.
        label: For people, on one line.
        items: How many it had; 0 when it went.
    """

    source: str
    kind: str
    label: str
    items: int


class Message(NamedTuple):
    """What is known of a snapshot.

    Attributes:
        sources: Those that changed with it, sorted.
        number: Position in the history, from 1.
    """

    sources: tuple[SourceLine, ...]
    trigger: str
    number: int
    taken_at_ms: int


def source_line(source: str, items: int) -> SourceLine:
    """Describes a source by its id: what stands before the first colon is its kind, the rest its label."""
    kind, _, label = source.partition(":")
    return SourceLine(source, kind, flat(label or kind), items)


def flat(text: str) -> str:
    """Returns a text on one line."""
    return " ".join(text.split())


def render_message(message: Message) -> str:
    """Returns the text of a commit."""
    count = len(message.sources)
    subject = flat(message.sources[0].source) if count == 1 else f"{count} sources"
    lines = [f"Snapshot of {subject}", ""]
    for found in message.sources:
        lines += [
            f"Source-Id: {found.source}",
            f"Source-Kind: {flat(found.kind)}",
            f"Source-Label: {flat(found.label)}",
            f"Item-Count: {found.items}",
        ]
    lines += [
        f"Trigger: {message.trigger}",
        f"Number: {message.number}",
        f"Taken-At-Ms: {message.taken_at_ms}",
    ]
    return "\n".join(lines) + "\n"


def parse_message(text: str) -> Message | None:
    """Reads the last paragraph of a commit's text; None when it says nothing of a snapshot."""
    fields: dict[str, str] = {}
    groups: list[dict[str, str]] = []
    for line in text.rstrip("\n").rpartition("\n\n")[2].split("\n"):
        key, colon, value = line.partition(": ")
        if not colon:
            continue
        if key == "Source-Id":
            groups.append({})
        into = (
            groups[-1]
            if groups and key in ("Source-Id", "Source-Kind", "Source-Label", "Item-Count")
            else fields
        )
        into[key] = value
    try:
        sources = tuple(
            SourceLine(
                group["Source-Id"],
                group.get("Source-Kind", ""),
                group.get("Source-Label", ""),
                int(group["Item-Count"]),
            )
            for group in groups
        )
        return Message(sources, fields["Trigger"], int(fields["Number"]), int(fields["Taken-At-Ms"]))
    except (KeyError, ValueError):
        return None
