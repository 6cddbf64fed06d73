"""Leaves of the notes that have more than a text: what vaultkeeper writes itself, and ingested chats.

Owns which parts of a segment note are chunks (its recap and its events; never the list of its turns, never a bookend),
the text that stands for a facet (its value with its dates; nothing of what is to be forgotten), and that of a summary
(its sentences, never its evidence; nothing of a superseded one). Nothing of a superseded document is searched either.
A message of a chat is a leaf with its own time, whose id does not depend on what else was said that day, so that a
batch which overlaps an earlier one changes no leaf. Source: BEHAVIOUR §6.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from vaultkeeper.index.dates import parse_span
from vaultkeeper.memory.facets import Facet, format_moment, read_facet
from vaultkeeper.memory.nodes import summary_from_note
from vaultkeeper.memory.segments import TURNS_HEADING
from vaultkeeper.types import Chunk, Note
from vaultkeeper.vault.chunks import chunk_id

SPEAKS_FOR_ITSELF = frozenset({"facet", "segment", "summary"})
"""Kinds of notes whose properties say nothing that their chunks do not."""


def is_hidden(note: Note, kind: str) -> bool:
    """Whether a note is an ingested document that says that it is superseded. Notes of the user's may say so and mean
    something else."""
    return kind == "document" and note.properties.get("superseded") is True


def own_chunks(note: Note, kind: str, source_id: str, chunks: Sequence[Chunk]) -> Sequence[Chunk]:
    """Returns the chunks that are searched; those of other kinds of notes as they are."""
    if is_hidden(note, kind):
        return []
    if kind == "segment":
        bookend = note.properties.get("recap_by") == "bookend"
        kept = [c for c in chunks if c.anchor != TURNS_HEADING and not (bookend and not c.heading)]
        return kept or [_empty(note, kind, source_id)]
    if kind == "facet":
        facet = read_facet(note)
        if facet is not None:
            return _facet_chunks(note, facet, source_id, chunks)
    if kind == "summary":
        node = summary_from_note(note)
        if node is not None:
            text = "" if node.superseded else node.text
            identity = chunk_id(kind, source_id, 0, text)
            return [Chunk(identity, 0, "", "", text, note.body_line, note.body_start, False)]
    return chunks


def own_context(note: Note, kind: str) -> str:
    """Returns what is searched beside the chunks and never shown: the words that ask for what a facet answers."""
    facet = read_facet(note) if kind == "facet" else None
    slot = facet.slot if facet is not None and facet.state != "forgotten" else None
    if slot is None:
        return ""
    from vaultkeeper.memory.slots import words_of_slot

    return words_of_slot(slot)


def own_dates(note: Note, kind: str) -> dict[str, object]:
    """Returns the properties that date a note: of a facet, when it was said first and last."""
    facet = read_facet(note) if kind == "facet" else None
    if facet is None or not facet.last_ms:
        return note.properties
    return {
        "time_range_start": format_moment(facet.first_ms or facet.last_ms),
        "time_range_end": format_moment(facet.last_ms),
    }


def facet_text(facet: Facet) -> str:
    """Returns what a facet says, with the days between which it held."""
    if facet.state == "forgotten":
        return ""
    dates = [
        f"{word} {day}" for word, day in (("since", facet.valid_from), ("until", facet.valid_until)) if day
    ]
    if facet.superseded_by and not facet.valid_until:
        dates.append("no longer")
    return f"{facet.value} ({', '.join(dates)})" if dates else facet.value


def _facet_chunks(note: Note, facet: Facet, source_id: str, chunks: Sequence[Chunk]) -> list[Chunk]:
    text = facet_text(facet)
    if not text:
        return [_empty(note, "facet", source_id)]
    at = note.text.find("\nvalue:", 0, note.body_start) + 1
    line = 1 + note.text.count("\n", 0, at)
    made = [Chunk(chunk_id("facet", source_id, 0, text), 0, "", "", text, line, at, False)]
    for chunk in chunks:
        if chunk.text or chunk.heading:
            seq = len(made)
            made.append(chunk._replace(id=chunk_id("facet", source_id, seq, chunk.text), seq=seq))
    return made


def _empty(note: Note, kind: str, source_id: str) -> Chunk:
    return Chunk(chunk_id(kind, source_id, 0, ""), 0, "", "", "", note.body_line, note.body_start, False)


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
