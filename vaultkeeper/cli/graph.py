"""`vaultkeeper graph` and `vaultkeeper brief`: who occurs with whom, and what happened when."""

from __future__ import annotations

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.completers import complete_entity, complete_source
from vaultkeeper.cli.lazy import Command, json_option, no_sync_option
from vaultkeeper.cli.output import say, show, show_json
from vaultkeeper.cli.query import coloured, time_options
from vaultkeeper.errors import UsageError


@click.command(cls=Command)
@click.argument("names", nargs=-1, required=True, shell_complete=complete_entity)
@click.option(
    "--limit",
    type=click.IntRange(1, 100),
    default=20,
    metavar="N",
    show_default=True,
    help="How many neighbours at most.",
)
@click.option(
    "--max-hops",
    type=click.IntRange(1, 6),
    default=4,
    metavar="N",
    show_default=True,
    help="How far apart names may be.",
)
@click.option("--dot", "form", flag_value="dot", help="Print a graph for Graphviz.")
@click.option(
    "--mermaid", "form", flag_value="mermaid", help="Print a graph for a `mermaid` block of a note."
)
@click.option("--canvas", metavar="PATH", help="Write a new canvas to this path of the vault; `-` prints it.")
@json_option
@no_sync_option
@click.pass_obj
def graph(
    call: Call,
    names: tuple[str, ...],
    limit: int,
    max_hops: int,
    form: str | None,
    canvas: str | None,
    as_json: bool,
    no_sync: bool,
) -> None:
    """Show who and what occurs together with somebody, and where.

    NAMES are entities: an id, a name, an alias. The number beside a neighbour counts the notes, sections, turns and
    summaries that name both; the newest are linked. With several names, the neighbours are those of the first, and how
    many hops the names are apart is said too. A canvas is never overwritten.
    """
    from vaultkeeper.cli.fresh import fresh_keeper
    from vaultkeeper.present.graphfiles import to_canvas, to_dot, to_mermaid
    from vaultkeeper.present.jsonform import graph_dict
    from vaultkeeper.present.page import graph_page

    if sum(map(bool, (form, canvas, as_json))) > 1:
        raise UsageError(reason="--dot, --mermaid, --canvas and --json exclude each other.")
    if canvas and canvas != "-" and not canvas.lower().endswith(".canvas"):
        raise UsageError(reason=f"{canvas!r} does not end in .canvas, so Obsidian would not open it as one.")
    with fresh_keeper(call, no_sync=no_sync) as keeper:
        view = keeper.modes.graph(names, limit=limit, max_hops=max_hops)
    if canvas and canvas != "-":
        from vaultkeeper.vault.write import create_note

        receipt = create_note(call.root, canvas, to_canvas(view).encode(), user_asked=True)
        if not call.quiet:
            say(f"{receipt.path} is written.")
    elif canvas:
        show(to_canvas(view).rstrip("\n"))
    elif form:
        show((to_dot(view) if form == "dot" else to_mermaid(view)).rstrip("\n"))
    elif as_json:
        show_json(graph_dict(view))
    else:
        show(coloured(graph_page(view)).rstrip("\n"))


@click.command(cls=Command)
@time_options
@click.option(
    "--source-id",
    metavar="SCOPE",
    shell_complete=complete_source,
    help="Only this source, such as notes:Projects.",
)
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="How many pieces at most; 200 unless given.",
)
@json_option
@no_sync_option
@click.pass_obj
def brief(
    call: Call,
    since: str | None,
    until: str | None,
    last: str | None,
    source_id: str | None,
    limit: int,
    as_json: bool,
    no_sync: bool,
) -> None:
    """Say what happened in a window of time, by source, with links.

    Without a window it is the last 24 hours. What is summarised is told by its summaries, the rest by its notes. The
    text is Markdown.
    """
    from vaultkeeper.cli.fresh import fresh_keeper, now
    from vaultkeeper.present.jsonform import brief_dict
    from vaultkeeper.present.page import brief_page
    from vaultkeeper.retrieval.timewords import parse_window

    nothing_given = since is None and until is None and last is None
    last = "24h" if nothing_given else last
    asked = parse_window(since or "", until or "", last or "", now=now(), ends_now=True)
    with fresh_keeper(call, no_sync=no_sync) as keeper:
        found = keeper.modes.brief(asked, source_id=source_id, limit=limit)
    if as_json:
        show_json(brief_dict(found))
    else:
        show(coloured(brief_page(found)).rstrip("\n"))
