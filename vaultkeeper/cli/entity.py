"""`vaultkeeper entity`: the registry of people, places and things."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.completers import complete_entity
from vaultkeeper.cli.lazy import Group, json_option, no_sync_option
from vaultkeeper.cli.output import say, show, show_json, table
from vaultkeeper.errors import Exit, UsageError

if TYPE_CHECKING:
    from vaultkeeper.memory.registry import Registry
    from vaultkeeper.memory.resolve import Resolved
    from vaultkeeper.types import Entity, Handle

PERHAPS = 0.7
"""From which score on a name that is not like enough is offered as a guess."""

kind_option = click.option("--kind", metavar="KIND", help="Only entities of this kind, such as person.")


@click.group(cls=Group)
def entity() -> None:
    """People, places and things that the vault knows by name.

    An entity is a note with a `kind`. Names are ids (`person:mara`), display names, aliases, e-mail addresses and
    handles. Writing changes only what must change in a note.
    """


@entity.command("list")
@kind_option
@json_option
@no_sync_option
@click.pass_obj
def list_entities(call: Call, kind: str | None, as_json: bool, no_sync: bool) -> None:
    """List the entities, with the number of sections that each occurs in."""
    from vaultkeeper.cli.fresh import fresh_keeper

    with fresh_keeper(call, no_sync=no_sync) as keeper:
        found = keeper.entities.registry().entities_of(kind)
        counts = keeper.entities.count_occurrences([one.id for one in found])
    if as_json:
        show_json([{**entity_json(one), "occurrences": counts.get(one.id, 0)} for one in found])
        return
    for line in table(
        (one.id, one.display_name, f"{counts.get(one.id, 0):>5}", ", ".join(one.aliases)) for one in found
    ):
        show(line)
    if not found and not call.quiet:
        say(f"There is no entity{f' of kind {kind}' if kind else ''}.")


@entity.command("show")
@click.argument("name", shell_complete=complete_entity)
@json_option
@no_sync_option
@click.pass_obj
def show_entity(call: Call, name: str, as_json: bool, no_sync: bool) -> None:
    """Show one entity: its names, and the notes that it occurs in."""
    from vaultkeeper.cli.fresh import fresh_keeper

    with fresh_keeper(call, no_sync=no_sync) as keeper:
        found = choose(keeper.entities.registry(), name)
        notes = keeper.entities.notes_with(found.id)
    if as_json:
        body = {
            **entity_json(found),
            "notes": [{"path": path, "mentions": mentions} for path, mentions in notes],
        }
        show_json(body)
        return
    rows = [("id", found.id), ("name", found.display_name), ("note", found.path)]
    rows += [("aliases", ", ".join(found.aliases))] if found.aliases else []
    rows += [("emails", ", ".join(found.emails))] if found.emails else []
    rows += [("handles", ", ".join(f"{h.kind}:{h.value}" for h in found.handles))] if found.handles else []
    rows += [("merged", ", ".join(found.merged_ids))] if found.merged_ids else []
    for line in table(rows):
        show(line)
    for path, mentions in notes:
        show(f"  {mentions:>4}  {path}")


@entity.command()
@click.argument("kind")
@click.argument("name")
@click.option(
    "--alias", "aliases", multiple=True, metavar="NAME", help="Another name; may be given several times."
)
@click.option(
    "--email", "emails", multiple=True, metavar="ADDRESS", help="An address; may be given several times."
)
@click.option(
    "--handle", "handles", multiple=True, metavar="KIND:VALUE", help="A name on a service: github:mara."
)
@click.option("--id", "entity_id", metavar="ID", help="The id, when it is not to be made from kind and name.")
@click.option("--text", default="", metavar="MARKDOWN", help="Free notes for the body.")
@click.option(
    "--even-if-known", is_flag=True, help="Although an entity of this kind has the name or address already."
)
@json_option
@click.pass_obj
def add(
    call: Call,
    kind: str,
    name: str,
    aliases: tuple[str, ...],
    emails: tuple[str, ...],
    handles: tuple[str, ...],
    entity_id: str | None,
    text: str,
    even_if_known: bool,
    as_json: bool,
) -> None:
    """Write the note of a new entity into `entities/KIND/`.

    Nothing is written when an entity of this kind is called so already, or has such an alias or address.
    """
    from vaultkeeper.cli.fresh import fresh_keeper

    with fresh_keeper(call, writes=True) as keeper:
        receipt = keeper.entities.add(
            kind,
            name,
            aliases=aliases,
            emails=emails,
            handles=[parse_handle(handle) for handle in handles],
            entity_id=entity_id,
            notes=text,
            even_if_known=even_if_known,
        )
    _report(call, receipt, as_json)


@entity.command()
@click.argument("name", shell_complete=complete_entity)
@click.argument("aliases", metavar="ALIAS", nargs=-1, required=True)
@click.option("--remove", is_flag=True, help="Remove the aliases instead.")
@json_option
@click.pass_obj
def alias(call: Call, name: str, aliases: tuple[str, ...], remove: bool, as_json: bool) -> None:
    """Add aliases to the note of an entity.

    Old notes that contain an alias are found by it at once.
    """
    from vaultkeeper.cli.fresh import fresh_keeper

    with fresh_keeper(call, writes=True) as keeper:
        found = choose(keeper.entities.registry(), name, exactly=True)
        receipts = [keeper.entities.change_alias(found, one, remove=remove) for one in aliases]
    _report(call, receipts[-1]._replace(changed=any(receipt.changed for receipt in receipts)), as_json)


@entity.command()
@click.argument("name", shell_complete=complete_entity)
@click.argument("into", shell_complete=complete_entity)
@click.option("--across-kinds", is_flag=True, help="Although they are of different kinds.")
@json_option
@click.pass_obj
def merge(call: Call, name: str, into: str, across_kinds: bool, as_json: bool) -> None:
    """Make one entity of two: NAME becomes part of INTO.

    Names, addresses, ids and free notes go over to INTO; then the note of NAME is moved into the vault's `.trash`.
    """
    from vaultkeeper.cli.fresh import fresh_keeper

    with fresh_keeper(call, writes=True) as keeper:
        registry = keeper.entities.registry()
        other, kept = (choose(registry, one, exactly=True) for one in (name, into))
        merged = keeper.entities.merge(kept, other, across_kinds=across_kinds)
    if as_json:
        show_json({"kept": merged.kept._asdict(), "trashed": merged.trashed})
    elif not call.quiet:
        say(f"{other.id} is part of {kept.id} now; its note lies in {merged.trashed}.")


@entity.command()
@click.argument("name", shell_complete=complete_entity)
@kind_option
@json_option
@no_sync_option
@click.pass_obj
def resolve(call: Call, name: str, kind: str | None, as_json: bool, no_sync: bool) -> int:
    """Find what a name means, however it is spelt, with a score.

    Exits with 4 when several entities fit about equally well, and with 3 when none fits well enough.
    """
    from vaultkeeper.cli.fresh import fresh_keeper
    from vaultkeeper.memory.resolve import resolve as resolve_name

    with fresh_keeper(call, no_sync=no_sync) as keeper:
        found = resolve_name(keeper.entities.registry(), name, kind)
    if as_json:
        show_json(
            {
                "name": name,
                "status": found.status,
                "entity": entity_json(found.entity) if found.entity else None,
                "score": found.score,
                "candidates": [
                    {"id": one.entity.id, "score": one.score, "name": one.surface} for one in found.candidates
                ],
            }
        )
    else:
        for line in table((f"{c.score:.2f}", c.entity.id, c.surface) for c in found.candidates):
            show(line)
        if not call.quiet:
            say(_verdict(found, name))
    return {"ambiguous": Exit.CONFLICT, "none": Exit.NOT_FOUND}.get(found.status, Exit.OK)


def choose(registry: Registry, name: str, *, exactly: bool = False) -> Entity:
    """Returns the entity that a name means.

    Args:
        exactly: Do not take a name that is only similar; what a command that writes asks for.

    Raises:
        AmbiguousEntityError: several fit.
        EntityNotFoundError: none fits; names the nearest.
    """
    from vaultkeeper.errors import AmbiguousEntityError, EntityNotFoundError
    from vaultkeeper.memory.resolve import resolve as resolve_name

    found = resolve_name(registry, name)
    ids = [one.entity.id for one in found.candidates]
    if found.status == "ambiguous":
        raise AmbiguousEntityError(name=name, candidates=" or ".join(ids), first=ids[0])
    if found.entity is None or (exactly and found.status != "exact"):
        raise EntityNotFoundError(name=name, near=f"Did you mean {' or '.join(ids[:3])}?" if ids else "")
    return found.entity


def entity_json(one: Entity) -> dict[str, Any]:
    """Returns an entity as JSON."""
    return {
        "id": one.id,
        "kind": one.kind,
        "display_name": one.display_name,
        "path": one.path,
        "aliases": one.aliases,
        "emails": one.emails,
        "handles": [{"kind": handle.kind, "value": handle.value} for handle in one.handles],
        "merged_ids": one.merged_ids,
        "created_at": one.created_at,
        "updated_at": one.updated_at,
    }


def parse_handle(text: str) -> Handle:
    """Returns the handle that `kind:value` names.

    Raises:
        UsageError: it is written otherwise.
    """
    from vaultkeeper.types import Handle

    kind, colon, value = text.partition(":")
    if not (colon and kind.strip() and value.strip()):
        raise UsageError(reason=f"{text!r} does not read KIND:VALUE.")
    return Handle(kind.strip(), value.strip())


def _verdict(found: Resolved, name: str) -> str:
    if found.entity is not None:
        return f"{name!r} is {found.entity.display_name} ({found.entity.path})."
    if found.status == "ambiguous":
        return f"{name!r} could be several."
    if found.score >= PERHAPS:
        best = found.candidates[0].entity
        return f"Perhaps {name!r} is {best.display_name} ({best.path}); that is not sure enough."
    return f"Nothing is called {name!r}."


def _report(call: Call, receipt: Any, as_json: bool) -> None:
    if as_json:
        show_json(receipt._asdict())
    elif not call.quiet:
        say(f"{receipt.path} is written." if receipt.changed else f"{receipt.path} says so already.")
