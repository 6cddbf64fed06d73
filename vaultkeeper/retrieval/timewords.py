"""Times as people write them on a command line: text and now give a window. Nothing here reads a clock."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from vaultkeeper.errors import UsageError
from vaultkeeper.types import TimeWindow

_AGO = re.compile(
    r"(\d{1,5})\s*(min|minutes?|h|hours?|d|days?|w|weeks?|m|mo|months?|y|years?)(?:\s+ago)?", re.ASCII
)
_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)
_MONTH = re.compile(r"(\d{4})-(\d{1,2})", re.ASCII)
_WEEK = re.compile(r"(\d{4})-?w(\d{1,2})", re.ASCII)
_YEAR = re.compile(r"(?:19|20)\d{2}", re.ASCII)
_NAMED = re.compile(r"([a-z]+)\.?(?:\s+(\d{4}))?")

# Spelt out, since the names of `calendar` depend on the locale.
_NAMES = """
january february march april may june july august september october november december
monday tuesday wednesday thursday friday saturday sunday
"""
_MONTH_NAMES, _DAY_NAMES = (line.split() for line in _NAMES.strip().split("\n"))
MONTHS = {name: at for at, name in enumerate(_MONTH_NAMES, 1)}
MONTHS |= {name[:3]: at for name, at in MONTHS.items()} | {"sept": 9}
WEEKDAYS = {name: at for at, name in enumerate(_DAY_NAMES)}
WEEKDAYS |= {name[:3]: at for name, at in WEEKDAYS.items()} | {"tues": 1, "thur": 3, "thurs": 3}

_LAST = time(23, 59, 59, 999_000)
TAKES = "a date (2026-03-14, 2026-03, 2026), a month, a weekday, yesterday, last week, or a span (7d, 2w, 3m)"


def parse_window(
    since: str = "",
    until: str = "",
    last: str = "",
    *,
    now: datetime,
    zone: tzinfo = UTC,
    ends_now: bool = False,
) -> TimeWindow:
    """Returns the window that `--since`, `--until` and `--last` ask for; empty texts leave a side open.

    A day begins and ends at midnight of `zone`. `--since march` begins with the first day of March, `--until march`
    ends with the last one.

    Args:
        now: The present, aware.
        zone: Whose days are meant.
        ends_now: Whether the window ends now when no end is asked for.

    Raises:
        UsageError: a text is no time, `last` stands beside `since`, or the end lies before the beginning.
    """
    if last and since:
        raise UsageError(reason="--last and --since cannot stand together: both say where the time begins.")
    begin = None
    end = now.astimezone(UTC) if ends_now else None
    if last:
        begin = parse_span(last, now=now, zone=zone)
    elif since:
        begin = parse_range(since, now=now, zone=zone)[0]
    if until:
        end = parse_range(until, now=now, zone=zone)[1]
    if begin and end and end < begin:
        raise UsageError(reason=f"The time ends ({end:%Y-%m-%d}) before it begins ({begin:%Y-%m-%d}).")
    return TimeWindow(begin, end)


def parse_range(text: str, *, now: datetime, zone: tzinfo = UTC) -> tuple[datetime, datetime]:
    """Returns the first and the last moment (UTC) of what a text names; a moment gives itself twice.

    Raises:
        UsageError: the text is no time.
    """
    words = " ".join(text.lower().split())
    today = now.astimezone(zone).date()
    try:
        found = _moment(text.strip(), words, now, zone) or _days(words, today)
        if found is not None:
            first, last = found
            if not isinstance(first, datetime) or not isinstance(last, datetime):
                first, last = datetime.combine(first, time.min, zone), datetime.combine(last, _LAST, zone)
            return first.astimezone(UTC), last.astimezone(UTC)
    except (ValueError, OverflowError):  # outside the calendar
        pass
    raise UsageError(reason=f"{text!r} is no time. It takes {TAKES}.")


def parse_span(text: str, *, now: datetime, zone: tzinfo = UTC) -> datetime:
    """Returns when a span such as `7d` that ends now began, in UTC.

    Raises:
        UsageError: the text is no span.
    """
    words = " ".join(text.lower().split())
    if words in ("day", "week", "month", "year"):
        words = "1 " + words
    if not _AGO.fullmatch(words):
        raise UsageError(reason=f"{text!r} is no span of time. It takes a span such as 24h, 7d, 2w or 3m.")
    return parse_range(words, now=now, zone=zone)[0]


def _moment(text: str, words: str, now: datetime, zone: tzinfo) -> tuple[datetime, datetime] | None:
    ago = _AGO.fullmatch(words)
    if ago:
        moment = _before(now.astimezone(zone), int(ago[1]), ago[2])
        return moment, moment
    if words == "now":
        return now, now
    if len(text) > 10 and text[4:5] == "-" and text[7:8] == "-":
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=zone)
        return moment, moment
    return None


def _before(now: datetime, count: int, unit: str) -> datetime:
    if unit.startswith("min"):
        return now - timedelta(minutes=count)
    if unit.startswith("h"):
        return now - timedelta(hours=count)
    if unit.startswith("d"):
        return now - timedelta(days=count)
    if unit.startswith("w"):
        return now - timedelta(weeks=count)
    months = count if unit.startswith("m") else 12 * count
    year, month = divmod(now.year * 12 + now.month - 1 - months, 12)
    day = min(now.day, calendar.monthrange(year, month + 1)[1])
    return now.replace(year=year, month=month + 1, day=day)


def _days(words: str, today: date) -> tuple[date, date] | None:
    relative: dict[str, Callable[[], tuple[date, date]]] = {
        "today": lambda: (today, today),
        "yesterday": lambda: _day(today - timedelta(days=1)),
        "tomorrow": lambda: _day(today + timedelta(days=1)),
        "this week": lambda: _week(today),
        "last week": lambda: _week(today - timedelta(days=7)),
        "this month": lambda: _month(today.year, today.month),
        "last month": lambda: _month(*_previous(today)),
        "this year": lambda: _year(today.year),
        "last year": lambda: _year(today.year - 1),
    }
    if words in relative:
        return relative[words]()
    if found := _DAY.fullmatch(words):
        return _day(date(int(found[1]), int(found[2]), int(found[3])))
    if found := _MONTH.fullmatch(words):
        return _month(int(found[1]), int(found[2]))
    if found := _WEEK.fullmatch(words):
        return _week(date.fromisocalendar(int(found[1]), int(found[2]), 1))
    if _YEAR.fullmatch(words):
        return _year(int(words))
    found = _NAMED.fullmatch(words.removeprefix("last ").removeprefix("in "))
    return _named(found[1], found[2], today) if found else None


def _named(name: str, year: str | None, today: date) -> tuple[date, date] | None:
    """A month or weekday without a year is the latest one that has begun."""
    if name in MONTHS:
        month = MONTHS[name]
        chosen = int(year) if year else today.year - (month > today.month)
        return _month(chosen, month)
    if name in WEEKDAYS and not year:
        return _day(today - timedelta(days=(today.weekday() - WEEKDAYS[name]) % 7))
    return None


def _day(day: date) -> tuple[date, date]:
    return day, day


def _week(day: date) -> tuple[date, date]:
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=6)


def _month(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def _previous(day: date) -> tuple[int, int]:
    return (day.year, day.month - 1) if day.month > 1 else (day.year - 1, 12)


def _year(year: int) -> tuple[date, date]:
    return date(year, 1, 1), date(year, 12, 31)
