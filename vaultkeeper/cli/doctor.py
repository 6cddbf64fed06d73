"""`vaultkeeper doctor`: what is wrong in the notes and around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.completers import complete_code
from vaultkeeper.cli.lazy import Command, json_option, no_sync_option
from vaultkeeper.cli.output import say, show, show_json
from vaultkeeper.errors import Exit, UsageError

if TYPE_CHECKING:
    from vaultkeeper.retrieval.health import Group, Health

SHOWN = 5
"""Problems of one code that are listed without --all."""


LABELS = {
    "storage": "index",
    "embeddings": "meaning",
    "scheduler_gate": "watcher",
    "queue": "waiting",
    "extraction": "people, things",
    "summary_tree": "summaries",
}
"""What the stages of the JSON are called for people."""


@click.command(cls=Command)
@click.option(
    "--all", "show_all", is_flag=True, help="List every problem, not only the first few of each kind."
)
@click.option(
    "--code",
    "codes",
    multiple=True,
    metavar="CODE",
    shell_complete=complete_code,
    help="Only problems of this code, such as link-dead.",
)
@json_option
@no_sync_option
@click.pass_obj
def doctor(call: Call, show_all: bool, codes: tuple[str, ...], as_json: bool, no_sync: bool) -> int:
    """Look for what is wrong, in the notes and around them.

    Looks at each stage from storage to summaries, at the problems that were found in notes, at copies that sync
    services left, at dead and ambiguous links, duplicate ids, clocks, and the limits of the system. Nothing is
    changed. The exit code is 8 when anything was found.
    """
    from vaultkeeper.cli.fresh import fresh_keeper, surroundings

    _check_codes(codes)

    with fresh_keeper(call, no_sync=no_sync, makeshift=False) as keeper:
        health = keeper.doctor(surroundings(call))
    groups = [group for group in health.groups if not codes or group.code in codes]
    if as_json:
        show_json(health_json(health, groups))
    else:
        _show(call, health, groups, show_all)
    found = sum(len(group.problems) for group in groups) + sum(not stage.ok for stage in health.stages)
    return Exit.PROBLEMS if found else Exit.OK


def _check_codes(codes: tuple[str, ...]) -> None:
    """Raises UsageError for a code that no problem can have; it names those that are spelt alike."""
    import difflib

    from vaultkeeper.vault.problems import CODES

    for code in codes:
        if code not in CODES:
            near = difflib.get_close_matches(code, CODES, n=3, cutoff=0.5)
            near = near or [known for known in CODES if code in known.split("-")][:3]
            reason = f"No problem has the code {code!r}"
            raise UsageError(
                reason=f"{reason}; did you mean {' or '.join(near)}?"
                if near
                else f"{reason}; the codes are {', '.join(CODES)}."
            )


def health_json(health: Health, groups: list[Group]) -> dict[str, object]:
    """Returns the report as JSON. Source: BEHAVIOUR §12.4; `problems` is ours."""
    stages: list[dict[str, object]] = []
    for stage in health.stages:
        row: dict[str, object] = {"stage": stage.stage, "ok": stage.ok, "note": stage.note}
        if stage.failure is not None:
            row["failure"] = stage.failure
        stages.append(row)
    return {
        "healthy": health.healthy,
        "stages": stages,
        "first_blocking_cause": health.first_blocking_cause,
        "degraded": health.degraded,
        "counters": health.counters,
        "problems": [
            {
                "code": group.code,
                "count": len(group.problems),
                "places": [{"path": p.path, "line": p.line, "message": p.message} for p in group.problems],
            }
            for group in groups
        ],
    }


def _show(call: Call, health: Health, groups: list[Group], show_all: bool) -> None:
    from vaultkeeper.vault.problems import CODES

    for stage in health.stages:
        mark = click.style("ok  ", fg="green") if stage.ok else click.style("FAIL", fg="red", bold=True)
        show(f"{mark}  {LABELS[stage.stage]:<14}  {stage.note}")
    for group in groups:
        show()
        show(
            f"{click.style(group.code, bold=True)} ({len(group.problems)}): {CODES.get(group.code, '')}".rstrip(
                ": "
            )
        )
        listed = group.problems if show_all else group.problems[:SHOWN]
        for problem in listed:
            place = f"{problem.path}:{problem.line}" if problem.line else problem.path
            show(f"  {place}  {problem.message}".rstrip() if place else f"  {problem.message}")
        if len(listed) < len(group.problems):
            show(f"  … and {len(group.problems) - len(listed)} more")
    if not call.quiet:
        found = sum(len(group.problems) for group in groups)
        if not found:
            say("No problems.")
            return
        kinds = f"{found:,} problem{'s' * (found != 1)} of {len(groups)} kind{'s' * (len(groups) != 1)}."
        say(f"\n{kinds}{' All else works.' if health.healthy else ''}")
        if not show_all and any(len(group.problems) > SHOWN for group in groups):
            say("--all lists every one, --code CODE those of one kind.")
