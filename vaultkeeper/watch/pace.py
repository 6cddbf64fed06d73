"""How often the whole vault is compared, and how a jump of the clock is noticed. Pure."""

from __future__ import annotations

RESCAN_S = 300.0
RESCAN_DUTY = 1 / 2000
"""Re-scans beside events may cost this share of a core: half of what an idle watcher may use."""
POLL_DUTY = 1 / 20
FALLBACK_S = 2.0
FALLBACK_LONGEST_S = 30.0
FALLBACK_DUTY = 1 / 100
GROWTH = 1.5
JUMP_S = 5.0


class Pace:
    """Seconds from the end of one comparison to the next.

    Args:
        base_s: The pause after a comparison that found a change.
        longest_s: While nothing changes the pause grows up to this.
        duty: Share of a core that comparisons may use at most; costly ones are made less often.
    """

    def __init__(self, base_s: float, longest_s: float, duty: float) -> None:
        self._base_s = base_s
        self._longest_s = longest_s
        self._duty = duty
        self._current_s = base_s
        self._cost_s = 0.0

    @property
    def pause_s(self) -> float:
        """The pause before the next comparison."""
        return max(self._current_s, self._cost_s / self._duty)

    def compared(self, cost_s: float, *, changed: bool) -> None:
        """Takes in what a comparison has cost, in seconds of processor time, and whether it found a
        change.
        """
        self._cost_s = cost_s
        self._current_s = self._base_s if changed else min(self._longest_s, self._current_s * GROWTH)


def beside_events(rescan_s: float = RESCAN_S) -> Pace:
    """The pace of the safety net while events are received."""
    return Pace(rescan_s, rescan_s, RESCAN_DUTY)


def polling(poll_s: float) -> Pace:
    """The pace that the user has asked for; a vault that takes long to compare is compared less often."""
    return Pace(poll_s, poll_s, POLL_DUTY)


def fallback() -> Pace:
    """The pace when events cannot be had: quick while somebody works, slower when nothing happens."""
    return Pace(FALLBACK_S, FALLBACK_LONGEST_S, FALLBACK_DUTY)


class SleepDetector:
    """Notices that the machine slept or its clock was set: the wall clock has moved more than the monotonic
    one.

    Args:
        wall_s: Unix time.
        monotonic_s: A monotonic time that stands still, or not, while the machine sleeps.
    """

    def __init__(self, wall_s: float, monotonic_s: float) -> None:
        self._offset_s = wall_s - monotonic_s
        self._seen_s = monotonic_s

    def worked(self, monotonic_s: float) -> None:
        """Takes in that time has passed at work, so that it does not count as late."""
        self._seen_s = monotonic_s

    def jumped(self, wall_s: float, monotonic_s: float, expected_s: float) -> bool:
        """Returns whether time has jumped since the last call.

        Args:
            expected_s: The time that was meant to pass since then; half a minute more counts as a jump too.
        """
        offset_s, passed_s = wall_s - monotonic_s, monotonic_s - self._seen_s
        jumped = abs(offset_s - self._offset_s) > JUMP_S or passed_s > expected_s + 30.0
        self._offset_s, self._seen_s = offset_s, monotonic_s
        return jumped
