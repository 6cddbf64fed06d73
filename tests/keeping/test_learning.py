"""Every setting of the learning family, on and off: what is switched off is not done."""

from collections.abc import Callable, Iterator
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.keeping.test_conversations import World, world  # noqa: F401 (a fixture)
from tests.memory.provider import Program
from vaultkeeper.config import Settings
from vaultkeeper.errors import SwitchedOffError
from vaultkeeper.keeper import Keeper
from vaultkeeper.keeping.conversations import Conversations
from vaultkeeper.memory.capture import Exchange
from vaultkeeper.memory.goals import list_goals
from vaultkeeper.memory.nodes import CONVERSATIONS
from vaultkeeper.retrieval.recall import RecallParams

START = datetime(2026, 3, 10, 19, tzinfo=UTC)
CALL = {"name": "copy", "success": False, "error": "no space left for the gauges"}
SAID = "The gauges stay in DuckDB. I prefer tea. I want to keep the gauges running through the winter."


class Tried:
    """A vault in which two conversations were held and tended under some settings, with a model beside it."""

    def __init__(self, root: Path, program: Program, settings: dict[str, object]) -> None:
        self.root = root
        self.now = START
        self.settings = Settings(embedder="none", **settings)  # type: ignore[arg-type]
        made = (self.root, self.settings, lambda: self.now, None)
        self.conversations = Conversations(*made, model=lambda: program)
        for session in ("a", "b"):
            self.conversations.capture(Exchange(SAID, "The seals come on Friday.", (CALL,), session))
            self.now += timedelta(days=1)
            self.conversations.tend()

    def notes(self, pattern: str) -> str:
        return "\n".join(path.read_text("utf-8") for path in sorted(self.root.glob(pattern)))


@pytest.fixture
def program() -> Iterator[Program]:
    program = Program("good")
    yield program
    program.close()


@pytest.fixture
def tried(tmp_path: Path, program: Program) -> Callable[..., Tried]:
    def make(**settings: object) -> Tried:
        root = tmp_path / str(len(list(tmp_path.iterdir())))
        root.mkdir()
        return Tried(root, program, settings)

    return make


Sees = Callable[[Tried], object]

SEEN: dict[str, tuple[dict[str, object], dict[str, object], Sees]] = {
    "enabled": (
        {"learning_enabled": True},
        {"learning_enabled": False},
        lambda tried: "**remark**" in tried.notes("wiki/**/*.md") and list_goals(tried.root),
    ),
    "reflection_enabled": (
        {"learning_enabled": True},
        {"learning_enabled": True, "learning_reflection_enabled": False},
        lambda tried: "**remark**" in tried.notes("wiki/**/*.md"),
    ),
    "goals_enrichment_enabled": (
        {"learning_enabled": True},
        {"learning_enabled": True, "learning_goals_enrichment_enabled": False},
        lambda tried: list_goals(tried.root),
    ),
    "max_reflections_per_session": (
        {"learning_enabled": True, "learning_max_reflections_per_session": 1},
        {"learning_enabled": True, "learning_max_reflections_per_session": 0},
        lambda tried: "**remark**" in tried.notes("wiki/**/*.md"),
    ),
    "min_turn_complexity": (
        {"learning_enabled": True, "learning_min_turn_complexity": 1},
        {"learning_enabled": True, "learning_min_turn_complexity": 2},
        lambda tried: "**remark**" in tried.notes("wiki/**/*.md"),
    ),
    "user_profile_enabled": (
        {},
        {"learning_user_profile_enabled": False},
        lambda tried: tried.notes("profile/**/*.md"),
    ),
    "tool_tracking_enabled": (
        {},
        {"learning_tool_tracking_enabled": False},
        lambda tried: "tool_calls_json" in tried.notes("episodic/**/*.md"),
    ),
    "tool_memory_capture_enabled": (
        {},
        {"learning_tool_memory_capture_enabled": False},
        lambda tried: "[mistake]" in tried.notes("MEMORY.md"),
    ),
    "stability_detector_enabled": (
        {"learning_stability_detector_enabled": False},
        {"learning_stability_detector_enabled": True},
        lambda tried: "I prefer tea" in tried.notes("MEMORY.md"),
    ),
    "episodic_capture_enabled": (
        {},
        {"learning_episodic_capture_enabled": False},
        lambda tried: tried.notes("episodic/**/*.md"),
    ),
}

