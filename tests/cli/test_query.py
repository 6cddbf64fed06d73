from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from vaultkeeper.ask.params import AskParams, SearchParams
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


def test_a_date_that_only_the_file_has_is_called_one_of_its_last_edit(vault: Path, run: Run) -> None:
    old = datetime(2024, 5, 1, tzinfo=UTC).timestamp()
    for name, text in (
        ("Old.md", "Green tea, long ago. " + "It was steeped for three minutes in the old pot. " * 4),
        ("Dated.md", "---\ncreated: 2026-03-01\n---\nGreen tea, dated.\n"),
        ("Updated.md", "---\nupdated: 2023-03-01\n---\nGreen tea, updated.\n"),
    ):
        (vault / name).write_text(text, "utf-8")
        os.utime(vault / name, (old, old))
    given = ("--vault", str(vault), "search", "green tea")
    answer = run(*given, "--since", "2026-01-01", "--json").json
    edited = {
        hit["note_path"]: one["edited"] for hit, one in zip(answer["hits"], answer["citations"], strict=True)
    }
    assert edited == {"Tea.md": True, "Dated.md": False}
    assert "by_last_edit:1/1" in answer["notes"]
    said = run(*given, "--since", "2026-01-01").out
    assert "edited 20" in said
    assert "Notes without a date of their own count by their last edit: 1 of these, 1 left out." in said
    assert "0 of these, 2 left out." in run(*given, "--since", "2090-01-01").out
    everything = run(*given, "--json").json
    assert not [note for note in everything["notes"] if note.startswith("by_last_edit")]
    dates = {hit["note_path"]: hit["time_range_start"][:10] for hit in everything["hits"]}
    assert dates["Old.md"] == "2024-05-01"
    assert dates["Updated.md"] == "2023-03-01"
    assert "edited 2024-05-01" in run("--vault", str(vault), "window", "--since", "2024-01-01").out
