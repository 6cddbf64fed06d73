from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.errors import UsageError
from vaultkeeper.retrieval.timewords import parse_range, parse_span, parse_window

NOW = datetime(2026, 3, 31, 15, 30, tzinfo=UTC)  # a Tuesday


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-03-14", "2026-03-14", "2026-03-14"),
        ("2026-3-4", "2026-03-04", "2026-03-04"),
        ("2026-02", "2026-02-01", "2026-02-28"),
        ("2024", "2024-01-01", "2024-12-31"),
        ("2026-W11", "2026-03-09", "2026-03-15"),
        ("today", "2026-03-31", "2026-03-31"),
        ("Yesterday", "2026-03-30", "2026-03-30"),
        ("last week", "2026-03-23", "2026-03-29"),
        ("this  week", "2026-03-30", "2026-04-05"),
        ("last month", "2026-02-01", "2026-02-28"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("march", "2026-03-01", "2026-03-31"),
        ("Sept", "2025-09-01", "2025-09-30"),
        ("in May 2024", "2024-05-01", "2024-05-31"),
        ("monday", "2026-03-30", "2026-03-30"),
        ("last wed", "2026-03-25", "2026-03-25"),
    ],
)
def test_days(text: str, first: str, last: str) -> None:
    begin, end = parse_range(text, now=NOW)
    assert (begin.date().isoformat(), end.date().isoformat()) == (first, last)
    assert begin.time().isoformat() == "00:00:00"
    assert end.time().isoformat() == "23:59:59.999000"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7d", "2026-03-24T15:30:00+00:00"),
        ("2 weeks ago", "2026-03-17T15:30:00+00:00"),
        ("24h", "2026-03-30T15:30:00+00:00"),
        ("1m", "2026-02-28T15:30:00+00:00"),
        ("3 months", "2025-12-31T15:30:00+00:00"),
        ("1y", "2025-03-31T15:30:00+00:00"),
        ("now", "2026-03-31T15:30:00+00:00"),
        ("2026-03-14T09:30:00+02:00", "2026-03-14T07:30:00+00:00"),
        ("2026-03-14 09:30", "2026-03-14T09:30:00+00:00"),
    ],
)
def test_moments(text: str, expected: str) -> None:
    begin, end = parse_range(text, now=NOW)
    assert begin.isoformat() == end.isoformat() == expected


def test_a_span_begins_before_now() -> None:
    assert NOW - parse_span("30min", now=NOW) == timedelta(minutes=30)
    assert NOW - parse_span("12h", now=NOW) == timedelta(hours=12)
    for text in ("7", "d7", "yesterday", "२d", ""):
        with pytest.raises(UsageError, match="span"):
            parse_span(text, now=NOW)


def test_days_are_those_of_the_zone() -> None:
    window = parse_window("2026-03-14", "2026-03-14", now=NOW, zone=ZoneInfo("Asia/Shanghai"))
    assert window.since is not None
    assert window.since.isoformat() == "2026-03-13T16:00:00+00:00"


def test_window_sides() -> None:
    window = parse_window(last="2w", until="yesterday", now=NOW)
    assert window.since is not None
    assert window.until is not None
    assert window.since < window.until
    assert parse_window(now=NOW).since is None


def test_a_window_that_ends_now_does_not_begin_later() -> None:
    assert parse_window("today", now=NOW, ends_now=True).until == NOW
    assert parse_window(until="2027", now=NOW, ends_now=True).until == datetime(
        2028, 1, 1, tzinfo=UTC
    ) - timedelta(milliseconds=1)
    with pytest.raises(UsageError, match=r"ends \(2026-03-31\) before it begins \(2026-04-01\)"):
        parse_window("tomorrow", now=NOW, ends_now=True)


@pytest.mark.parametrize("text", ["2026-13-01", "2026-02-30", "soon", "5 parsecs", "99999y", "smarch", "²d"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(UsageError, match="no time"):
        parse_range(text, now=NOW)


def test_the_ends_of_the_calendar() -> None:
    _, last = parse_range("9999-12-31", now=NOW)
    assert last.isoformat() == "9999-12-31T23:59:59.999000+00:00"
    for text, zone in (("9999-12-31", "America/Bogota"), ("0001-01-01", "Asia/Tokyo")):
        with pytest.raises(UsageError, match="no time"):
            parse_range(text, now=NOW, zone=ZoneInfo(zone))


def test_last_and_since_exclude_each_other() -> None:
    with pytest.raises(UsageError):
        parse_window(since="today", last="7d", now=NOW)
    with pytest.raises(UsageError, match="span"):
        parse_window(last="yesterday", now=NOW)


@given(st.text())
def test_any_text_is_a_time_or_a_usage_error(text: str) -> None:
    try:
        begin, end = parse_range(text, now=NOW)
    except UsageError:
        return
    assert begin <= end