ELSEWHERE = {
    "reflection_source": "test_only_a_local_model_reflects_where_the_setting_says_so",
    "chat_to_tree_enabled": "test_conversations_stay_out_of_the_tree",
    "stm_recall_enabled": "test_recall_is_silent",
    "unified_compaction_enabled": "test_a_running_conversation_is_recapped",
    "explicit_preferences_enabled": "test_preferences_are_not_saved",
    "rebuild_interval_secs": "test_work_is_looked_for_every_so_often_even_when_nothing_changes (watch)",
}


def test_every_setting_of_the_family_is_here() -> None:
    family = {f.name.removeprefix("learning_") for f in fields(Settings) if f.name.startswith("learning_")}
    assert family == SEEN.keys() | ELSEWHERE.keys()


@pytest.mark.parametrize("name", SEEN)
def test_what_is_switched_off_is_not_done(tried: Callable[..., Tried], name: str) -> None:
    on, off, sees = SEEN[name]
    assert sees(tried(**on))
    assert not sees(tried(**off))


@pytest.mark.parametrize(("local", "source", "reflects"), [(True, "local", True), (False, "local", False), (False, "any", True)])  # fmt: skip
def test_only_a_local_model_reflects_where_the_setting_says_so(
    tried: Callable[..., Tried], program: Program, local: bool, source: str, reflects: bool
) -> None:
    program.local = local
    found = tried(learning_enabled=True, learning_reflection_source=source)
    assert ("**remark**" in found.notes("wiki/**/*.md")) is reflects
    assert bool(list_goals(found.root)) is reflects
    assert "recap_by: llm" in found.notes("wiki/**/*.md")


@pytest.mark.parametrize("on", [True, False])
def test_conversations_stay_out_of_the_tree(world: World, on: bool) -> None:  # noqa: F811
    keeper = world.keeper(embedder="none", learning_chat_to_tree_enabled=on)
    assert keeper.trees.is_archived(CONVERSATIONS) is not on


@pytest.mark.parametrize("on", [True, False])
def test_recall_is_silent(world: World, on: bool) -> None:  # noqa: F811
    keeper: Keeper = world.keeper(embedder="none", learning_stm_recall_enabled=on)
    world.say(keeper.conversations, "s", "The gauges stay in DuckDB.")
    keeper.sync_quietly()
    assert bool(keeper.conversations.recall(RecallParams("gauges")).items) is on


def test_a_running_conversation_is_recapped(world: World, program: Program) -> None:  # noqa: F811
    conversations = world.keeper(embedder="none").conversations
    world.say(conversations, "s", SAID, "The seals come on Friday.")
    before = sorted(world.root.rglob("*"))
    assert "DuckDB" in conversations.rolling_recap("s")
    with_model = Conversations(world.root, conversations.settings, lambda: world.now, model=lambda: program)
    assert with_model.rolling_recap("s") == "The gauges stay in DuckDB, and the seals come on Friday."
    assert sorted(world.root.rglob("*")) == before
    conversations.end_session("s")
    assert conversations.rolling_recap("s") == ""
    off = world.keeper(embedder="none", learning_unified_compaction_enabled=False).conversations
    with pytest.raises(SwitchedOffError):
        off.rolling_recap("s")


def test_preferences_are_not_saved(world: World) -> None:  # noqa: F811
    keeper = world.keeper(embedder="none", learning_explicit_preferences_enabled=False)
    keeper.sync_quietly()
    with pytest.raises(SwitchedOffError):
        keeper.notebook.save_preference("tea", "Green tea")
    assert not (world.root / "memory").exists()
