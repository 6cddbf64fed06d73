"""`vaultkeeper profile` and `vaultkeeper flavour`: what is known of the user, and the last word on it."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Command, Group, json_option
from vaultkeeper.cli.output import say, show, show_json, table

if TYPE_CHECKING:
    from vaultkeeper.keeper import Keeper
    from vaultkeeper.memory.facets import Facet


@click.group(cls=Group)
def profile() -> None:
    """What is known of you, and your last word on it.

    NAME is a key such as `fact_live_ghent`, with its type before a slash where needed, or the question that it answers,
    such as `home` or `employer`. You may edit the notes under `profile/` as well: what you changed is never changed
    back.
    """


@profile.command("show")
@click.option("--all", "everything", is_flag=True, help="What is superseded or forgotten too.")
@json_option
@click.pass_obj
def show_profile(call: Call, everything: bool, as_json: bool) -> None:
    """Show what is known now."""
    from vaultkeeper.memory.profile import render_profile

    facets = sorted(_keeper(call).conversations.profile().facets.values(), key=lambda facet: facet.name)
    shown = [facet for facet in facets if everything or facet.current]
    if as_json:
        show_json([facet_json(facet) for facet in shown])
    elif everything:
        for line in table((facet.name, _standing(facet), facet.value) for facet in shown):
            show(line)
    elif shown:
        show(render_profile(shown))
    if not shown and not call.quiet and not as_json:
        say("Nothing is known yet.")


@profile.command("set")
@click.argument("name")
@click.argument("value", nargs=-1, required=True)
@click.option("--type", "facet_type", metavar="TYPE", help="Type of a new facet; context otherwise.")
@json_option
@click.pass_obj
def set_facet(call: Call, name: str, value: tuple[str, ...], facet_type: str | None, as_json: bool) -> None:
    """Say something yourself; it stays until you change it."""
    keeper = _keeper(call)
    _changed(call, keeper, keeper.conversations.set_facet(name, " ".join(value), facet_type), as_json)


@profile.command("pin")
@click.argument("name")
@json_option
@click.pass_obj
def pin_facet(call: Call, name: str, as_json: bool) -> None:
    """Keep a facet as it is, and write it to MEMORY.md."""
    keeper = _keeper(call)
    facet = keeper.conversations.change_facet(
        name, lambda facet: replace(facet, state="pinned", superseded_by="", valid_until="")
    )
    _changed(call, keeper, facet, as_json)


@profile.command("forget")
@click.argument("name")
@json_option
@click.pass_obj
def forget_facet(call: Call, name: str, as_json: bool) -> None:
    """Never tell or learn a facet again, in whatever words; its note stays as the reminder of that.

    Of a question such as `home`, every answer that holds is forgotten.
    """
    facets = _keeper(call).conversations.forget_facet(name)
    if as_json:
        show_json({**facet_json(facets[0]), "also": [facet.name for facet in facets[1:]]})
        return
    for facet in facets:
        show(_line(facet))


@profile.command("history")
@click.argument("name")
@json_option
@click.pass_obj
def facet_history(call: Call, name: str, as_json: bool) -> None:
    """Show what held when: every answer to the same question, oldest first."""
    conversations = _keeper(call).conversations
    known = conversations.profile()
    facet = conversations.find_facet(known, name)
    slot = known.slot_of(facet)
    chain = [one for one in known.in_slot(slot.name) if one.state != "forgotten"] if slot else [facet]
    if as_json:
        show_json([facet_json(one) for one in chain])
        return
    for one in chain:
        for entry in one.history:
            show(f"  {entry}")
        until = one.valid_until or ("…" if one.superseded_by else "now")
        show(f"{one.valid_from or '…'} to {until}: {one.value}  ({one.name})")


def facet_json(facet: Facet) -> dict[str, Any]:
    """A facet as JSON."""
    from vaultkeeper.memory.facets import format_moment

    return {
        "name": facet.name,
        "path": facet.path,
        "type": facet.type,
        "key": facet.key,
        "value": facet.value,
        "state": facet.state,
        "current": facet.current,
        "confidence": facet.confidence,
        "evidence_count": facet.evidence_count,
        "first_seen_at": format_moment(facet.first_ms) if facet.first_ms else None,
        "last_seen_at": format_moment(facet.last_ms) if facet.last_ms else None,
        "valid_from": facet.valid_from or None,
        "valid_until": facet.valid_until or None,
        "superseded_by": facet.superseded_by or None,
        "segments": list(facet.segments),
        "history": list(facet.history),
        "promoted": facet.promoted,
    }


def _standing(facet: Facet) -> str:
    if facet.state != "auto":
        return facet.state
    return "current" if facet.current else "superseded"


def _keeper(call: Call) -> Keeper:
    from vaultkeeper.cli.fresh import open_keeper

    return open_keeper(call)


def _changed(call: Call, keeper: Keeper, facet: Facet, as_json: bool) -> None:
    if as_json:
        show_json(facet_json(facet))
    else:
        show(_line(facet))


def _line(facet: Facet) -> str:
    return f"{facet.path}  {facet.state}  {facet.value}"


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
