"""When a note is about: its time range, and the dates in words that a search can hit.

Owns which property, or which part of a path, dates a note. A pure function of note, path and modification time; days
without a time zone are days of UTC, so that an index does not depend on where it was made.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

_DAY_MS = 86_400_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 (no time zone means UTC)
_SHAPE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ](?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}")
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_MS_FROM = 10**11  # a larger integer is milliseconds, not seconds (it would be after the year 5138)

_MOMENT = ("timestamp_ms", "timestamp", "datetime", "date", "day", "日期", "时间")
_START = ("time_range_start_ms", "time_range_start", "start_ms", "start_date", "start", "startdate")
_END = ("time_range_end_ms", "time_range_end", "end_ms", "end_date", "end", "enddate")
_MADE = (
    "created_at",
    "created",
    "date_created",
    "creation_date",
    "date created",
    "creation date",
    "创建时间",
    "创建日期",
)
_CHANGED = (
    "updated_at",
    "updated",
    "modified_at",
    "modified",
    "last_modified",
    "last_updated",
    "lastmod",
    "date_modified",
    "date modified",
    "date updated",
    "last modified",
    "last updated",
    "更新时间",
    "修改时间",
    "更新日期",
    "修改日期",
)
_KNOWN = frozenset((*_MOMENT, *_START, *_MADE, *_CHANGED))
_ABOUT = frozenset((*_MOMENT, *_START))

_ISO = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}:?\d{2})?)?",
    re.I,
)
_YEAR_FIRST = re.compile(
    r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})|(\d{4})年(\d{1,2})月(\d{1,2})日|(\d{4})(\d{2})(\d{2})"
)
_IN_PATH = re.compile(
    r"(?<!\d)(?:"
    r"(?P<y>(?:19|20)\d{2})(?P<s>[-_. ]?)(?P<m>0[1-9]|1[0-2])(?P=s)(?P<d>0[1-9]|[12]\d|3[01])(?!\d)"
    r"|(?P<cy>(?:19|20)\d{2})年(?P<cm>\d{1,2})月(?P<cd>\d{1,2})日"
    r"|(?P<wy>(?:19|20)\d{2})-?W(?P<w>\d{2})(?!\d)"
    r"|(?P<qy>(?:19|20)\d{2})-?Q(?P<q>[1-4])(?!\w)"
    r"|(?P<my>(?:19|20)\d{2})-(?P<mm>0[1-9]|1[0-2])(?![\d-])"
    r")"
)
_YEAR_NAME = re.compile(r"(?:19|20)\d{2}")

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "", "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


class TimeRange(NamedTuple):
    """Closed range in Unix milliseconds, and what gave it: `property`, `name` or `mtime`."""

    start_ms: int
    end_ms: int
    dated_by: str


def time_range(properties: dict[str, object], path: str, mtime_ns: int) -> TimeRange:
    """Returns when a note is about.

    A property decides (`timestamp_ms`, `time_range_start` and `_end`, `date`, …; `created` after what the name says,
    since a template fills it in), else a date in the file name, else one in a folder's name, else `created`, else
    `updated`, else the modification time, which a clone or a copy sets to its own day. A value that is no date is
    passed over.
    """
    span = None
    if properties:
        if not _KNOWN.isdisjoint(properties):
            span = _by_properties(properties)
        if span is None:
            lowered = {key.lower(): value for key, value in properties.items()}
            if not _KNOWN.isdisjoint(lowered):
                span = _by_properties(lowered)
    if span and not span[2]:
        return TimeRange(span[0], span[1], "property")
    named = date_in_path(path)
    if named:
        return TimeRange(*named, "name")
    if span:
        return TimeRange(span[0], span[1], "property")
    ms = mtime_ns // 1_000_000
    return TimeRange(ms, ms, "mtime")


def _by_properties(properties: dict[str, object]) -> tuple[int, int, bool] | None:
    """Start, end, and whether only a date of the file was found: of its making, else of its last change."""
    if not _ABOUT.isdisjoint(properties):
        start = _first(properties, _START) or _first(properties, _MOMENT)
        if start is not None:
            end = _first(properties, _END)
            return start[0], max(end[1] if end else start[1], start[0]), False
    made = _first(properties, _MADE) or _first(properties, _CHANGED)
    return (*made, True) if made else None


def _first(properties: dict[str, object], keys: tuple[str, ...]) -> tuple[int, int] | None:
    for key in keys:
        value = properties.get(key)
        if value is not None:
            span = parse_span(value)
            if span:
                return span
    return None


def parse_span(value: object) -> tuple[int, int] | None:
    """Reads a property's value: ISO 8601 and its usual variants, or a number of seconds or milliseconds.

    A day covers its 24 hours. None for what is no date, such as `2024-13-45`.
    """
    if isinstance(value, str):
        return _parse_text(value.strip()) if len(value) < 64 else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 10**8 <= value < 10**14:
        return None
    if isinstance(value, int) and 19_000_101 <= value <= 20_991_231:
        return None
    ms = int(value if value >= _MS_FROM else value * 1000)
    return ms, ms


@lru_cache(maxsize=4096)
def _parse_text(text: str) -> tuple[int, int] | None:
    if text.startswith("[[") and text.endswith("]]"):
        text = text[2:-2].rpartition("/")[2]
    if text.isdigit() and 10 <= len(text) <= 13:
        return parse_span(int(text))
    if len(text) == 19 and _SHAPE.match(text):  # by far the most usual form
        try:
            since = datetime.fromisoformat(text) - _NAIVE_EPOCH
        except ValueError:
            return None
        ms = (since.days * 86_400 + since.seconds) * 1000
        return ms, ms
    match = _ISO.fullmatch(text)
    if match is None:
        match = _YEAR_FIRST.fullmatch(text)
        if match is None:
            return None
        year, month, day = (int(part) for part in match.groups() if part is not None)
        return _days(year, month, day)
    year, month, day = int(match[1]), int(match[2]), int(match[3])
    if match[4] is None:
        return _days(year, month, day)
    try:
        moment = datetime(year, month, day, int(match[4]), int(match[5]), int(match[6] or 0), tzinfo=UTC)
    except ValueError:
        return None
    if match[8] and match[8] not in "Zz":
        sign = -1 if match[8][0] == "-" else 1
        digits = match[8][1:].replace(":", "")
        offset_ms = sign * (int(digits[:2]) * 60 + int(digits[2:])) * 60_000
    else:
        offset_ms = 0
    since = moment - _EPOCH
    ms = (since.days * 86_400 + since.seconds) * 1000 + int((match[7] or "0").ljust(3, "0")[:3]) - offset_ms
    return ms, ms


def _days(year: int, month: int, day: int, days: int = 1) -> tuple[int, int] | None:
    try:
        start = (date(year, month, day).toordinal() - _EPOCH_DAY) * _DAY_MS
    except ValueError:
        return None
    return start, start + days * _DAY_MS - 1


@lru_cache(maxsize=4096)
def rfc3339(ms: int) -> str:
    """Returns Unix milliseconds as RFC 3339 in UTC; years that no calendar has are clamped."""
    seconds, rest = divmod(ms, 1000)
    seconds = min(max(seconds, -62135596800), 253402300799)
    text = (_EPOCH + timedelta(seconds=seconds)).isoformat()[:19]
    return f"{text}.{rest:03}Z" if rest else f"{text}Z"


def date_in_path(path: str) -> tuple[int, int] | None:
    """Finds the date that a path names: a day, a week (`2026-W11`), a month, a quarter; the file name before folders.

    A name that is a year alone dates a note by that year.
    """
    folder, _, name = path.rpartition("/")
    return _in_name(name) or (_in_folder(folder) if folder else None)


@lru_cache(maxsize=1024)
def _in_folder(folder: str) -> tuple[int, int] | None:
    return next(filter(None, map(_in_name, reversed(folder.split("/")))), None)


def _in_name(name: str) -> tuple[int, int] | None:
    if "20" not in name and "19" not in name:
        return None
    for match in _IN_PATH.finditer(name):
        if match["y"] or match["cy"]:
            year, month, day = (
                (match["y"], match["m"], match["d"]) if match["y"] else match.group("cy", "cm", "cd")
            )
            span = _days(int(year), int(month), int(day))
        elif match["wy"]:
            span = _week(int(match["wy"]), int(match["w"]))
        elif match["qy"]:
            first = 3 * int(match["q"]) - 2
            year = int(match["qy"])
            days = sum(monthrange(year, month)[1] for month in range(first, first + 3))
            span = _days(year, first, 1, days)
        else:
            year, month = int(match["my"]), int(match["mm"])
            span = _days(year, month, 1, monthrange(year, month)[1])
        if span:
            return span
    stem = name.removesuffix(".md")
    if _YEAR_NAME.fullmatch(stem):
        year = int(stem)
        return _days(year, 1, 1, (date(year + 1, 1, 1) - date(year, 1, 1)).days)
    return None


def _week(year: int, week: int) -> tuple[int, int] | None:
    try:
        monday = date.fromisocalendar(year, week, 1)
    except ValueError:
        return None
    return _days(monday.year, monday.month, monday.day, 7)


def words_of_range(start_ms: int, end_ms: int) -> str:
    """Returns the words that somebody may search a date by, such as `2026-03-09 Monday 9 March week 11`.

    A range within a month or a year gives what its days share; a longer one its two years.
    """
    return _words_of_days(start_ms // _DAY_MS + _EPOCH_DAY, end_ms // _DAY_MS + _EPOCH_DAY)


@lru_cache(maxsize=4096)
def _words_of_days(first_day: int, last_day: int) -> str:
    first, last = _date(first_day), _date(last_day)
    if first is None or last is None:
        return ""
    if first == last:
        week = first.isocalendar()[1]
        return f"{first.isoformat()} {_DAYS[first.weekday()]} {first.day} {_MONTHS[first.month]} week {week}"
    if first + timedelta(days=6) == last and first.weekday() == 0:
        year, week, _ = first.isocalendar()
        return f"{year} week {week} {first.isoformat()} {_MONTHS[first.month]}"
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.year} {_MONTHS[first.month]}"
    if first.year == last.year:
        return f"{first.year} {_MONTHS[first.month]} {_MONTHS[last.month]}"
    return f"{first.year} {last.year}"


def _date(ordinal: int) -> date | None:
    try:
        return date.fromordinal(ordinal)
    except (ValueError, OverflowError):
        return None
