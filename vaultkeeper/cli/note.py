"""`vaultkeeper note`: one note as parsed."""

from __future__ import annotations

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.completers import complete_note
from vaultkeeper.cli.lazy import Command, json_option, no_sync_option
from vaultkeeper.cli.output import show, show_json


@click.command(cls=Command)
@click.argument("paths", metavar="PATH", nargs=-1, required=True, shell_complete=complete_note)
@json_option
@no_sync_option
@click.pass_obj
def note(call: Call, paths: tuple[str, ...], as_json: bool, no_sync: bool) -> None:
    """Show one note as vaultkeeper reads it.

    PATH is relative to the vault or to the current folder, or a name as in a wikilink. Shown are properties, tags,
    aliases, headings, block ids, tasks, callouts, each link with the file that it leads to, the entities in the
    note, and what is wrong with it. A number in front is a line of the note, and `!` marks an embed. With several
    paths and --json the result is a list.
    """
    from vaultkeeper.cli.fresh import fresh_keeper
    from vaultkeeper.present.note import note_json, note_text

    with fresh_keeper(call, no_sync=no_sync) as keeper:
        views = keeper.note(paths, call.folder)
    if as_json:
        bodies = [note_json(view) for view in views]
        show_json(bodies[0] if len(paths) == 1 else bodies)
        return
    for number, view in enumerate(views):
        if number:
            show()
        for line in note_text(view):
            show(line)
