from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from vaultkeeper.ask.params import SearchParams
from vaultkeeper.config import Settings
from vaultkeeper.importers.chat import Message, render_units
from vaultkeeper.index.own import facet_text, message_parts, message_time
from vaultkeeper.keeper import Keeper
from vaultkeeper.memory.facets import Facet, render_facet, value_mark
from vaultkeeper.memory.segments import Segment, SegmentEvent, recap_mark, render_segment
from vaultkeeper.vault.chunks import chunk_note
from vaultkeeper.vault.note import parse_note

NOW = datetime(2026, 3, 20, tzinfo=UTC)
EVENT = SegmentEvent("evt-0123456789abcdef01234567", "decision", "We chose zstd.", False, 0, 0, 14)


def segment(by: str, recap: str, *events: SegmentEvent) -> Segment:
    return Segment("s", "s", 0, 1, 1, 1, 2, "time_gap", recap, by, events, (0, 1), recap_mark(recap))  # type: ignore[arg-type]


def facet(**more: object) -> Facet:
    return Facet("context", "home", "I live in Oslo.", 0.6, 1, 1_700_000_000_000, 1_700_086_400_000, ("s/000000",), written=value_mark("I live in Oslo."), **more)  # type: ignore[arg-type]  # fmt: skip


def bodies(tmp_path: Path, path: str, data: bytes) -> list[tuple[str, str, str]]:
    root = tmp_path / "vault"
    (root / path).parent.mkdir(parents=True)
    (root / path).write_bytes(data)
    keeper = Keeper(root, tmp_path / "index", Settings(embedder="none"), clock=lambda: NOW)
    keeper.sync()
    db = keeper._open_reader()
    assert db is not None
    rows = [tuple(row) for row in db.execute("SELECT heading, body, context FROM chunks ORDER BY seq")]
    keeper.close()
    return rows


def test_of_a_segment_recap_and_events_are_searched_and_never_the_list_of_turns(tmp_path: Path) -> None:
    made = segment("extractive", "User: zstd it is.", EVENT)
    rows = bodies(tmp_path, made.path, render_segment(made))
    assert [heading for heading, _, _ in rows] == ["", "Events"]
    assert rows[0][1] == "User: zstd it is."
    assert all("extractive" not in " ".join(row) and "time_gap" not in " ".join(row) for row in rows)


def test_a_bookend_is_never_searched(tmp_path: Path) -> None:
    made = segment("bookend", "Conversation segment (2 turns). Started with: ok | Ended with: ok")
    assert [body for _, body, _ in bodies(tmp_path, made.path, render_segment(made))] == [""]


def test_the_events_of_a_bookend_segment_are(tmp_path: Path) -> None:
    made = segment("bookend", "Conversation segment (2 turns). Started with: ok | Ended with: ok", EVENT)
    rows = bodies(tmp_path, made.path, render_segment(made))
    assert [heading for heading, _, _ in rows] == ["Events"]


def test_a_facet_says_its_value_with_its_days(tmp_path: Path) -> None:
    rows = bodies(
        tmp_path,
        "profile/context/home.md",
        render_facet(facet(valid_from="2023-11-14", valid_until="2024-01-01")),
    )
    assert rows[0][1] == "I live in Oslo. (since 2023-11-14, until 2024-01-01)"
    assert "2023 November" in rows[0][2]


def test_what_a_person_wrote_below_a_facet_is_searched_too(tmp_path: Path) -> None:
    rows = bodies(
        tmp_path,
        "profile/context/home.md",
        render_facet(facet()) + b"\nBy the fjord.\n\n## More\n\nA red door.\n",
    )
    assert [body for _, body, _ in rows] == ["I live in Oslo.", "By the fjord.", "A red door."]


def test_what_is_forgotten_is_not_found(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    (root / "profile/context").mkdir(parents=True)
    note = root / "profile/context/place.md"
    keeper = Keeper(root, tmp_path / "index", Settings(embedder="none"), clock=lambda: NOW)
    for state, found in (("auto", 1), ("forgotten", 0)):
        note.write_bytes(render_facet(facet(state=state)))
        keeper.sync()
        assert keeper.search(SearchParams("Oslo")).total == found
    keeper.close()


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({}, "I live in Oslo."),
        ({"superseded_by": "context/x"}, "I live in Oslo. (no longer)"),
        ({"valid_until": "2024-01-01"}, "I live in Oslo. (until 2024-01-01)"),
        ({"state": "forgotten"}, ""),
    ],
)
def test_the_text_of_a_facet(more: dict[str, object], text: str) -> None:
    assert facet_text(facet(**more)) == text


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
