"""`vaultkeeper vault`: the list of vaults. It names folders and changes nothing in them."""

from __future__ import annotations

import os
from pathlib import Path

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.completers import complete_vault_name
from vaultkeeper.cli.lazy import Group, json_option
from vaultkeeper.cli.output import say, show, show_json, table
from vaultkeeper.cli.vaults import Vaults, folder_to_use, is_folder, load_vaults, save_vaults
from vaultkeeper.errors import PathNotFoundError, UsageError, VaultExistsError, VaultNotFoundError


@click.group(cls=Group)
def vault() -> None:
    """Add, list and remove vaults, and choose the default one.

    A command means, in this order: `--vault`, `VAULTKEEPER_VAULT`, the vault that the current folder lies in,
    the default.
    """


@vault.command()
@click.argument("path", type=click.Path(path_type=Path, file_okay=False))
@click.option("--name", help="Name to call it by; the folder's own name when not given.")
@click.option("--default", "as_default", is_flag=True, help="Make it the default vault.")
@click.pass_obj
def add(call: Call, path: Path, name: str | None, as_default: bool) -> None:
    """Add a folder to the list of vaults. The first one becomes the default."""
    root = folder_to_use(call.folder, path)
    if not is_folder(root):
        remedy = f"Is it spelt right? `vaultkeeper init {path}` makes a new folder a vault."
        raise PathNotFoundError(what="folder", path=path, remedy=remedy)
    name = name or root.name
    if not name or "/" in name or os.sep in name or not _is_text(name):
        raise UsageError(reason=f"A vault cannot be called {name!r}.")
    if not _is_text(str(root)):
        raise UsageError(reason="The path is not valid UTF-8; the list of vaults cannot hold it.")
    vaults = load_vaults(call.environment)
    if name in vaults.paths and vaults.paths[name] != root:
        raise VaultExistsError(name=name, path=vaults.paths[name])
    vaults.paths[name] = root
    if as_default or vaults.default is None:
        vaults.default = name
    save_vaults(vaults)
    _say_added(call, vaults, name)


@vault.command("list")
@json_option
@click.pass_obj
def list_vaults(call: Call, as_json: bool) -> None:
    """List the vaults; the default one is marked."""
    vaults = load_vaults(call.environment)
    if as_json:
        rows = [
            {"name": name, "path": str(path), "default": name == vaults.default, "exists": is_folder(path)}
            for name, path in vaults.paths.items()
        ]
        show_json(rows)
        return
    if not vaults.paths and not call.quiet:
        say("No vault has been added. `vaultkeeper vault add PATH` adds one.")
    for line in table(
        ("*" if name == vaults.default else " ", name, str(path) + ("" if is_folder(path) else "  (missing)"))
        for name, path in vaults.paths.items()
    ):
        show(line)


@vault.command()
@click.argument("name", shell_complete=complete_vault_name)
@click.pass_obj
def remove(call: Call, name: str) -> None:
    """Take a vault off the list. The folder and its index stay as they are."""
    vaults = load_vaults(call.environment)
    _known(vaults, name)
    del vaults.paths[name]
    if vaults.default == name:
        vaults.default = next(iter(vaults.paths), None)
    save_vaults(vaults)
    if not call.quiet:
        say(f"{name} is off the list; default is {vaults.default or 'none'}")


@vault.command("default")
@click.argument("name", required=False, shell_complete=complete_vault_name)
@click.pass_obj
def default_vault(call: Call, name: str | None) -> None:
    """Print the default vault's name, or choose another."""
    vaults = load_vaults(call.environment)
    if name is not None:
        _known(vaults, name)
        vaults.default = name
        save_vaults(vaults)
    if vaults.default is not None:
        show(vaults.default)


def _is_text(path: str) -> bool:
    """False for a path with bytes that are no UTF-8."""
    return path.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in path)


def _known(vaults: Vaults, name: str) -> None:
    if name not in vaults.paths:
        raise VaultNotFoundError(vault=f"{name}{vaults.instead_of(name)}")


def _say_added(call: Call, vaults: Vaults, name: str) -> None:
    if not call.quiet:
        say(f"{name} is {vaults.paths[name]}" + (" (default)" if vaults.default == name else ""))
