from __future__ import annotations

import pytest

from vaultkeeper.watch import pace


def test_a_costly_comparison_is_made_less_often() -> None:
    beside = pace.beside_events()
    beside.compared(0.05, changed=False)
    assert beside.pause_s == 300.0
    beside.compared(1.0, changed=False)
    assert beside.pause_s == 2000.0


def test_the_fallback_is_quick_after_a_change_and_slow_when_nothing_happens() -> None:
    fallback = pace.fallback()
    for _ in range(20):
        fallback.compared(0.01, changed=False)
    assert fallback.pause_s == pace.FALLBACK_LONGEST_S
    fallback.compared(0.01, changed=True)
    assert fallback.pause_s == pace.FALLBACK_S
    fallback.compared(0.5, changed=True)
    assert fallback.pause_s == 50.0


def test_polling_keeps_to_what_was_asked() -> None:
    polling = pace.polling(5.0)
    for _ in range(10):
        polling.compared(0.1, changed=False)
    assert polling.pause_s == 5.0
    polling.compared(1.0, changed=False)
    assert polling.pause_s == 20.0


@pytest.mark.parametrize(
    ("wall_s", "monotonic_s", "expected"),
    [
        (1001.0, 51.0, False),
        (1004.0, 51.0, False),
        (4000.0, 51.0, True),  # the monotonic clock stood still while the machine slept
        (4000.0, 3050.0, True),  # it did not
        (400.0, 51.0, True),  # the clock was set back
        (1020.0, 70.0, False),  # a busy machine
    ],
)
def test_a_jump_of_the_clock(wall_s: float, monotonic_s: float, expected: bool) -> None:
    detector = pace.SleepDetector(1000.0, 50.0)
    assert detector.jumped(wall_s, monotonic_s, 1.0) is expected
    assert not detector.jumped(wall_s + 1.0, monotonic_s + 1.0, 1.0)


def test_a_long_sync_is_no_sleep() -> None:
    detector = pace.SleepDetector(1000.0, 50.0)
    detector.worked(149.0)
    assert not detector.jumped(1100.0, 150.0, 1.0)
