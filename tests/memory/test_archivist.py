import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.memory.test_recap import Model
from vaultkeeper.memory.archivist import Tended, Tending, flush_open_segment, on_segment_closed, tend
from vaultkeeper.memory.boundary import Stretch
from vaultkeeper.memory.capture import Exchange, capture_all
from vaultkeeper.memory.episodes import list_seqs, load_turns
from vaultkeeper.memory.profile import load_profile
from vaultkeeper.memory.segments import FOLDER, load_segments

START = datetime(2026, 3, 10, 19, tzinfo=UTC)
LATER = START + timedelta(days=1)


def say(root: Path, session: str, *said: str, at: datetime = START, step_s: int = 20) -> None:
    exchanges = [
        Exchange(text, "An answer about the gauges.", session_id=session, at_ms=int((at + timedelta(seconds=n * step_s)).timestamp() * 1000))
        for n, text in enumerate(said)
    ]  # fmt: skip
    capture_all(root, exchanges, now=at)


def notes(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()
    }


def test_turns_of_a_running_conversation_stay_open(tmp_path: Path) -> None:
    say(tmp_path, "s", "Hello there", "And now?")
    before = notes(tmp_path)
    done = tend(tmp_path, START + timedelta(minutes=5), Tending())
    assert not done.wrote
    assert str(done) == "nothing was due"
    assert done.due_at is not None
    assert notes(tmp_path) == before


def test_a_boundary_closes_a_segment_with_events_recap_and_facets(tmp_path: Path) -> None:
    say(tmp_path, "s", "I prefer aisle seats. We decided to use zstd.", "By the way, how are the gauges?")
    done = tend(tmp_path, START + timedelta(minutes=1), Tending())
    (closed,) = done.closed
    assert (closed.path, closed.turns, closed.reason, closed.recap_by, closed.events) == (
        "wiki/segments/s/000000.md", 2, "explicit_marker", "extractive", 2,
    )  # fmt: skip
    assert done.events == {"preference": 1, "decision": 1}
    assert done.facets_created == ("preference/preference_prefer_aisle_seats",)
    facet = load_profile(tmp_path).facets["preference/preference_prefer_aisle_seats"]
    assert facet.segments == ("s/000000",)
    assert facet.first_ms == int(START.timestamp() * 1000)


def test_silence_closes_what_is_open_and_the_next_turn_opens_a_new_one(tmp_path: Path) -> None:
    say(tmp_path, "s", "The gauges are cold today")
    assert [c.reason for c in tend(tmp_path, LATER, Tending()).closed] == ["time_gap"]
    say(tmp_path, "s", "The gauges are warm now", at=LATER)
    assert [c.path for c in tend(tmp_path, LATER + timedelta(days=1), Tending()).closed] == [
        "wiki/segments/s/000002.md"
    ]


def test_tending_again_changes_nothing(tmp_path: Path) -> None:
    say(
        tmp_path,
        "s",
        *["I live in Oslo.", "I moved to Ghent.", "Anyway, I don't live in Ghent any more."] * 9,
    )
    tend(tmp_path, LATER, Tending())
    before = notes(tmp_path)
    assert tend(tmp_path, LATER, Tending()) == Tended()
    assert notes(tmp_path) == before


def test_notes_alone_give_the_same_segments_events_and_facets(tmp_path: Path) -> None:
    """However often the archivist came by, and whatever of his work was deleted meanwhile."""
    said = [
        "I live in Oslo.",
        "I prefer tea.",
        "By the way, we decided to move.",
        "I moved to Ghent.",
        "ok",
    ] * 6
    often, once = tmp_path / "often", tmp_path / "once"
    for number, text in enumerate(said):
        say(often, "s", text, at=START + timedelta(minutes=4 * number))
        tend(often, START + timedelta(minutes=4 * number + 1), Tending())
    tend(often, LATER, Tending())
    say(once, "s", *said, step_s=240)
    tend(once, LATER, Tending())
    assert notes(often) == notes(once)
    for folder in ("wiki", "profile"):
        shutil.rmtree(once / folder)
    tend(once, LATER, Tending())
    assert notes(often) == notes(once)


