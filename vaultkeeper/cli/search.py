"""`vaultkeeper search`: a list of the notes and sections that fit some words."""

from __future__ import annotations

from typing import Any

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Command
from vaultkeeper.cli.query import query_options, query_params, run_query


@click.command(cls=Command)
@click.argument("words", nargs=-1, required=True)
@query_options
@click.pass_obj
def search(call: Call, /, words: tuple[str, ...], **options: Any) -> None:
    """List the notes and sections that fit some words.

    Words, names and meaning count; no word has to occur. Quoted words are looked for as a phrase, and a `*` at the
    end of a word stands for any ending.
    """
    run_query(call, "search", query_params(call, words, options), options)
