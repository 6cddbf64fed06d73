from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from vaultkeeper.config import Layer, describe, load_file, merge
from vaultkeeper.errors import RefusedError
from vaultkeeper.memory.canonical import SEMANTIC_KINDS
from vaultkeeper.memory.entities import entity_from_note
from vaultkeeper.memory.starter import create_missing, starter_files
from vaultkeeper.vault.note import parse_note

REGISTRY_KEYS = ["id", "kind", "display_name", "aliases", "emails", "handles", "created_at", "updated_at"]


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_a_new_folder_gets_every_file_and_prints_it(run: Run, tmp_path: Path) -> None:
    said = run("init", "New Vault")
    assert said.code == 0
    assert said.out.splitlines() == list(starter_files())
    assert contents(tmp_path / "New Vault") == starter_files()


def test_nothing_that_exists_is_changed(run: Run, vault: Path) -> None:
    (vault / "MEMORY.md").write_text("mine")
    (vault / ".obsidian").mkdir()
    (vault / ".obsidian" / "graph.json").write_text("{}")
    before = contents(vault)
    said = run("init", cwd=vault)
    assert said.code == 0
    after = contents(vault)
    assert before.items() <= after.items()
    assert set(said.out.splitlines()) == set(after) - set(before)
    assert run("init", cwd=vault).out == ""
    assert contents(vault) == after


def test_a_dry_run_creates_nothing(run: Run, tmp_path: Path) -> None:
    said = run("init", "x", "--dry-run", "--json")
    assert said.json["created"] == list(starter_files())
    assert not (tmp_path / "x").exists()


def test_the_templates_of_entity_notes_are_no_entities() -> None:
    templates = {place: data for place, data in starter_files().items() if place.startswith("templates/")}
    assert len(templates) == len(SEMANTIC_KINDS)
    for place, data in templates.items():
        note = parse_note(place, data)
        assert not note.problems
        assert list(note.properties) == REGISTRY_KEYS
        assert entity_from_note(note) is None


def test_a_template_filled_in_is_an_entity_of_its_kind() -> None:
    for place, data in starter_files().items():
        if place.startswith("templates/"):
            kind = place.rpartition("/")[2].removesuffix(".md")
            filled = data.replace(b"{{title}}", b"Some Name").replace(b"{{date:YYYY-MM-DD}}", b"2026-01-02")
            filled = filled.replace(b"{{time:HH:mm:ss}}", b"03:04:05")
            entity = entity_from_note(parse_note(f"entities/{kind}/Some Name.md", filled))
            assert entity is not None
            assert (entity.id, entity.kind, entity.display_name) == (f"{kind}:some name", kind, "Some Name")
            assert entity.created_at == "2026-01-02T03:04:05Z"


def test_a_symlinked_folder_that_leaves_the_vault_is_refused(vault: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (vault / ".obsidian").symlink_to(outside)
    with pytest.raises(RefusedError):
        create_missing(vault, dry_run=False)
    assert not list(outside.iterdir())


def test_the_settings_file_of_the_templates_is_valid_and_its_comments_are_the_defaults(
    tmp_path: Path,
) -> None:
    text = starter_files()["vaultkeeper.toml"].decode()
    (tmp_path / "vaultkeeper.toml").write_text(text)
    assert load_file(tmp_path).values == {}
    lines = [line.removeprefix("# ") for line in text.splitlines()]
    values = "\n".join(
        line for line in lines if (" = " in line and not line.startswith('"')) or line.startswith("[")
    )
    document = tomllib.loads(values)
    defaults = {row.key: row.default for row in describe()}
    for key, value in document.items():
        if isinstance(value, dict):
            for inner, setting in value.items():
                assert defaults[f"{key}.{inner}"] == setting
        else:
            assert (list(defaults[key]) if isinstance(value, list) else defaults[key]) == value
    flat = {key: value for key, value in document.items() if not isinstance(value, dict)}
    merge([Layer("x", flat)])


def test_colour_groups_match_the_paths_of_summaries() -> None:
    groups = json.loads(starter_files()[".obsidian/graph.json"])["colorGroups"]
    assert [group["query"] for group in groups] == [f"path:L{level}" for level in range(1, 7)]
    assert [group["color"]["rgb"] for group in groups] == [
        14701138,
        14725458,
        11657298,
        5420768,
        5431504,
        14701261,
    ]
    for level, group in enumerate(groups, 1):
        part = group["query"].removeprefix("path:")
        assert part in f"wiki/summaries/source-x/L{level}/summary-1700000000000-L{level}-0a1b2c3d.md"
