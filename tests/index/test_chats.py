from __future__ import annotations

from vaultkeeper.importers.chat import Message, render_units
from vaultkeeper.index.chats import message_parts, message_time
from vaultkeeper.vault.chunks import chunk_note
from vaultkeeper.vault.note import parse_note

NOON = 1_772_366_400_000


def ids(*messages: Message) -> list[str]:
    note = parse_note("sources/chat/t/2026-03-01.md", render_units(messages).encode())
    return [
        part.id for part in message_parts("t#2026-03-01", chunk_note(note, "t#2026-03-01", section_tokens=60))
    ]


def test_a_message_keeps_its_id_whatever_else_was_said() -> None:
    one, other = Message(NOON, "a", "first"), Message(NOON - 5000, "b", "before it")
    assert ids(one)[0] == ids(other, one)[1]


def test_time_author_and_text_each_change_the_id() -> None:
    said = {
        ids(Message(NOON + at, author, text))[0]
        for at, author, text in ((0, "a", "x"), (1, "a", "x"), (0, "b", "x"), (0, "a", "y"))
    }
    assert len(said) == 4


def test_the_parts_of_a_long_message_differ() -> None:
    found = ids(Message(NOON, "a", "the same words again and again. " * 60), Message(NOON + 1, "a", "short"))
    assert len(found) > 3
    assert len(set(found)) == len(found)


def test_a_heading_tells_when_its_message_was_sent() -> None:
    assert message_time("2026-03-01T12:00:00Z — Mara") == (NOON, NOON)
    assert message_time("Notes") is None
    assert message_time("Tomorrow — Mara") is None
