"""`vaultkeeper capture`: what an agent and its user said becomes notes.

Runs after every turn of an agent, so it imports next to nothing and touches no index.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.completers import complete_session
from vaultkeeper.cli.lazy import Command, json_option
from vaultkeeper.cli.output import say, show, show_json
from vaultkeeper.errors import UsageError

if TYPE_CHECKING:
    from vaultkeeper.memory.capture import Captured, Exchange

AT_ONCE = 200
"""Exchanges of a stream that are written together."""


@click.command(cls=Command)
@click.option(
    "--session",
    metavar="ID",
    default="",
    shell_complete=complete_session,
    help="The session, for turns that name none; `unknown` otherwise.",
)
@click.option("--user", metavar="TEXT", help="What the user said; nothing is read from stdin then.")
@click.option("--assistant", metavar="TEXT", help="What the agent answered.")
@click.option(
    "--at", metavar="TIME", help="When the user wrote, such as 2026-03-01T09:30:00Z; now otherwise."
)
@json_option
@click.pass_obj
def capture(
    call: Call, session: str, user: str | None, assistant: str | None, at: str | None, as_json: bool
) -> int:
    """Write what was said into the vault.

    Reads one JSON object, or one a line, from stdin: `{"session_id": "…", "user": "…", "assistant": "…", "tool_calls":
    [{"name": "…", "success": false, "error": "…"}], "timestamp": 1767258000}`, or one message as `{"session_id": "…",
    "role": "user", "content": "…"}`. Without a session a turn goes to the session `unknown`. Secrets are taken out
    before anything is written. The rest (segments, recaps, events, the profile) is made by the watcher when it is
    quiet, or at the next sync.
    """
    from vaultkeeper.cli.fresh import now
    from vaultkeeper.keeping.conversations import Conversations

    conversations = Conversations(call.root, call.config.settings, now, call.root)
    if user is not None or assistant is not None:
        from vaultkeeper.memory.capture import parse_exchange

        given: dict[str, Any] = {"user": user, "assistant": assistant, "timestamp": at}
        receipts = [conversations.capture(parse_exchange(given, session))]
        _report(call, receipts, as_json)
        return 0
    if sys.stdin.isatty():
        raise UsageError(reason="There is nothing to capture: give --user, or JSON on stdin.")
    done = 0
    batch: list[Exchange] = []
    for exchange in _exchanges(session, at):
        batch.append(exchange)
        if len(batch) >= AT_ONCE:
            _report(call, conversations.capture_all(batch), as_json)
            done += len(batch)
            batch = []
    if batch:
        alone = done == 0 and len(batch) == 1
        _report(
            call, [conversations.capture(batch[0])] if alone else conversations.capture_all(batch), as_json
        )
    elif not done:
        raise UsageError(reason="There is nothing to capture: stdin is empty.")
    return 0


def _exchanges(session: str, at: str | None) -> Iterator[Exchange]:
    """Reads stdin: one JSON value, or one a line."""
    import json

    from vaultkeeper.memory.capture import parse_exchange

    def read(text: str, line: int) -> Iterator[Exchange]:
        try:
            value = json.loads(text)
        except ValueError as error:
            raise UsageError(reason=f"Line {line} of stdin is no JSON ({error}).") from None
        for one in value if isinstance(value, list) else [value]:
            if (
                isinstance(one, dict)
                and at is not None
                and "timestamp" not in one
                and "timestamp_ms" not in one
            ):
                one = {**one, "timestamp": at}
            try:
                yield parse_exchange(one, session)
            except UsageError as error:
                raise UsageError(reason=f"Line {line} of stdin: {error}") from None

    stream = sys.stdin.buffer
    first = stream.readline()
    while first and not first.strip():
        first = stream.readline()
    text = first.decode("utf-8", "replace").lstrip("\ufeff")
    try:
        json.loads(text) if text.strip() else None
    except ValueError:  # one value over several lines
        yield from read(text + stream.read().decode("utf-8", "replace"), 1)
        return
    if text.strip():
        yield from read(text, 1)
    for number, line in enumerate(stream, 2):
        if line.strip():
            yield from read(line.decode("utf-8", "replace"), number)


def _report(call: Call, receipts: list[Captured], as_json: bool) -> None:
    for receipt in receipts:
        for warning in receipt.warnings:
            say(f"warning: {warning}")
        if receipt.redacted and not call.quiet:
            classes = ", ".join(f"{number} {name}" for name, number in sorted(receipt.redacted.items()))
            say(f"Redacted: {classes}.")
        if not receipt.turns and not receipt.warnings and not call.quiet:
            say("Nothing was written: capturing is switched off (learning.episodic_capture_enabled).")
        if as_json:
            show_json(receipt_json(receipt))
        else:
            for turn in receipt.turns:
                show(turn.path)


def receipt_json(receipt: Captured) -> dict[str, Any]:
    """What was written, as JSON."""
    return {
        "session_id": receipt.session_id,
        "turns": [{"path": t.path, "sha256": t.sha256, "bytes": t.bytes} for t in receipt.turns],
        "redacted": receipt.redacted,
        "warnings": list(receipt.warnings),
    }
