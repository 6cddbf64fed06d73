"""Which vaults there are, and which one is meant.

Owns the user's list of vaults (`vaults.toml` in the user's configuration folder) and the order of choice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vaultkeeper.config import load_toml
from vaultkeeper.errors import ConfigError, NoVaultError, PathNotFoundError, VaultNotFoundError

MARKERS = (".obsidian", "vaultkeeper.toml", "MEMORY.md")
"""What makes a folder a vault without having been added: any one of these in it."""

HEADER = "# The vaults of `vaultkeeper vault list`. Written by `vaultkeeper vault add` and `remove`.\n"


@dataclass(slots=True)
class Vaults:
    """The user's vaults: name → folder, and the name of the default one."""

    file: Path
    paths: dict[str, Path] = field(default_factory=dict)
    default: str | None = None

    def name_of(self, root: Path) -> str | None:
        """Returns the name under which a folder was added, or None."""
        return next((name for name, path in self.paths.items() if _real(path) == root), None)

    def known(self) -> str:
        """The names and folders, for a message."""
        return ", ".join(f"{name} ({path})" for name, path in self.paths.items())

    def instead_of(self, name: str) -> str:
        """What a message says of a name that is none: the nearest one and all that there are."""
        import difflib

        if not self.paths:
            return ""
        near = difflib.get_close_matches(name, self.paths, n=1)
        return f" ({f'did you mean {near[0]}? ' if near else ''}known are {self.known()})"


def vaults_file(environment: Mapping[str, str]) -> Path:
    """Returns where the list of vaults is kept; `VAULTKEEPER_CONFIG_DIR` names another folder."""
    if folder := environment.get("VAULTKEEPER_CONFIG_DIR"):
        return Path(expand_home(folder)) / "vaults.toml"
    from platformdirs import user_config_dir

    return Path(user_config_dir("vaultkeeper", appauthor=False)) / "vaults.toml"


def load_vaults(environment: Mapping[str, str]) -> Vaults:
    """Reads the list of vaults; an absent file is an empty list.

    Raises:
        ConfigError: the file cannot be read as such a list.
    """
    file = vaults_file(environment)
    document = load_toml(file)
    paths = document.get("vaults", {})
    if not isinstance(paths, dict) or not all(map(_is_path, paths.values())):
        raise ConfigError(setting="vaults", origin=file, reason="it must be a table of names and folders")
    default = document.get("default")
    known = default if isinstance(default, str) and default in paths else None
    return Vaults(file, {name: Path(path) for name, path in paths.items()}, known)


def _is_path(value: object) -> bool:
    return isinstance(value, str) and value != "" and "\0" not in value


def save_vaults(vaults: Vaults) -> None:
    """Writes the list of vaults, in one step."""
    lines = [HEADER]
    if vaults.default is not None:
        lines.append(f"default = {_toml(vaults.default)}\n")
    lines += [
        "\n[vaults]\n",
        *(f"{_toml(name)} = {_toml(str(path))}\n" for name, path in vaults.paths.items()),
    ]
    vaults.file.parent.mkdir(parents=True, exist_ok=True)
    partial = vaults.file.with_name(f".vaults-{os.getpid()}.tmp")
    partial.write_text("".join(lines), "utf-8")
    partial.replace(vaults.file)


def choose_vault(flag: str | None, environment: Mapping[str, str], folder: Path) -> Path:
    """Returns the real path of the vault that is meant.

    The order: `--vault`, `VAULTKEEPER_VAULT`, the vault that the folder lies in, the default.

    Raises:
        VaultNotFoundError: the one that is named does not exist.
        NoVaultError: none is named, and there is no default.
    """
    if flag == "":  # as from a variable that is not set: not the current folder
        raise VaultNotFoundError(vault="''")
    vaults = load_vaults(environment)
    named = flag or environment.get("VAULTKEEPER_VAULT")
    if named:
        return _named(named, vaults, folder)
    if (around := vault_around(folder, vaults)) is not None:
        return around
    if vaults.default is not None:
        return _named(vaults.default, vaults, folder)
    raise NoVaultError(known=f"Known are {vaults.known()}. " if vaults.paths else "")


def vault_around(folder: Path, vaults: Vaults) -> Path | None:
    """Returns the innermost vault that a folder lies in, or None."""
    added = {_real(path) for path in vaults.paths.values()}
    real = _real(folder)
    for candidate in (real, *real.parents):
        if candidate in added or any((candidate / marker).exists() for marker in MARKERS):
            return candidate
    return None


def _named(named: str, vaults: Vaults, folder: Path) -> Path:
    path = vaults.paths.get(named) or user_path(folder, named)
    if not is_folder(path):
        raise VaultNotFoundError(vault=f"{named}{vaults.instead_of(named)}")
    return _real(path)


def user_path(folder: Path, named: str | Path) -> Path:
    """Returns what a person means by a path: `~` is their home, and a relative one starts at the folder."""
    return folder / expand_home(named)


def folder_to_use(folder: Path, named: str | Path) -> Path:
    """Returns the real path of a folder that a person names, whether it exists or not.

    Raises:
        PathNotFoundError: it is relative, and the folder that the person is in was deleted.
    """
    path = user_path(folder, named)
    if path != Path(expand_home(named)) and not is_folder(folder):
        remedy = "It was deleted. Go into another one, or give the whole path."
        raise PathNotFoundError(what="folder", path="here", remedy=remedy)
    return _real(path)


def expand_home(path: str | Path) -> str:
    """Replaces a leading `~`; that of nobody known stays as it is."""
    return os.path.expanduser(path)  # noqa: PTH111 (a Path raises for an unknown user)


def is_folder(path: Path) -> bool:
    """True for a folder; a name that no file system takes is none."""
    return os.path.isdir(path)  # noqa: PTH112 (a Path raises for a name that is too long)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _toml(text: str) -> str:
    """A TOML string; JSON's escapes are TOML's, but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
