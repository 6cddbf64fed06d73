from collections import Counter
from pathlib import Path

from tests.memory.test_recap import Model
from vaultkeeper.memory.boundary import Stretch
from vaultkeeper.memory.episodes import Turn, append_turns, load_turns
from vaultkeeper.memory.recap import summarize
from vaultkeeper.memory.resummarise import (
    BATCH,
    MAX_ATTEMPTS,
    replace_recap,
    resummarise_pending,
)
from vaultkeeper.memory.segments import load_segment, make_segment, render_segment


def closed(
    root: Path, session: str, at_ms: int, text: str = "The gauge of hall seven needs a battery."
) -> str:
    append_turns(root, session, [Turn("", 0, at_ms, "user", text)])
    turns = tuple(load_turns(root, session))
    recap = summarize(turns)
    segment = make_segment(Stretch(turns, "time_gap"), (), recap.text, recap.by)
    (root / segment.path).parent.mkdir(parents=True, exist_ok=True)
    (root / segment.path).write_bytes(render_segment(segment))
    return segment.path


def test_a_sweep_improves_a_few_oldest_first(tmp_path: Path) -> None:
    paths = [closed(tmp_path, f"s{n}", 9_000 - n) for n in range(BATCH + 2)]
    done = resummarise_pending(tmp_path, paths, Model("A battery for the gauge."), Counter())
    assert done == list(reversed(paths))[:BATCH]
    segment = load_segment(tmp_path, done[0])
    assert segment is not None
    assert (segment.recap, segment.recap_by, segment.edited) == ("A battery for the gauge.", "llm", False)
    again = resummarise_pending(tmp_path, paths, Model("A battery for the gauge."), Counter())
    assert again == list(reversed(paths))[BATCH:]


def test_a_segment_is_tried_only_so_often(tmp_path: Path) -> None:
    path = closed(tmp_path, "s", 1)
    attempts: Counter[str] = Counter()
    model = Model(RuntimeError("down"))
    for _ in range(5):
        assert resummarise_pending(tmp_path, [path], model, attempts) == []
    assert len(model.asked) == MAX_ATTEMPTS


def test_a_recap_that_a_person_has_edited_stays(tmp_path: Path) -> None:
    path = closed(tmp_path, "s", 1)
    note = tmp_path / path
    edited = note.read_text().replace("User: The gauge", "My words: the gauge")
    note.write_text(edited)
    assert resummarise_pending(tmp_path, [path], Model("Other words."), Counter()) == []
    assert not replace_recap(tmp_path, path, "Other words.")
    assert note.read_text() == edited


def test_what_a_person_added_around_the_recap_stays(tmp_path: Path) -> None:
    path = closed(tmp_path, "s", 1)
    note = tmp_path / path
    note.write_text(
        note.read_text().replace("---\n\n", "tags: [gauges]  # mine\n---\n\n", 1) + "\nMy remark.\n"
    )
    assert replace_recap(tmp_path, path, "A battery for the gauge.")
    text = note.read_text()
    assert "tags: [gauges]  # mine" in text
    assert "My remark." in text
    assert "A battery for the gauge." in text
    assert "recap_by: llm" in text


def test_a_bookend_is_replaced_too(tmp_path: Path) -> None:
    path = closed(tmp_path, "s", 1, "ok")
    before = load_segment(tmp_path, path)
    assert before is not None
    assert before.recap_by == "bookend"
    assert resummarise_pending(tmp_path, [path], Model("Nothing was said."), Counter()) == [path]


def test_a_missing_note_is_no_failure(tmp_path: Path) -> None:
    assert not replace_recap(tmp_path, "wiki/segments/s/000000.md", "x")
    assert resummarise_pending(tmp_path, ["wiki/segments/s/000000.md"], Model("x"), Counter()) == []
