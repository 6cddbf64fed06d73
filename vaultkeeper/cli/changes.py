"""`vaultkeeper changes` and `vaultkeeper checkpoint`: what changed since somebody last looked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.completers import complete_source
from vaultkeeper.cli.lazy import Command, Group, json_option, no_sync_option
from vaultkeeper.cli.output import say, show, show_json, table

if TYPE_CHECKING:
    from vaultkeeper.keeping.history import Changes, ChangesParams

LISTED = 20
"""Notes of a kind that are listed for each source."""

NEWEST = 5
"""Notes that are named at the first look."""


@click.command(cls=Command)
@click.option(
    "--source",
    metavar="SOURCE",
    shell_complete=complete_source,
    help="Only this source, such as notes:Projects or Projects.",
)
@click.option("--since-last", is_flag=True, help="Compare the last two snapshots of each source instead.")
@click.option("--since-checkpoint", metavar="CHECKPOINT", help="Compare with a checkpoint: its label or id.")
@click.option("--from", "before", metavar="SNAPSHOT", help="Compare with a snapshot; --json says their ids.")
@click.option("--to", "after", metavar="SNAPSHOT", help="With --from: up to this snapshot, not the newest.")
@click.option("--peek", is_flag=True, help="Do not count as read what is shown.")
@click.option(
    "--diff", "text_diff", is_flag=True, help="Show for each modified note what changed in its text."
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    metavar="N",
    help="How many notes of a kind are listed for each source, 20 unless given; --json lists all.",
)
@json_option
@no_sync_option
@click.pass_obj
def changes(
    call: Call,
    /,
    source: str | None,
    since_last: bool,
    since_checkpoint: str | None,
    before: str | None,
    after: str | None,
    peek: bool,
    text_diff: bool,
    limit: int | None,
    as_json: bool,
    no_sync: bool,
) -> None:
    """Say what changed since you last looked, by source.

    Notes are compared with those at your last call, unless you name something else. What is new, what was modified and
    what is gone is listed, and counts as read from then on, unless you only --peek. A note that was moved is gone and
    new, unless it has an `id` of its own. At the first look everything is new: then it is counted, unless you name a
    --source or a --limit. The history is kept outside the vault, never in a git repository of yours.
    """
    from vaultkeeper.cli.fresh import fresh_keeper
    from vaultkeeper.present.changes import changes_json, changes_markdown, first_look_text

    params = _params(source, since_last, since_checkpoint, before, after, peek, text_diff)
    with fresh_keeper(call, no_sync=no_sync) as keeper:
        found = keeper.history.changes(params)
        counted = "first_look" in found.notes and not source and limit is None and not as_json
        newest = keeper.modes.newest_notes(NEWEST) if counted and found.sources else []
    if as_json:
        show_json(changes_json(*found))
        return
    if counted and found.sources:
        show(first_look_text(found.sources, newest, found.marked))
        return
    text = changes_markdown(tuple(one for one in found.sources if one.total), limit or LISTED)
    if text:
        show(text)
    if not call.quiet:
        _say_state(found, bool(text))


def _params(
    source: str | None,
    since_last: bool,
    checkpoint: str | None,
    before: str | None,
    after: str | None,
    peek: bool,
    text_diff: bool,
) -> ChangesParams:
    from vaultkeeper.errors import UsageError
    from vaultkeeper.keeping.history import ChangesParams, Since

    ways: list[Since] = ["last"] if since_last else []
    ways += ["checkpoint"] if checkpoint is not None else []
    ways += ["snapshot"] if before is not None else []
    if len(ways) > 1:
        raise UsageError(reason="--since-last, --since-checkpoint and --from exclude each other.")
    if after is not None and before is None:
        raise UsageError(reason="--to needs --from.")
    return ChangesParams(
        source=source,
        since=ways[0] if ways else "read",
        checkpoint=checkpoint or "",
        before=before or "",
        after=after,
        commit=not peek,
        text_diff=text_diff,
    )


def _say_state(found: Changes, anything: bool) -> None:
    if "index_unfinished" in found.notes:
        say("The index is still being built; this is what the last snapshot knew.")
    if "sources_left_out" in found.notes:
        say("A folder whose name holds control characters was left out.")
    if not anything:
        say("Nothing changed.")
    elif "first_look" in found.notes:
        say("\nThis is the first look, so everything is new.")


@click.group(cls=Group)
def checkpoint() -> None:
    """States of the vault with a name, to compare with later.

    `vaultkeeper changes --since-checkpoint NAME` compares with one.
    """


@checkpoint.command()
@click.argument("label", required=False, default="")
@json_option
@no_sync_option
@click.pass_obj
def add(call: Call, /, label: str, as_json: bool, no_sync: bool) -> None:
    """Remember the vault as it is now, under a label if you like."""
    from vaultkeeper.cli.fresh import fresh_keeper
    from vaultkeeper.present.changes import checkpoint_json

    with fresh_keeper(call, no_sync=no_sync) as keeper:
        made = keeper.history.add_checkpoint(label)
    if as_json:
        show_json(checkpoint_json(made))
    else:
        show(made.id)


@checkpoint.command("list")
@json_option
@click.pass_obj
def list_checkpoints(call: Call, as_json: bool) -> None:
    """List the checkpoints, oldest first."""
    from vaultkeeper.cli.fresh import open_keeper
    from vaultkeeper.present.changes import checkpoint_json, stamp

    found = open_keeper(call).history.list_checkpoints()
    if as_json:
        show_json([checkpoint_json(one) for one in found])
        return
    for line in table((stamp(one.created_at_ms), one.id, one.label) for one in found):
        show(line)
    if not found and not call.quiet:
        say("There is no checkpoint. Make one with `vaultkeeper checkpoint add`.")


@checkpoint.command()
@click.option(
    "--older-than", metavar="SPAN", required=True, help="Such as 30d, 6m or 1y; younger ones are kept."
)
@json_option
@click.pass_obj
def cleanup(call: Call, older_than: str, as_json: bool) -> None:
    """Remove old checkpoints. Snapshots and what you have read stay as they are."""
    from vaultkeeper.cli.fresh import now, open_keeper
    from vaultkeeper.present.changes import checkpoint_json
    from vaultkeeper.retrieval.timewords import parse_span

    before_ms = int(parse_span(older_than, now=now()).timestamp() * 1000)
    removed = open_keeper(call).history.clean_checkpoints(before_ms)
    if as_json:
        show_json([checkpoint_json(one) for one in removed])
    elif not call.quiet:
        say(f"{len(removed)} checkpoint{'s' * (len(removed) != 1)} removed.")
