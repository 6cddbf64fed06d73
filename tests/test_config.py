from __future__ import annotations

import os
from pathlib import Path

import pytest

from vaultkeeper.config import Layer, Settings, describe, environment_layers, load_file, merge
from vaultkeeper.errors import ConfigError


def write(root: Path, text: str) -> Path:
    (root / "vaultkeeper.toml").write_text(text, "utf-8")
    return root


def test_every_setting_has_a_key_that_spells_its_name() -> None:
    for row in describe():
        assert row.key.replace(".", "_") == row.attribute
        assert row.doc.endswith(".")


def test_later_layers_win_and_each_value_knows_its_origin(tmp_path: Path) -> None:
    write(tmp_path, 'limit = 3\nembedder = "none"\n[watch]\nquiet_ms = 5\n')
    layers = [
        load_file(tmp_path),
        *environment_layers({"VAULTKEEPER_LIMIT": "4", "VAULTKEEPER_IGNORE": "a/**, b.md", "HOME": "/h"}),
        Layer("flag --set", {"limit": "5"}, text=True),
    ]
    config = merge(layers)
    assert config.settings.limit == 5
    assert config.settings.embedder == "none"
    assert config.settings.ignore == ("a/**", "b.md")
    assert config.settings.watch_quiet_ms == 5
    assert config.origins["limit"] == "flag --set"
    assert config.origins["embedder"] == str(tmp_path / "vaultkeeper.toml")
    assert config.origins["ignore"] == "environment variable VAULTKEEPER_IGNORE"
    assert config.origins["log_file"] == "default"


def test_no_file_and_an_empty_one_are_the_defaults(tmp_path: Path) -> None:
    assert merge([load_file(tmp_path)]).settings == Settings()
    assert merge([load_file(write(tmp_path, "\ufeff"))]).settings == Settings()


def test_a_table_of_texts_is_not_flattened(tmp_path: Path) -> None:
    write(tmp_path, '[entity_folders]\n"People/Close" = "person"\n')
    assert merge([load_file(tmp_path)]).settings.entity_folders == {"People/Close": "person"}


@pytest.mark.parametrize(
    ("text", "setting", "reason"),
    [
        ("limt = 3", "limt", "nearest is limit"),
        ("[watch]\nquiet = 3", "watch.quiet", "nearest is watch.quiet_ms"),
        ('limit = "3"', "limit", "no whole number"),
        ("limit = true", "limit", "no whole number"),
        ("limit = 1.5", "limit", "no whole number"),
        ("limit = 0", "limit", "not between 1 and 1000"),
        ("watch.rescan_minutes = nan", "watch.rescan_minutes", "not between 0.1"),
        ("ignore = 'a'", "ignore", "no list of texts"),
        ("ignore = [1]", "ignore", "no list of texts"),
        ("embedder = 1", "embedder", "no text"),
        ("entity_folders = 'People'", "entity_folders", "no table of texts"),
        ("limit = ", "whole file", "no TOML"),
    ],
)
def test_what_cannot_be_used_is_named_with_file_key_and_reason(
    tmp_path: Path, text: str, setting: str, reason: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        merge([load_file(write(tmp_path, text))])
    message = str(caught.value)
    assert setting in message
    assert reason in message
    assert str(tmp_path / "vaultkeeper.toml") in message


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        ("VAULTKEEPER_LIMT", "3", "nearest is VAULTKEEPER_LIMIT"),
        ("VAULTKEEPER_LIMIT", "many", "no whole number"),
        ("VAULTKEEPER_ENTITY_FOLDERS", "People", "folder=kind"),
    ],
)
def test_variables_are_read_by_type_and_misspelt_ones_named(variable: str, value: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        merge(environment_layers({variable: value}))


def test_variables_that_are_no_settings_or_empty_are_left_alone() -> None:
    assert (
        environment_layers({"VAULTKEEPER_VAULT": "x", "VAULTKEEPER_CONFIG_DIR": "y", "VAULTKEEPER_LIMIT": ""})
        == []
    )


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "vaultkeeper.toml").write_bytes(b"limit = 3 # caf\xe9")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_file(tmp_path)


@pytest.mark.parametrize(
    "text", ['index_dir = "a\\u0000b"', 'ignore = ["\\u0000"]', 'entity_folders = {"\\u0000" = "a"}']
)
def test_a_character_that_no_path_holds_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match="NUL"):
        merge([load_file(write(tmp_path, text))])


def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "vaultkeeper.toml")
    with pytest.raises(ConfigError, match="it is no file"):
        load_file(tmp_path)
