from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vaultkeeper.errors import UsageError
from vaultkeeper.importers.chat import (
    Message,
    chat_items,
    join_units,
    load_messages,
    parse_timestamp,
    read_messages,
    render_units,
    split_units,
)
from vaultkeeper.importers.item import Source
from vaultkeeper.vault.chunks import chunk_note
from vaultkeeper.vault.note import parse_note

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "ms"),
    [
        (1_772_323_200_000, 1_772_323_200_000),
        ("1772323200000", 1_772_323_200_000),
        ("2026-03-01T00:00:00Z", 1_772_323_200_000),
        ("2026-03-01T01:00:00+01:00", 1_772_323_200_000),
        ("2026-03-01", 1_772_323_200_000),
        (None, 1_772_323_200_000),
        ("  ", 1_772_323_200_000),
    ],
)
def test_times_as_they_come(value: object, ms: int) -> None:
    assert parse_timestamp(value, NOW) == ms


@pytest.mark.parametrize(
    "value", [1_772_323_200, "1772323200", 0, -5, "soon", True, [], float("nan"), 10**17, "1" * 19]
)
def test_seconds_and_nonsense_are_refused(value: object) -> None:
    with pytest.raises(UsageError):
        parse_timestamp(value, NOW)


NOW = datetime(2026, 3, 1, tzinfo=UTC)
NOON = 1_772_366_400_000


def test_messages_are_sorted_by_time_and_blank_ones_left_out() -> None:
    body = render_units(
        [Message(NOON + 1000, "b", "later"), Message(NOON, "a", "first"), Message(NOON, "c", " ")]
    )
    assert body == "## 2026-03-01T12:00:00Z — a\nfirst\n\n## 2026-03-01T12:00:01Z — b\nlater\n"


def test_nobody_can_pretend_to_be_two() -> None:
    body = render_units(
        [
            Message(
                NOON,
                "a\n## 2026-03-01T12:00:00Z — b",
                "hi\n## 2026-03-01T12:00:09Z — boss\npay him\n---\n# x\nSetext\n===",
            )
        ]
    )
    assert len(split_units(body)) == 1
    note = parse_note("n.md", body.encode())
    assert len(note.headings) == 1
    assert len(chunk_note(note, "x")) == 1


PIECES = [
    "```",
    "~~~",
    "<!--",
    "<pre>",
    "<script>",
    "%%",
    "$$",
    "\n",
    "## x",
    "---",
    "> ",
    "- ",
    "words",
    "    ",
    "[a]: b",
]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 5),
            st.text(max_size=40),
            st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=8).map("".join)),
        ),
        max_size=6,
    )
)
def test_every_message_is_one_section_of_the_note(messages: list[tuple[int, str, str]]) -> None:
    body = render_units(Message(NOON + at * 1000, author, text) for at, author, text in messages)
    note = parse_note("n.md", body.encode("utf-8", "replace"))
    assert len(note.headings) == len(split_units(note.text))


def test_overlapping_batches_give_each_message_once() -> None:
    one = [Message(NOON + at * 1000, "a", f"message {at}") for at in range(4)]
    joined = join_units(render_units(one[:3]), render_units(one[1:]))
    assert joined == render_units(one)
    assert join_units(joined, render_units(one)) == joined


def test_a_day_is_a_note_and_its_range_is_that_of_its_messages() -> None:
    source = Source("team", "chat")
    items = chat_items(
        [Message(NOON, "a", "x"), Message(NOON + 86_400_000, "a", "y"), Message(NOON + 5, "b", "z")], source
    )
    assert [(item.id, item.name) for item in items] == [
        ("team#2026-03-01", "2026-03-01"),
        ("team#2026-03-02", "2026-03-02"),
    ]
    assert (items[0].start_ms, items[0].end_ms) == (NOON, NOON + 5)
    assert chat_items([], source) == []
    assert chat_items([Message(NOON, "a", "  ")], source) == []


def test_the_reference_of_the_first_message_is_kept_and_a_blank_one_dropped() -> None:
    said = [Message(NOON, "a", "x", ""), Message(NOON + 1, "a", "y", "slack://1")]
    assert chat_items(said, Source("t", "chat"))[0].source_ref == "slack://1"
    assert chat_items(said[:1], Source("t", "chat"))[0].source_ref == ""


@pytest.mark.parametrize(
    "text",
    [
        '[{"author": "a", "text": "hi", "timestamp": "2026-03-01T12:00:00Z"}]',
        '{"messages": [{"role": "a", "content": "hi", "ts": 1772366400000}]}',
        '{"from": "a", "body": "hi", "date": "1772366400000"}\n\n',
        '{"sender": "a", "text": "hi", "time": "2026-03-01T13:00:00+01:00"}',
    ],
)
def test_chats_as_tools_write_them(text: str) -> None:
    assert load_messages(text, NOW) == [Message(NOON, "a", "hi")]


@pytest.mark.parametrize(
    "text", ["hello", "3", "[3]", '{"messages": 5}', "[" * 100_000, '[{"ts": 1772366400}]']
)
def test_what_is_no_chat_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        load_messages(text, NOW)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda c: st.lists(c) | st.dictionaries(st.text(), c),
    )
)
def test_any_json_is_read_or_refused(value: object) -> None:
    try:
        found = read_messages(value, NOW)
    except UsageError:
        return
    assert json.dumps(value)
    assert all(isinstance(message, Message) for message in found)
