import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from vaultkeeper.ask.params import AskParams
from vaultkeeper.config import Layer, Settings, environment_layers, merge
from vaultkeeper.errors import (
    FacetNotFoundError,
    SessionNotFoundError,
    SwitchedOffError,
    UnreadableNoteError,
    UsageError,
)
from vaultkeeper.keeper import Keeper
from vaultkeeper.keeping.conversations import Conversations
from vaultkeeper.memory.boundary import MARKERS, WORD_VECTORS
from vaultkeeper.memory.capture import Exchange
from vaultkeeper.retrieval.recall import RecallParams

NOW = datetime(2026, 3, 10, 19, tzinfo=UTC)


class World:
    """A vault with a clock that the test sets."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "vault"
        self.root.mkdir()
        self.now = NOW
        self.folder = folder
        self.keepers: list[Keeper] = []

    def keeper(self, **settings: object) -> Keeper:
        keeper = Keeper(self.root, self.folder / "index", Settings(**settings), clock=lambda: self.now)  # type: ignore[arg-type]
        self.keepers.append(keeper)
        return keeper

    def say(self, conversations: Conversations, session: str, *said: str) -> None:
        for text in said:
            conversations.capture(Exchange(text, "Noted.", session_id=session))
            self.now += timedelta(seconds=30)

    def later(self) -> None:
        self.now += timedelta(days=1)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    for keeper in world.keepers:
        keeper.close()


def test_a_disabled_archivist_does_nothing(world: World) -> None:
    conversations = world.keeper(learning_episodic_capture_enabled=False).conversations
    assert conversations.capture(Exchange("Hi", "Hello", session_id="s")).turns == ()
    assert conversations.capture_all([Exchange("Hi")])[0].turns == ()
    assert not conversations.tend().wrote
    assert not list(world.root.iterdir())


def test_switches_of_the_learning_family_are_read_from_the_environment() -> None:
    names = {
        "ENABLED": False, "REFLECTION_ENABLED": True, "USER_PROFILE_ENABLED": True, "TOOL_TRACKING_ENABLED": True,
        "TOOL_MEMORY_CAPTURE_ENABLED": True, "CHAT_TO_TREE_ENABLED": True, "STABILITY_DETECTOR_ENABLED": True,
        "EPISODIC_CAPTURE_ENABLED": True, "STM_RECALL_ENABLED": True, "UNIFIED_COMPACTION_ENABLED": True,
        "EXPLICIT_PREFERENCES_ENABLED": True, "GOALS_ENRICHMENT_ENABLED": True,
    }  # fmt: skip
    defaults = Settings()
    for name, default in names.items():
        attribute = f"learning_{name.lower()}"
        assert getattr(defaults, attribute) is default
        for text, value in (("1", True), ("0", False)):
            config = merge(environment_layers({f"VAULTKEEPER_LEARNING_{name}": text}))
            assert getattr(config.settings, attribute) is value
    assert (defaults.learning_reflection_source, defaults.learning_max_reflections_per_session) == (
        "local",
        20,
    )
    assert (defaults.learning_min_turn_complexity, defaults.learning_rebuild_interval_secs) == (1, 1800)


def test_a_switch_is_true_or_false_in_a_file_and_nothing_else() -> None:
    assert merge([Layer("file", {"learning.enabled": True})]).settings.learning_enabled
    for wrong in (1, "yes", None):
        with pytest.raises(Exception, match="true or false"):
            merge([Layer("file", {"learning.enabled": wrong})])
    with pytest.raises(Exception, match="neither 1 nor 0"):
        merge([Layer("env", {"learning.enabled": "maybe"}, text=True)])


def test_tool_calls_are_left_out_where_they_are_not_tracked(world: World) -> None:
    exchange = Exchange("Hi", "Hello", ({"name": "a", "success": False},), "s")
    world.keeper(learning_tool_tracking_enabled=False).conversations.capture(exchange)
    assert "tool_calls" not in (world.root / "episodic/s/000001.md").read_text()


def test_segment_rules_are_settings(world: World) -> None:
    rules = (
        world.keeper(segment_max_gap_seconds=5, segment_max_turns=3, segment_markers=("thema",))
        .conversations.tending()
        .rules
    )
    assert (rules.max_gap_s, rules.max_turns, rules.markers) == (5, 3, ("thema",))
    assert world.keeper().conversations.tending().rules.markers == MARKERS
    assert world.keeper().conversations.tending().rules.min_similarity == pytest.approx(0.4 * WORD_VECTORS)
    assert world.keeper(embedder="none").conversations.tending().embed is None


def test_sessions_are_listed_and_shown(world: World) -> None:
    conversations = world.keeper(embedder="none").conversations
    world.say(conversations, "one", "The gauges are cold", "By the way, the oven is hot")
    world.say(conversations, "t/wo", "Hello")
    conversations.tend()
    infos = conversations.sessions()
    assert [(i.session_id, i.turns, i.segments, i.open_turns) for i in infos] == [
        ("t/wo", 2, 0, 2),
        ("one", 4, 1, 2),
    ]
    view = conversations.session("one")
    assert [segment.end_seq for segment in view.segments] == [1]
    assert [turn.seq for turn in view.open_turns] == [2, 3]
    assert conversations.session("t/wo").info == conversations.session(infos[0].folder).info
    for missing in ("on", "", "..", "a/../one"):
        with pytest.raises(SessionNotFoundError):
            conversations.session(missing)


def test_a_facet_is_found_by_key_type_and_question(world: World) -> None:
    conversations = world.keeper(embedder="none").conversations
    world.say(conversations, "s", "I live in Oslo.", "I moved to Ghent.")
    world.later()
    conversations.tend()
    profile = conversations.profile()
    assert conversations.find_facet(profile, "home").value == "I moved to Ghent."
    assert conversations.find_facet(profile, "fact_live_oslo").value == "I live in Oslo."
    assert conversations.find_facet(profile, "profile/context/fact_live_oslo.md").key == "fact_live_oslo"
    with pytest.raises(FacetNotFoundError) as caught:
        conversations.find_facet(profile, "fact_live_osla")
    assert "fact_live_oslo" in caught.value.advice


def test_the_users_answer_stands_and_the_older_ones_are_history(world: World) -> None:
    conversations = world.keeper(embedder="none").conversations
    world.say(conversations, "s", "I live in Oslo.")
    world.later()
    conversations.tend()
    conversations.set_facet("home", "I live in Leuven")
    conversations.set_facet("home", "I live in Bruges")
    world.say(conversations, "t", "I moved to Ghent.")
    world.later()
    conversations.tend()
    home = conversations.profile().in_slot("home")
    assert [facet.value for facet in home if facet.current] == ["I live in Bruges"]
    assert len(home) == 4


def test_a_facet_is_not_set_over_what_is_none(world: World) -> None:
    conversations = world.keeper(embedder="none").conversations
    conversations.set_facet("home", "I live in Leuven")
    before = (world.root / "profile/context/home.md").read_bytes()
    note = world.root / "profile/context/town.md"
    note.write_bytes(b"")
    with pytest.raises(UnreadableNoteError, match=r"profile/context/town\.md"):
        conversations.set_facet("town", "I live in Bruges")
    assert note.read_bytes() == b""
    assert (world.root / "profile/context/home.md").read_bytes() == before


def test_setting_a_value_by_its_key_keeps_the_old_one_in_the_history(world: World) -> None:
    conversations = world.keeper(embedder="none").conversations
    conversations.set_facet("seat", "I like the aisle", "preference")
    facet = conversations.set_facet("seat", "I like the window")
    assert (facet.name, facet.value, facet.state, facet.evidence_count) == (
        "preference/seat",
        "I like the window",
        "pinned",
        1,
    )
    assert "I like the aisle" in facet.history[0]
    for name, value, kind in (("x", "  ", None), ("y", "z", "colour")):
        with pytest.raises(UsageError):
            conversations.set_facet(name, value, kind)


def test_secrets_do_not_enter_the_profile(world: World) -> None:
    key = "AK" + "IA" + "QX7RTB2MVHW3ZL5K"
    conversations = world.keeper(embedder="none").conversations
    assert key not in conversations.set_facet("key", f"My key is {key}").value


def test_what_is_pinned_goes_to_memory_md_once_and_a_deleted_line_stays_deleted(world: World) -> None:
    conversations = world.keeper(embedder="none").conversations
    conversations.set_facet("seat", "I like the aisle", "preference")
    assert conversations.tend().promoted == ("I like the aisle",)
    memory = world.root / "MEMORY.md"
    assert memory.read_text() == "- [preference] I like the aisle\n"
    memory.write_text("")
    assert conversations.tend().promoted == ()
    assert memory.read_text() == ""


def test_a_failure_in_two_conversations_goes_to_memory_md_without_its_secret(world: World) -> None:
    key = "ghp_" + "a1B2c3D4e5" * 4
    conversations = world.keeper(embedder="none", learning_user_profile_enabled=False).conversations
    for session in ("a", "b", "c"):
        call = {"name": "git", "success": False, "error": f"push refused for {key}"}
        conversations.capture(Exchange("Push it", "It failed.", (call,), session))
        world.later()
        conversations.tend()
    memory = (world.root / "MEMORY.md").read_text()
    assert memory.count("\n") == 1
    assert memory.startswith("- [mistake] git failed in several conversations: push refused for [REDACTED")


@pytest.mark.parametrize("off", ["learning_tool_memory_capture_enabled", "learning_tool_tracking_enabled"])
def test_no_failure_is_remembered_when_tools_are_not_watched(world: World, off: str) -> None:
    conversations = world.keeper(embedder="none", **{off: False}).conversations
    for session in ("a", "b"):
        call = {"name": "git", "success": False, "error": "push refused"}
        conversations.capture(Exchange("Push it", "It failed.", (call,), session))
        world.later()
        conversations.tend()
    assert not (world.root / "MEMORY.md").exists()
    assert not conversations.session("a").segments[0].failures


def test_where_do_i_live_has_one_current_answer(world: World) -> None:
    keeper = world.keeper()
    world.say(keeper.conversations, "s", "I live in Utrecht.")
    world.later()
    world.say(keeper.conversations, "t", "I moved to Ghent.")
    world.later()
    keeper.conversations.tend()
    keeper.sync_quietly()
    facets = keeper.ask(AskParams("Where do I live?", kinds=("facet",)))
    shown = repr(facets.evidence)
    assert "I live in Utrecht. (since 2026-03-10, until 2026-03-11)" in shown
    assert "I moved to Ghent. (since 2026-03-11)" in shown


def test_recall_can_be_switched_off(world: World) -> None:
    keeper = world.keeper(learning_stm_recall_enabled=False)
    world.say(keeper.conversations, "s", "The gauges are cold")
    keeper.sync_quietly()
    assert keeper.conversations.recall(RecallParams("gauges")).items == ()
    on = world.keeper()
    assert on.conversations.recall(RecallParams("gauges")).items


def test_a_broken_embedder_leaves_topics_to_the_other_checks(world: World) -> None:
    conversations = world.keeper(embedder="onnx:/nowhere").conversations
    world.say(
        conversations, "s", *["The gauges of hall seven are cold this morning again"] * 5, "By the way, x"
    )
    assert [closed.reason for closed in conversations.tend().closed] == ["explicit_marker"]


def test_conversations_enter_the_tree_only_where_they_may(world: World) -> None:
    for allowed in (True, False):
        keeper = world.keeper(learning_chat_to_tree_enabled=allowed, embedder="none")
        world.say(keeper.conversations, "s", "The gauges of hall seven are cold this morning again")
        keeper.sync()
        (line,) = [line for line in keeper.trees.lines() if line.scope.startswith("conversations:")]
        assert line.archived is not allowed


def test_preferences_are_saved_only_where_they_may(world: World) -> None:
    keeper = world.keeper(learning_explicit_preferences_enabled=False, embedder="none")
    keeper.sync()
    with pytest.raises(SwitchedOffError):
        keeper.notebook.save_preference("units", "metric")
    assert not list(world.root.iterdir())


SAMPLE = Path(__file__).parents[2] / "sample_vault"


def test_a_move_that_is_told_ends_the_home_that_was_written_by_hand(world: World) -> None:
    shutil.copytree(SAMPLE / "profile", world.root / "profile")
    world.now = datetime(2026, 12, 1, 9, tzinfo=UTC)
    conversations = world.keeper(embedder="none").conversations
    world.say(conversations, "s", "I moved to Leuven last week.")
    conversations.end_session("s")
    home = conversations.profile().in_slot("home")
    assert [(f.value, f.valid_from, f.valid_until) for f in home] == [
        ("I live in Utrecht", "2020-03-01", "2026-08-29"),
        ("I live in Ghent", "2026-08-29", "2026-12-01"),
        ("I moved to Leuven last week.", "2026-12-01", ""),
    ]


def test_setting_an_answer_ends_all_others_to_the_question(world: World) -> None:
    shutil.copytree(SAMPLE / "profile", world.root / "profile")
    note = world.root / "profile/context/elsewhere.md"
    note.write_text("---\nvalue: I live in Leuven\nstate: pinned\n---\n")
    conversations = world.keeper(embedder="none").conversations
    for value in ("I live in Leuven", "Bruges", "I live in Antwerp"):
        conversations.set_facet("home", value)
        profile = conversations.profile()
        current = [facet.value for facet in profile.facets.values() if facet.current]
        assert [facet.value for facet in profile.in_slot("home") if facet.current] == [value]
        assert "I live in Ghent" not in current


def test_forgetting_a_question_forgets_all_its_answers_and_they_are_not_learnt_again(world: World) -> None:
    shutil.copytree(SAMPLE / "profile", world.root / "profile")
    (world.root / "profile/context/elsewhere.md").write_text("---\nvalue: We are based in Leuven\n---\n")
    (world.root / "profile/context/twin.md").write_text("---\nvalue: We live in Ghent now\n---\n")
    conversations = world.keeper(embedder="none").conversations
    gone = conversations.forget_facet("home")
    assert {facet.key for facet in gone} >= {"home_city_ghent", "elsewhere", "twin"}
    world.say(
        conversations, "s", "I moved to Ghent. I prefer dark mode for all of it.", "We moved to Leuven."
    )
    conversations.end_session("s")
    profile = conversations.profile()
    assert not [facet for facet in profile.in_slot("home") if facet.current]
    assert not [
        facet for facet in profile.facets.values() if facet.segments and facet.segments[-1][:2] == "s/"
    ]


def test_what_memory_md_says_without_the_lead_in_is_not_promoted_again(world: World) -> None:
    memory = world.root / "MEMORY.md"
    mine = "# Memory\n\n## preferences\n\n- [preference] Short answers first, the reasoning below it.\n\n## Facts\n\n- x\n"
    memory.write_text(mine)
    conversations = world.keeper(embedder="none").conversations
    said = "I prefer short answers first and the reasoning below it"
    conversations.set_facet("answers", said, "preference")
    assert conversations.tend().promoted == ()
    assert memory.read_text() == mine
    assert conversations.profile().facets["preference/answers"].promoted
    conversations.set_facet("seat", "I like the aisle", "preference")
    conversations.set_facet("bees", "I keep bees")
    conversations.tend()
    assert memory.read_text() == mine.replace("it.\n", "it.\n- [preference] I like the aisle\n").replace(
        "- x\n", "- x\n- [fact] I keep bees\n"
    )


def test_recall_finds_what_answers_a_question_in_other_words(world: World) -> None:
    keeper = world.keeper(embedder="none")
    world.say(keeper.conversations, "plans", "We moved to Ghent.", "The gauges are cold.")
    assert keeper.conversations.tend().still_open == 1
    keeper.conversations.end_session("plans")
    keeper.sync_quietly()
    found = keeper.conversations.recall(RecallParams("Where do I live?"))
    assert [item.text for item in found.items] == ["We moved to Ghent."]
    assert not keeper.conversations.recall(RecallParams("Where do I live?", "plans")).items
