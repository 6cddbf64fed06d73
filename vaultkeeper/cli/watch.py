"""`vaultkeeper watch`: keep the index up to date while notes are edited."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Command
from vaultkeeper.cli.vaults import user_path


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
    from vaultkeeper.watch.gardener import QUIET_S as SEAL_QUIET_S
    from vaultkeeper.watch.librarian import QUIET_S
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
        tend_quiet_s=None if no_tend else QUIET_S,
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
