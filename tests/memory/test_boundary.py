from collections.abc import Sequence

import pytest

from vaultkeeper.memory.boundary import (
    ENGLISH_MARKERS,
    SegmentRules,
    SegmentState,
    cosine,
    detect_boundary,
    incremental_mean,
    opens_topic,
)


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
