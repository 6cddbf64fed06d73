"""Times that a question names in its own words: "last week", "in March", "since Monday", 昨天, 去年三月.

Owns which words of a question are a time, and whether it means that time, what was since, or what was before.
What day a phrase means is said by `dateparser`, which is imported only when a question holds such a phrase; the tables
are compiled only for a question that could hold one. Nothing here reads a clock.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
from typing import NamedTuple

from vaultkeeper.index.dates import rfc3339
from vaultkeeper.types import TimeWindow

_MONTH = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
)
_WEEKDAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_SEASON = "spring|summer|autumn|fall|winter"
_NUMBER = r"\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|several|couple(?:\s+of)?"
_UNIT = "hour|day|week|month|year"
_YEAR = r"(?:19|20)\d{2}"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"

_MAY_HOLD = re.compile(
    rf"\d|\b(?:last|past|previous|this|yesterday|today|tonight|ago|{_MONTH}|{_WEEKDAY})\b|[天日周週月年昨星礼禮早晚]",
    re.IGNORECASE,
)
"""What every phrase has something of, told without the tables."""

_ENGLISH = rf"""\b(?:
      (?P<span>(?:in|over|during|within|for)?\s*(?:the\s+)?
          (?:(?:last|past|previous)\s+(?P<n>{_NUMBER})\s+(?P<u>{_UNIT})s?|past\s+(?P<one>{_UNIT})))
    | (?:(?P<rel>since|after|before|until|till|by|in|on|during|over|of|from|between|for|for\ the)\s+)?(?:the\s+)?
      (?P<week>week\s+(?:of|from)\s+(?:the\s+)?)?(?:(?:early|mid|late)[\s-]+)?(?P<when>
          \d{{4}}-\d{{2}}-\d{{2}} | \d{{4}}-\d{{2}}(?![\d-])
        | {_DAY}\s+(?:of\s+)?(?:{_MONTH})\.?(?:,?\s+{_YEAR})?
        | (?:{_MONTH})\.?\s+{_DAY}(?!\d)(?:,?\s+{_YEAR})?
        | (?:{_MONTH})\.?,?\s+(?:of\s+)?{_YEAR}
        | (?:{_SEASON})\s+(?:of\s+)?{_YEAR} | (?:last|this)\s+(?:{_SEASON}|weekend)
        | (?:last|this)\s+(?:{_MONTH}|{_WEEKDAY}|week|month|year|night|morning|evening|afternoon)
        | day\s+before\s+yesterday | yesterday | today | tonight
        | (?:{_NUMBER})\s+(?:{_UNIT})s?\s+ago
        | {_WEEKDAY}
        | {_MONTH} | {_YEAR}
      )
    )(?!\w)"""
_JOINS = r"\s*(?:and|to|until|till|through|[-–—])\s*"
_HAN = "一二两三四五六七八九十"
_CHINESE = rf"""(?:
      (?:最近|过去|過去|近)(?P<n>\d{{1,3}}|[{_HAN}]{{1,3}})(?P<u>天|日|周|週|个?星期|個?星期|个?月|個?月|年)
    | (?P<when>
          (?:上|这|這|本)(?:个|個)?(?:周|週|星期|礼拜|禮拜)[一二三四五六日天末]?
        | (?:周|週|星期|礼拜|禮拜)[一二三四五六日天]
        | (?:上|这|這|本)(?:个|個)?月
        | (?:\d{{1,3}}|[{_HAN}]{{1,3}})(?:天|周|週|个?星期|個?星期|个月|個月|年)前
        | (?:(?:\d{{4}}年|去年|今年|前年)的?)?(?:1[0-2]|0?[1-9]|十[一二]?|[{_HAN}])月
          (?:(?:\d{{1,2}}|[{_HAN}]{{1,3}})[日号號])?
        | \d{{4}}年 | 去年 | 今年 | 前年
        | 昨晚 | 昨天 | 昨日 | 前天 | 今天 | 今日 | 今早 | 今晚
      )(?P<rel>以来|以來|之后|之後|以后|以後|之前|以前)?
    )"""

_EXACT = re.compile(rf"(?:\d.*{_YEAR}|{_YEAR}.*\d)\b|\d年.*[日号號]")
_TITLE = re.compile(r"(?:Last|This|Day|Yesterday|Today|Tonight)\b")
_UNCLEAR = re.compile(rf"(?:{_MONTH}|{_YEAR}|{_WEEKDAY})\.?", re.I)
_COUNTS = {
    word: at
    for at, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
} | {"a": 1, "an": 1, "couple": 2, "few": 4, "several": 6}
_HAN_UNITS = {"天": "day", "日": "day", "周": "week", "週": "week", "星": "week", "月": "month", "年": "year"}

Days = tuple[date, date]


class Phrase(NamedTuple):
    """A time in a question.

    Attributes:
        text: As it stands there.
        start: Where it begins.
    """

    text: str
    start: int
    window: TimeWindow

    @property
    def note(self) -> str:
        """The window as a remark of a response, `window:<since>/<until>`; `..` stands for an open side."""
        ends = (self.window.since, self.window.until)
        shown = [".." if moment is None else rfc3339(round(moment.timestamp() * 1000)) for moment in ends]
        return f"window:{'/'.join(shown)}"

    def cut_from(self, question: str) -> str:
        """Returns the question without it."""
        return f"{question[: self.start]} {question[self.start + len(self.text) :]}".strip()


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


def find_phrase(question: str, now: datetime, zone: tzinfo = UTC) -> Phrase | None:
    """Returns the first time that a question names, or None; a day with its year goes before all others.

    A day begins and ends at midnight of `zone`. A month or weekday alone is the last one that has begun; a month or a
    year needs a word such as `in` before it, since "may" and "march" are words too.

    Args:
        now: The present, aware.
    """
    if _MAY_HOLD.search(question) is None:
        return None
    local = now.astimezone(zone)
    found: list[Phrase] = []
    for pattern in (_ENGLISH, _CHINESE):
        for match in _compiled(pattern).finditer(question):
            with suppress(ValueError, OverflowError):  # outside the calendar: no time
                window = _window(match, local, zone)
                if window is not None:
                    end, window = _joined(question, match, window, local, zone)
                    found.append(Phrase(question[match.start() : end], match.start(), window))
    exact = (phrase for phrase in found if _EXACT.search(phrase.text))
    return next(exact, found[0] if found else None)


def _joined(
    question: str, match: re.Match[str], window: TimeWindow, now: datetime, zone: tzinfo
) -> tuple[int, TimeWindow]:
    """Goes on to the second time of "from March to May" and "between Monday and Friday"."""
    if not question[match.start() :].lower().startswith(("from ", "between ")) or window.since is None:
        return match.end(), window
    joint = re.compile(_JOINS).match(question, match.end())
    second = joint and _compiled(_ENGLISH).match(question, joint.end())
    if not second or second["n"] or second["one"] or second["rel"]:
        return match.end(), window
    later = _window(second, now, zone, clear=True)
    if later is None or later.until is None:
        return match.end(), window
    since = window.since
    if later.until < since:  # "from Monday to Friday", "from November to March": the one before
        if since - later.until <= timedelta(days=7):
            since -= timedelta(days=7)
        else:
            year = later.until.astimezone(zone).year
            year -= (since.month, since.day) > (later.until.month, later.until.day)
            since = since.replace(year=year, day=min(since.day, 28) if since.month == 2 else since.day)
    return second.end(), TimeWindow(since, later.until)


def _window(match: re.Match[str], now: datetime, zone: tzinfo, *, clear: bool = False) -> TimeWindow | None:
    """Returns the window that a match means, or None.

    Args:
        clear: What stands before it says already that it is a time.
    """
    chinese = match.re is _compiled(_CHINESE)
    if match["n"] or (not chinese and match["one"]):
        count = _count(match["n"] or "1")
        unit = _HAN_UNITS[match["u"].lstrip("个個")[0]] if chinese else (match["u"] or match["one"]).lower()
        begin = _back(now, count, unit) if count else None
        return None if begin is None else TimeWindow(begin.astimezone(UTC), now.astimezone(UTC))
    relation = (match["rel"] or "").lower()
    if match.start("when") and _TITLE.match(match["when"]):
        return None  # a capital within the question: the name of a film or a song
    if not chinese and not relation and not clear and not match["week"] and _is_unclear(match["when"]):
        return None
    days = _chinese_days(match["when"], now) if chinese else _english_days(match["when"], now)
    if days is None:
        return None
    if not chinese and match["week"] and days[0] == days[1]:
        days = _expand(days[0], "week")
    first = datetime.combine(days[0], time.min, zone).astimezone(UTC)
    after = datetime.combine(days[1] + timedelta(days=1), time.min, zone).astimezone(UTC)
    last = after - timedelta(milliseconds=1)
    if relation in ("since", "以来", "以來"):
        return TimeWindow(first, None)
    if relation in ("after", "之后", "之後", "以后", "以後"):
        return TimeWindow(after, None)
    if relation in ("before", "之前", "以前"):
        return TimeWindow(None, first - timedelta(milliseconds=1))
    if relation in ("until", "till", "by"):
        return TimeWindow(None, last)
    return TimeWindow(first, last)


def _is_unclear(words: str) -> bool:
    """A month, weekday or year alone, which needs a word before it that says that it is a time."""
    said = words.rstrip(".")
    if not _UNCLEAR.fullmatch(said):
        return False
    is_weekday = said.lower() in _WEEKDAY.split("|")
    return not (is_weekday and said[0].isupper())


def _count(word: str) -> int:
    if word.isdigit():
        return int(word)
    first = word.lower().split()[0]
    if first in _COUNTS:
        return _COUNTS[first]
    return _han_number(word)


def _han_number(word: str) -> int:
    if word.isdigit():
        return int(word)
    digits = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
    tens, ten, ones = word.partition("十")
    if not ten:
        return digits.get(word, 0)
    return digits.get(tens, 1) * 10 + digits.get(ones, 0)


def _ask(words: str, now: datetime) -> tuple[date, str] | None:
    """Returns the day that English words name, and how long a time they mean: day, week, month, year."""
    from dateparser.date import DateDataParser

    settings = {
        "RELATIVE_BASE": now.replace(tzinfo=None),
        "PREFER_DATES_FROM": "past",
        "PREFER_DAY_OF_MONTH": "first",
    }
    try:
        found = DateDataParser(languages=["en"], settings=settings).get_date_data(words)
    except (ValueError, OverflowError):
        return None
    return None if found.date_obj is None else (found.date_obj.date(), found.period)


def _back(now: datetime, count: int, unit: str) -> datetime | None:
    if unit == "hour":
        return now - timedelta(hours=count)
    found = _ask(f"{count} {unit}s ago", now)
    return None if found is None else datetime.combine(found[0], now.time(), now.tzinfo)


def _english_days(words: str, now: datetime) -> Days | None:
    words = " ".join(words.lower().replace(" of ", " ").split())
    if re.fullmatch(r"\d{4}-\d{2}", words):
        words = f"{words}-01"
        found = _ask(words, now)
        return None if found is None else _expand(found[0], "month")
    if re.fullmatch(_YEAR, words):
        return _expand(date(int(words), 1, 1), "year")
    if words.startswith("this ") and words.split()[1] in (*_MONTH.split("|"), *_WEEKDAY.split("|")):
        words = words.removeprefix("this ")
    if words in ("tonight", "this morning", "this evening", "this afternoon"):
        words = "today"
    if words == "last night":
        words = "yesterday"
    if words in ("last weekend", "this weekend"):
        monday = now.date() - timedelta(days=now.weekday() + 7 * (words == "last weekend"))
        return monday + timedelta(days=5), monday + timedelta(days=6)
    season = re.fullmatch(rf"(?:last |this )?({_SEASON})(?: ({_YEAR}))?", words)
    if season:
        return _season(
            season[1], int(season[2]) if season[2] else None, words.startswith("this "), now.date()
        )
    if words in ("this week", "this month", "this year"):
        return _expand(now.date(), words.split()[1])
    found = _ask(words, now)
    return None if found is None else _expand(*found)


def _season(name: str, year: int | None, this: bool, today: date) -> Days:
    """Three whole months of the northern year; winter begins in December and bears the year that it begins in."""
    month = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}[name]

    def days(year: int) -> Days:
        first = date(year, month, 1)
        return first, _expand(first + timedelta(days=70), "month")[1]

    if year is not None:
        return days(year)
    begun = today.year - (date(today.year, month, 1) > today)
    return days(begun if this or days(begun)[1] < today else begun - 1)


def _expand(day: date, period: str) -> Days:
    if period == "week":
        monday = day - timedelta(days=day.weekday())
        return monday, monday + timedelta(days=6)
    if period == "month":
        first = day.replace(day=1)
        return first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    if period == "year":
        return date(day.year, 1, 1), date(day.year, 12, 31)
    return day, day


def _chinese_days(words: str, now: datetime) -> Days | None:
    today = now.date()
    plain = {"昨晚": 1, "昨天": 1, "昨日": 1, "前天": 2, "今天": 0, "今日": 0, "今早": 0, "今晚": 0}
    if words in plain:
        return _english_days({0: "today", 1: "yesterday", 2: "day before yesterday"}[plain[words]], now)
    ago = re.fullmatch(rf"(\d+|[{_HAN}]+)(.+)前", words)
    if ago:
        unit = _HAN_UNITS[ago[2].lstrip("个個")[0]]
        return _english_days(f"{_han_number(ago[1])} {unit}s ago", now)
    week = re.fullmatch(r"(上|这|這|本)?(?:个|個)?(?:周|週|星期|礼拜|禮拜)([一二三四五六日天末])?", words)
    if week:
        weekday = "一二三四五六日".find((week[2] or "").replace("天", "日")) if week[2] else None
        if week[1] is None and weekday is not None:
            return _english_days(_WEEKDAY.split("|")[weekday], now)
        monday = today - timedelta(days=today.weekday() + (7 if week[1] == "上" else 0))
        if week[2] == "末":
            return monday + timedelta(days=5), monday + timedelta(days=6)
        day = monday + timedelta(days=weekday) if weekday is not None else monday
        return _expand(day, "week" if weekday is None else "day")
    if re.fullmatch(r"[上这這本](?:个|個)?月", words):
        return _english_days("last month" if words[0] == "上" else "this month", now)
    dated = re.fullmatch(
        rf"(?:(\d{{4}})年|(去年|今年|前年))?的?(?:(\d{{1,2}}|[{_HAN}]+)月)?(?:(\d{{1,2}}|[{_HAN}]+)[日号號])?",
        words,
    )
    if dated is None:
        return None
    past = {"今年": 0, "去年": 1, "前年": 2}
    month = _han_number(dated[3]) if dated[3] else None
    year = int(dated[1]) if dated[1] else today.year - past[dated[2]] if dated[2] else None
    if year is None:
        year = today.year - (month is not None and month > today.month)
    try:
        if dated[4]:
            return _expand(date(year, month or 1, _han_number(dated[4])), "day")
        return _expand(date(year, month or 1, 1), "month" if month else "year")
    except ValueError:
        return None
