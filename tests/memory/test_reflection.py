"""What a model in another process may do to the archivist's work: make it better, and nothing else."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.memory.provider import SECRET, Program
from vaultkeeper.memory.archivist import Tended, Tending, tend
from vaultkeeper.memory.capture import Exchange, capture_all
from vaultkeeper.memory.episodes import Turn
from vaultkeeper.memory.goals import add_goal, list_goals
from vaultkeeper.memory.reflection import Reflecting, propose_goals, reflect
from vaultkeeper.memory.segments import Segment, load_segments

START = datetime(2026, 3, 10, 19, tzinfo=UTC)
LATER = START + timedelta(days=1)
CALLS = ({"name": "copy", "success": False, "error": "no space left for the gauges"},)
SAID = [
    Exchange("The gauges stay in DuckDB. I want to keep the gauges running through the winter.", "The seals come on Friday.", (), "s", 1_772_000_000_000),
    Exchange("Copy the gauges, please, and look at the free space.", "There was no space.", CALLS, "s", 1_772_000_060_000),
]  # fmt: skip


@pytest.fixture
def program(request: pytest.FixtureRequest) -> Iterator[Program]:
    program = Program(request.param)
    yield program
    program.close()


def tended(root: Path, program: Program, deadline_s: float = 20, **how: object) -> tuple[Tended, Segment]:
    capture_all(root, SAID, now=START)
    reflecting = Reflecting(**how)  # type: ignore[arg-type]
    done = tend(root, LATER, Tending(model=program, reflect=reflecting, deadline_s=deadline_s))
    [segment] = load_segments(root, "s")
    return done, segment


@pytest.mark.parametrize("program", ["good"], indirect=True)
def test_a_model_writes_the_recap_a_remark_and_goals(tmp_path: Path, program: Program) -> None:
    done, segment = tended(tmp_path, program)
    assert (segment.recap_by, segment.recap) == (
        "llm",
        "The gauges stay in DuckDB, and the seals come on Friday.",
    )
    assert [(one.text, one.seq) for one in segment.remarks] == [
        ("Look at the free space before the gauges are copied.", 3)
    ]
    assert done.goals == ("Keep the gauges running through the winter", "And a second one", "A third")
    assert [goal.text for goal in list_goals(tmp_path)] == list(done.goals)
    asked = program.asked
    assert not tend(tmp_path, LATER, Tending(model=program, reflect=Reflecting())).wrote
    assert program.asked == asked


@pytest.mark.parametrize("program", ["good"], indirect=True)
def test_an_extract_of_before_is_replaced_later(tmp_path: Path, program: Program) -> None:
    capture_all(tmp_path, SAID, now=START)
    tend(tmp_path, LATER, Tending())
    assert load_segments(tmp_path, "s")[0].recap_by == "extractive"
    capture_all(
        tmp_path, [Exchange("The gauges stay in DuckDB, seals come Friday.", "Yes.", (), "t")], now=LATER
    )
    done = tend(tmp_path, LATER + timedelta(days=1), Tending(model=program))
    assert done.recaps == ("wiki/segments/s/000000.md",)
    assert load_segments(tmp_path, "s")[0].recap_by == "llm"


@pytest.mark.parametrize("program", ["blank", "endless", "invents", "crashes", "none"], indirect=True)
def test_an_answer_that_is_no_use_changes_nothing(tmp_path: Path, program: Program) -> None:
    (tmp_path / "with").mkdir()
    (tmp_path / "without").mkdir()
    done, segment = tended(tmp_path / "with", program)
    assert program.asked
    capture_all(tmp_path / "without", SAID, now=START)
    plain = tend(tmp_path / "without", LATER, Tending())
    if program.how != "none":  # one word is a recap too
        assert segment == load_segments(tmp_path / "without", "s")[0]
        assert segment.recap_by == "extractive"
        assert done == plain
    assert segment.remarks == ()
    assert not (tmp_path / "with/MEMORY_GOALS.md").exists()


@pytest.mark.parametrize("program", ["hangs"], indirect=True)
def test_a_model_that_hangs_costs_its_deadline_and_the_extract_stays(
    tmp_path: Path, program: Program
) -> None:
    done, segment = tended(tmp_path, program, deadline_s=0.2)
    assert [closed.recap_by for closed in done.closed] == ["extractive"]
    assert segment.remarks == ()
    assert program.asked == 2  # the recap, and one remark


@pytest.mark.parametrize("program", ["secret"], indirect=True)
def test_a_secret_in_an_answer_reaches_no_note(tmp_path: Path, program: Program) -> None:
    _, segment = tended(tmp_path, program)
    assert segment.recap == "The token is [REDACTED_SECRET]." or "REDACTED" in segment.recap
    assert segment.remarks == ()
    for path in tmp_path.rglob("*.md"):
        assert SECRET not in path.read_text("utf-8")


@pytest.mark.parametrize("program", ["good"], indirect=True)
@pytest.mark.parametrize(
    ("how", "remarks", "goals"),
    [
        ({"most_a_session": 0}, 0, 3),
        ({"min_tool_calls": 2}, 0, 3),
        ({"min_tool_calls": 0}, 2, 3),
        ({"min_tool_calls": 0, "most_a_session": 1}, 1, 3),
        ({"goals": False}, 1, 0),
    ],
)
def test_each_limit_of_what_it_may_add(
    tmp_path: Path, program: Program, how: dict[str, object], remarks: int, goals: int
) -> None:
    done, segment = tended(tmp_path, program, **how)
    assert (len(segment.remarks), len(done.goals)) == (remarks, goals)


@pytest.mark.parametrize("program", ["good"], indirect=True)
def test_remarks_are_counted_over_the_whole_conversation(program: Program) -> None:
    turns = [Turn("s", 0, 1, "user", "Copy the gauges to the free space"), Turn("s", 1, 2, "assistant", "No.", 0, None, json.dumps(CALLS))]  # fmt: skip
    assert reflect(turns, program, Reflecting(most_a_session=3), 3, deadline_s=20) == ()
    assert program.asked == 0
    assert len(reflect(turns, program, Reflecting(most_a_session=3), 2, deadline_s=20)) == 1


@pytest.mark.parametrize("program", ["good"], indirect=True)
def test_goals_of_a_person_are_never_dropped_for_proposed_ones(tmp_path: Path, program: Program) -> None:
    turns = [Turn("s", 0, 1, "user", "Keep the gauges running through the winter")]
    for number in range(7):
        add_goal(tmp_path, f"Plant bed {number}")
    assert propose_goals(tmp_path, "x", turns, program, deadline_s=20) == (
        "Keep the gauges running through the winter",
    )
    asked = program.asked
    assert propose_goals(tmp_path, "x", turns, program, deadline_s=20) == ()
    assert program.asked == asked
    assert len(list_goals(tmp_path)) == 8
    (tmp_path / "MEMORY_GOALS.md").unlink()
    (tmp_path / "MEMORY_GOALS.md").mkdir()
    assert propose_goals(tmp_path, "x", turns, program, deadline_s=20) == ()
