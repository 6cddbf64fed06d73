from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from vaultkeeper.cli.times import parse_window
from vaultkeeper.errors import UsageError

NOW = datetime(2026, 3, 8, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("since", "until", "start", "end"),
    [
        ("2026-03-01", "2026-03-01", datetime(2026, 3, 1), datetime(2026, 3, 1, 23, 59, 59, 999000)),
        ("2026-02", "2026-02", datetime(2026, 2, 1), datetime(2026, 2, 28, 23, 59, 59, 999000)),
        ("2025", "2025-12", datetime(2025, 1, 1), datetime(2025, 12, 31, 23, 59, 59, 999000)),
        ("2026-03-01T14:30+02:00", None, datetime(2026, 3, 1, 12, 30), None),
    ],
)  # fmt: skip
def test_a_date_means_all_of_its_day_month_or_year(
    since: str, until: str | None, start: datetime, end: datetime | None
) -> None:
    window = parse_window(since, until, None, NOW)
    assert window.since == start.replace(tzinfo=UTC)
    assert window.until == (end.replace(tzinfo=UTC) if end else None)


@pytest.mark.parametrize(
    ("last", "start"),
    [
        ("12h", datetime(2026, 3, 8, 0, tzinfo=UTC)),
        ("7d", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        ("1w", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        ("30min", datetime(2026, 3, 8, 11, 30, tzinfo=UTC)),
        ("999999y", NOW - timedelta(days=700_000)),
    ],
)
def test_a_span_ends_now(last: str, start: datetime | None) -> None:
    assert parse_window(None, None, last, NOW).since == start


@pytest.mark.parametrize(
    ("since", "until", "last"),
    [
        ("yesterday", None, None),
        ("2026-13", None, None),
        ("2026-02-30", None, None),
        ("0000", None, None),
        (None, "9999", None),
        (None, None, "7"),
        (None, None, "d7"),
        ("2026", None, "7d"),
        ("2026-03", "2026-02", None),
        ("२०२६", None, None),
    ],
)
def test_what_is_no_time_is_told(since: str | None, until: str | None, last: str | None) -> None:
    with pytest.raises(UsageError):
        parse_window(since, until, last, NOW)
