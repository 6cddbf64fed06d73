"""`vaultkeeper flavour`: how the user works and writes, as the compiled notes say."""

from __future__ import annotations

from dataclasses import asdict

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Command, json_option
from vaultkeeper.cli.output import say, show, show_json


@click.command(cls=Command)
@click.argument("name")
@click.option("--query", default="", metavar="WORDS", help="Show only the evidence that fits, best first.")
@click.option(
    "--limit", type=click.IntRange(1), default=10, metavar="N", show_default=True, help="How much of it."
)
@click.option("--build", is_flag=True, help="Write the note anew first, if the evidence has changed.")
@json_option
@click.pass_obj
def flavour(call: Call, name: str, query: str, limit: int, build: bool, as_json: bool) -> None:
    """Show how somebody works and writes, with the evidence.

    NAME is communication, coding_style, stack, workflow, environment, directives or anti_preferences, or another
    name of one, such as tone or dislikes. Read is the note `flavoured/NAME.md`, which `tend` and --build make of what
    you wrote down and said about yourself. Evidence is ranked by how well it fits and by its tier: a written rule (T0)
    before a correction (T1), that before a way of putting things (T2).
    """
    from vaultkeeper.cli.fresh import open_keeper
    from vaultkeeper.retrieval.flavour import flavour_name

    flavours = open_keeper(call).flavours
    if build:
        flavours.build((flavour_name(name),))
    found = flavours.read(name, query)
    if as_json:
        show_json({**asdict(found), "evidence": [asdict(one) for one in found.evidence[:limit]]})
        return
    if not found.built:
        what = "nothing in the vault tells of it yet" if build else f"there is no note {found.path}"
        say(f"The flavour {found.name} has not been built yet: {what}.")
        return
    if not query:
        show(found.text)
        return
    for one in found.evidence[:limit]:
        show(f"T{one.tier}  {one.text}  ({found.path}:{one.line})")
    if not found.evidence and not call.quiet:
        say("No evidence fits.")
