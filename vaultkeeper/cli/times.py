"""Times on the command line: `--since 2026-03-01`, `--until 2026-03`, `--last 7d`. All are UTC."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import click

from vaultkeeper.errors import UsageError
from vaultkeeper.types import TimeWindow

F = TypeVar("F", bound=Callable[..., Any])

_PARTIAL = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?", re.ASCII)
_SPAN = re.compile(r"(\d{1,6})\s*(min|h|d|w|m|y)", re.ASCII)
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


def time_options(function: F) -> F:
    """Adds `--since`, `--until` and `--last`."""
    for option in (
        click.option("--last", metavar="SPAN", help="Only the last 12h, 7d, 2w, 6m or 1y."),
        click.option("--until", metavar="DATE", help="Only what was before the end of a day, month or year."),
        click.option(
            "--since", metavar="DATE", help="Only what was since a day, month or year: 2026-03-01, 2026-03."
        ),
    ):
        function = option(function)
    return function


def parse_window(since: str | None, until: str | None, last: str | None, now: datetime) -> TimeWindow:
    """Returns the window that the options mean; both ends belong to it.

    Raises:
        UsageError: a date or span cannot be read, or they contradict each other.
    """
    if last is not None and since is not None:
        raise UsageError(reason="--last and --since exclude each other.")
    start = _bounds(since)[0] if since is not None else None
    if last is not None:
        start = now - parse_span("--last", last)
    end = _bounds(until)[1] if until is not None else None
    if start is not None and end is not None and start > end:
        raise UsageError(reason="The time window ends before it begins.")
    return TimeWindow(start, end)


def parse_span(option: str, text: str) -> timedelta:
    """Returns how long a span such as `7d` is; months have 30 days, years 365.

    Raises:
        UsageError: it is no span; names the option.
    """
    found = _SPAN.fullmatch(text.strip().lower())
    if found is None:
        raise UsageError(reason=f"{option} {text!r} is no span such as 12h, 7d, 2w, 6m or 1y.")
    number, unit = int(found[1]), found[2]
    if unit == "min":
        return timedelta(minutes=number)
    return timedelta(hours=number) if unit == "h" else timedelta(days=min(number * _DAYS[unit], 700_000))


def _bounds(text: str) -> tuple[datetime, datetime]:
    """The first and the last millisecond of what a date names."""
    wrong = UsageError(reason=f"{text!r} is no date such as 2026-03-01, 2026-03, 2026 or 2026-03-01T14:30.")
    found = _PARTIAL.fullmatch(text.strip())
    tick = timedelta(milliseconds=1)
    try:
        if found is None:
            moment = datetime.fromisoformat(text.strip())
            moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
            return moment, moment
        year, month, day = int(found[1]), int(found[2] or 1), int(found[3] or 1)
        start = datetime(year, month, day, tzinfo=UTC)
        if found[3]:
            return start, start + timedelta(days=1) - tick
        if found[2]:
            return start, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC) - tick
        return start, datetime(year + 1, 1, 1, tzinfo=UTC) - tick
    except (ValueError, OverflowError):
        raise wrong from None
