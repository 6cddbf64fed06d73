from __future__ import annotations

from pathlib import Path

import pytest

from vaultkeeper.cli.call import Call, default_index_dir
from vaultkeeper.errors import ConfigError


def call(root: Path, index_dir: str = "") -> Call:
    return Call(environment={"VAULTKEEPER_INDEX_DIR": index_dir}, folder=root, vault=str(root))


def test_the_index_lies_outside_the_vault_and_is_keyed_by_the_real_path(tmp_path: Path) -> None:
    real, other = tmp_path / "My Notes", tmp_path / "other" / "My Notes"
    real.mkdir()
    other.mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(real)
    made = call(real).index_dir
    assert made == call(link).index_dir
    assert made != call(other).index_dir
    assert made.name.startswith("My-Notes-")
    assert not made.is_relative_to(real)


def test_an_index_folder_among_the_notes_is_refused(tmp_path: Path) -> None:
    for place in ("index", ".", "..", "a/b"):
        with pytest.raises(ConfigError, match="index_dir"):
            _ = call(tmp_path, place).index_dir
    assert call(tmp_path, ".vaultkeeper").index_dir == tmp_path.resolve() / ".vaultkeeper"
    assert call(tmp_path, str(tmp_path.parent / "elsewhere")).index_dir.name == "elsewhere"


def test_a_vault_name_without_letters_still_has_an_index(tmp_path: Path) -> None:
    assert default_index_dir(tmp_path / "...").name.startswith("vault-")
