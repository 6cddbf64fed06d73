"""What one call of the command line knows: its environment, its vault, its settings.

This is the only place that reads the process's environment and the wall clock.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from vaultkeeper.errors import ConfigError

if TYPE_CHECKING:
    from vaultkeeper.config import Config
    from vaultkeeper.errors import VaultkeeperError


def current_folder(environment: Mapping[str, str]) -> Path:
    """Returns the folder that the person is in; when it was deleted meanwhile, the one that it was, which is none."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path(environment.get("PWD") or os.devnull)


@dataclass(slots=True)
class Call:
    """The state of one call; the options before and after the command's name fill it in.

    Attributes:
        fault: What went wrong after the command had done its work: said after the result, and gives the exit code.
    """

    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    folder: Path = field(default_factory=lambda: current_folder(os.environ))
    vault: str | None = None
    overrides: dict[str, str] = field(default_factory=dict)
    quiet: bool = False
    verbose: int = 0
    fault: VaultkeeperError | None = None
    _root: Path | None = None
    _config: Config | None = None

    @property
    def root(self) -> Path:
        """The real path of the vault that is meant.

        Raises:
            NoVaultError, VaultNotFoundError: see `vaults.choose_vault`.
        """
        if self._root is None:
            from vaultkeeper.cli.vaults import choose_vault

            self._root = choose_vault(self.vault, self.environment, self.folder)
        return self._root

    @property
    def config(self) -> Config:
        """The settings in force for the vault.

        Raises:
            ConfigError: a setting cannot be used.
        """
        if self._config is None:
            from vaultkeeper.config import Layer, environment_layers, load_file, merge

            flags = Layer("flag --set", self.overrides, text=True)
            self._config = merge([load_file(self.root), *environment_layers(self.environment), flags])
        return self._config

    @property
    def index_dir(self) -> Path:
        """Where the derived index of the vault lives.

        Raises:
            ConfigError: it would lie among the notes.
        """
        setting = self.config.settings.index_dir
        return self._outside("index_dir", setting) if setting else default_index_dir(self.root)

    @property
    def state_dir(self) -> Path:
        """Where the history of the vault lives, which a rebuild leaves alone.

        Raises:
            ConfigError: it would lie among the notes.
        """
        setting = self.config.settings.state_dir
        return self._outside("state_dir", setting) if setting else default_state_dir(self.root)

    def _outside(self, key: str, setting: str) -> Path:
        from vaultkeeper.cli.vaults import user_path

        path = Path(os.path.realpath(user_path(self.root, setting)))
        if path == self.root or path in self.root.parents:
            reason = "it is the vault, or a folder around it"
        elif path.is_relative_to(self.root) and not _in_dotfolder(path.relative_to(self.root)):
            reason = "it lies among the notes; a folder inside a vault must begin with a dot"
        else:
            return path
        raise ConfigError(setting=key, origin=self.config.origins[key], reason=reason)


def default_index_dir(root: Path) -> Path:
    """Returns the index folder of a vault in the user's cache: name and 12 hex digits of the real path."""
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("vaultkeeper", appauthor=False)) / _vault_key(root)


def default_state_dir(root: Path) -> Path:
    """Returns the state folder of a vault in the user's state directory, named as its index folder."""
    from platformdirs import user_state_dir

    return Path(user_state_dir("vaultkeeper", appauthor=False)) / _vault_key(root)


def _vault_key(root: Path) -> str:
    import hashlib

    name = re.sub(r"[^\w.-]+", "-", root.name).strip("-.") or "vault"
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:12]
    return f"{name[:60]}-{digest}"


def _in_dotfolder(relative: Path) -> bool:
    return any(part.startswith(".") for part in relative.parts)
