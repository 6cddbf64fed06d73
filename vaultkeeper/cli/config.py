"""`vaultkeeper config`: settings, and where each comes from."""

from __future__ import annotations

from collections.abc import Mapping

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.completers import complete_setting
from vaultkeeper.cli.lazy import Group, json_option
from vaultkeeper.cli.output import show, show_json, table
from vaultkeeper.config import Described, describe
from vaultkeeper.errors import ConfigError


@click.group(cls=Group)
def config() -> None:
    """Show settings and where each comes from.

    Later layers win: defaults, `vaultkeeper.toml` in the vault, `VAULTKEEPER_…` variables, `--set KEY=VALUE`.
    """


@config.command("show")
@json_option
@click.pass_obj
def show_settings(call: Call, as_json: bool) -> None:
    """Show every setting with its value and its origin."""
    rows = [(row, _value(call, row), call.config.origins[row.key]) for row in describe()]
    if as_json:
        body = {row.key: {"value": value, "origin": origin} for row, value, origin in rows}
        show_json(
            {
                "vault": str(call.root),
                "index_dir": str(call.index_dir),
                "state_dir": str(call.state_dir),
                "settings": body,
            }
        )
        return
    lines = [
        ("vault", str(call.root), ""),
        ("index", str(call.index_dir), ""),
        ("history", str(call.state_dir), ""),
    ]
    lines += [(row.key, _words(value), f"({origin})") for row, value, origin in rows]
    for line in table(lines):
        show(line)


@config.command("get")
@click.argument("key", shell_complete=complete_setting)
@json_option
@click.pass_obj
def get_setting(call: Call, key: str, as_json: bool) -> None:
    """Print the value of one setting."""
    row = next((row for row in describe() if row.key == key), None)
    if row is None:
        from difflib import get_close_matches

        near = get_close_matches(key, [row.key for row in describe()], n=1, cutoff=0.0)[0]
        raise ConfigError(
            setting=key, origin="the command", reason=f"there is no such setting; near is {near}"
        )
    value = _value(call, row)
    if as_json:
        show_json(value)
    else:
        show(_words(value))


def _value(call: Call, row: Described) -> object:
    value = getattr(call.config.settings, row.attribute)
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


def _words(value: object) -> str:
    if isinstance(value, dict):
        return ",".join(f"{key}={kind}" for key, kind in value.items())
    return ",".join(value) if isinstance(value, list) else str(value)
