"""`vaultkeeper recall`: what other conversations said lately, for the start of a new one."""

from __future__ import annotations

from dataclasses import asdict

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.completers import complete_session
from vaultkeeper.cli.lazy import Command, json_option
from vaultkeeper.cli.output import say, show, show_json


@click.command(cls=Command)
@click.argument("query", nargs=-1)
@click.option(
    "--session",
    metavar="ID",
    default="",
    shell_complete=complete_session,
    help="The session that asks; it is left out.",
)
@click.option("--no-sync", is_flag=True, help="Recall from the index as it is, without looking for changes.")
@json_option
@click.pass_obj
def recall(call: Call, query: tuple[str, ...], session: str, no_sync: bool, as_json: bool) -> None:
    """Print what other conversations said lately, as a block for the start of a new one.

    QUERY is what the new conversation begins with; without it the newest recaps and turns are recalled. Recaps are
    found
    by meaning and turns by words, of the last fourteen days, newest first, about 1,500 tokens at most.
    """
    from vaultkeeper.cli.fresh import fresh_keeper, now
    from vaultkeeper.memory.episodes import session_dir
    from vaultkeeper.retrieval.recall import RecallParams, render_recall

    params = RecallParams(" ".join(query), session_dir(session) if session else "")
    with fresh_keeper(call, no_sync=no_sync) as keeper:
        found = keeper.conversations.recall(params)
    block = render_recall(found, now())
    if as_json:
        show_json(
            {"items": [asdict(item) for item in found.items], "notes": list(found.notes), "block": block}
        )
    elif block:
        show(block)
    elif not call.quiet:
        say("Nothing of the last fourteen days fits.")
