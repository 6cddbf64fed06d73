from collections.abc import Sequence

import pytest

from vaultkeeper.memory.boundary import (
    ENGLISH_MARKERS,
    SegmentRules,
    SegmentState,
    Stretch,
    close_idle,
    cosine,
    cut_session,
    detect_boundary,
    for_word_vectors,
    idle_at_ms,
    incremental_mean,
    opens_topic,
)
from vaultkeeper.memory.episodes import Turn


def test_twenty_exchanges_fill_a_segment() -> None:
    assert detect_boundary(SegmentState(19, 0, 10), "go on", 20) is None
    assert detect_boundary(SegmentState(20, 0, 10), "go on", 20) == "turn_count_exceeded"


def test_more_than_ten_minutes_of_silence_end_a_segment() -> None:
    assert detect_boundary(SegmentState(1, 0, 100.0), "go on", 700.0) is None
    assert detect_boundary(SegmentState(1, 0, 100.0), "go on", 700.001) == "time_gap"
    assert detect_boundary(SegmentState(1, 50.0), "go on", 650.5) == "time_gap"


def test_a_phrase_that_opens_a_topic_ends_a_segment() -> None:
    assert detect_boundary(SegmentState(1, 0, 1), "Now let’s talk about bread", 2) == "explicit_marker"


@pytest.mark.parametrize(
    ("vector", "reason"),
    [([1.0, 0.0], None), ([0.4, 0.9165], None), ([0.0, 1.0], "embedding_drift"), ([1.0, 0.0, 0.0], None), ([0.0, 0.0], "embedding_drift"), (None, None)],
)  # fmt: skip
def test_a_message_far_from_the_centroid_ends_a_segment(
    vector: Sequence[float] | None, reason: str | None
) -> None:
    assert detect_boundary(SegmentState(5, 0, 1, [1.0, 0.0]), "something else", 2, vector) == reason


def test_the_cheapest_check_speaks_first() -> None:
    state = SegmentState(20, 0, 0, [1.0])
    assert detect_boundary(state, "btw, x", 9999, [-1.0]) == "turn_count_exceeded"
    assert detect_boundary(SegmentState(1, 0, 0, [1.0]), "btw, x", 9999, [-1.0]) == "time_gap"
    assert detect_boundary(SegmentState(1, 0, 0, [1.0]), "btw, x", 1, [-1.0]) == "explicit_marker"


@pytest.mark.parametrize("message", ["ok", "yes please", "why?", "thanks!", "嗯", "好的", ""])
def test_a_short_message_is_no_boundary(message: str) -> None:
    assert detect_boundary(SegmentState(3, 0, 1), message, 2) is None


@pytest.mark.parametrize("marker", ENGLISH_MARKERS)
def test_every_phrase_counts_at_the_start_of_a_sentence_only(marker: str) -> None:
    assert opens_topic(f"{marker.capitalize()} the garden")
    assert opens_topic(f"That was good. {marker} the garden")
    assert opens_topic(f"ok, {marker.replace(chr(39), '’')} the garden")
    assert not opens_topic(f"I heard him say {marker} and go")


@pytest.mark.parametrize(
    "message",
    [
        "换个话题，聊聊预算",
        "另外，帮我查天气",
        "顺便问一下",
        "接下来我们看数据",
        "对了，明天几点？",
        "好的。對了，還有一件事",
    ],
)
def test_chinese_phrases_count(message: str) -> None:
    assert opens_topic(message)


@pytest.mark.parametrize(
    "message",
    [
        "另外一个人来了", "你说对了", "对了一半", "anyway that works", "newer question", "```\nswitching to main\n```",
        "> btw, quoted", 'he wrote "new question" there', "I was moving on to it", "unrelated, but close",
    ],
)  # fmt: skip
def test_words_that_only_look_like_a_phrase_do_not_count(message: str) -> None:
    assert not opens_topic(message)


def test_phrases_and_bounds_are_settings() -> None:
    rules = SegmentRules(max_gap_s=5, max_turns=2, min_similarity=-1.0, markers=("themawechsel",))
    assert detect_boundary(SegmentState(1, 0, 0), "Themawechsel: Brot", 1, rules=rules) == "explicit_marker"
    assert detect_boundary(SegmentState(1, 0, 0), "new question", 1, rules=rules) is None
    assert detect_boundary(SegmentState(1, 0, 0), "x", 6, rules=rules) == "time_gap"
    assert detect_boundary(SegmentState(2, 0, 0), "x", 1, rules=rules) == "turn_count_exceeded"


def test_the_mean_grows_one_vector_at_a_time() -> None:
    mean: list[float] = []
    vectors = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    for count, vector in enumerate(vectors):
        mean = incremental_mean(mean or None, vector, count)
    assert mean == pytest.approx([2 / 3, 2 / 3])
    assert incremental_mean([1.0], [3.0, 4.0], 9) == [3.0, 4.0]


def test_cosine_is_clamped_and_zero_for_nothing() -> None:
    assert cosine([0.1] * 3, [0.1] * 3) <= 1.0
    assert cosine([0.0], [1.0]) == 0.0
    assert cosine([2.0], [-3.0]) == -1.0


RULES = SegmentRules()
BREAD = "How long should the sourdough dough rest before baking bread"
RUST = "The borrow checker rejects my mutable reference inside this closure"


def talk(*said: str, step_s: int = 10, start_s: int = 1_000) -> list[Turn]:
    """User and assistant in turns; the answer a millisecond later, as the hook dates it."""
    turns = []
    for at, message in enumerate(said):
        ms = (start_s + at * step_s) * 1000
        turns += [Turn("s", 2 * at, ms, "user", message), Turn("s", 2 * at + 1, ms + 1, "assistant", "Well.")]
    return turns


