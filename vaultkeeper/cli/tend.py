"""`vaultkeeper tend`: the archivist does what is due."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Command, json_option
from vaultkeeper.cli.output import say, show, show_json
from vaultkeeper.cli.tree import done_json, done_lines, summary_of

if TYPE_CHECKING:
    from vaultkeeper.keeper import Keeper
    from vaultkeeper.memory.archivist import Tended
    from vaultkeeper.memory.seal import Done


@click.command(cls=Command)
@json_option
@click.pass_obj
def tend(call: Call, as_json: bool) -> None:
    """Let the archivist do what is due.

    Segments of conversations that have ended are closed, with a recap and the events in them; what you said about
    yourself goes to the profile; what is confirmed goes to MEMORY.md. Then summaries that are due are sealed (see
    `tree`), and what tells how you work and write is compiled (see `flavour`). Safe to run at any time, by several at
    once.
    """
    from vaultkeeper.cli.fresh import open_keeper, take_in
    from vaultkeeper.vault.paths import keeps_memory

    keeper = open_keeper(call)
    try:
        done = keeper.conversations.tend()
        take_in(call, keeper, written(done))
        sealed = seal_due(call, keeper)
        flavours = keeper.flavours.build() if keeps_memory(keeper.root) else []
        keeper.clear_leftovers()
    finally:
        keeper.close()
    if as_json:
        show_json({**tended_json(done), "summaries": done_json(sealed), "flavours": flavours})
        return
    for line in (*tended_lines(done), *done_lines(sealed), *(f"{path}  compiled" for path in flavours)):
        show(line)
    if not call.quiet:
        sentence = f"; summaries: {summary_of(sealed)}" if sealed.paths else ""
        say(f"{call.root}: {done}{sentence}.")
        if done.still_open:
            say(open_sentence(done.still_open, keeper.settings.segment_max_gap_seconds))


def open_sentence(count: int, silence_s: float) -> str:
    """Says how many conversations are open, and when they close."""
    many = f"{count} conversations are still open; they close"
    what = "1 conversation is still open; it closes" if count == 1 else many
    length = f"{silence_s / 60:g} minutes" if silence_s >= 120 else f"{silence_s:g} seconds"
    return f"{what} after {length} of silence."


def seal_due(call: Call, keeper: Keeper) -> Done:
    """Seals the summaries that are due, by an index that is up to date."""
    from vaultkeeper.cli.fresh import refresh, take_in

    refresh(call, keeper)
    sealed = keeper.trees.tend(keeper.trees.due())
    take_in(call, keeper, sealed.paths)
    return sealed


def tended_lines(done: Tended) -> list[str]:
    """What was written, a line each."""
    lines = [f"{closed.path}  {closed.reason}, {closed.recap_by}" for closed in done.closed]
    lines += [f"profile/{name}.md  new" for name in done.facets_created]
    lines += [f"profile/{name}.md  confirmed" for name in dict.fromkeys(done.facets_confirmed)]
    lines += [f"profile/{name}.md  superseded" for name in dict.fromkeys(done.facets_superseded)]
    lines += [f"{path}  better recap" for path in done.recaps]
    lines += [f"MEMORY.md  {text}" for text in done.promoted]
    return lines + [f"MEMORY_GOALS.md  {text}" for text in done.goals]


def written(done: Tended) -> list[str]:
    """The notes that the archivist wrote, as far as it names them."""
    paths = [*(closed.path for closed in done.closed), *done.recaps]
    return [*paths, "MEMORY.md"] if done.promoted else paths


def tended_json(done: Tended) -> dict[str, Any]:
    """What the archivist did, as JSON."""
    return {
        "closed": [closed._asdict() for closed in done.closed],
        "events": done.events,
        "facets": {
            "created": list(done.facets_created),
            "confirmed": list(dict.fromkeys(done.facets_confirmed)),
            "superseded": list(dict.fromkeys(done.facets_superseded)),
        },
        "recaps": list(done.recaps),
        "promoted": list(done.promoted),
        "goals": list(done.goals),
        "open": done.still_open,
        "due_at": done.due_at.isoformat().replace("+00:00", "Z") if done.due_at else None,
    }
