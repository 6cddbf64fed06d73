"""`vaultkeeper sync` and `vaultkeeper rebuild`: bring the index up to date, or make it anew."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Command, json_option
from vaultkeeper.cli.output import say, show_json

if TYPE_CHECKING:
    from vaultkeeper.keeper import Keeper

Progress = Callable[[int, int], None]


@click.command(cls=Command)
@json_option
@click.option("--embed", is_flag=True, help="Compute all missing vectors too, however long that takes.")
@click.option("--no-tend", is_flag=True, help="Leave conversations to `vaultkeeper tend`.")
@click.pass_obj
def sync(call: Call, as_json: bool, embed: bool, no_tend: bool) -> None:
    """Bring the index up to date with the notes.

    Only what has changed is read. Full text is searchable when the command ends; vectors of a slow embedder are left
    to the watcher, or computed here with --embed. Then the archivist does what is due with new conversations, as `tend`
    does. When a watcher runs, it is asked to do the work.
    """
    from vaultkeeper.cli.fresh import ask_watcher, open_keeper

    stats = ask_watcher(call, "sync", {})
    watched = stats is not None
    if stats is not None and not embed:
        _report(call, stats, as_json)
        return
    keeper = open_keeper(call)
    try:
        if stats is None:
            with _bar(call, "notes") as progress:
                stats = asdict(keeper.sync(progress=progress))
        _report(call, stats, as_json)
        if not (no_tend or watched) and (keeper.root / "episodic").is_dir():
            _tend(call, keeper)
        _vectors(call, keeper, embed)
    finally:
        keeper.close()


@click.command(cls=Command)
@json_option
@click.option("--embed", is_flag=True, help="Compute all missing vectors too, however long that takes.")
@click.pass_obj
def rebuild(call: Call, as_json: bool, embed: bool) -> None:
    """Make the index anew from the notes.

    Never needed to repair anything: a sync does that. Vectors that were computed for the same text are kept.
    """
    from vaultkeeper.cli.fresh import open_keeper

    keeper = open_keeper(call)
    try:
        with _bar(call, "notes") as progress:
            stats = keeper.rebuild(progress=progress)
        _vectors(call, keeper, embed)
        _report(call, asdict(stats), as_json)
    finally:
        keeper.close()


def _tend(call: Call, keeper: Keeper) -> None:
    """Lets the archivist do what is due, and takes in what it wrote."""
    from vaultkeeper.errors import VaultkeeperError

    try:
        done = keeper.conversations.tend()
    except VaultkeeperError as error:  # the index is up to date all the same
        say(f"The archivist stopped: {error}")
        return
    if done.wrote:
        keeper.sync()
        if not call.quiet:
            say(f"Archivist: {done}.")


def _vectors(call: Call, keeper: Keeper, embed: bool) -> None:
    """Computes the vectors that are quick to compute, or all."""
    if embed or not keeper.embeds_slowly:
        with _bar(call, "vectors") as progress:
            keeper.embed_pending(progress=progress)


def _report(call: Call, stats: dict[str, Any], as_json: bool) -> None:
    if as_json:
        show_json(stats)
    elif not call.quiet:
        from vaultkeeper.index.sync import SyncStats

        say(f"{call.root}: {SyncStats(**stats)}")


@contextmanager
def _bar(call: Call, what: str) -> Iterator[Progress | None]:
    """A progress bar on a terminal; None elsewhere."""
    if call.quiet or not sys.stderr.isatty():
        yield None
        return
    bar = click.progressbar(length=0, label=f"Reading {what}", file=sys.stderr)
    with bar:

        def progress(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield progress
