from __future__ import annotations

from datetime import UTC, datetime

import pytest

from vaultkeeper.ask.params import AskParams, SearchParams
from vaultkeeper.errors import UsageError
from vaultkeeper.types import TimeWindow

EARLY, LATE = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "wrong",
    [
        {"query": "  "},
        {"query": "x" * 200_000},
        {"query": "x", "limit": 0},
        {"query": "x", "limit": 101},
        {"query": "x", "window": TimeWindow(LATE, EARLY)},
        {"query": "x", "sentences": 0},
        {"query": "x", "sentences": 11},
    ],
)
def test_senseless_parameters(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        AskParams(**wrong)  # type: ignore[arg-type]


def test_parameters_become_filters() -> None:
    params = SearchParams("x", window=TimeWindow(EARLY, LATE), folder="/Work/", tags=("a",))
    assert params.filters.since_ms == int(EARLY.timestamp() * 1000)
    assert params.filters.until_ms == int(LATE.timestamp() * 1000)
    assert params.filters.folder == "Work"
    assert SearchParams("x").filters.open