def test_ending_a_session_closes_what_is_open_once(tmp_path: Path) -> None:
    say(tmp_path, "s", "The gauges are cold", "Anyway, the gauges are warm")
    done = flush_open_segment(tmp_path, "s", Tending(), START)
    assert [closed.reason for closed in done.closed] == ["explicit_marker", "session_end"]
    before = notes(tmp_path)
    assert flush_open_segment(tmp_path, "s", Tending(), START) == Tended()
    assert flush_open_segment(tmp_path, "nothing", Tending(), START) == Tended()
    assert notes(tmp_path) == before


def test_a_closed_segment_without_turns_is_no_work(tmp_path: Path) -> None:
    assert on_segment_closed(tmp_path, Stretch((), "time_gap"), Tending(), START) is False
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("said", "model", "by", "usable"),
    [
        ("The gauges of hall seven are cold", None, "extractive", True),
        ("The gauges of hall seven are cold", "The gauges are cold.", "llm", True),
        ("The gauges of hall seven are cold", "  ", "extractive", True),
        ("ok", None, "bookend", False),
        ("ok", "Nothing was said.", "llm", True),
    ],
)
def test_when_a_recap_is_usable(said: str, model: str | None, by: str, usable: bool, tmp_path: Path) -> None:
    capture_all(tmp_path, [Exchange(said, "ok", session_id="s", at_ms=5)], now=START)
    how = Tending(model=Model(model) if model is not None else None)
    stretch = Stretch(tuple(load_turns(tmp_path, "s")), "time_gap")
    assert on_segment_closed(tmp_path, stretch, how, START) is usable
    (segment,) = load_segments(tmp_path, "s")
    assert segment.recap_by == by


def test_a_model_that_works_again_improves_older_recaps(tmp_path: Path) -> None:
    say(tmp_path, "old", "The gauges of hall seven are cold")
    tend(tmp_path, LATER, Tending())
    say(tmp_path, "new", "The gauges of hall eight are warm", at=LATER)
    done = tend(tmp_path, LATER + timedelta(days=1), Tending(model=Model("The gauges were read.")))
    assert done.recaps == ("wiki/segments/old/000000.md",)
    assert {s.recap_by for folder in ("old", "new") for s in load_segments(tmp_path, folder)} == {"llm"}


def test_the_profile_can_be_switched_off(tmp_path: Path) -> None:
    say(tmp_path, "s", "I prefer tea.")
    tend(tmp_path, LATER, Tending(profile=False))
    assert not (tmp_path / "profile").exists()
    assert load_segments(tmp_path, "s")[0].events


def test_a_facet_that_a_person_deleted_stays_away_until_it_is_said_again(tmp_path: Path) -> None:
    say(tmp_path, "s", "I prefer tea.")
    tend(tmp_path, LATER, Tending())
    shutil.rmtree(tmp_path / "profile")
    tend(tmp_path, LATER, Tending())
    assert not (tmp_path / "profile").exists()
    say(tmp_path, "t", "I prefer tea.", at=LATER)
    tend(tmp_path, LATER + timedelta(days=1), Tending())
    assert (tmp_path / "profile").exists()


def test_what_is_confirmed_is_promoted_once(tmp_path: Path) -> None:
    lines: list[tuple[str, str]] = []
    how = Tending(promote=lambda category, text: lines.append((category, text)) is None)
    for session in ("a", "b", "c", "d"):
        say(tmp_path, session, "I prefer tea.", f"Anyway, session {session} is about gauges")
        tend(tmp_path, LATER, how)
    assert lines == [("preference", "I prefer tea.")]
    assert load_profile(tmp_path).facets["preference/preference_prefer_tea"].promoted


def test_what_could_not_be_promoted_is_tried_again(tmp_path: Path) -> None:
    for session in ("a", "b", "c"):
        say(tmp_path, session, "I prefer tea.")
    tried: list[str] = []
    for _ in range(2):
        done = tend(tmp_path, LATER, Tending(promote=lambda _, text: bool(tried.append(text))))
        assert done.promoted == ()
    assert len(tried) == 2


def test_sessions_are_learnt_from_in_the_order_in_which_they_were_said(tmp_path: Path) -> None:
    say(tmp_path, "z-older", "I live in Oslo.")
    say(tmp_path, "a-newer", "I moved to Ghent.", at=LATER)
    tend(tmp_path, LATER + timedelta(days=1), Tending())
    assert [f.value for f in load_profile(tmp_path).in_slot("home") if f.current] == ["I moved to Ghent."]


