import multiprocessing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.errors import StorageError
from vaultkeeper.memory.episodes import (
    Turn,
    append_turns,
    list_session_dirs,
    load_turns,
    parse_turn,
    render_turn,
    session_dir,
    storable,
)
from vaultkeeper.vault.note import parse_note

TURN = Turn(
    "s",
    3,
    1_700_000_000_123,
    "assistant",
    "Hello",
    42,
    "Tools that failed in this turn: a",
    '[{"name": "a"}]',
)


def test_a_turn_comes_back_as_it_was_written() -> None:
    assert parse_turn("episodic/s/000003.md", render_turn(TURN)) == TURN


def test_the_properties_stand_in_the_documented_order_and_obsidian_reads_the_same() -> None:
    note = parse_note(TURN.path, render_turn(TURN))
    assert list(note.properties) == [
        "session_id", "seq", "timestamp_ms", "role", "cost_microdollars", "lesson", "tool_calls_json",
    ]  # fmt: skip
    assert note.properties["tool_calls_json"] == TURN.tool_calls_json
    assert note.properties["timestamp_ms"] == TURN.timestamp_ms
    assert not note.problems


text = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=60)


@given(
    content=text,
    session=text.filter(bool),
    lesson=st.none() | text,
    calls=st.none() | text,
    role=text.filter(bool),
)
def test_whatever_was_said_comes_back_but_for_blanks_at_its_end(
    content: str, session: str, lesson: str | None, calls: str | None, role: str
) -> None:
    turn = Turn(session, 0, 5, role, content, 0, lesson, calls)
    read = parse_turn("episodic/x/000000.md", render_turn(turn))
    assert read is not None
    assert (read.session_id, read.role, read.lesson, read.tool_calls_json) == (session, role, lesson, calls)
    assert read.content.split() == content.split()


@pytest.mark.parametrize(
    "value", ["---", "a\n---\nb", 'say "hi"', "back\\slash", "tab\tand\u2028line", "x: y # z", "\x7f\x9b"]
)
def test_text_that_looks_like_a_delimiter_survives_in_a_scalar_and_in_the_body(value: str) -> None:
    turn = Turn(value, 0, 1, "user", f"before\n{value}\nafter", 0, value)
    read = parse_turn("episodic/x/000000.md", render_turn(turn))
    assert read is not None
    assert (read.session_id, read.lesson) == (value, value)
    assert value.split() == [word for word in read.content.split() if word not in ("before", "after")]
    note = parse_note("episodic/x/000000.md", render_turn(turn))
    assert note.properties["session_id"] == value


def test_a_turn_that_a_person_has_edited_is_read_tolerantly() -> None:
    data = b"---\nsession_id: plain words\nseq: 99\ntimestamp_ms: soon\nrole: user\nnew: [1, 2]\n---\nHello  \r\n\r\n"
    assert parse_turn("episodic/d/000007.md", data) == Turn("plain words", 7, 0, "user", "Hello")
    assert parse_turn("episodic/d/000007.md", b"no frontmatter") is None
    assert parse_turn("episodic/d/notes.md", data) is None


def test_the_folder_is_the_id_where_that_is_safe() -> None:
    assert session_dir("weekly_review-2") == "weekly_review-2"
    assert session_dir("周会") == "周会"
    assert session_dir("a/b") == "a_b-c14cddc033f6"
    assert Turn("x", 12, 0, "user", "").path == "episodic/x/000012.md"


@given(st.lists(st.text(max_size=40), unique=True, min_size=2, max_size=6))
def test_ids_that_differ_never_share_a_folder(ids: list[str]) -> None:
    folders = [session_dir(one) for one in ids]
    assert len(set(folders)) == len(ids)
    assert all("/" not in folder and folder not in ("", ".", "..") and folder[0] != "." for folder in folders)


@pytest.mark.parametrize("name", ["", ".", "..", "con", "x" * 300, "é" * 200, "a:b", "a b"])
def test_a_name_that_a_file_system_might_refuse_gets_a_hash(name: str) -> None:
    folder = session_dir(name)
    assert folder != name
    assert len(folder.encode()) < 220


def test_numbers_go_on_from_the_greatest_in_the_folder(tmp_path: Path) -> None:
    append_turns(tmp_path, "s", [Turn("", 0, 1, "user", "a"), Turn("", 0, 2, "assistant", "b")])
    (tmp_path / "episodic/s/000041.md").write_text("not a turn")
    (tmp_path / "episodic/s/readme.md").write_text("not a number")
    (((turn, receipt),)) = append_turns(tmp_path, "s", [Turn("", 0, 3, "user", "c")])
    assert (turn.seq, receipt.path) == (42, "episodic/s/000042.md")
    assert [turn.content for turn in load_turns(tmp_path, "s")] == ["a", "b", "c"]


def test_a_missing_session_is_empty_and_sessions_do_not_mix(tmp_path: Path) -> None:
    assert load_turns(tmp_path, "nothing") == []
    assert list_session_dirs(tmp_path) == []
    append_turns(tmp_path, "one", [Turn("", 0, 1, "user", "first")])
    append_turns(tmp_path, "two", [Turn("", 0, 1, "user", "second")])
    assert list_session_dirs(tmp_path) == ["one", "two"]
    assert [turn.content for turn in load_turns(tmp_path, "two")] == ["second"]


def test_a_batch_is_written_in_order_around_names_that_are_taken(tmp_path: Path) -> None:
    append_turns(tmp_path, "s", [Turn("", 0, n, "user", f"t{n}") for n in range(1200)])
    assert [turn.content for turn in load_turns(tmp_path, "s")] == [f"t{n}" for n in range(1200)]
    assert not list((tmp_path / "episodic/s").glob(".tmp*"))


def append_some(root: Path, writer: int, number: int, batch: bool) -> None:
    turns = [Turn("", 0, writer, "user", f"{writer}-{n}") for n in range(number)]
    if batch:
        append_turns(root, "shared", turns)
    else:
        for turn in turns:
            append_turns(root, "shared", [turn])


def test_24_writers_on_one_session_lose_nothing_and_keep_their_order(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    writers = [
        context.Process(target=append_some, args=(tmp_path, writer, 4, writer % 3 == 0))
        for writer in range(24)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0] * 24
    turns = load_turns(tmp_path, "shared")
    assert [turn.seq for turn in turns] == list(range(96))
    for writer in range(24):
        assert [t.content for t in turns if t.timestamp_ms == writer] == [f"{writer}-{n}" for n in range(4)]
    assert not list((tmp_path / "episodic/shared").glob(".tmp*"))


def test_text_that_no_file_can_hold_is_made_storable() -> None:
    assert storable("a\x00b\ud800c😀") == "a\ufffdb\ufffdc😀"
    assert storable("plain") == "plain"


def test_a_disk_that_refuses_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "episodic").write_text("a file where the folder should be")
    with pytest.raises(StorageError):
        append_turns(tmp_path, "s", [Turn("", 0, 1, "user", "a")])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["episodic"]
