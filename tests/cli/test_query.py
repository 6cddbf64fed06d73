from __future__ import annotations

import pytest

from vaultkeeper.ask.corpus import AskParams, SearchParams
from vaultkeeper.cli.query import read_params
from vaultkeeper.errors import UsageError


def test_parameters_survive_the_way_through_json() -> None:
    asked = read_params(
        "ask",
        {
            "query": "x",
            "limit": 3,
            "since": "2026-01-01T00:00:00+00:00",
            "tags": ["a"],
            "page": True,
            "why": True,
        },
    )
    assert isinstance(asked, AskParams)
    assert (asked.query, asked.limit, asked.tags) == ("x", 3, ("a",))
    assert asked.window.since is not None
    assert asked.window.until is None
    assert type(read_params("search", {"query": "x"})) is SearchParams


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"query": ""},
        {"query": "x", "limit": 0},
        {"query": "x", "bogus": 1},
        {"query": "x", "since": "soon"},
    ],
)
def test_parameters_that_make_no_sense_are_told(params: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        read_params("search", params)
