"""`vaultkeeper preferences`: what you asked for in so many words."""

from __future__ import annotations

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Group, json_option
from vaultkeeper.cli.memory import recalled_json, report_stored, show_memories
from vaultkeeper.cli.output import say, show, show_json

no_sync_option = click.option("--no-sync", is_flag=True, help="Do not look for changed notes first.")


@click.group(cls=Group)
def preferences() -> None:
    """What you asked for in so many words: general preferences and situational ones.

    The ten newest general ones are told to every agent; situational ones are looked up by what is being talked about.
    """


@preferences.command()
@click.argument("topic")
@click.argument("text")
@click.option("--situational", is_flag=True, help="It matters only when it comes up.")
@click.option(
    "--limit", type=int, default=5, show_default=True, metavar="N", help="How many similar ones are named."
)
@json_option
@no_sync_option
@click.pass_obj
def save(
    call: Call, topic: str, text: str, situational: bool, limit: int, as_json: bool, no_sync: bool
) -> None:
    """Save a preference; what was said about the same topic is replaced.

    Preferences about other topics that are similar, and may contradict it, are named.
    """
    from vaultkeeper.cli.fresh import fresh_keeper

    with fresh_keeper(call, no_sync=no_sync) as keeper:
        stored, related = keeper.notebook.save_preference(topic, text, situational=situational, limit=limit)
    report_stored(call, stored, as_json, related=[recalled_json(one) for one in related])
    if not as_json:
        for one in related:
            show(f"  {one.score:.2f}  {one.memory.key}: {' '.join(one.memory.content.split())}")


@preferences.command("list")
@click.option("--situational", is_flag=True, help="The situational ones instead of the general ones.")
@click.option("--standing", is_flag=True, help="Only those that every agent is told.")
@json_option
@click.pass_obj
def list_preferences(call: Call, situational: bool, standing: bool, as_json: bool) -> None:
    """List the preferences, newest first."""
    from vaultkeeper.cli.fresh import open_keeper

    notebook = open_keeper(call).notebook
    if standing and not situational:
        found = notebook.standing_preferences()
    else:
        found = notebook.preferences(situational=situational)
    show_memories(call, found, as_json, "There is no preference.")


@preferences.command()
@click.argument("query")
@json_option
@no_sync_option
@click.pass_obj
def find(call: Call, query: str, as_json: bool, no_sync: bool) -> None:
    """Find the situational preferences that a text calls for."""
    from vaultkeeper.cli.fresh import fresh_keeper

    with fresh_keeper(call, no_sync=no_sync) as keeper:
        found, remarks = keeper.notebook.situational_preferences(query)
    if as_json:
        show_json({"preferences": [recalled_json(one) for one in found], "notes": remarks})
        return
    for one in found:
        show(f"{one.score:.2f}  {one.memory.key}: {' '.join(one.memory.content.split())}")
    if not found and not call.quiet:
        say("No preference fits.")


@preferences.command()
@click.argument("topic")
@json_option
@click.pass_obj
def forget(call: Call, topic: str, as_json: bool) -> None:
    """Move what is preferred about a topic into the vault's `.trash`."""
    from vaultkeeper.cli.fresh import open_keeper

    trashed = open_keeper(call).notebook.forget_preference(topic)
    if as_json:
        show_json({"topic": topic, "trashed": trashed})
    elif not call.quiet:
        say(f"Forgotten; the note lies in {' and '.join(trashed)}.")
