"""How a command gets a keeper whose index is up to date, and the facts that only the surface can see."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.output import say
from vaultkeeper.errors import LockedError, VaultkeeperError

if TYPE_CHECKING:
    from vaultkeeper.keeper import Keeper
    from vaultkeeper.keeping.doctor import Surroundings


def now() -> datetime:
    """The clock that is handed to everything below."""
    return datetime.now(UTC)


def open_keeper(call: Call) -> Keeper:
    """Opens a keeper of the vault that the call means."""
    from vaultkeeper.keeper import Keeper

    if call.index_dir.is_relative_to(call.root) and not call.quiet:
        say(f"The index lies inside the vault ({call.index_dir}); sync services break live databases.")
    return Keeper(
        call.root,
        call.index_dir,
        call.config.settings,
        clock=now,
        command=command_line(),
        state_dir=call.state_dir,
    )


def keeper_opener(call: Call) -> Callable[[], Keeper]:
    """Returns what opens a keeper, for threads that each need their own."""
    return lambda: open_keeper(call)


def command_line() -> str:
    """The words that others read when this process holds the lock."""
    context = click.get_current_context(silent=True)
    return context.command_path if context else "vaultkeeper"


@contextmanager
def fresh_keeper(call: Call, *, no_sync: bool = False) -> Iterator[Keeper]:
    """Yields a keeper that has just synced, unless a watcher or another sync does that already."""
    keeper = open_keeper(call)
    try:
        if not no_sync and not watcher_syncs(call):
            _announce_first(call)
            try:
                keeper.sync_quietly()
            except LockedError as error:
                if not keeper.status().built:  # the first index is being made: nothing can be answered yet
                    raise
                if call.verbose:
                    say(f"Not synced: {error}")
        yield keeper
    finally:
        keeper.close()


def _announce_first(call: Call) -> None:
    """Says on a terminal why the first command takes longer than those to come."""
    from vaultkeeper.index.store import database_path

    if not call.quiet and sys.stderr.isatty() and database_path(call.index_dir) is None:
        say("Reading the vault for the first time; later only what has changed is read.")


def watcher_syncs(call: Call) -> bool:
    """Lets a running watcher take in what has changed; False when none runs."""
    return ask_watcher(call, "sync", {"flush": True}) is not None


def ask_watcher(call: Call, verb: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Returns the answer of a running watcher of this vault, or None when none answers."""
    from vaultkeeper.watch.client import ask_server

    return ask_server(call.index_dir, verb, params, vault=call.root)


def condemn_index(call: Call, error: Exception) -> bool:
    """Looks, after an error that nobody expected, whether a broken index is to blame; then it is made anew by the next
    sync. One that a watcher keeps is made anew by it at once.
    """
    from vaultkeeper.index.store import condemn_if_broken

    try:
        if not condemn_if_broken(call.index_dir, error):
            return False
        ask_watcher(call, "sync", {})
    except (VaultkeeperError, OSError):
        return False
    return True


def surroundings(call: Call) -> Surroundings:
    """What the doctor must know of the machine around the vault."""
    from vaultkeeper.keeping.doctor import Surroundings
    from vaultkeeper.watch.limits import count_folders, watch_limits

    limits = watch_limits()
    return Surroundings(
        watching=ask_watcher(call, "ping", {}) is not None,
        folders=count_folders(call.root) if limits else 0,
        watches=limits.watches if limits else None,
        index_in_vault=os.path.relpath(call.index_dir, call.root)
        if call.index_dir.is_relative_to(call.root)
        else None,
    )
