from __future__ import annotations

import pytest

from vaultkeeper.retrieval.ranking import (
    BESIDE_TURNS,
    EVENT,
    HOUR_MS,
    KEYED,
    TURN,
    TURNS,
    UNASKED,
    WITH_GRAPH,
    WITHOUT_GRAPH,
    Relation,
    freshness,
    parse_direction,
    priority_of,
    supporting,
    weigh_events,
    weigh_memories,
    weigh_ranks,
    weigh_times,
    weigh_turns,
    weigh_unasked,
)

DAY_MS = 24 * HOUR_MS


def test_the_weights_are_those_of_the_contract() -> None:
    assert WITH_GRAPH == {"graph": 0.55, "vector": 0.30, "keyword": 0.15}
    assert WITHOUT_GRAPH == {"vector": 0.65, "keyword": 0.35}
    assert (BESIDE_TURNS, TURNS) == ({"graph": 0.45, "vector": 0.25, "keyword": 0.10}, 0.20)
    assert TURN == {"rank": 0.7, "freshness": 0.3}
    assert EVENT == {"rank": 0.6, "freshness": 0.4}
    assert KEYED == {"keyword": 0.8, "freshness": 0.2}
    assert UNASKED == {"priority": 0.45, "graph": 0.30, "freshness": 0.25}


@pytest.mark.parametrize(
    ("query", "direction"),
    [
        ("what did we plan before March", "before"),
        ("what changed after 2026-02-01", "after"),
        ("what changed since Monday", "after"),
        ("the history of the pump", "history"),
        ("timeline of the move", "history"),
        ("all decisions about tea", "history"),
        ("the first plan", "first"),
        ("the earliest note", "first"),
        ("the initial budget", "first"),
        ("which storage", "latest"),
        ("the beforehand and firstly of smallish balls", "latest"),
        ("三月之前的计划", "before"),
        ("搬家之后的事", "after"),
        ("水泵的历史", "history"),
        ("最早的方案", "first"),
    ],
)
def test_words_of_time(query: str, direction: str) -> None:
    assert parse_direction(query) == direction


def test_freshness_halves_in_a_day_and_the_future_is_now() -> None:
    assert [freshness(hours) for hours in (-5, 0, 24, 72)] == [1, 1, 0.5, 0.25]


def test_ages_count_from_now_and_for_the_first_from_the_oldest() -> None:
    times = {1: 0, 2: DAY_MS}
    assert weigh_times(times, 2 * DAY_MS, "latest") == {1: pytest.approx(1 / 3), 2: 0.5}
    assert weigh_times(times, 2 * DAY_MS, "first") == {1: 1.0, 2: 0.5}
    assert weigh_times({}, 0, "first") == {}


def test_ranks_fall_from_one_by_equal_steps() -> None:
    assert weigh_ranks([7, 8, 9, 6]) == {7: 1.0, 8: 0.75, 9: 0.5, 6: 0.25}
    assert weigh_ranks([]) == {}


def test_a_memory_is_weighed_by_what_there_is() -> None:
    with_graph = {"graph": {1: 1.0}, "vector": {1: 0.5, 2: 1.0}, "keyword": {2: 1.0}}
    assert weigh_memories(with_graph, {}, {}) == {1: 0.7, 2: 0.45}
    without = {"graph": {}, "vector": {1: 0.5}, "keyword": {1: 1.0}}
    assert weigh_memories(without, {}, {}) == {1: pytest.approx(0.675)}
    assert weigh_memories({"keyword": {1: 1.0}}, {}, {}) == {1: 1.0}
    assert weigh_memories({}, {}, {}) == {}


def test_beside_turns_a_memory_leaves_them_their_part() -> None:
    signals = {"graph": {1: 1.0}, "vector": {1: 1.0}, "keyword": {1: 1.0, 2: 1.0}}
    assert weigh_memories(signals, {}, {}, beside_turns=True) == {1: 0.8, 2: pytest.approx(0.1)}


def test_a_value_under_a_key_scores_by_words_and_age_when_that_is_more() -> None:
    signals = {"vector": {1: 0.4, 2: 0.4}, "keyword": {1: 1.0}}
    scores = weigh_memories(signals, {1: 1.0, 2: 0.0}, {1: 0.5, 2: 1.0})
    assert scores == {1: 0.9, 2: pytest.approx(0.26)}
    assert weigh_memories({"keyword": {1: 1.0}}, {1: 0.5}, {1: 0.0}) == {1: 1.0}


def test_turns_score_below_their_part_and_events_up_to_one() -> None:
    assert weigh_turns([5, 6], {5: 1.0, 6: 0.0}) == {5: 0.2, 6: pytest.approx(0.07)}
    assert weigh_events([5, 6], {5: 0.5, 6: 1.0}) == {5: pytest.approx(0.8), 6: pytest.approx(0.7)}


def test_when_nothing_is_asked_priority_connections_and_age_count() -> None:
    scores = weigh_unasked({1: 1.0, 2: 0.5}, {1: 2.0, 2: 4.0}, {1: 0.0, 2: 1.0})
    assert scores == {1: pytest.approx(0.6), 2: pytest.approx(0.775)}
    assert weigh_unasked({1: 0.5}, {}, {1: 0.0}) == {1: pytest.approx(0.225)}


def test_a_priority_is_what_the_note_says_or_what_its_category_is_worth() -> None:
    assert [priority_of({}, name) for name in ("core", "custom", "conversation", "daily")] == [
        0.75,
        0.5,
        0.5,
        0.25,
    ]
    assert priority_of({"priority": " Critical"}, "daily") == 1.0
    assert priority_of({"priority": 7}, "daily") == 0.25


def test_three_relations_support_a_hit_those_to_the_question_first() -> None:
    relations = [Relation("a", "b", 9), Relation("a", "q", 1), Relation("b", "c", 5), Relation("a", "c", 5),
                 Relation("c", "z", 99), Relation("q", "y", 99)]  # fmt: skip
    assert supporting(relations * 2, ("a", "b", "c"), ("q",)) == (
        Relation("a", "q", 1), Relation("a", "b", 9), Relation("a", "c", 5),
    )  # fmt: skip
    assert supporting(relations, ()) == ()