def test_users_notes_are_never_touched(tmp_path: Path) -> None:
    (tmp_path / "Daily").mkdir()
    (tmp_path / "Daily/note.md").write_text("I live in Oslo.")
    say(tmp_path, "s", "I prefer tea.", "Anyway, the gauges")
    before = notes(tmp_path)
    tend(tmp_path, LATER, Tending(promote=lambda *_: True))
    after = notes(tmp_path)
    assert {path: after[path] for path in before} == before
    assert {path.split("/")[0] for path in after.keys() - before.keys()} == {"wiki", "profile"}


def test_a_note_in_the_way_of_a_segment_stays_and_stops_nothing(tmp_path: Path) -> None:
    say(tmp_path, "s", *(["The gauges are cold"] * 41))
    path = tmp_path / FOLDER / "s/000040.md"
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    done = tend(tmp_path, LATER, Tending())
    assert [closed.path for closed in done.closed] == [
        "wiki/segments/s/000000.md",
        "wiki/segments/s/000080.md",
    ]
    assert path.read_text() == "mine"
    assert list_seqs(tmp_path, "s")[-1] == 81


def fail(root: Path, session: str, error: str, at: datetime = START, tool: str = "shell") -> None:
    calls = ({"name": tool, "success": False, "error": error},)
    at_ms = int(at.timestamp() * 1000)
    capture_all(root, [Exchange("Please try it", "It failed.", calls, session, at_ms)], now=at)


class Memory:
    """What would be MEMORY.md: says None to what it has, and can be locked."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []
        self.locked = False

    def __call__(self, category: str, text: str) -> bool | None:
        if self.locked:
            return False
        if (category, text) in self.lines:
            return None
        self.lines.append((category, text))
        return True


def test_a_failure_that_comes_back_in_another_conversation_is_a_mistake_once(tmp_path: Path) -> None:
    memory = Memory()
    how = Tending(promote=memory)
    for session, seconds in (("a", 30), ("a", 31), ("b", 5), ("c", 9)):
        fail(tmp_path, session, f"Timed out after {seconds} s", at=START)
        fail(tmp_path, session, f"only in {session}: refused")
        done = tend(tmp_path, LATER, how)
        tend(tmp_path, LATER, how)
        if session == "a":
            assert memory.lines == []
        if session == "b":
            assert done.promoted == ("shell failed in several conversations: Timed out after 5 s",)
            memory.lines.clear()  # a person deletes it
    assert memory.lines == []
    failures = [f for s in ("a", "b", "c") for one in load_segments(tmp_path, s) for f in one.failures]
    assert [f.error for f in failures if f.told] == ["Timed out after 5 s"]


def test_a_mistake_that_could_not_be_written_is_written_when_it_comes_back(tmp_path: Path) -> None:
    memory = Memory()
    memory.locked = True
    for session in ("a", "b"):
        fail(tmp_path, session, "disk is full")
        assert tend(tmp_path, LATER, Tending(promote=memory)).promoted == ()
    memory.locked = False
    fail(tmp_path, "c", "disk is full")
    tend(tmp_path, LATER, Tending(promote=memory))
    assert memory.lines == [("mistake", "shell failed in several conversations: disk is full")]


def test_both_conversations_may_end_in_one_go_and_three_mistakes_at_most(tmp_path: Path) -> None:
    memory = Memory()
    for session in ("a", "b"):
        for tool in ("one", "two", "three", "four"):
            fail(tmp_path, session, "refused to start", tool=tool)
    assert len(tend(tmp_path, LATER, Tending(promote=memory)).promoted) == 3


def test_once_is_enough_for_a_mistake_where_the_setting_says_so(tmp_path: Path) -> None:
    fail(tmp_path, "a", "disk is full")
    assert tend(tmp_path, LATER, Tending(promote=Memory(), confirmed_only=False)).promoted


def test_failures_are_not_noted_when_that_is_switched_off(tmp_path: Path) -> None:
    memory = Memory()
    for session in ("a", "b"):
        fail(tmp_path, session, "disk is full")
    tend(tmp_path, LATER, Tending(promote=memory, mistakes=False))
    assert memory.lines == []
    assert not [one for s in ("a", "b") for one in load_segments(tmp_path, s) if one.failures]
