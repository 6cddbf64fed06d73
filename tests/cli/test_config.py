from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run


def test_show_says_where_each_value_comes_from(run: Run, vault: Path) -> None:
    (vault / "vaultkeeper.toml").write_text("limit = 3\nchunk.max_tokens = 500\n")
    said = run(
        "config", "show", "--json", "--set", "embedder=none", cwd=vault, env={"VAULTKEEPER_LIMIT": "4"}
    )
    settings = said.json["settings"]
    assert settings["limit"] == {"value": 4, "origin": "environment variable VAULTKEEPER_LIMIT"}
    assert settings["embedder"] == {"value": "none", "origin": "flag --set"}
    assert settings["chunk.max_tokens"] == {"value": 500, "origin": str(vault / "vaultkeeper.toml")}
    assert settings["hnsw_threshold"]["origin"] == "default"
    text = run("config", "show", cwd=vault).out
    for key in settings:
        assert key in text


def test_get_prints_one_value(run: Run, vault: Path) -> None:
    assert run("config", "get", "limit", "--vault", str(vault)).out == "10\n"
    assert run("config", "get", "ignore", "--json", "--vault", str(vault), "--set", "ignore=a,b").json == [
        "a",
        "b",
    ]
    said = run("config", "get", "limt", "--vault", str(vault))
    assert said.code == 2
    assert "limit" in said.err


def test_set_needs_a_key_and_a_value(run: Run, vault: Path) -> None:
    assert run("config", "show", "--set", "limit", "--vault", str(vault)).code == 2
    assert run("config", "show", "--set", "nope=1", "--vault", str(vault)).code == 2
