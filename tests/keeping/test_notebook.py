from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vaultkeeper.config import Settings
from vaultkeeper.errors import (
    FileNotAllowedError,
    MemoryNotFoundError,
    NoIndexError,
    NoteNotFoundError,
    TooLargeError,
    UsageError,
)
from vaultkeeper.keeper import Keeper
from vaultkeeper.keeping.notebook import Notebook


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[Keeper]:
    (tmp_path / "vault").mkdir()
    keeper = Keeper(tmp_path / "vault", tmp_path / "index", Settings(memory_max_entry_bytes=200), clock=now)
    yield keeper
    keeper.close()


@pytest.fixture
def notebook(keeper: Keeper) -> Notebook:
    return keeper.notebook


def test_the_settings_are_the_limits(notebook: Notebook) -> None:
    with pytest.raises(TooLargeError):
        notebook.append("MEMORY.md", "x" * 201)


def test_a_file_is_shown_as_it_is(notebook: Notebook) -> None:
    notebook.replace_section("SKILL.md", "Bread", "Count back.")
    data, page = notebook.show("SKILL.md")
    assert data == b"## Bread\nCount back.\n"
    assert [heading.text for heading in page.headings] == ["Bread"]


def test_what_is_shown_is_curated_memory_only(notebook: Notebook) -> None:
    with pytest.raises(FileNotAllowedError):
        notebook.show("Diary.md")
    with pytest.raises(NoteNotFoundError):
        notebook.show("SKILL.md")


def test_recall_finds_what_was_stored_at_the_next_sync(keeper: Keeper, notebook: Notebook) -> None:
    with pytest.raises(NoIndexError):
        notebook.recall("pot")
    notebook.store("Tea pot", "The blue pot leaks")
    notebook.store("Tea pot", "The green pot leaks", namespace="work")
    keeper.sync_quietly()
    found, _ = notebook.recall("which pot leaks?")
    assert [one.memory.content for one in found] == ["The blue pot leaks"]
    notebook.forget("Tea pot")
    keeper.sync_quietly()
    assert notebook.recall("which pot leaks?") == ([], [])


def test_recall_defaults_to_global_and_refuses_a_blank_namespace(keeper: Keeper, notebook: Notebook) -> None:
    keeper.sync_quietly()
    assert notebook.recall("pot") == ([], [])
    for blank in ("", "  ", 7):
        with pytest.raises(UsageError):
            notebook.recall("pot", namespace=blank)  # type: ignore[arg-type]
    for query in ("", " "):
        with pytest.raises(UsageError, match="query"):
            notebook.recall(query)
    for limit in (0, 101):
        with pytest.raises(UsageError, match="limit"):
            notebook.recall("pot", limit=limit)


def test_a_saved_preference_names_what_may_contradict_it_but_not_its_own_topic(
    keeper: Keeper, notebook: Notebook
) -> None:
    keeper.sync_quietly()
    assert notebook.save_preference("drink", "Prefers tea in the morning")[1] == []
    notebook.save_preference("breakfast", "Prefers milk in the morning", situational=True)
    keeper.sync_quietly()
    _, related = notebook.save_preference("drink", "Prefers coffee in the morning")
    assert [one.memory.key for one in related] == ["breakfast"]
    _, related = notebook.save_preference("mornings", "Prefers coffee in the morning", limit=1)
    assert len(related) == 1


def test_situational_preferences_come_up_when_they_fit(keeper: Keeper, notebook: Notebook) -> None:
    keeper.sync_quietly()
    notebook.save_preference("rust", "In Rust, prefer iterators over loops", situational=True)
    notebook.save_preference("food", "Vegetarian food only", situational=True)
    keeper.sync_quietly()
    found, _ = notebook.situational_preferences("please review this rust code")
    assert [one.memory.key for one in found] == ["rust"]
    assert notebook.situational_preferences(" ")[0] == []
    assert notebook.standing_preferences() == []
    assert len(notebook.preferences(situational=True)) == 2


def test_forgetting_a_topic_forgets_it_in_both_lanes(keeper: Keeper, notebook: Notebook) -> None:
    keeper.sync_quietly()
    notebook.save_preference("drink", "tea")
    notebook.save_preference("drink", "coffee on trains", situational=True)
    assert len(notebook.forget_preference("drink")) == 2
    with pytest.raises(MemoryNotFoundError):
        notebook.forget_preference("drink")


def test_goals_and_rules_go_through(notebook: Notebook) -> None:
    goal = notebook.add_goal("Keep bees").goal
    assert notebook.edit_goal(goal.id, "Keep more bees").goal.text == "Keep more bees"
    assert [one.text for one in notebook.goals()] == ["Keep more bees"]
    notebook.delete_goal(goal.id)
    rule, _ = notebook.add_rule("bash", "Quote paths", priority="high")
    notebook.add_rule("bash", "Be brief")
    assert [one.id for one in notebook.rules(pinned=True)] == [rule.id]
    notebook.delete_rule("bash", rule.id)
    assert [one.text for one in notebook.rules("bash")] == ["Be brief"]
