"""`vaultkeeper goals`: long-term goals, lines of MEMORY_GOALS.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Group, json_option
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


@goals.command()
@click.argument("text")
@json_option
@click.pass_obj
def add(call: Call, text: str, as_json: bool) -> None:
    """Add a goal."""
    from vaultkeeper.cli.fresh import open_keeper

    _report(call, open_keeper(call).notebook.add_goal(text), as_json, "is a goal now")


@goals.command()
@click.argument("goal_id", metavar="ID")
@click.argument("text")
@json_option
@click.pass_obj
def edit(call: Call, goal_id: str, text: str, as_json: bool) -> None:
    """Give a goal another text."""
    from vaultkeeper.cli.fresh import open_keeper

    _report(call, open_keeper(call).notebook.edit_goal(goal_id, text), as_json, "is changed")


@goals.command()
@click.argument("goal_id", metavar="ID")
@json_option
@click.pass_obj
def delete(call: Call, goal_id: str, as_json: bool) -> None:
    """Take a goal out."""
    from vaultkeeper.cli.fresh import open_keeper

    _report(call, open_keeper(call).notebook.delete_goal(goal_id), as_json, "is gone")


def goal_json(goal: Goal) -> dict[str, Any]:
    """Returns a goal as JSON."""
    return {"id": goal.id, "text": goal.text, "line": goal.line}


def _report(call: Call, done: GoalReceipt, as_json: bool, words: str) -> None:
    if as_json:
        dropped = [goal_json(goal) for goal in done.dropped]
        show_json({**done.receipt._asdict(), "goal": goal_json(done.goal), "dropped": dropped})
    elif not call.quiet:
        say(f"[{done.goal.id}] {words}." if done.receipt.changed else f"[{done.goal.id}] says so already.")
        for goal in done.dropped:
            say(f"There was no room for [{goal.id}] any more: {goal.text}")
