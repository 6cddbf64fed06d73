from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.retrieval.fuse import by_greatest, by_magnitude, by_range, fuse

SCORES = st.dictionaries(st.integers(1, 50), st.floats(1e-6, 1e6), max_size=20)


@given(SCORES)
def test_scaled_scores_lie_in_0_to_1_and_keep_their_order(scores: dict[int, float]) -> None:
    for scale in (by_greatest, by_range, by_magnitude):
        scaled = scale(scores)
        assert all(0 <= score <= 1 for score in scaled.values())
        ranked = sorted(scaled, key=lambda pk: scores[pk])
        assert [scaled[pk] for pk in ranked] == sorted(scaled.values())


def test_a_weak_signal_does_not_outvote_a_sure_one() -> None:
    """The exact fact that words found stays first, whatever order the weak side has."""
    words = by_greatest({1: 9.0, 2: 2.0, 3: 1.9})
    meaning = by_range({2: 0.31, 3: 0.30, 4: 0.29, 1: 0.28})
    fused = fuse({"keyword": words, "dense": meaning}, {"keyword": 1.0, "dense": 0.3})
    assert max(fused, key=lambda pk: fused[pk]) == 1


def test_a_silent_signal_changes_nothing() -> None:
    words = {1: 1.0, 2: 0.5}
    assert fuse({"keyword": words, "dense": {}}, {"keyword": 1.0, "dense": 0.3}) == words
    assert fuse({"keyword": words, "dense": {3: 1.0}}, {"keyword": 1.0, "dense": 0.0}) == words
    assert fuse({"keyword": {}}, {"keyword": 1.0}) == {}


def test_cosines_below_zero_are_no_signal() -> None:
    assert by_range({1: -0.1, 2: -0.5}) == {}
    assert by_range({1: 0.4}) == {1: 1.0}


def test_powers_of_ten() -> None:
    scaled = by_magnitude({1: 0.1, 2: 0.01, 3: 1e-9})
    assert scaled[1] == 1.0
    assert abs(scaled[2] - 2 / 3) < 1e-9
    assert 3 not in scaled
