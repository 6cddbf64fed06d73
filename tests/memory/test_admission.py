from __future__ import annotations

import pytest

from vaultkeeper.memory.admission import (
    WEIGHTS,
    density_signal,
    interaction_signal,
    score_leaf,
    source_signal,
    token_signal,
    weighted_mean,
    words_signal,
)

LONG = "The harbour office keeps a ledger of every ferry that leaves before dawn, with its cargo and crew."


def test_all_zeros_are_zero_and_all_ones_one() -> None:
    assert weighted_mean([0.0] * 6) == 0.0
    assert weighted_mean([1.0] * 6) == 1.0
    assert weighted_mean([1.0] * 6, 1.0) == 1.0


def test_interaction_alone_is_three_ninths() -> None:
    signals = [1.0 if name == "interaction" else 0.0 for name in WEIGHTS]
    assert weighted_mean(signals) == pytest.approx(3 / 9)


def test_density_scale() -> None:
    assert density_signal(0, 100) == 0.0
    assert density_signal(1, 200) == pytest.approx(0.5)
    assert density_signal(1, 100) == 1.0
    assert density_signal(9, 100) == 1.0
    assert density_signal(3, 0) == 0.0


@pytest.mark.parametrize(
    ("tokens", "value"),
    [(0, 0), (9, 0), (10, 0), (20, 0.5), (30, 1), (3000, 1), (5500, 0.75), (8000, 0.5), (90_000, 0.5)],
)
def test_bounds_of_the_ramp_of_tokens(tokens: int, value: float) -> None:
    assert token_signal(tokens) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a b c d", 0.5),
        ("one two three four five", 1.0),
        ("a a a a a a a a a a", 0.0),
        ("a b a b a b a b c d", 0.25),
    ],
)
def test_unique_words(text: str, value: float) -> None:
    assert words_signal(text) == pytest.approx(value)


def test_words_lose_their_marks_and_capitals() -> None:
    assert words_signal("Dog, dog. DOG! (dog) 'dog' dog") == 0.0


def test_chinese_text_has_words_and_tokens() -> None:
    text = "我们今天在码头旁边修理了水位计并且记录了读数"
    assert words_signal(text) == 1.0
    row = score_leaf(text, "chat")
    assert row.kept
    assert row.token_count > 0.5


def test_a_provider_counts_only_by_its_tag() -> None:
    assert source_signal("email", ["gmail"]) == 0.75
    assert source_signal("email", ["provider:gmail"]) == 0.8
    assert source_signal("email", ["provider/gmail"]) == 0.8
    assert source_signal("chat", ["provider:conversation"]) == 0.9
    assert source_signal("document", ["provider:unheard-of"]) == 0.7


def test_interactions_add_up_to_one_at_most_and_none_is_a_half() -> None:
    assert interaction_signal([]) == 0.5
    assert interaction_signal(["reply"]) == 0.5
    assert interaction_signal(["dm", "mention"]) == 0.5
    assert interaction_signal(["sent", "reply", "dm", "mention"]) == 1.0


def test_a_tiny_leaf_is_dropped_unless_it_names_somebody_or_is_urgent() -> None:
    assert score_leaf("ok, thanks", "chat")[-2:] == (False, "tiny")
    assert score_leaf("ok, thanks", "chat", entities=["person:mara"]).kept
    assert score_leaf("ok, thanks", "chat", ["priority_high"])[-2:] == (True, "priority")


def test_headers_of_a_chat_do_not_count() -> None:
    assert score_leaf("## 2026-03-01T10:00:00Z — Somebody with a long name\nok", "chat").reason == "tiny"
    assert score_leaf("## A heading of a document that is long enough to count\nok", "document").kept


def test_priority_adds_a_quarter_up_to_one() -> None:
    plain, urgent = score_leaf(LONG, "email"), score_leaf(LONG, "email", ["priority_high"])
    assert urgent.total == pytest.approx(min(1.0, plain.total + 0.25))


def test_a_model_is_heard_only_where_it_is_open() -> None:
    open_row = score_leaf(LONG, "email", llm_importance=0.0)
    assert open_row.llm_importance == 0.0
    assert open_row.total < score_leaf(LONG, "email").total
    sure = score_leaf(LONG, "document", ["sent", "reply"], ["person:a"], llm_importance=0.0)
    assert sure.total >= 0.85
    assert (sure.llm_importance, sure.reason) == (None, "definite_keep")
    assert score_leaf(LONG, "email").llm_importance is None


def test_low_scores_are_dropped_with_their_reason() -> None:
    row = score_leaf("no " * 14, "chat", ["mention"])
    assert (row.kept, row.reason) == (False, "low_score")
    assert 0.15 < row.total < 0.30
