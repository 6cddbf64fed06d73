"""How a command gets a keeper whose index is up to date, and the facts that only the surface can see."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.output import say
from vaultkeeper.errors import LockedError, NotTakenInError, StorageError, VaultkeeperError

if TYPE_CHECKING:
    from vaultkeeper.keeper import Keeper
    from vaultkeeper.keeping.doctor import Surroundings
    from vaultkeeper.ports import Embedder


def now() -> datetime:
    """The clock that is handed to everything below."""
    return datetime.now(UTC)


def open_keeper(
    call: Call,
    index_dir: Path | None = None,
    embedder: Callable[[], Embedder | None] | None = None,
) -> Keeper:
    """Opens a keeper of the vault that the call means.

    Args:
        index_dir: Another folder than the vault's own.
        embedder: Opens the embedder, where several keepers share it.
    """
    from vaultkeeper.keeper import Keeper

    if call.index_dir.is_relative_to(call.root) and not call.quiet:
        say(f"The index lies inside the vault ({call.index_dir}); sync services break live databases.")
    return Keeper(
        call.root,
        index_dir or call.index_dir,
        call.config.settings,
        clock=now,
        command=command_line(),
        state_dir=call.state_dir,
        embedder=embedder,
    )


def keeper_opener(call: Call) -> Callable[[], Keeper]:
    """Returns what opens a keeper, for threads that each need their own; they share the embedder."""
    from vaultkeeper.providers import share_embedder

    embedder = share_embedder(call.config.settings.embedder)
    return lambda: open_keeper(call, embedder=embedder)


def command_line() -> str:
    """The words that others read when this process holds the lock."""
    context = click.get_current_context(silent=True)
    return context.command_path if context else "vaultkeeper"


@contextmanager
def fresh_keeper(
    call: Call, *, no_sync: bool = False, writes: bool = False, makeshift: bool = True
) -> Iterator[Keeper]:
    """Yields a keeper that has just synced, unless a watcher or another sync does that already.

    An index that cannot be written answers as it is; where there is none, and nowhere to keep one, it is made for this
    call in a temporary folder. What only reads, reads one state of it.

    Args:
        writes: The command writes notes: it reads what it wrote, and is not served from a temporary folder, where its
            locks would bind nobody.
        makeshift: False for a command that wants the vault's own index or none.

    Raises:
        LockedError: the first index is being made: nothing can be answered yet.
        StorageError: no index can be made.
    """
    with ExitStack() as stack:
        keeper = stack.enter_context(closing(open_keeper(call)))
        if not no_sync:
            _announce_first(call)
            refresh(call, keeper)
            if keeper.stale and makeshift and not writes and not keeper.status().built:
                keeper = _temporary_keeper(call, keeper.stale, stack)
            if keeper.stale and not call.quiet:
                say(_stale_words(keeper))
        if not writes:
            stack.enter_context(keeper.snapshot())
        yield keeper
        _report_not_taken_in(call, keeper)


def refresh(call: Call, keeper: Keeper) -> None:
    """Brings the index up to date, unless a watcher or another sync does; where it cannot, the keeper says why.

    Raises:
        LockedError: the first index is being made.
    """
    try:
        if ask_watcher(call, "sync", {"flush": True}) is None:
            keeper.refresh()
    except StorageError as error:  # the watcher's
        keeper.stale = error
    except LockedError as error:
        if keeper.status().synced_at_ms is None:  # what is there of the index would pass for all of it
            raise
        if call.verbose:
            say(f"Not synced: {error}")


def take_in(call: Call, keeper: Keeper, paths: Sequence[str]) -> None:
    """Brings the index up to date with notes that were written; that it cannot be is said after the result."""
    if paths:
        refresh(call, keeper)
        if keeper.stale:
            keeper.not_taken_in += paths
            _report_not_taken_in(call, keeper)


def _report_not_taken_in(call: Call, keeper: Keeper) -> None:
    paths = list(dict.fromkeys(keeper.not_taken_in))
    if paths:
        what = f"{paths[0]} is written" if len(paths) == 1 else f"{len(paths)} notes are written"
        call.fault = NotTakenInError(what=what, reason=keeper.stale)


def _temporary_keeper(call: Call, error: StorageError, stack: ExitStack) -> Keeper:
    from tempfile import TemporaryDirectory

    try:
        folder = stack.enter_context(TemporaryDirectory(prefix="vaultkeeper-"))
    except OSError:
        raise error from None
    keeper = stack.enter_context(closing(open_keeper(call, Path(folder))))
    try:
        keeper.sync_quietly()
    except StorageError:
        raise error from None
    if not call.quiet:
        say(f"{error} An index was made for this answer only.")
    return keeper


def _stale_words(keeper: Keeper) -> str:
    synced_ms = keeper.status().synced_at_ms
    if synced_ms is None:
        return f"{keeper.stale} The index is not up to date."
    synced = datetime.fromtimestamp(synced_ms / 1000, UTC)
    age_s = (now() - synced).total_seconds()
    unit_s, unit = next(
        ((size, name) for size, name in ((86_400, "day"), (3_600, "hour")) if age_s >= size), (60, "minute")
    )
    age = int(age_s // unit_s)
    ago = f"{age} {unit}{'' if age == 1 else 's'} ago" if age > 0 else "a moment ago"
    return f"{keeper.stale} The index is as it was {ago} ({synced:%Y-%m-%dT%H:%M:%SZ})."


def _announce_first(call: Call) -> None:
    """Says on a terminal why the first command takes longer than those to come."""
    from vaultkeeper.index.store import database_path

    if not call.quiet and sys.stderr.isatty() and database_path(call.index_dir) is None:
        say("Reading the vault for the first time; later only what has changed is read.")


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
