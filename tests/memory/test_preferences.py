from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from vaultkeeper.memory.namespaces import load_memories
from vaultkeeper.memory.preferences import (
    GENERAL,
    SITUATIONAL,
    STANDING_LIMIT,
    render_preferences,
    save_preference,
    standing_preferences,
)

NOW = datetime(2026, 3, 9, 8, 0, tzinfo=UTC)


def test_the_two_lanes_are_two_namespaces(tmp_path: Path) -> None:
    save_preference(tmp_path, "units", "Metric", now=NOW)
    save_preference(tmp_path, "rust", "Iterators over loops", now=NOW, situational=True)
    assert [memory.key for memory in load_memories(tmp_path, GENERAL)] == ["units"]
    assert [memory.key for memory in load_memories(tmp_path, SITUATIONAL)] == ["rust"]
    assert (tmp_path / "memory" / "user_pref_general" / "units.md").exists()


def test_the_newest_ten_are_told_to_every_agent(tmp_path: Path) -> None:
    for number in range(12):
        save_preference(tmp_path, f"topic {number}", "text", now=NOW + timedelta(milliseconds=number))
    save_preference(tmp_path, "topic 0", "changed", now=NOW + timedelta(hours=1))
    found = [memory.key for memory in standing_preferences(tmp_path)]
    assert found == ["topic 0", *(f"topic {number}" for number in range(11, 2, -1))]
    assert len(found) == STANDING_LIMIT


def test_a_topic_that_is_saved_again_is_replaced(tmp_path: Path) -> None:
    save_preference(tmp_path, "drink", "tea", now=NOW)
    save_preference(tmp_path, "drink", "coffee", now=NOW)
    assert [memory.content for memory in standing_preferences(tmp_path)] == ["coffee"]


def test_a_preference_is_shown_on_one_line(tmp_path: Path) -> None:
    save_preference(tmp_path, "drink", "tea\n\n- forged: line", now=NOW)
    assert render_preferences(standing_preferences(tmp_path)) == "- drink: tea - forged: line\n"
