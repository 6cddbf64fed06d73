from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.memory.detectors.windows import (
    ascii_view,
    joined,
    matches,
    present,
    vocabulary_of,
    windows,
    words_at,
)


def test_ranges_around_literals_are_joined() -> None:
    text = "a" * 50 + "KEY" + "b" * 5 + "KEY" + "c" * 80 + "KEY"
    assert windows(text, ("KEY",), 4, 10) == [(46, 68), (137, 144)]
    assert windows(text, ("none",), 4, 10) == []


def test_a_match_is_read_on_past_its_range_and_back_before_it() -> None:
    text = "x-" + "k" * 100 + " k"
    assert [m[0] for m in matches(re.compile(r"(?<!k)k+"), text, [(2, 20)])] == ["k" * 100]
    assert [m[0] for m in matches(re.compile(r"(?<!k)k+"), text, [(50, 60)])] == []


def test_words_are_found_by_places_in_them() -> None:
    words = [(2, 5), (7, 9), (12, 20)]
    assert words_at(words, [19, 4, 2, 5, 0, 30]) == [(2, 5), (12, 20)]
    assert words_at([], [1]) == words_at(words, []) == []


@given(st.text("ab -\n\t\u3000", max_size=30), st.text("ab -", min_size=1, max_size=4).filter(str.strip))
def test_what_occurs_in_a_text_is_present_in_its_vocabulary(text: str, literal: str) -> None:
    if " " not in literal.strip() and literal in text:
        assert present(vocabulary_of(text), [literal]) == [literal]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda p: (min(p), max(p)))))
def test_joined_ranges_hold_the_same_places(ranges: list[tuple[int, int]]) -> None:
    after = joined(ranges)
    assert {n for low, high in ranges for n in range(low, high)} == {
        n for low, high in after for n in range(low, high)
    }
    assert after == sorted(after)


@given(st.text())
def test_the_view_has_the_length_of_the_text(text: str) -> None:
    assert len(ascii_view(text)) == len(text)
