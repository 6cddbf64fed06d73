"""What `ask` and `search` share: their options, the way through a running watcher, and the answer to its clients."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import json_option
from vaultkeeper.cli.times import time_options

if TYPE_CHECKING:
    from vaultkeeper.ask.corpus import AskParams, SearchParams

F = TypeVar("F", bound=Callable[..., Any])


def query_options(function: F) -> F:
    """Adds what narrows and shapes a list of hits."""
    many: dict[str, Any] = {"multiple": True}
    for option in (
        click.option(
            "--no-sync", is_flag=True, help="Answer from the index as it is, without looking for changes."
        ),
        json_option,
        click.option("--why", is_flag=True, help="Say for each hit which signals found it."),
        click.option(
            "--source", "sources", metavar="SCOPE", help="Only this source, such as notes:Projects.", **many
        ),
        click.option("--folder", metavar="PATH", default="", help="Only notes below this folder."),
        click.option(
            "--tag", "tags", metavar="TAG", help="Only notes with this tag, or one below it.", **many
        ),
        click.option(
            "--kind", "kinds", metavar="KIND", help="Only notes of this kind, such as turn or entity.", **many
        ),
        time_options,
        click.option(
            "--limit", type=int, metavar="N", help="How many hits at most; the setting `limit` else."
        ),
    ):
        function = option(function)
    return function


def query_params(
    call: Call, words: tuple[str, ...], options: dict[str, Any], *, sentences: int | None = None
) -> dict[str, Any]:
    """Returns the parameters of a query as JSON, as they go to a watcher."""
    from vaultkeeper.cli.fresh import now
    from vaultkeeper.cli.times import parse_window

    window = parse_window(options["since"], options["until"], options["last"], now())
    limit = options["limit"]
    params: dict[str, Any] = {
        "query": " ".join(words),
        "limit": call.config.settings.limit if limit is None else limit,
        "since": window.since.isoformat() if window.since else None,
        "until": window.until.isoformat() if window.until else None,
        "sources": list(options["sources"]),
        "kinds": list(options["kinds"]),
        "tags": list(options["tags"]),
        "folder": options["folder"],
    }
    if sentences is not None:
        params["sentences"] = sentences
    return params


def read_params(verb: str, params: dict[str, Any]) -> SearchParams | AskParams:
    """Builds the parameters of a query from JSON.

    Raises:
        UsageError: they make no sense.
    """
    from datetime import datetime

    from vaultkeeper.ask.corpus import AskParams, SearchParams
    from vaultkeeper.errors import UsageError
    from vaultkeeper.types import TimeWindow

    known = dict(params)
    for presentation in ("text", "why", "colour"):
        known.pop(presentation, None)
    since, until = known.pop("since", None), known.pop("until", None)
    try:
        known["window"] = TimeWindow(
            datetime.fromisoformat(since) if since else None, datetime.fromisoformat(until) if until else None
        )
        for name in ("sources", "kinds", "tags"):
            if name in known:
                known[name] = tuple(known[name])
        return AskParams(**known) if verb == "ask" else SearchParams(**known)
    except (TypeError, ValueError) as error:
        raise UsageError(reason=f"The parameters of {verb} make no sense: {error}.") from None
