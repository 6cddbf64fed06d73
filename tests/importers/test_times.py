from __future__ import annotations

from datetime import UTC, datetime

import pytest

from vaultkeeper.errors import UsageError
from vaultkeeper.importers.times import parse_timestamp

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "ms"),
    [
        (1_772_323_200_000, 1_772_323_200_000),
        ("1772323200000", 1_772_323_200_000),
        ("2026-03-01T00:00:00Z", 1_772_323_200_000),
        ("2026-03-01T01:00:00+01:00", 1_772_323_200_000),
        ("2026-03-01", 1_772_323_200_000),
        (None, 1_772_323_200_000),
        ("  ", 1_772_323_200_000),
    ],
)
def test_times_as_they_come(value: object, ms: int) -> None:
    assert parse_timestamp(value, NOW) == ms


@pytest.mark.parametrize(
    "value", [1_772_323_200, "1772323200", 0, -5, "soon", True, [], float("nan"), 10**17, "1" * 19]
)
def test_seconds_and_nonsense_are_refused(value: object) -> None:
    with pytest.raises(UsageError):
        parse_timestamp(value, NOW)
