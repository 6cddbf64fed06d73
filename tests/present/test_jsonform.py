from __future__ import annotations

import json
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path

from vaultkeeper.present.jsonform import answer_dict, hit_dict, response_dict, rfc3339
from vaultkeeper.present.shapes import Answer, Evidence, Quote, Searched
from vaultkeeper.present.snippet import Snippet
from vaultkeeper.types import QueryResponse, RetrievalHit, TimeWindow, Why

HIT = RetrievalHit(
    "a" * 32, "leaf", "", "source", "notes:Work", 0, "Body", ("person:ann",), ("work",), "2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00Z", 0.5, (), None, "Work/Plan.md", "Next", "", Why({"keyword": 1.0}, ("plan",)),
)  # fmt: skip
ANSWER = Answer(
    "plan?",
    (Quote("Body", 1),),
    (Evidence(1, HIT, "[[Plan#Next]]", "obsidian://open?vault=V&file=Plan", "2026-01-01", Snippet("Body")),),
    3,
    True,
    "keyword",
    ("vectors_pending",),
    Searched(2, ("plan",), (), TimeWindow(since=datetime(2026, 1, 1, tzinfo=UTC))),
)


def test_hits_have_the_published_fields_in_order() -> None:
    assert list(hit_dict(HIT)) == [field.name for field in fields(RetrievalHit)]
    json.dumps(hit_dict(HIT))


def test_responses_have_the_published_fields_in_order() -> None:
    response = response_dict(QueryResponse((HIT,), 1, False, "keyword"))
    assert list(response) == ["schema", *[field.name for field in fields(QueryResponse)]]


def test_answers_are_responses_with_more() -> None:
    answer = answer_dict(ANSWER)
    assert (
        answer.items()
        >= response_dict(QueryResponse((HIT,), 3, True, "keyword", ("vectors_pending",))).items()
    )
    assert answer["searched"]["since"] == "2026-01-01T00:00:00Z"
    assert answer["searched"]["until"] is None
    assert answer["citations"][0]["link"] == "[[Plan#Next]]"
    json.dumps(answer)


def test_times() -> None:
    assert rfc3339(0) == "1970-01-01T00:00:00Z"
    assert rfc3339(1_500) == "1970-01-01T00:00:01.500Z"
    assert rfc3339(-1) == "1969-12-31T23:59:59.999Z"
    assert rfc3339(10**18).startswith("9999-12-31")
    assert rfc3339(-(10**18)).startswith("0001-01-01")


def test_every_field_is_described() -> None:
    page = (Path(__file__).parents[2] / "docs" / "schema.md").read_text(encoding="utf-8")
    answer = answer_dict(ANSWER)
    names = [
        *answer,
        *answer["hits"][0],
        *answer["hits"][0]["why"],
        *answer["citations"][0],
        *answer["searched"],
    ]
    assert [name for name in names if f"`{name}`" not in page] == []
