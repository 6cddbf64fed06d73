from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.retrieval.timephrases import find_phrase

NOW = datetime(2026, 3, 31, 15, 30, tzinfo=UTC)  # a Tuesday


def days(question: str) -> tuple[str, str] | None:
    found = find_phrase(question, NOW)
    if found is None:
        return None
    since, until = found.window.since, found.window.until
    return (since.date().isoformat() if since else ""), (until.date().isoformat() if until else "")


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What did Mara say yesterday?", "2026-03-30", "2026-03-30"),
        ("what happened today", "2026-03-31", "2026-03-31"),
        ("dinner the day before yesterday", "2026-03-29", "2026-03-29"),
        ("who called last night", "2026-03-30", "2026-03-30"),
        ("the talks of last week about tides", "2026-03-23", "2026-03-29"),
        ("this week's plan", "2026-03-30", "2026-04-05"),
        ("decisions last month", "2026-02-01", "2026-02-28"),
        ("all of last year", "2025-01-01", "2025-12-31"),
        ("What did we decide in March?", "2026-03-01", "2026-03-31"),
        ("the trip in May", "2025-05-01", "2025-05-31"),
        ("the trip in May 2024", "2024-05-01", "2024-05-31"),
        ("May 2024: what happened", "2024-05-01", "2024-05-31"),
        ("during December", "2025-12-01", "2025-12-31"),
        ("the meeting on Monday", "2026-03-30", "2026-03-30"),
        ("what was Friday about", "2026-03-27", "2026-03-27"),
        ("last friday", "2026-03-27", "2026-03-27"),
        ("on 14 March", "2026-03-14", "2026-03-14"),
        ("on March 14th, 2025", "2025-03-14", "2025-03-14"),
        ("the note of 2026-01-18", "2026-01-18", "2026-01-18"),
        ("in 2026-02", "2026-02-01", "2026-02-28"),
        ("in 2024", "2024-01-01", "2024-12-31"),
        ("three days ago", "2026-03-28", "2026-03-28"),
        ("2 weeks ago", "2026-03-16", "2026-03-22"),
        ("a month ago", "2026-02-01", "2026-02-28"),
        ("in the last 3 days", "2026-03-28", "2026-03-31"),
        ("over the past two weeks", "2026-03-17", "2026-03-31"),
        ("since Monday", "2026-03-30", ""),
        ("since January", "2026-01-01", ""),
        ("before March", "", "2026-02-28"),
        ("after 2025", "2026-01-01", ""),
        ("until yesterday", "", "2026-03-30"),
        ("what did I do in the week of 2026-03-18", "2026-03-16", "2026-03-22"),
        ("from January to February", "2026-01-01", "2026-02-28"),
        ("from November to February", "2025-11-01", "2026-02-28"),
        ("from Friday to Monday", "2026-03-27", "2026-03-30"),
        ("from Monday to Friday", "2026-03-23", "2026-03-27"),
        ("between 3 March and 5 March 2026", "2026-03-03", "2026-03-05"),
        ("between August 11 and August 15 2023", "2023-08-11", "2023-08-15"),
        ("from November to February 2024", "2023-11-01", "2024-02-29"),
        ("in the second week of January", "2026-01-01", "2026-01-31"),
        ("the last weekend before April 10, 2023", "", "2023-04-09"),
        ("last weekend", "2026-03-28", "2026-03-29"),
        ("last summer", "2025-06-01", "2025-08-31"),
        ("this spring", "2026-03-01", "2026-05-31"),
        ("in the winter of 2024", "2024-12-01", "2025-02-28"),
        ("in early February", "2026-02-01", "2026-02-28"),
        ("the past week", "2026-03-24", "2026-03-31"),
        ("in the last few days", "2026-03-27", "2026-03-31"),
        ("上周末", "2026-03-28", "2026-03-29"),
        ("昨天马拉说了什么", "2026-03-30", "2026-03-30"),
        ("前天的会议", "2026-03-29", "2026-03-29"),
        ("上周的决定", "2026-03-23", "2026-03-29"),
        ("上个星期谁来过", "2026-03-23", "2026-03-29"),
        ("上周五的会议", "2026-03-27", "2026-03-27"),
        ("星期一", "2026-03-30", "2026-03-30"),
        ("本周", "2026-03-30", "2026-04-05"),
        ("上个月花了多少钱", "2026-02-01", "2026-02-28"),
        ("去年三月的旅行", "2025-03-01", "2025-03-31"),
        ("2025年3月5日", "2025-03-05", "2025-03-05"),
        ("3月5日的笔记", "2026-03-05", "2026-03-05"),
        ("十二月", "2025-12-01", "2025-12-31"),
        ("去年", "2025-01-01", "2025-12-31"),
        ("三天前", "2026-03-28", "2026-03-28"),
        ("两周前", "2026-03-16", "2026-03-22"),
        ("最近三天", "2026-03-28", "2026-03-31"),
        ("过去2周", "2026-03-17", "2026-03-31"),
        ("上周以来", "2026-03-23", ""),
        ("三月之前", "", "2026-02-28"),
    ],
)
def test_times(question: str, first: str, last: str) -> None:
    assert days(question) == (first, last)


@pytest.mark.parametrize(
    "question",
    [
        "Who is Mara?", "How may I march on?", "May I ask", "the second floor", "sun and sea", "route 66",
        "a 2024 Rioja",
        "mites in summer", "who made the film One Last Night", "the song Yesterday", "the ice between the boats",
        "decide", "monday", "the last of the bread", "一个月饼", "seconds", "", "marching band", "order 20240115",
    ],
)  # fmt: skip
def test_words_that_are_no_time(question: str) -> None:
    assert find_phrase(question, NOW) is None


def test_the_days_are_those_of_the_zone() -> None:
    found = find_phrase("yesterday", datetime(2026, 3, 31, 23, 30, tzinfo=UTC), ZoneInfo("Asia/Shanghai"))
    assert found is not None
    assert found.window.since == datetime(2026, 3, 30, 16, tzinfo=UTC)


def test_where_it_stands() -> None:
    question = "What did Mara do last week?"
    found = find_phrase(question, NOW)
    assert found is not None
    assert question[found.start : found.start + len(found.text)] == "last week"


@given(
    st.text(
        alphabet="last week month 0123456789一二三月日年天前上周去 ago in since May March-:", max_size=40
    ),
    st.dates(),
)
def test_no_text_raises(text: str, day: object) -> None:
    found = find_phrase(text, NOW)
    if found is not None and found.window.since and found.window.until:
        assert found.window.since <= found.window.until


@pytest.mark.parametrize(
    "question",
    ["since 9999-12-31", "9999年12月31日", "the week of 9999-12-31", "最近9999年", "on 0001-01-01"],
)
def test_what_lies_outside_the_calendar_is_no_time(question: str) -> None:
    assert find_phrase(question, NOW, ZoneInfo("Asia/Tokyo")) is None


def test_a_second_time_outside_the_calendar_stands_alone() -> None:
    found = find_phrase("from 0001-11-01 to 0001-03-01", NOW)
    assert found is not None
    assert found.text == "0001-03-01"


def test_the_date_library_is_loaded_only_for_a_question_with_a_time() -> None:
    code = (
        "import sys; from datetime import datetime, UTC; from vaultkeeper.retrieval.timephrases import find_phrase; "
        "now = datetime(2026, 3, 31, tzinfo=UTC); assert find_phrase('Who is Mara?', now) is None; "
        "assert 'dateparser' not in sys.modules; assert find_phrase('yesterday', now); "
        "assert 'dateparser' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
