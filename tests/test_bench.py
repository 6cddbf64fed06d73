from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.bench import BUILT_IN, Found, Query, parse_queries, percentile, run, summarise
from vaultkeeper.errors import NoIndexError, UsageError
from vaultkeeper.types import RetrievalHit, Why

QUESTIONS = Path(__file__).parent / "acceptance" / "questions.jsonl"


def hit(path: str, heading: str = "", node: str = "", block: str = "") -> RetrievalHit:
    return RetrievalHit(
        node or f"id of {path}", "leaf", "", "source", "notes:", 0, "", (), (), "", "", 1.0, (), None,
        path, heading, block, Why(),
    )  # fmt: skip


def test_questions_are_lines_of_text_or_of_json() -> None:
    text = '\ufeff# remark\nWho?\n\n{"query": "Where?", "answers": ["a.md", "b.md", "a.md"]}\n'
    text += '{"question": "x", "gold": "c"}\n'
    assert parse_queries(text) == [Query("Who?"), Query("Where?", ("a.md", "b.md")), Query("x", ("c",))]
    assert parse_queries(json.dumps(["Who?", {"text": "x"}])) == [Query("Who?"), Query("x")]


def test_the_questions_of_the_acceptance_test_can_be_asked() -> None:
    queries = parse_queries(QUESTIONS.read_text("utf-8"))
    assert len(queries) == 40
    assert all(query.answers for query in queries)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only\n",
        "[]",
        "[1]",
        "[",
        '{"query": 1}',
        '{"query": "x", "answers": [1]}',
        "{broken",
        '{"query": " "}',
    ],
)
def test_what_is_no_question_is_an_error(text: str) -> None:
    with pytest.raises(UsageError):
        parse_queries(text)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert parse_queries(text)
    except UsageError:
        pass


def test_recall_and_rank_are_those_of_the_first_k_hits() -> None:
    hits = [hit("x.md"), hit("Folder/a.md", "One > Two"), hit("Folder/a.md"), hit("b.md", node="n1")]

    def outcome(answers: tuple[str, ...], k: int = 4) -> tuple[float | None, int | None]:
        [found] = run([Query("q", answers)], lambda *_: Found(hits, "walk"), k=k)
        return found.recall, found.rank

    assert outcome(("Folder/a.md", "b")) == (1.0, 2)
    assert outcome(("Folder/a.md", "gone.md")) == (0.5, 2)
    assert outcome(("[[Folder/a#Two]]",)) == (1.0, 2)
    assert outcome(("Folder/a.md#One > Two",)) == (1.0, 2)
    assert outcome(("n1",)) == (1.0, 4)
    assert outcome(("n1",), k=3) == (0.0, None)
    assert outcome(()) == (None, None)


def test_the_figures() -> None:
    answers = {"a": [hit("a.md")], "b": [hit("x.md"), hit("b.md")], "c": []}
    queries = [Query("a", ("a",)), Query("b", ("b",)), Query("c", ("c",)), Query("a")]
    ticks = iter([0, 0.001, 1, 1.002, 2, 2.003, 3, 3.004])
    outcomes = list(
        run(
            queries,
            lambda text, _: Found(answers[text], "walk" if text < "c" else "none"),
            timer=lambda: next(ticks),
        )
    )
    report = summarise(outcomes, 10)
    assert (report.queries, report.failed, report.judged) == (4, 0, 3)
    assert report.recall == pytest.approx(2 / 3)
    assert report.mrr == pytest.approx((1 + 0.5 + 0) / 3)
    assert report.routes == {"walk": 3, "none": 1}
    assert (report.p50_ms, report.p95_ms) == (pytest.approx(2.0), pytest.approx(4.0))


def test_a_question_that_fails_does_not_end_the_run_and_counts_as_not_found() -> None:
    def search(text: str, k: int) -> Found:
        if text == "bug":
            raise ZeroDivisionError("oops")
        if text == "none":
            raise NoIndexError()
        return Found([hit("a.md")], "walk")

    outcomes = list(run([Query("bug", ("a",)), Query("none"), Query("fine", ("a",))], search))
    assert [one.status for one in outcomes] == ["FAIL", "FAIL", "OK"]
    assert outcomes[0].error == "ZeroDivisionError: oops"
    report = summarise(outcomes, 10)
    assert (report.failed, report.recall, report.mrr) == (2, 0.5, 0.5)
    assert report.routes == {"walk": 1}


def test_figures_that_cannot_be_told_are_none() -> None:
    report = summarise([], 10)
    assert (report.p50_ms, report.p95_ms, report.recall, report.mrr) == (None, None, None, None)


def test_a_question_is_repeated_and_its_median_counts() -> None:
    asked: list[str] = []
    ticks = iter([0, 0.005, 1, 1.001, 2, 2.002])

    def search(text: str, k: int) -> Found:
        asked.append(text)
        return Found((), "none")

    [outcome] = run([Query("q")], search, repeat=3, timer=lambda: next(ticks))
    assert asked == ["q"] * 3
    assert outcome.elapsed_ms == pytest.approx(2.0)


def test_percentiles_are_values_that_occurred() -> None:
    values = [float(n) for n in range(1, 101)]
    assert [percentile(values, p) for p in (1, 50, 95, 100)] == [1.0, 50.0, 95.0, 100.0]
    assert percentile([7.0], 95) == 7.0
    assert percentile([1.0, 2.0], 50) == 1.0


def test_there_are_five_built_in_questions() -> None:
    assert len(BUILT_IN) == 5
