from __future__ import annotations

from pathlib import Path

import pytest

from vaultkeeper.cli.vaults import Vaults, choose_vault, load_vaults, save_vaults, vault_around
from vaultkeeper.errors import ConfigError, NoVaultError, VaultNotFoundError


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"VAULTKEEPER_CONFIG_DIR": str(tmp_path / "config")}


def folder(path: Path, mark: str = "") -> Path:
    path.mkdir(parents=True, exist_ok=True)
    if mark:
        (path / mark).touch()
    return path.resolve()


def added(env: dict[str, str], default: str | None = None, **paths: Path) -> None:
    vaults = load_vaults(env)
    save_vaults(Vaults(vaults.file, dict(paths), default))


def test_the_list_survives_writing_and_reading(env: dict[str, str], tmp_path: Path) -> None:
    vaults = load_vaults(env)
    vaults.paths = {'my "notes"': tmp_path / 'a\\b "c" \x7f', "二": tmp_path / "笔记"}
    vaults.default = "二"
    save_vaults(vaults)
    again = load_vaults(env)
    assert (again.paths, again.default) == (vaults.paths, vaults.default)


def test_the_order_of_choice(env: dict[str, str], tmp_path: Path) -> None:
    by_flag, by_variable, around, default = (
        folder(tmp_path / name, "MEMORY.md") for name in ("flag", "variable", "around", "default")
    )
    added(env, default="standard", standard=default)
    inner = folder(around / "People" / "Close")
    with_variable = env | {"VAULTKEEPER_VAULT": str(by_variable)}
    assert choose_vault(str(by_flag), with_variable, inner) == by_flag
    assert choose_vault(None, with_variable, inner) == by_variable
    assert choose_vault(None, env, inner) == around
    assert choose_vault(None, env, tmp_path) == default


def test_the_innermost_vault_around_a_folder_wins(tmp_path: Path) -> None:
    outer = folder(tmp_path / "outer", "vaultkeeper.toml")
    inner = folder(outer / "inner")
    below = folder(inner / "below")
    vaults = Vaults(tmp_path / "vaults.toml", {"inner": inner})
    assert vault_around(below, vaults) == inner
    assert vault_around(outer, vaults) == outer
    assert vault_around(tmp_path, vaults) is None


def test_a_name_is_a_vault_before_it_is_a_folder(env: dict[str, str], tmp_path: Path) -> None:
    far, near = folder(tmp_path / "far"), folder(tmp_path / "notes")
    added(env, notes=far)
    assert choose_vault("notes", env, tmp_path) == far
    assert choose_vault("./notes", env, tmp_path) == near


def test_a_symlink_to_a_vault_is_that_vault(env: dict[str, str], tmp_path: Path) -> None:
    real = folder(tmp_path / "real", "MEMORY.md")
    link = tmp_path / "link"
    link.symlink_to(real)
    assert choose_vault(str(link), env, tmp_path) == real
    assert choose_vault(None, env, link) == real


def test_no_vault_and_a_missing_one_list_what_there_is(env: dict[str, str], tmp_path: Path) -> None:
    added(env, work=tmp_path / "work")
    with pytest.raises(VaultNotFoundError, match=r"no vault nope .*work"):
        choose_vault("nope", env, tmp_path)
    with pytest.raises(NoVaultError) as caught:
        choose_vault(None, env, tmp_path)
    assert "work" in caught.value.advice


@pytest.mark.parametrize("text", ["vaults = 3", "[vaults]\na = 1", "= x"])
def test_a_damaged_list_is_named(env: dict[str, str], text: str) -> None:
    file = load_vaults(env).file
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"vaults\.toml"):
        load_vaults(env)


@pytest.mark.parametrize(
    "damaged",
    [
        b"x =",
        b"\xff\xfe",
        b"vaults = 3",
        b"[vaults]\na = 3",
        b'[vaults]\na = "a\\u0000b"',
        b'[vaults]\na = ""',
    ],
)
def test_a_damaged_list_is_a_sentence(env: dict[str, str], tmp_path: Path, damaged: bytes) -> None:
    folder(tmp_path / "config").joinpath("vaults.toml").write_bytes(damaged)
    with pytest.raises(ConfigError, match="cannot be used"):
        load_vaults(env)


@pytest.mark.parametrize("default", ["3", "[1]", '"gone"'])
def test_a_default_that_names_no_vault_is_none(env: dict[str, str], tmp_path: Path, default: str) -> None:
    text = f'\ufeffdefault = {default}\n[vaults]\na = "/a"\n'
    folder(tmp_path / "config").joinpath("vaults.toml").write_text(text, "utf-8")
    vaults = load_vaults(env)
    assert (vaults.paths, vaults.default) == ({"a": Path("/a")}, None)


@pytest.mark.parametrize("named", ["", "~nobody-of-this-name/x", "y" * 5000, "gone"])
def test_a_name_that_no_folder_has_is_not_found(env: dict[str, str], tmp_path: Path, named: str) -> None:
    with pytest.raises(VaultNotFoundError):
        choose_vault(named, env, folder(tmp_path / "here", "MEMORY.md"))
