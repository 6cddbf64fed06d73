"""`vaultkeeper goals`, `preferences` and `rules`: what was asked for in so many words."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Group, json_option, no_sync_option
from vaultkeeper.cli.memory import recalled_json, report_stored, show_memories
from vaultkeeper.cli.output import say, show, show_json

if TYPE_CHECKING:
    from vaultkeeper.memory.goals import Goal, GoalReceipt


@click.group(cls=Group)
def goals() -> None:
    """Long-term goals: lines of MEMORY_GOALS.md.

    A goal is a line `- [g1] …`. There are eight at most, and 2,000 characters; when one more is added the oldest goes.
    Whatever else you write in the file stays as it is.
    """


@goals.command("list")
@json_option
@click.pass_obj
def list_goals(call: Call, as_json: bool) -> None:
    """List the goals."""
    from vaultkeeper.cli.fresh import open_keeper

    found = open_keeper(call).notebook.goals()
    if as_json:
        show_json([goal_json(goal) for goal in found])
        return
    for goal in found:
        show(f"{goal.id}  {goal.text}")
    if not found and not call.quiet:
        say("There are no goals.")


@goals.command("add")
@click.argument("text")
@json_option
@click.pass_obj
def add_goal(call: Call, text: str, as_json: bool) -> None:
    """Add a goal."""
    from vaultkeeper.cli.fresh import open_keeper

    _report_goal(call, open_keeper(call).notebook.add_goal(text), as_json, "is a goal now")


@goals.command("edit")
@click.argument("goal_id", metavar="ID")
@click.argument("text")
@json_option
@click.pass_obj
def edit_goal(call: Call, goal_id: str, text: str, as_json: bool) -> None:
    """Give a goal another text."""
    from vaultkeeper.cli.fresh import open_keeper

    _report_goal(call, open_keeper(call).notebook.edit_goal(goal_id, text), as_json, "is changed")


@goals.command("delete")
@click.argument("goal_id", metavar="ID")
@json_option
@click.pass_obj
def delete_goal(call: Call, goal_id: str, as_json: bool) -> None:
    """Take a goal out."""
    from vaultkeeper.cli.fresh import open_keeper

    _report_goal(call, open_keeper(call).notebook.delete_goal(goal_id), as_json, "is gone")


def goal_json(goal: Goal) -> dict[str, Any]:
    """Returns a goal as JSON."""
    return {"id": goal.id, "text": goal.text, "line": goal.line}


def _report_goal(call: Call, done: GoalReceipt, as_json: bool, words: str) -> None:
    if as_json:
        dropped = [goal_json(goal) for goal in done.dropped]
        show_json({**done.receipt._asdict(), "goal": goal_json(done.goal), "dropped": dropped})
    elif not call.quiet:
        say(f"[{done.goal.id}] {words}." if done.receipt.changed else f"[{done.goal.id}] says so already.")
        for goal in done.dropped:
            say(f"There was no room for [{goal.id}] any more: {goal.text}")


@click.group(cls=Group)
def preferences() -> None:
    """What you asked for in so many words: general preferences and situational ones.

    The ten newest general ones are told to every agent; situational ones are looked up by what is being talked about.
    """


@preferences.command("save")
@click.argument("topic")
@click.argument("text")
@click.option("--situational", is_flag=True, help="It matters only when it comes up.")
@click.option(
    "--limit", type=int, default=5, show_default=True, metavar="N", help="How many similar ones are named."
)
@json_option
@no_sync_option
@click.pass_obj
def save_preference(
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


@preferences.command("find")
@click.argument("query")
@json_option
@no_sync_option
@click.pass_obj
def find_preference(call: Call, query: str, as_json: bool, no_sync: bool) -> None:
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


@preferences.command("forget")
@click.argument("topic")
@json_option
@click.pass_obj
def forget_preference(call: Call, topic: str, as_json: bool) -> None:
    """Move what is preferred about a topic into the vault's `.trash`."""
    from vaultkeeper.cli.fresh import open_keeper

    trashed = open_keeper(call).notebook.forget_preference(topic)
    if as_json:
        show_json({"topic": topic, "trashed": trashed})
    elif not call.quiet:
        say(f"Forgotten; the note lies in {' and '.join(trashed)}.")


@click.group(cls=Group)
def rules() -> None:
    """Rules for one tool: what holds when an agent uses it.

    Rules of priority high and critical belong into every prompt: `rules list --pinned`.
    """


@rules.command("add")
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
def add_rule(
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


@rules.command("delete")
@click.argument("tool")
@click.argument("rule_id", metavar="ID")
@json_option
@click.pass_obj
def delete_rule(call: Call, tool: str, rule_id: str, as_json: bool) -> None:
    """Move the note of a rule into the vault's `.trash`."""
    from vaultkeeper.cli.fresh import open_keeper

    trashed = open_keeper(call).notebook.delete_rule(tool, rule_id)
    if as_json:
        show_json({"tool": tool, "id": rule_id, "trashed": trashed})
    elif not call.quiet:
        say(f"Deleted; the note lies in {trashed}.")
