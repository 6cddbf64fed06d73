"""`vaultkeeper ask` and `vaultkeeper search`: from words to an answer, through a running watcher where there is one.

A query travels as JSON, `respond` answers it with JSON, in the watcher's process or in this one. With `page` among the
parameters the answer is text in pieces, which the caller colours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.completers import complete_folder, complete_kind, complete_source, complete_tag
from vaultkeeper.cli.lazy import Command, json_option
from vaultkeeper.cli.output import harmless, say, show, show_json

if TYPE_CHECKING:
    from vaultkeeper.ask.params import AskParams, SearchParams
    from vaultkeeper.keeper import Keeper


F = TypeVar("F", bound=Callable[..., Any])


def time_options(function: F) -> F:
    """Adds `--since`, `--until` and `--last`; `timewords.parse_window` reads them."""
    for option in (
        click.option("--last", metavar="SPAN", help="Only the last 12h, 7d, 2w, 6m or 1y."),
        click.option("--until", metavar="DATE", help="Only what was before the end of a day, month or year."),
        click.option(
            "--since",
            metavar="DATE",
            help="Only what was since a time: 2026-03-01, 2026-03, yesterday, last week, march.",
        ),
    ):
        function = option(function)
    return function


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
            "--source",
            "sources",
            metavar="SCOPE",
            shell_complete=complete_source,
            help="Only this source, such as notes:Projects.",
            **many,
        ),
        click.option(
            "--folder",
            metavar="PATH",
            default="",
            shell_complete=complete_folder,
            help="Only notes below this folder.",
        ),
        click.option(
            "--tag",
            "tags",
            metavar="TAG",
            shell_complete=complete_tag,
            help="Only notes with this tag, or one below it.",
            **many,
        ),
        click.option(
            "--kind",
            "kinds",
            metavar="KIND",
            shell_complete=complete_kind,
            help="Only notes of this kind, such as turn or entity.",
            **many,
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
    limit = options["limit"]
    params: dict[str, Any] = {
        "query": " ".join(words),
        "limit": call.config.settings.limit if limit is None else limit,
        **_window(options),
        "sources": list(options["sources"]),
        "kinds": list(options["kinds"]),
        "tags": list(options["tags"]),
        "folder": options["folder"],
    }
    if sentences is not None:
        params["sentences"] = sentences
    return params


def _window(options: dict[str, Any]) -> dict[str, str | None]:
    """The two ends of the time that is asked for; a question without one does not pay for reading it."""
    if not any(options[name] for name in ("since", "until", "last")):
        return {"since": None, "until": None}
    from vaultkeeper.cli.fresh import now
    from vaultkeeper.retrieval.timewords import parse_window

    window = parse_window(options["since"] or "", options["until"] or "", options["last"] or "", now=now())
    return {
        "since": window.since.isoformat() if window.since else None,
        "until": window.until.isoformat() if window.until else None,
    }


STYLES: dict[str, dict[str, Any]] = {
    "quote": {"bold": True},
    "number": {"fg": "cyan"},
    "link": {"fg": "blue"},
    "dim": {"dim": True},
    "match": {"bold": True, "fg": "green"},
    "warn": {"fg": "yellow"},
}


def run_query(call: Call, verb: str, params: dict[str, Any], options: dict[str, Any]) -> None:
    """Answers a query and prints the answer: through a running watcher, else from the index after a quiet sync."""
    from vaultkeeper.cli.fresh import ask_watcher, fresh_keeper

    if not options["as_json"]:
        params = {**params, "page": True, "why": options["why"]}
    # A watcher answers with its own settings; only the limit travels with the question.
    answer = ask_watcher(call, verb, params) if call.overrides.keys() <= {"limit"} else None
    if answer is not None and answer.get("stale"):
        say(f"{answer['stale']} The index is not up to date.")
    if answer is None:
        read_params(verb, params)  # before a sync that may take long
        with fresh_keeper(call, no_sync=options["no_sync"]) as keeper:
            answer = respond(keeper, verb, params)
    if options["as_json"]:
        show_json(answer)
    else:
        show(coloured(answer["page"]).rstrip("\n"))


def coloured(page: Iterable[Sequence[str]]) -> str:
    """Returns pieces of text, each with the name of its style, as one text for the terminal."""
    return "".join(_coloured(text, style) for text, style in page)


def _coloured(text: str, style: str) -> str:
    """Colours a piece, but not the line ends at its end, so that what follows is not coloured too."""
    text = harmless(text)
    bare = text.rstrip("\n")
    return click.style(bare, **STYLES[style]) + text[len(bare) :] if style and bare else text


def respond(keeper: Keeper, verb: str, params: dict[str, Any]) -> dict[str, Any]:
    """Answers `ask`, `search` or `status` with JSON.

    Raises:
        UsageError: the parameters make no sense.
        NoIndexError: there is no index.
    """
    with keeper.snapshot():
        return _respond(keeper, verb, params)


def _respond(keeper: Keeper, verb: str, params: dict[str, Any]) -> dict[str, Any]:
    if verb == "status":
        from vaultkeeper.cli.status import status_json

        return status_json(keeper.status())
    from vaultkeeper.ask.params import AskParams
    from vaultkeeper.present.jsonform import answer_dict
    from vaultkeeper.present.page import answer_page, search_page

    asked = read_params(verb, params)
    answer = keeper.ask(asked) if isinstance(asked, AskParams) else keeper.search(asked)
    if not params.get("page"):
        return answer_dict(answer)
    why = bool(params.get("why"))
    page = answer_page(answer, why) if verb == "ask" else search_page(answer, why)
    stale = str(keeper.stale) if keeper.stale else ""
    return {"page": [list(piece) for piece in page], "stale": stale}


def read_params(verb: str, params: dict[str, Any]) -> SearchParams | AskParams:
    """Builds the parameters of a query from JSON.

    Raises:
        UsageError: they make no sense.
    """
    from datetime import datetime

    from vaultkeeper.ask.params import AskParams, SearchParams
    from vaultkeeper.errors import UsageError
    from vaultkeeper.types import TimeWindow

    known = dict(params)
    for presentation in ("page", "why"):
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
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(reason=f"The parameters of {verb} make no sense: {error}.") from None


@click.command(cls=Command)
@click.argument("question", nargs=-1, required=True)
@click.option(
    "--sentences", type=int, default=3, metavar="N", show_default=True, help="How many sentences are quoted."
)
@query_options
@click.pass_obj
def ask(call: Call, /, question: tuple[str, ...], sentences: int, **options: Any) -> None:
    """Answer a question from the vault, with citations.

    The best sentences are quoted as they stand in the notes, followed by the numbered evidence: the note and
    heading, its date, and a link that opens it in Obsidian. No language model is used. The index is brought up to
    date first, unless a watcher keeps it so.
    """
    run_query(call, "ask", query_params(call, question, options, sentences=sentences), options)


@click.command(cls=Command)
@click.argument("words", nargs=-1, required=True)
@query_options
@click.pass_obj
def search(call: Call, /, words: tuple[str, ...], **options: Any) -> None:
    """List the notes and sections that fit some words.

    Words, names and meaning count; no word has to occur. Quoted words are looked for as a phrase, and a `*` at the
    end of a word stands for any ending.
    """
    run_query(call, "search", query_params(call, words, options), options)
