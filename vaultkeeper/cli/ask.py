"""`vaultkeeper ask`: an answer from the vault, with citations."""

from __future__ import annotations

from typing import Any

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Command
from vaultkeeper.cli.query import query_options, query_params, run_query


@click.command(cls=Command)
@click.argument("question", nargs=-1, required=True)
@click.option(
    "--sentences", type=int, default=3, metavar="N", show_default=True, help="How many sentences are quoted."
)
@query_options
@click.pass_obj
def ask(call: Call, /, question: tuple[str, ...], sentences: int, **options: Any) -> None:
    """Answer a question from the vault, with citations.

    The best sentences are quoted as they stand in the notes, followed by the numbered evidence: the note and
    heading, its date, and a link that opens it in Obsidian. No language model is used. The index is brought up to
    date first, unless a watcher keeps it so.
    """
    run_query(call, "ask", query_params(call, question, options, sentences=sentences), options)
