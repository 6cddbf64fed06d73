from __future__ import annotations

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.memory.events import event_id
from vaultkeeper.memory.events.event import widened


def test_the_same_statement_has_the_same_id() -> None:
    assert event_id("seg-1", "fact", "I don’t live in  Oslo.") == event_id(
        "seg-1", "fact", "i don't live in Oslo"
    )


def test_segment_kind_and_words_make_the_id() -> None:
    ids = {
        event_id(s, k, t)
        for s in ("seg-1", "seg-2")
        for k in ("fact", "decision")
        for t in ("我住在北京", "I like tea")
    }
    assert len(ids) == 8


def test_the_parts_are_kept_apart() -> None:
    assert event_id("a", "b", "c d") != event_id("a", "b c", "d")


def test_another_process_gives_the_same_id() -> None:
    code = "from vaultkeeper.memory.events import event_id; print(event_id('seg-1', 'fact', '我住在北京。'))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == event_id("seg-1", "fact", "我住在北京")


def test_a_lone_event_takes_the_whole_sentence() -> None:
    assert widened(1, {1}, set(), 3) == (0, 2)


def test_a_question_or_request_is_left_out() -> None:
    assert widened(0, {0}, {1}, 3) == (0, 0)
    assert widened(1, {1}, {0}, 3) == (1, 2)


def test_what_stands_between_two_events_belongs_to_the_first() -> None:
    assert widened(0, {0, 2}, set(), 3) == (0, 1)
    assert widened(2, {0, 2}, set(), 3) == (2, 2)


@given(
    st.integers(1, 8).flatmap(
        lambda n: st.tuples(
            st.just(n), st.sets(st.integers(0, n - 1), min_size=1), st.sets(st.integers(0, n - 1))
        )
    )
)
def test_quotes_of_a_sentence_never_overlap(case: tuple[int, set[int], set[int]]) -> None:
    count, events, asked = case
    taken: set[int] = set()
    for number in sorted(events):
        first, last = widened(number, events, asked - events, count)
        clauses = set(range(first, last + 1))
        assert number in clauses
        assert not clauses & taken
        assert not clauses & (asked - events)
        taken |= clauses