def bounds(stretches: Sequence[Stretch]) -> list[tuple[int, int, str | None]]:
    return [(s.turns[0].seq, s.turns[-1].seq, s.reason) for s in stretches]


def test_the_first_turn_opens_a_segment_and_later_ones_go_on_with_it() -> None:
    closed, running = cut_session(talk("a", "b", "c"), RULES)
    assert closed == []
    assert running is not None
    assert (len(running.turns), running.exchanges, running.reason) == (6, 3, None)
    assert cut_session([], RULES) == ([], None)


def test_a_boundary_closes_at_the_last_turn_and_opens_at_this_one() -> None:
    closed, running = cut_session(talk("a", "b", "By the way, c", "d"), RULES)
    assert bounds(closed) == [(0, 3, "explicit_marker")]
    assert running is not None
    assert running.turns[0].content == "By the way, c"


def test_a_segment_holds_twenty_exchanges() -> None:
    closed, running = cut_session(talk(*["go on"] * 45), RULES)
    assert bounds(closed) == [(0, 39, "turn_count_exceeded"), (40, 79, "turn_count_exceeded")]
    assert running is not None
    assert running.exchanges == 5


def test_silence_counts_from_message_to_message_and_from_a_late_answer() -> None:
    closed, _ = cut_session(talk("a", "b", step_s=600), RULES)
    assert closed == []
    closed, _ = cut_session(talk("a", "b", step_s=601), RULES)
    assert bounds(closed) == [(0, 1, "time_gap")]
    late = [
        Turn("s", 0, 0, "user", "a"),
        Turn("s", 1, 900_000, "assistant", "b"),
        Turn("s", 2, 950_000, "user", "c"),
    ]
    assert cut_session(late, RULES)[0] == []


def test_only_messages_of_the_user_open_a_segment() -> None:
    turns = [Turn("s", n, n * 10_000_000, "assistant", "By the way, x") for n in range(30)]
    closed, running = cut_session(turns, RULES)
    assert closed == []
    assert running is not None
    assert running.exchanges == 0


def vectors(texts: Sequence[str]) -> list[list[float]]:
    return [[1.0, 0.0] if "borrow" in text else [0.1, 1.0] for text in texts]


def test_a_message_that_left_the_topic_opens_a_segment() -> None:
    closed, _ = cut_session(talk(BREAD, BREAD, BREAD, RUST), RULES, vectors)
    assert bounds(closed) == [(0, 5, "embedding_drift")]


def test_short_messages_and_young_segments_are_not_judged_by_meaning() -> None:
    far = lambda texts: [[-1.0] if "yes" in text else [1.0] for text in texts]  # noqa: E731
    assert cut_session(talk(BREAD, BREAD, BREAD, "yes do that", "yes"), RULES, far)[0] == []
    assert cut_session(talk(BREAD, RUST, BREAD, RUST), RULES, vectors)[0] == []


def test_a_message_that_shares_its_words_with_the_segment_has_not_left_it() -> None:
    opposite = lambda texts: [[1.0] if at < 3 else [-1.0] for at, _ in enumerate(texts)]  # noqa: E731
    assert cut_session(talk(BREAD, BREAD, BREAD, f"And {BREAD.lower()} in winter"), RULES, opposite)[0] == []


def test_the_real_embedder_tells_topics_apart() -> None:
    from vaultkeeper.providers import open_embedder

    embedder = open_embedder("static")
    assert embedder is not None
    said = [
        "My sourdough starter does not rise, it has been four days in the kitchen",
        "Should I feed the starter with rye flour or with wheat flour",
        "How warm should the dough be during the bulk fermentation",
        "The crust of the loaf came out pale, does it need a hotter oven",
        "The tax office asks for the invoices of my freelance income last quarter",
        "Which deduction applies when the invoices of the quarter are late",
    ]
    closed, running = cut_session(
        talk(*said), for_word_vectors(RULES), lambda texts: embedder.embed(texts).tolist()
    )
    assert bounds(closed) == [(0, 7, "embedding_drift")]
    assert running is not None
    assert running.exchanges == 2


def test_the_same_turns_give_the_same_segments_however_often_they_were_cut_before() -> None:
    turns = talk(*(["go on"] * 25), "Anyway, x", *(["and"] * 9), step_s=50)
    whole, running = cut_session(turns, RULES)
    grown: list[Stretch] = []
    for end in range(2, len(turns) + 1, 2):
        done = sum(len(s.turns) for s in grown)
        grown += cut_session(turns[done:end], RULES)[0]
    assert grown == whole
    assert running is not None


def test_silence_ends_an_open_segment_and_an_unanswered_message_waits_longer() -> None:
    _, running = cut_session(talk("a"), RULES)
    assert running is not None
    assert close_idle(running, RULES, idle_at_ms(running, RULES)) is None
    idle = close_idle(running, RULES, idle_at_ms(running, RULES) + 1)
    assert idle is not None
    assert idle.reason == "time_gap"
    unanswered = Stretch(running.turns[:1], None)
    assert idle_at_ms(unanswered, RULES) - idle_at_ms(running, RULES) > 2_900_000


def test_turns_without_a_time_make_no_gap() -> None:
    turns = [
        Turn("s", 0, 5_000_000, "user", "a"),
        Turn("s", 1, 0, "user", "b"),
        Turn("s", 2, 5_100_000, "user", "c"),
    ]
    assert cut_session(turns, RULES)[0] == []
