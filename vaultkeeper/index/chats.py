"""Leaves of an ingested chat: a message each, with its own time.

Owns that the id of a message does not depend on what else was said that day, so that a batch which overlaps an earlier
one changes no leaf. Source: BEHAVIOUR §6.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from vaultkeeper.index.dates import parse_span
from vaultkeeper.types import Chunk
from vaultkeeper.vault.chunks import chunk_id

PREFIX = "chat:"
"""Sources that are chats: notes below `sources/chat/`."""


def message_parts(identity: str, parts: Sequence[Chunk]) -> list[Chunk]:
    """Gives the parts of a day's note the ids of messages; a message that was cut counts its parts."""
    found: list[Chunk] = []
    heading, number = "", 0
    for part in parts:
        number = number + 1 if part.partial and part.heading == heading and found else 0
        heading = part.heading
        found.append(part._replace(id=chunk_id("chat", identity, number, f"{heading}\n{part.text}")))
    return found


def message_time(heading: str) -> tuple[int, int] | None:
    """When the message under a heading `<time> — <author>` was sent; None for another heading."""
    moment, mark, _ = heading.rpartition(" > ")[2].partition(" — ")
    return parse_span(moment) if mark else None
