"""The commands that read trees: `walk`, `entities`, `sources`, `window`, `drill`, `leaves`, and the raw `tree-tool`.

Their options are made from the parameter classes of the modes, so that the command line, MCP and JSON have one schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.completers import complete_source
from vaultkeeper.cli.lazy import Command, json_option, no_sync_option
from vaultkeeper.cli.output import say, show, show_json, table
from vaultkeeper.cli.query import coloured, time_options
from vaultkeeper.errors import Exit, UsageError
from vaultkeeper.retrieval.params import (
    CoverWindowParams,
    DrillDownParams,
    FetchLeavesParams,
    ListSourcesParams,
    SearchEntitiesParams,
    WalkParams,
)

if TYPE_CHECKING:
    from vaultkeeper.retrieval.dispatch import ModeCall, Result

F = TypeVar("F", bound=Callable[..., Any])

why_option = click.option("--why", is_flag=True, help="Say for each hit which signals found it.")
_NAMES = {"kinds": "--kind"}


def mode_options(kind: type, *, skip: tuple[str, ...] = ()) -> Callable[[F], F]:
    """Adds an option for each field of a parameter class but those in `skip`, with the field's own words."""

    def add(function: F) -> F:
        decorated: Any = function
        for one in reversed(fields(kind)):
            if one.name in skip:
                continue
            flag = _NAMES.get(one.name, "--" + one.name.replace("_", "-"))
            meta = one.metadata
            keywords: dict[str, Any] = {"help": meta["doc"]}
            if meta["type"] == "integer":
                keywords |= {"type": click.IntRange(min=meta["least"]), "metavar": "N"}
            elif meta["type"] == "boolean":
                keywords["is_flag"] = True
            else:
                keywords |= {"metavar": "TEXT", "multiple": meta["type"] == "array"}
            if one.name == "source_id":
                keywords["shell_complete"] = complete_source
            decorated = click.option(flag, one.name, **keywords)(decorated)
        return decorated  # type: ignore[no-any-return]

    return add


def _run(
    call: Call,
    mode: str,
    arguments: dict[str, Any],
    options: dict[str, Any],
    ids: tuple[str, ...] = (),
) -> int:
    """Checks the arguments, answers, and prints the answer; what is said of unknown `ids` is for people only."""
    from vaultkeeper.cli.fresh import fresh_keeper
    from vaultkeeper.retrieval.dispatch import read_call

    checked = read_call({"mode": mode, **arguments}, writable=False)
    with fresh_keeper(call, no_sync=options["no_sync"]) as keeper:
        unknown = []
        if ids and not options["as_json"]:
            unknown = keeper.modes.missing(ids, leaves=mode == "fetch_leaves")
        if not ids or len(unknown) < len(set(ids)):
            _print(keeper.modes, checked, options)
    for one in unknown:
        say(f"No {'leaf' if mode == 'fetch_leaves' else 'node'} has the id {one}.")
    return Exit.NOT_FOUND if unknown else Exit.OK


def _print(modes: Any, checked: ModeCall, options: dict[str, Any]) -> None:
    from vaultkeeper.present.jsonform import cited_dict
    from vaultkeeper.present.page import hits_page
    from vaultkeeper.types import QueryResponse

    result: Result = modes.run(checked)
    if not isinstance(result, QueryResponse):
        _print_rows(result, options["as_json"])
        return
    evidence = modes.cite(result)
    if options["as_json"]:
        show_json(cited_dict(result, evidence))
    else:
        show(coloured(hits_page(result, evidence, options.get("why", False))).rstrip("\n"))


def _print_rows(result: Any, as_json: bool) -> None:
    from vaultkeeper.present.jsonform import rows_list

    if as_json:
        show_json(rows_list(result))
        return
    for line in table((f"{row.mention_count:>6}", row.canonical_id, row.surface) for row in result):
        show(line)
    if not result:
        show("Nothing found.")


@click.command(cls=Command)
@click.argument("question", nargs=-1, required=True)
@mode_options(WalkParams, skip=("query",))
@why_option
@json_option
@no_sync_option
@click.pass_obj
def walk(call: Call, /, question: tuple[str, ...], **options: Any) -> None:
    """Walk from the people and things of a question to what mentions them together.

    Where the question names nobody, or they occur nowhere together, what fits its words and meaning is listed instead;
    `route` in the JSON says which way was taken. Words such as `last week` or `in March` limit the time.
    """
    _run(call, "walk", {"query": " ".join(question), **_given(WalkParams, options)}, options)


@click.command(cls=Command)
@click.argument("text")
@mode_options(SearchEntitiesParams, skip=("query",))
@json_option
@no_sync_option
@click.pass_obj
def entities(call: Call, /, text: str, **options: Any) -> None:
    """Find people, places and things by a part of their id, name or spelling.

    The most mentioned come first. Everything that occurs in the notes is looked through, addresses and hashtags too,
    and the registry.
    """
    arguments = {"query": text, **_given(SearchEntitiesParams, options)}
    _run(call, "search_entities", arguments, options)


