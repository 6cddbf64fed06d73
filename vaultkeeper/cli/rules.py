"""`vaultkeeper rules`: what holds when an agent uses one tool."""

from __future__ import annotations

from dataclasses import asdict

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Group, json_option
from vaultkeeper.cli.memory import report_stored
from vaultkeeper.cli.output import say, show, show_json


@click.group(cls=Group)
def rules() -> None:
    """Rules for one tool: what holds when an agent uses it.

    Rules of priority high and critical belong into every prompt: `rules list --pinned`.
    """


@rules.command()
@click.argument("tool")
@click.argument("text")
@click.option(
    "--priority", metavar="PRIORITY", default="normal", show_default=True, help="normal, high or critical."
)
@click.option(
    "--source",
    metavar="SOURCE",
    default="user_explicit",
    show_default=True,
    help="Who says so: user_explicit, post_turn or programmatic.",
)
@click.option("--id", "rule_id", metavar="ID", help="Its name; made from the text when it is left out.")
@json_option
@click.pass_obj
def add(
    call: Call, tool: str, text: str, priority: str, source: str, rule_id: str | None, as_json: bool
) -> None:
    """Write a rule for a tool; one with the same id is written anew."""
    from vaultkeeper.cli.fresh import open_keeper

    rule, stored = open_keeper(call).notebook.add_rule(
        tool, text, priority=priority, source=source, rule_id=rule_id
    )
    report_stored(call, stored, as_json, rule=asdict(rule))


@rules.command("list")
@click.argument("tool", required=False)
@click.option("--pinned", is_flag=True, help="Only those of priority high and critical.")
@json_option
@click.pass_obj
def list_rules(call: Call, tool: str | None, pinned: bool, as_json: bool) -> None:
    """List the rules of a tool, or of all, by tool and priority."""
    from vaultkeeper.cli.fresh import open_keeper
    from vaultkeeper.memory.tool_rules import render_rules

    found = open_keeper(call).notebook.rules(tool, pinned=pinned)
    if as_json:
        show_json([asdict(rule) for rule in found])
    elif found:
        show(render_rules(found).rstrip("\n"))
    elif not call.quiet:
        say("There is no rule.")


@rules.command()
@click.argument("tool")
@click.argument("rule_id", metavar="ID")
@json_option
@click.pass_obj
def delete(call: Call, tool: str, rule_id: str, as_json: bool) -> None:
    """Move the note of a rule into the vault's `.trash`."""
    from vaultkeeper.cli.fresh import open_keeper

    trashed = open_keeper(call).notebook.delete_rule(tool, rule_id)
    if as_json:
        show_json({"tool": tool, "id": rule_id, "trashed": trashed})
    elif not call.quiet:
        say(f"Deleted; the note lies in {trashed}.")
