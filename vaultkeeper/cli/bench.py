"""`vaultkeeper bench`: how fast and how well questions are answered, on the user's own vault."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Group, json_option, no_sync_option
from vaultkeeper.cli.output import show, show_json, table
from vaultkeeper.errors import Exit, UsageError

if TYPE_CHECKING:
    from vaultkeeper.bench import Found, Outcome, Query, Report
    from vaultkeeper.keeper import Keeper

F = TypeVar("F", bound=Callable[..., Any])


@click.group(cls=Group)
def bench() -> None:
    """Measure how fast and how good questions are answered."""


def bench_options(function: F) -> F:
    """Adds what both ways of asking take."""
    for option in (
        no_sync_option,
        json_option,
        click.option(
            "--max-p95",
            type=click.FloatRange(0),
            metavar="MS",
            help="Fail when the 95th percentile is higher.",
        ),
        click.option(
            "--min-recall", type=click.FloatRange(0, 1), metavar="SHARE", help="Fail when recall@k is lower."
        ),
        click.option(
            "--repeat",
            type=click.IntRange(1),
            default=1,
            metavar="N",
            show_default=True,
            help="Ask each question so often.",
        ),
        click.option(
            "-k",
            type=click.IntRange(1, 100),
            default=10,
            metavar="K",
            show_default=True,
            help="How many hits are judged.",
        ),
        click.option("--query", "single", metavar="TEXT", help="Only this question."),
        click.option(
            "--queries",
            type=click.Path(path_type=Path, dir_okay=False, exists=True),
            metavar="FILE",
            help="Questions, one a line, or JSON lines with `query` and `answers`; a few general ones else.",
        ),
    ):
        function = option(function)
    return function


@bench.command()
@bench_options
@click.pass_obj
def walk(call: Call, /, **options: Any) -> int:
    """Walk for each question, and print times, routes, recall@k and MRR.

    Times are of one process with everything loaded. Recall and MRR need answers: paths of notes, `path#heading`, or
    ids of nodes. The exit code is 1 when a question failed or a bound was missed.
    """
    return _bench(call, _walk, options)


@bench.command()
@bench_options
@click.pass_obj
def ask(call: Call, /, **options: Any) -> int:
    """Ask each question, and print times, routes, recall@k and MRR.

    As `bench walk`, for the whole of `vaultkeeper ask`.
    """
    return _bench(call, _ask, options)


def _bench(call: Call, search: Callable[[Keeper, str, int], Found], options: dict[str, Any]) -> int:
    from vaultkeeper.bench import run, summarise
    from vaultkeeper.cli.fresh import fresh_keeper

    asked = _questions(options["queries"], options["single"])
    as_json, k = options["as_json"], options["k"]
    outcomes: list[Outcome] = []
    with fresh_keeper(call, no_sync=options["no_sync"]) as keeper:
        if not as_json:
            show(_header(keeper))
        with contextlib.suppress(Exception):  # loads what is loaded once; what fails here fails below too
            search(keeper, asked[0].text, 1)
        found = run(asked, lambda text, most: search(keeper, text, most), k=k, repeat=options["repeat"])
        for at, outcome in enumerate(found, 1):
            outcomes.append(outcome)
            if not as_json:
                _show_outcome(at, len(asked), outcome)
    report = summarise(outcomes, k)
    missed = _missed(report, options["min_recall"], options["max_p95"])
    if as_json:
        body = {"missed": missed, "outcomes": [_outcome_json(one) for one in outcomes]}
        show_json({**report._asdict(), **body})
    else:
        _show_report(report, missed)
    return Exit.BUG if report.failed or missed else Exit.OK


def _questions(file: Path | None, single: str | None) -> list[Query]:
    from vaultkeeper.bench import BUILT_IN, Query, parse_queries

    if single is not None and file is not None:
        raise UsageError(reason="--query and --queries exclude each other.")
    if single is not None:
        return [Query(single)]
    if file is None:
        return [Query(text) for text in BUILT_IN]
    try:
        return parse_queries(file.read_text("utf-8"))
    except UnicodeDecodeError:
        raise UsageError(reason=f"{file} is not UTF-8.") from None


def _header(keeper: Keeper) -> str:
    status = keeper.status()
    return f"{status.vault}: {status.notes:,} notes, {status.chunks:,} sections, {status.index_bytes / 1e6:.1f} MB"


def _walk(keeper: Keeper, text: str, most: int) -> Found:
    from vaultkeeper.bench import Found
    from vaultkeeper.types import QueryResponse

    found = keeper.modes.memory_tree({"mode": "walk", "query": text, "limit": most})
    assert isinstance(found, QueryResponse), "a walk returns hits"
    return Found(found.hits, found.route)


def _ask(keeper: Keeper, text: str, most: int) -> Found:
    from vaultkeeper.ask.params import AskParams
    from vaultkeeper.bench import Found

    answer = keeper.ask(AskParams(text, limit=most))
    return Found([evidence.hit for evidence in answer.evidence], answer.route)


def _missed(report: Report, min_recall: float | None, max_p95: float | None) -> list[str]:
    missed = []
    if min_recall is not None and (report.recall or 0.0) < min_recall:
        missed.append(f"recall@{report.k} is {report.recall or 0.0:.3f}, below {min_recall:g}")
    if max_p95 is not None and report.p95_ms is not None and report.p95_ms > max_p95:
        missed.append(f"p95 is {report.p95_ms:.1f} ms, above {max_p95:g}")
    return missed


def _outcome_json(outcome: Outcome) -> dict[str, Any]:
    return {
        "query": outcome.query.text,
        "answers": list(outcome.query.answers),
        "elapsed_ms": round(outcome.elapsed_ms, 3),
        "status": outcome.status,
        "route": outcome.route,
        "hits": outcome.hits,
        "recall": outcome.recall,
        "rank": outcome.rank,
        "error": outcome.error,
    }


def _show_outcome(at: int, count: int, outcome: Outcome) -> None:
    show(f"[{at}/{count}] {outcome.query.text}")
    found = (
        f"{outcome.hits} hits"
        if outcome.recall is None
        else f"recall {outcome.recall:.2f}, rank {outcome.rank or '–'}"
    )
    tail = f"{outcome.route}, {found}" if outcome.error is None else outcome.error
    show(f"  -> {outcome.status} in {outcome.elapsed_ms:.1f} ms  {tail}")


def _show_report(report: Report, missed: list[str]) -> None:
    def number(value: float | None, unit: str = "") -> str:
        return "–" if value is None else f"{value:.3f}" if not unit else f"{value:.1f}{unit}"

    show()
    rows = [
        ("queries", f"{report.queries}, {report.failed} failed"),
        ("p50", number(report.p50_ms, " ms")),
        ("p95", number(report.p95_ms, " ms")),
        ("routes", ", ".join(f"{route} {count}" for route, count in report.routes.items()) or "–"),
    ]
    if report.judged:
        rows += [
            (f"recall@{report.k}", f"{number(report.recall)} over {report.judged} with answers"),
            ("MRR", number(report.mrr)),
        ]
    for line in table([*rows, *(("missed", words) for words in missed)]):
        show(line)
