from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.memory.boundary import Stretch
from vaultkeeper.memory.episodes import Turn
from vaultkeeper.memory.failures import Failure
from vaultkeeper.memory.segments import (
    Segment,
    find_events,
    last_closed_seq,
    load_segments,
    make_segment,
    read_segment,
    render_segment,
    segment_id,
)
from vaultkeeper.vault.note import parse_note

TURNS = (
    Turn("my session", 4, 1_700_000_000_000, "user", "Hm. I live in Oslo. Should I always ask? I don't work at Quill any more."),
    Turn("my session", 5, 1_700_000_000_001, "assistant", "I prefer tea."),
    Turn("my session", 6, 1_700_000_060_000, "user", "We decided to use zstd. I live in Oslo!"),
    Turn("my session", 7, 1_700_000_060_001, "assistant", "Noted."),
)  # fmt: skip
STRETCH = Stretch(TURNS, "time_gap")


FAILURES = (
    Failure("err-0a", "shell", "no such file: a.md", 5),
    Failure("err-0b", "web", "refused (403)", 7, True),
)


def made() -> Segment:
    return make_segment(STRETCH, find_events(STRETCH), "User: I live in Oslo.", "extractive")


def test_a_segment_says_where_it_begins_and_ends() -> None:
    segment = made()
    assert (segment.start_seq, segment.end_seq, segment.turn_count) == (4, 7, 2)
    assert (segment.start_ms, segment.end_ms) == (1_700_000_000_000, 1_700_000_060_001)
    assert segment.path == f"wiki/segments/{segment.folder}/000004.md"
    assert segment.segment_id == segment_id("my session", 4) != segment_id("my session", 6)


def test_its_note_comes_back_as_it_was_and_links_every_turn() -> None:
    segment = made()
    data = render_segment(segment)
    note = parse_note(segment.path, data)
    assert read_segment(note) == segment
    assert not note.problems
    targets = [link.target for link in note.links]
    assert [f"episodic/{segment.folder}/{seq:06}" for seq in (4, 5, 6, 7)] == targets[-4:]
    assert {block.id for block in note.blocks} == {event.event_id for event in segment.events}
    assert note.properties["time_range_end"] == "2023-11-14T22:14:20.001Z"


def test_its_failures_come_back_too() -> None:
    segment = make_segment(STRETCH, (), "User: I live in Oslo.", "extractive", FAILURES)
    data = render_segment(segment)
    read = read_segment(parse_note(segment.path, data))
    assert read is not None
    assert [(one.error, one.told) for one in read.failures] == [
        ("no such file: a.md", False),
        ("refused (403)", True),
    ]
    assert read.recap == segment.recap
    assert read.seqs == segment.seqs
    assert render_segment(read) == data


def test_events_come_from_the_user_once_a_segment_with_their_place_in_the_turn() -> None:
    events = find_events(STRETCH)
    assert [(e.kind, e.quote, e.negated, e.seq) for e in events] == [
        ("fact", "I live in Oslo.", False, 4),
        ("fact", "I don't work at Quill any more.", True, 4),
        ("decision", "We decided to use zstd.", False, 6),
    ]
    for event in events:
        turn = next(turn for turn in TURNS if turn.seq == event.seq)
        assert turn.content[event.start : event.end] == event.quote
    assert find_events(STRETCH) == events
    assert find_events(Stretch((Turn("s", 0, 0, "user", "  \n "),), None)) == ()


quotes = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=50
)


@given(quote=quotes.filter(lambda text: text.strip() and "##" not in text))
def test_whatever_a_quote_holds_its_line_is_read_back(quote: str) -> None:
    quote = " ".join(quote.split())
    if not quote:
        return
    event = find_events(STRETCH)[0]._replace(quote=quote)
    segment = replace(made(), events=(event,))
    read = read_segment(parse_note(segment.path, render_segment(segment)))
    assert read is not None
    assert read.events == (event,)
    assert read.seqs[-4:] == (4, 5, 6, 7)


def test_a_recap_is_redacted_and_an_edited_one_is_seen(tmp_path: Path) -> None:
    key = "AK" + "IA" + "QX7RTB2MVHW3ZL5K"
    segment = make_segment(STRETCH, (), f"User: the key is {key}.", "llm")
    assert key not in segment.recap
    read = read_segment(parse_note(segment.path, render_segment(segment)))
    assert read is not None
    assert not read.edited
    edited = render_segment(segment).replace(b"User:", b"Somebody:")
    read = read_segment(parse_note(segment.path, edited))
    assert read is not None
    assert read.edited


def test_the_last_closed_turn_is_read_from_the_notes(tmp_path: Path) -> None:
    segment = made()
    assert last_closed_seq(tmp_path, segment.folder) == -1
    assert load_segments(tmp_path, segment.folder) == []
    path = tmp_path / segment.path
    path.parent.mkdir(parents=True)
    path.write_bytes(render_segment(segment))
    (path.parent / "000009.md").write_text("---\nno: end\n---\n")
    (path.parent / "words.md").write_text("mine")
    assert last_closed_seq(tmp_path, segment.folder) == 7
    assert load_segments(tmp_path, segment.folder) == [segment]


def test_a_note_elsewhere_or_without_an_end_is_no_segment() -> None:
    data = render_segment(made())
    assert read_segment(parse_note("wiki/other/x/000004.md", data)) is None
    assert read_segment(parse_note("wiki/segments/x/words.md", data)) is None
