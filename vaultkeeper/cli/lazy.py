"""A click group that imports a command's module only when that command is called.

Owns the common options too (`--vault`, `--set`, `-q`, `-v`): every command takes them, so that they may stand
before or after the command's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, TypeVar

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.completers import complete_setting, complete_vault

F = TypeVar("F", bound=Callable[..., Any])


def common_options() -> list[click.Option]:
    """Returns fresh options that set attributes of the `Call` and are not handed to the command."""
    return [
        click.Option(
            ["--vault"],
            metavar="NAME|PATH",
            help="The vault: a name from `vaultkeeper vault list`, or a folder.",
            expose_value=False,
            callback=_remember_vault,
            shell_complete=complete_vault,
        ),
        click.Option(
            ["--set"],
            metavar="KEY=VALUE",
            multiple=True,
            help="Override a setting for this call; may be given several times.",
            expose_value=False,
            shell_complete=complete_setting,
            callback=_remember_settings,
        ),
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            help="Say nothing but the result and errors.",
            expose_value=False,
            callback=_remember_quiet,
        ),
        click.Option(
            ["-v", "--verbose"],
            count=True,
            help="Say more about what is being done.",
            expose_value=False,
            callback=_remember_verbose,
        ),
    ]


class Command(click.Command):
    """A command that takes the common options."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.extend(common_options())


def _resolve(
    group: click.Group, ctx: click.Context, args: list[str]
) -> tuple[str | None, click.Command | None, list[str]]:
    """Finds the command as click does; for a name that is none, says which one is spelt like it."""
    name = args[0]
    names = group.list_commands(ctx)
    if name not in names and not name.startswith("-"):
        import difflib

        near = difflib.get_close_matches(name, names, n=2, cutoff=0.6)
        ask = not near and " " in name and isinstance(group, LazyGroup)
        meant = " or ".join(near) or ("ask" if ask else "")
        ctx.fail(f"No such command {name!r}.{f' Did you mean {meant}?' if meant else ''}")
    return click.Group.resolve_command(group, ctx, args)


class LazyGroup(click.Group):
    """A group whose commands are named in a table and imported when called.

    Args:
        table: name → (`module:attribute`, one sentence for the list of commands).
        sections: heading → names, in the order in which `--help` lists them.
    """

    def __init__(
        self,
        *args: Any,
        table: Mapping[str, tuple[str, str]],
        sections: Mapping[str, Sequence[str]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.params.extend(common_options())
        self.table = table
        self.sections = sections

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names in the order of the table."""
        return list(self.table)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns the command that is named; see `_resolve`."""
        return _resolve(self, ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports the command; None when there is none of that name."""
        if cmd_name not in self.table:
            return None
        module, _, attribute = self.table[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands first: they are what is looked for."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands by section, without importing any of them."""
        widest = max(map(len, self.table))
        for heading, names in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), self.table[name][1]) for name in names])


class Group(click.Group):
    """A small group of commands in one module; takes the common options."""

    command_class = Command

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.no_args_is_help = False
        self.params.extend(common_options())

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names in the order of definition."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns the command that is named; see `_resolve`."""
        return _resolve(self, ctx, args)


def json_option(function: F) -> F:
    """Adds `--json`, handed to the command as `as_json`."""
    option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    return option(function)


def no_sync_option(function: F) -> F:
    """Adds `--no-sync`, handed to the command as `no_sync`."""
    option = click.option("--no-sync", is_flag=True, help="Do not look for changed notes first.")
    return option(function)


def _call(ctx: click.Context) -> Call:
    call = ctx.find_object(Call)
    assert call is not None, "the root context carries the Call"
    return call


def _remember_vault(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        _call(ctx).vault = value


def _remember_settings(ctx: click.Context, _: click.Parameter, values: tuple[str, ...]) -> None:
    for text in values:
        key, equals, value = text.partition("=")
        if not equals:
            raise click.BadParameter(f"{text!r} does not read KEY=VALUE.")
        _call(ctx).overrides[key.strip()] = value.strip()


def _remember_quiet(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        _call(ctx).quiet = True


def _remember_verbose(ctx: click.Context, _: click.Parameter, value: int) -> None:
    if value:
        _call(ctx).verbose += value
