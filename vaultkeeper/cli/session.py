"""`vaultkeeper session` and `vaultkeeper recall`: the conversations in the vault."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.completers import complete_session
from vaultkeeper.cli.lazy import Command, Group, json_option
from vaultkeeper.cli.output import say, show, show_json, table

if TYPE_CHECKING:
    from vaultkeeper.keeping.conversations import SessionInfo, SessionView


@click.command(cls=Command)
@click.argument("query", nargs=-1)
@click.option(
    "--session",
    metavar="ID",
    default="",
    shell_complete=complete_session,
    help="The session that asks; it is left out.",
)
@click.option("--no-sync", is_flag=True, help="Recall from the index as it is, without looking for changes.")
@json_option
@click.pass_obj
def recall(call: Call, query: tuple[str, ...], session: str, no_sync: bool, as_json: bool) -> None:
    """Print what other conversations said lately, as a block for the start of a new one.

    QUERY is what the new conversation begins with; without it the newest recaps and turns are recalled. Recaps are
    found by meaning and turns by words, of the last fourteen days, newest first, about 1,500 tokens at most.
    """
    from vaultkeeper.cli.fresh import fresh_keeper, now
    from vaultkeeper.memory.episodes import session_dir
    from vaultkeeper.retrieval.recall import RecallParams, render_recall

    params = RecallParams(" ".join(query), session_dir(session) if session else "")
    with fresh_keeper(call, no_sync=no_sync) as keeper:
        found = keeper.conversations.recall(params)
    block = render_recall(found, now())
    if as_json:
        show_json(
            {"items": [asdict(item) for item in found.items], "notes": list(found.notes), "block": block}
        )
    elif block:
        show(block)
    elif not call.quiet:
        say("Nothing of the last fourteen days fits.")


@click.group(cls=Group)
def session() -> None:
    """List, show, recap and end conversations."""


@session.command("list")
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="How many at most."
)
@json_option
@click.pass_obj
def list_sessions(call: Call, limit: int, as_json: bool) -> None:
    """List the sessions, the one that was last spoken in first."""
    from vaultkeeper.cli.fresh import open_keeper

    found = open_keeper(call).conversations.sessions()
    if as_json:
        show_json([info_json(info) for info in found[:limit]])
        return
    for line in table(
        (info.session_id, _time(info.last_ms), _count(info.turns, "turn"), _segments(info))
        for info in found[:limit]
    ):
        show(line)
    if not call.quiet and len(found) != min(len(found), limit):
        say(f"{len(found) - limit} more; --limit shows them.")
    if not found and not call.quiet:
        say("There is no session; `vaultkeeper capture` writes the first one.")


@session.command("show")
@click.argument("session_id", metavar="ID", shell_complete=complete_session)
@json_option
@click.pass_obj
def show_session(call: Call, session_id: str, as_json: bool) -> None:
    """Show the segments of a session, with their recaps and events, and what is still open."""
    from vaultkeeper.cli.fresh import open_keeper

    view = open_keeper(call).conversations.session(session_id)
    if as_json:
        show_json(view_json(view))
        return
    info = view.info
    show(f"{info.session_id}: {_count(info.turns, 'turn')}, {_time(info.first_ms)} to {_time(info.last_ms)}")
    for segment in view.segments:
        show()
        show(
            f"turns {segment.start_seq}–{segment.end_seq} ({segment.reason}, {segment.recap_by})  {segment.path}"
        )
        for line in segment.recap.split("\n"):
            show(f"  {line}")
        for event in segment.events:
            show(f"  * {event.kind}{' (no longer)' if event.negated else ''}: {event.quote}")
        for failure in segment.failures:
            show(f"  * failure: {failure.tool}: {failure.error}")
        for remark in segment.remarks:
            show(f"  * remark: {remark.text}")
    if view.open_turns:
        show()
        show(f"turns {view.open_turns[0].seq}–{view.open_turns[-1].seq} are open")


@session.command("end")
@click.argument("session_id", metavar="ID", shell_complete=complete_session)
@json_option
@click.pass_obj
def end_session(call: Call, session_id: str, as_json: bool) -> None:
    """Close what is open of a session, as at its end; doing it again changes nothing."""
    from vaultkeeper.cli.fresh import open_keeper, take_in
    from vaultkeeper.cli.tend import tended_json, written

    keeper = open_keeper(call)
    try:
        done = keeper.conversations.end_session(session_id)
        take_in(call, keeper, written(done))
    finally:
        keeper.close()
    if as_json:
        show_json(tended_json(done))
    elif done.closed:
        for closed in done.closed:
            show(closed.path)
    elif not call.quiet:
        say("Nothing was open.")


@session.command("recap")
@click.argument("session_id", metavar="ID")
@json_option
@click.pass_obj
def recap_session(call: Call, session_id: str, as_json: bool) -> None:
    """Print a recap of what is open of a session, to shorten the running conversation with. Nothing is written."""
    from vaultkeeper.cli.fresh import open_keeper

    recap = open_keeper(call).conversations.rolling_recap(session_id)
    if as_json:
        show_json({"session_id": session_id, "recap": recap})
    elif recap:
        show(recap)
    elif not call.quiet:
        say("Nothing is open that says anything.")


def info_json(info: SessionInfo) -> dict[str, Any]:
    """A session at a glance, as JSON."""
    return {
        "session_id": info.session_id,
        "folder": f"episodic/{info.folder}",
        "turns": info.turns,
        "segments": info.segments,
        "open_turns": info.open_turns,
        "first_at": _time(info.first_ms),
        "last_at": _time(info.last_ms),
    }


def view_json(view: SessionView) -> dict[str, Any]:
    """A session with its segments, as JSON."""
    return {
        **info_json(view.info),
        "closed": [
            {
                "id": s.segment_id,
                "path": s.path,
                "start_seq": s.start_seq,
                "end_seq": s.end_seq,
                "turn_count": s.turn_count,
                "time_range_start": _time(s.start_ms),
                "time_range_end": _time(s.end_ms),
                "reason": s.reason,
                "recap": s.recap,
                "recap_by": s.recap_by,
                "events": [event._asdict() for event in s.events],
                "failures": [failure._asdict() for failure in s.failures],
                "remarks": [remark._asdict() for remark in s.remarks],
            }
            for s in view.segments
        ],
        "open": [{"seq": t.seq, "role": t.role, "content": t.content} for t in view.open_turns],
    }


def _segments(info: SessionInfo) -> str:
    return _count(info.segments, "segment") + (f", {info.open_turns} open" if info.open_turns else "")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _time(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if ms else ""
