from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from vaultkeeper.ask.corpus import AskParams, SearchParams
from vaultkeeper.cli.query import read_params
from vaultkeeper.errors import UsageError
from vaultkeeper.vault.lock import INDEX_LOCK, acquire


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


def test_while_the_first_index_is_made_a_question_is_told_by_whom(
    run: Run, vault: Path, tmp_path: Path
) -> None:
    index = tmp_path / "index"
    index.mkdir()
    with acquire(index / INDEX_LOCK, command="vaultkeeper sync", since=datetime.now(UTC)):
        said = run("--vault", str(vault), "--set", f"index_dir={index}", "ask", "tea")
    assert said.code == 6
    assert "being written by `vaultkeeper sync`" in said.err


@pytest.mark.parametrize("query", [3, None, ["x"], {}])
def test_a_question_that_is_no_text_is_a_usage_error(query: object) -> None:
    with pytest.raises(UsageError):
        read_params("ask", {"query": query})
