from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.retrieval.filled import FilledIndex
from vaultkeeper.ask.answer import ask, search
from vaultkeeper.ask.params import AskParams, Corpus, SearchParams
from vaultkeeper.ask.period import find_period
from vaultkeeper.present.jsonform import answer_dict
from vaultkeeper.present.page import answer_page, plain_text
from vaultkeeper.types import TimeWindow

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)  # a Friday


def filled() -> FilledIndex:
    index = FilledIndex()
    index.put("Daily/2026-11-10.md", "The plumber came and mended the tap.", day="2026-11-10")
    index.put("Daily/2026-11-12.md", "Walked to the lighthouse with Ada.", day="2026-11-12")
    index.put("Daily/2026-08-03.md", "The plumber came too late, the plumber apologised.", day="2026-08-03")
    index.put("profile/context/city.md", "I live in Ghent.", day="2026-11-11", kind="facet")
    index.put("Meetings/2026-05-04 Kickoff.md", "Ada presented the plumber's plan.", day="2026-05-04")
    for number in range(20):
        index.put(f"Other/{number}.md", f"Something else, number {number}.", day="2024-05-05")
    return index


@pytest.fixture
def corpus() -> Corpus:
    return Corpus(filled().db, "V")


def paths(corpus: Corpus, question: str, **more: TimeWindow) -> list[str]:
    return [one.hit.note_path for one in ask(corpus, AskParams(question, **more), NOW).evidence]  # type: ignore[arg-type]


def test_what_is_from_the_time_comes_first_and_nothing_is_left_out(corpus: Corpus) -> None:
    plain = paths(corpus, "When did the plumber come?")
    assert plain[0] == "Daily/2026-08-03.md"
    timed = paths(corpus, "Did the plumber come last week?")
    assert timed[0] == "Daily/2026-11-10.md"
    assert set(plain) <= set(timed)


def test_a_question_for_the_time_alone_lists_what_happened_then(corpus: Corpus) -> None:
    answer = ask(corpus, AskParams("What did I do last week?"), NOW)
    assert [one.hit.note_path for one in answer.evidence] == ["Daily/2026-11-10.md", "Daily/2026-11-12.md"]
    assert [quote.number for quote in answer.quotes] == [1, 2]
    assert answer.route == "time"
    assert answer.notes == ("window:2026-11-09T00:00:00Z/2026-11-15T23:59:59.999Z",)
    assert paths(corpus, "上周我做了什么？") == ["Daily/2026-11-10.md", "Daily/2026-11-12.md"]


def test_an_empty_time_is_said(corpus: Corpus) -> None:
    answer = ask(corpus, AskParams("What happened yesterday?"), NOW)
    assert answer.evidence == ()
    assert answer.notes[-1] == "window_empty"
    assert plain_text(answer_page(answer)) == "None of 25 notes is from “yesterday” (2026-11-19).\n"
    with_words = ask(corpus, AskParams("Did the plumber come yesterday?"), NOW)
    assert with_words.evidence[0].hit.note_path == "Daily/2026-08-03.md"
    assert "“yesterday” is taken as 2026-11-19. No note is from then." in plain_text(answer_page(with_words))


def test_a_window_that_is_given_goes_before_the_words(corpus: Corpus) -> None:
    given = TimeWindow(since=datetime(2026, 8, 1, tzinfo=UTC), until=datetime(2026, 8, 31, tzinfo=UTC))
    assert paths(corpus, "Did the plumber come last week?", window=given) == ["Daily/2026-08-03.md"]


def test_the_answer_says_what_was_understood(corpus: Corpus) -> None:
    answer = ask(corpus, AskParams("Did the plumber come last week?"), NOW)
    assert answer_dict(answer)["searched"]["named"] == {
        "text": "last week",
        "since": "2026-11-09T00:00:00Z",
        "until": "2026-11-15T23:59:59.999Z",
        "by": None,
    }
    assert "“last week” is taken as 2026-11-09 to 2026-11-15" in plain_text(answer_page(answer))
    assert answer.evidence[0].hit.why.signals["time"] == 1.0


def test_a_plain_search_takes_words_as_words(corpus: Corpus) -> None:
    assert search(corpus, SearchParams("plumber last week")).searched.named is None


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What did Ada do before the kickoff?", "until 2026-05-03"),
        ("What did Ada do after the kickoff?", "since 2026-05-04"),
        ("What did Ada do since our kickoff", "since 2026-05-04"),
        ("Who looks after the kickoff?", None),  # no time at all
        ("Before the plumber, what was broken?", None),  # several days could be meant
        ("What did Ada do before the launch?", None),  # nothing tells of it
    ],
)
def test_a_time_told_by_an_event(corpus: Corpus, question: str, first: str | None) -> None:
    answer = ask(corpus, AskParams(question), NOW)
    if first is None:
        assert answer.searched.named is None
    else:
        assert answer.searched.named is not None
        assert answer.searched.named.by == "Meetings/2026-05-04 Kickoff.md"
        assert f"is taken as {first}, as Meetings/2026-05-04 Kickoff.md says" in plain_text(
            answer_page(answer)
        )


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("Who came last week with cake?", "Who came   with cake?"),
        ("Who came on 12 November with cake?", "Who came   with cake? 12 November"),
        ("Who came yesterday with cake?", "Who came yesterday with cake?"),  # nothing is from then
    ],
)
def test_what_is_searched(corpus: Corpus, question: str, searched: str) -> None:
    period = find_period(corpus.db, question, NOW, None)
    assert period is not None
    assert period.query == searched
