from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.memory.detectors.windows import ascii_view, joined, matches, windows


def test_ranges_around_literals_are_joined() -> None:
    text = "a" * 50 + "KEY" + "b" * 5 + "KEY" + "c" * 80 + "KEY"
    assert windows(text, ("KEY",), 4, 10) == [(46, 68), (137, 144)]
    assert windows(text, ("none",), 4, 10) == []


def test_a_match_is_read_on_past_its_range_and_back_before_it() -> None:
    text = "x-" + "k" * 100 + " k"
    assert [m[0] for m in matches(re.compile(r"(?<!k)k+"), text, [(2, 20)])] == ["k" * 100]
    assert [m[0] for m in matches(re.compile(r"(?<!k)k+"), text, [(50, 60)])] == []


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