@click.command(cls=Command)
@mode_options(ListSourcesParams)
@json_option
@no_sync_option
@click.pass_obj
def sources(call: Call, /, user_email_hint: str | None, as_json: bool, no_sync: bool) -> None:
    """List the sources that the vault's memory is made of.

    Each top folder of your own notes is a source, all conversations are one, and so is each ingested document or chat.
    The newest come first.
    """
    from vaultkeeper.cli.fresh import fresh_keeper
    from vaultkeeper.index.dates import rfc3339
    from vaultkeeper.present.jsonform import rows_list

    with fresh_keeper(call, no_sync=no_sync) as keeper:
        found = keeper.modes.list_sources(user_email_hint)
    if as_json:
        show_json(rows_list(found))
        return
    for line in table(
        (
            row.display_name,
            row.source_id,
            row.source_kind,
            f"{row.chunk_count:,} section{'s' * (row.chunk_count != 1)}",
            rfc3339(row.most_recent_ms)[:10],
        )
        for row in found
    ):
        show(line)
    if not found:
        show("Nothing found.")


@click.command(cls=Command)
@time_options
@mode_options(CoverWindowParams, skip=("since_ms", "until_ms"))
@json_option
@no_sync_option
@click.pass_obj
def window(call: Call, /, since: str | None, until: str | None, last: str | None, **options: Any) -> None:
    """Cover a window of time with as few summaries and notes as possible.

    A summary stands for everything below it when it lies wholly inside of the window; what none covers is listed
    itself. Without an end the window ends now.
    """
    from vaultkeeper.cli.fresh import now
    from vaultkeeper.retrieval.timewords import parse_window

    asked = parse_window(since or "", until or "", last or "", now=now(), ends_now=True)
    if asked.since is None or asked.until is None:
        raise UsageError(reason="The window has no beginning: give --since or --last.")
    arguments = {
        "since_ms": round(asked.since.timestamp() * 1000),
        "until_ms": round(asked.until.timestamp() * 1000),
        **_given(CoverWindowParams, options),
    }
    _run(call, "cover_window", arguments, options)


@click.command(cls=Command)
@click.argument("node_id")
@mode_options(DrillDownParams, skip=("node_id",))
@why_option
@json_option
@no_sync_option
@click.pass_obj
def drill(call: Call, /, node_id: str, **options: Any) -> int:
    """Open a summary: show its children, down to the leaves.

    NODE_ID is the id of a summary, as `window` and `walk` print it.
    """
    arguments = {"node_id": node_id, **_given(DrillDownParams, options)}
    return _run(call, "drill_down", arguments, options, (node_id,))


@click.command(cls=Command)
@click.argument("chunk_ids", nargs=-1, required=True)
@json_option
@no_sync_option
@click.pass_obj
def leaves(call: Call, /, chunk_ids: tuple[str, ...], **options: Any) -> int:
    """Read leaves whole, by their ids; the first 20 are read."""
    arguments = _given(FetchLeavesParams, {"chunk_ids": chunk_ids})
    return _run(call, "fetch_leaves", arguments, options, chunk_ids[:20])


@click.command("tree-tool", cls=Command)
@click.argument("arguments", metavar="JSON")
@click.option(
    "--read-only", is_flag=True, help="Leave out ingest_document, as for agents that must not write."
)
@no_sync_option
@click.pass_obj
def tree_tool(call: Call, /, arguments: str, read_only: bool, no_sync: bool) -> None:
    """Call the tool `memory_tree` as an agent does, and print its JSON.

    JSON is an object with a `mode` and the arguments of that mode, such as `{"mode": "walk", "query": "Mara and
    Jonas"}`. docs/schema.md describes them.
    """
    from vaultkeeper.cli.fresh import fresh_keeper
    from vaultkeeper.present.jsonform import response_dict, rows_list
    from vaultkeeper.retrieval.dispatch import read_call
    from vaultkeeper.types import QueryResponse

    try:
        asked = json.loads(arguments)
    except (ValueError, RecursionError) as error:
        raise UsageError(reason=f"That is no JSON: {error}.") from None
    checked = read_call(asked, writable=not read_only)
    with fresh_keeper(call, no_sync=no_sync, writes=checked.mode == "ingest_document") as keeper:
        result = keeper.modes.run(checked, None if read_only else keeper.ingest.as_mode)
    if isinstance(result, QueryResponse):
        show_json(response_dict(result))
    else:
        show_json(result if isinstance(result, str) else rows_list(result))


def _given(kind: type, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a parameter class that were given."""
    return {one.name: options[one.name] for one in fields(kind) if options.get(one.name) not in (None, ())}
