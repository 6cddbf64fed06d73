from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.index.dates import date_in_path, parse_span, time_range, words_of_range

DAY = 86_400_000


def ms(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp() * 1000)  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    ("value", "start", "length"),
    [
        ("2026-03-09", ms(2026, 3, 9), DAY - 1),
        ("2026-3-9", ms(2026, 3, 9), DAY - 1),
        ("2026/03/09", ms(2026, 3, 9), DAY - 1),
        ("20260309", ms(2026, 3, 9), DAY - 1),
        ("2026年3月9日", ms(2026, 3, 9), DAY - 1),
        ("[[2026-03-09]]", ms(2026, 3, 9), DAY - 1),
        ("[[daily/2026-03-09]]", ms(2026, 3, 9), DAY - 1),
        ("2026-03-09T10:15", ms(2026, 3, 9, 10, 15), 0),
        ("2026-03-09 10:15:30", ms(2026, 3, 9, 10, 15, 30), 0),
        ("2026-03-09T10:15:30.25Z", ms(2026, 3, 9, 10, 15, 30) + 250, 0),
        ("2026-03-09T10:15:30+02:00", ms(2026, 3, 9, 8, 15, 30), 0),
        ("2026-03-09T10:15:30-0530", ms(2026, 3, 9, 15, 45, 30), 0),
        (1_773_014_400, ms(2026, 3, 9), 0),
        (1_773_014_400_000, ms(2026, 3, 9), 0),
        ("1773014400000", ms(2026, 3, 9), 0),
        (1_773_014_400.5, ms(2026, 3, 9) + 500, 0),
    ],
)
def test_values_that_are_dates(value: object, start: int, length: int) -> None:
    assert parse_span(value) == (start, start + length)


@pytest.mark.parametrize(
    "value",
    [
        "2024-13-45",
        "2026-02-30",
        "soon",
        "",
        "{{date}}",
        True,
        None,
        [],
        7,
        20260309,
        "2026-03-09T25:00",
        1e30,
        float("nan"),
    ],
)
def test_values_that_are_none(value: object) -> None:
    assert parse_span(value) is None


@pytest.mark.parametrize(
    ("path", "start", "days"),
    [
        ("daily/2026-03-09.md", ms(2026, 3, 9), 1),
        ("daily/2026-03-09 Monday.md", ms(2026, 3, 9), 1),
        ("20260309 call.md", ms(2026, 3, 9), 1),
        ("2026年3月9日.md", ms(2026, 3, 9), 1),
        ("weekly/2026-W11.md", ms(2026, 3, 9), 7),
        ("2026-Q2.md", ms(2026, 4, 1), 91),
        ("monthly/2026-03.md", ms(2026, 3, 1), 31),
        ("years/2026.md", ms(2026, 1, 1), 365),
        ("2026-03-09/notes.md", ms(2026, 3, 9), 1),
        ("episodic/2026-03-09-standup/000001.md", ms(2026, 3, 9), 1),
        ("2026-13-45 but 2026-03-09.md", ms(2026, 3, 9), 1),
    ],
)
def test_dates_in_paths(path: str, start: int, days: int) -> None:
    assert date_in_path(path) == (start, start + days * DAY - 1)


@pytest.mark.parametrize(
    "path", ["a.md", "12345678901.md", "2026-99-99.md", "1.2026-0.md", "v2026.1.md", "10.1145/2019.md2.md"]
)
def test_paths_without_a_date(path: str) -> None:
    assert date_in_path(path) is None


@pytest.mark.parametrize(
    ("properties", "path", "expected"),
    [
        ({"date": "2026-03-09"}, "2020-01-01.md", (ms(2026, 3, 9), ms(2026, 3, 9) + DAY - 1, "property")),
        ({"Date": "2026-03-09"}, "a.md", (ms(2026, 3, 9), ms(2026, 3, 9) + DAY - 1, "property")),
        ({"created": "2026-03-09"}, "2020-01-01.md", (ms(2020, 1, 1), ms(2020, 1, 1) + DAY - 1, "name")),
        ({"created": "2026-03-09"}, "a.md", (ms(2026, 3, 9), ms(2026, 3, 9) + DAY - 1, "property")),
        ({"timestamp_ms": 1_773_014_400_000}, "a.md", (ms(2026, 3, 9), ms(2026, 3, 9), "property")),
        (
            {"time_range_start": "2026-03-01T00:00:00Z", "time_range_end": "2026-03-09T12:00:00Z"},
            "a.md",
            (ms(2026, 3, 1), ms(2026, 3, 9, 12), "property"),
        ),
        ({"start": "2026-03-09", "end": "2026-03-01"}, "a.md", (ms(2026, 3, 9), ms(2026, 3, 9), "property")),
        ({"updated": "2026-03-09"}, "a.md", (ms(2026, 3, 9), ms(2026, 3, 9) + DAY - 1, "property")),
        (
            {"Date Modified": "2026-03-09"},
            "2020-01-01.md",
            (ms(2020, 1, 1), ms(2020, 1, 1) + DAY - 1, "name"),
        ),
        (
            {"updated": "2026-03-09", "created": "2020-01-01"},
            "a.md",
            (ms(2020, 1, 1), ms(2020, 1, 1) + DAY - 1, "property"),
        ),
        ({"date": "2024-13-45"}, "a.md", (1500, 1500, "mtime")),
        ({}, "a.md", (1500, 1500, "mtime")),
    ],
)
def test_what_dates_a_note(properties: dict[str, object], path: str, expected: tuple[int, int, str]) -> None:
    assert time_range(properties, path, 1_500_000_000) == expected


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ((2026, 3, 9), (2026, 3, 9), "2026-03-09 Monday 9 March week 11"),
        ((2026, 3, 9), (2026, 3, 15), "2026 week 11 2026-03-09 March"),
        ((2026, 3, 1), (2026, 3, 31), "2026 March"),
        ((2026, 1, 1), (2026, 12, 31), "2026 January December"),
        ((2025, 1, 1), (2026, 12, 31), "2025 2026"),
    ],
)
def test_dates_in_words(first: tuple[int, int, int], last: tuple[int, int, int], words: str) -> None:
    assert words_of_range(ms(*first), ms(*last) + DAY - 1) == words


@given(
    st.dictionaries(
        st.sampled_from(["date", "created", "start", "end", "timestamp"]),
        st.one_of(st.text(max_size=30), st.integers(), st.floats(), st.none(), st.booleans()),
    ),
    st.text(max_size=40),
)
def test_nothing_raises_and_no_range_runs_backwards(properties: dict[str, object], path: str) -> None:
    start, end, _ = time_range(properties, path, 10**18)
    assert start <= end
    assert isinstance(words_of_range(start, end), str)
