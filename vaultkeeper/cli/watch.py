"""`vaultkeeper watch` and `vaultkeeper service`: keep the index up to date, here or from every login on."""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Command, Group, json_option
from vaultkeeper.cli.output import say, show, show_json
from vaultkeeper.cli.vaults import user_path

if TYPE_CHECKING:
    from vaultkeeper.watch.service import Service


@click.command(cls=Command)
@click.option(
    "--poll",
    is_flag=False,
    flag_value=2.0,
    default=None,
    type=click.FloatRange(0.1, 3600),
    metavar="[SECONDS]",
    help="Compare the vault every so many seconds (2) instead of receiving events, for network file systems.",
)
@click.option(
    "--log-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write what happens into this file; it is rotated by size.",
)
@click.option("--no-serve", is_flag=True, help="Do not answer `ask` and `search` on a socket.")
@click.option("--no-tend", is_flag=True, help="Leave conversations to `vaultkeeper tend`.")
@click.pass_obj
def watch(call: Call, poll: float | None, log_file: Path | None, no_serve: bool, no_tend: bool) -> int:
    """Keep the index up to date while you edit.

    Starts with a sync and then follows the vault until it is stopped by Ctrl-C or a signal. When conversations have
    been quiet for some seconds, the archivist does what is due (see `tend`); when nothing has changed for half a
    minute, summaries that are due are sealed (see `tree`). Nothing else is ever written into the vault. While it runs,
    `ask` and `search` answer at once, through a socket that only you can open.
    """
    from vaultkeeper.cli.fresh import keeper_opener
    from vaultkeeper.cli.query import respond
    from vaultkeeper.vault.scan import ignore_pattern
    from vaultkeeper.watch.background import SEAL_QUIET_S, TEND_QUIET_S
    from vaultkeeper.watch.loop import WatchOptions, ignored_by_default, run_watch
    from vaultkeeper.watch.stop import Stop, stop_on_signals
    from vaultkeeper.watch.talk import Screen

    settings = call.config.settings
    logged = log_file or (user_path(call.index_dir, settings.log_file) if settings.log_file else None)
    pattern = ignore_pattern(settings.ignore)
    options = WatchOptions(
        poll_s=poll,
        log_file=logged,
        serve=not no_serve,
        ignored=lambda path: ignored_by_default(path) or bool(pattern and pattern(path)),
        rescan_s=settings.watch_rescan_minutes * 60,
        quiet_s=settings.watch_quiet_ms / 1000,
        max_wait_s=settings.watch_max_wait_ms / 1000,
        tend_quiet_s=None if no_tend else TEND_QUIET_S,
        seal_quiet_s=None if no_tend else SEAL_QUIET_S,
        tend_interval_s=settings.learning_rebuild_interval_secs,
    )
    screen = Screen(_write, lambda: shutil.get_terminal_size().columns)
    on_terminal = sys.stderr.isatty() and not call.quiet
    say = screen.say if on_terminal else _quiet if call.quiet else _line
    with Stop() as stop, stop_on_signals(stop, screen.close):
        try:
            status = screen.status if on_terminal else None
            return run_watch(keeper_opener(call), options, say, stop, answer=respond, status=status)
        finally:
            screen.close()


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _line(text: str) -> None:
    _write(text + "\n")


def _quiet(_text: str) -> None:
    """Says nothing."""


@click.group(cls=Group)
def service() -> None:
    """Run the watcher in the background at every login.

    Linux gets a systemd user unit and macOS a launchd agent, one for each vault.
    """


@service.command()
@click.option("--dry-run", is_flag=True, help="Print the file and where it would go; change nothing.")
@click.pass_obj
def install(call: Call, dry_run: bool) -> None:
    """Write the service of this vault and start it."""
    from vaultkeeper.watch.service import install_service

    described = _describe(call)
    if dry_run:
        say(f"{described.path} would hold:")
        show(described.text.rstrip("\n"))
        return
    for line in install_service(described):
        say(line)


@service.command()
@click.option("--dry-run", is_flag=True, help="Say what would be removed; change nothing.")
@click.pass_obj
def uninstall(call: Call, dry_run: bool) -> None:
    """Stop the service of this vault and remove it."""
    from vaultkeeper.watch.service import uninstall_service

    described = _describe(call)
    if dry_run:
        say(f"{described.path} would be removed." if described.path.exists() else "Nothing is installed.")
        return
    for line in uninstall_service(described):
        say(line)


@service.command()
@json_option
@click.pass_obj
def status(call: Call, as_json: bool) -> None:
    """Say whether the service of this vault is installed and runs."""
    from vaultkeeper.watch.service import service_status

    found = service_status(_describe(call))
    if as_json:
        show_json({**asdict(found), "path": str(found.path)})
        return
    state = "is not installed"
    if found.installed:
        state = f"is installed ({found.detail})" + ("" if found.current else "; install it again to renew it")
    show(f"{found.name} {state}")
    show(str(found.path))


def _describe(call: Call) -> Service:
    from vaultkeeper.watch.service import describe_service, executable, this_kind

    return describe_service(call.root, call.index_dir / "watch.log", executable(), this_kind())
