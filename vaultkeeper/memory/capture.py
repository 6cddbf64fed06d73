"""Capture: an exchange with an agent becomes two turns of its session.

Owns the order of what happens after a turn. Nothing but the user's message may fail; whatever comes after it is done
as well as it can be, and the receipt says what was not. Secrets are taken out before anything touches the disk. What
is made of the turns (segments, recaps, events) is the archivist's, at its own time.

Source: BEHAVIOUR §1.1.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from vaultkeeper.errors import RefusedError, UsageError, VaultkeeperError
from vaultkeeper.memory.episodes import UNKNOWN_SESSION, Turn, append_turns, storable
from vaultkeeper.memory.failures import failed_tool_lesson
from vaultkeeper.memory.redact import looks_like_secret, redact, redact_json
from vaultkeeper.vault.write import Receipt

REPLY_AFTER_MS = 1
"""The answer is dated so much later than the question. Source: BEHAVIOUR §1.1 (0.001 s)."""

MOST_ID_CHARS = 500
MOST_ROLE_CHARS = 40

Step = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Exchange:
    """What happened in one turn of an agent.

    Attributes:
        user: The user's message; None when there was none.
        assistant: The answer; None when there was none.
        tool_calls: Records of tool calls, as the client made them.
        session_id: Empty means `unknown`.
        at_ms: When the user wrote, Unix milliseconds; None means now.
        role: Of a message that is neither the user's nor the assistant's; it stands in `user`.
    """

    user: str | None
    assistant: str | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    session_id: str = ""
    at_ms: int | None = None
    cost_microdollars: int = 0
    role: str = "user"


@dataclass(frozen=True, slots=True)
class Captured:
    """What was written of an exchange.

    Attributes:
        redacted: Secrets that were taken out, by class.
        warnings: What could not be done after the user's message was safe.
    """

    session_id: str
    turns: tuple[Receipt, ...] = ()
    redacted: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def capture(root: Path, exchange: Exchange, *, now: datetime, step: Step = lambda _name: None) -> Captured:
    """Writes an exchange: first the user's message, then, as well as it can be done, the answer.

    Raises:
        RefusedError: the session's id or the role looks like a secret.
        StorageError: the user's message could not be written.
    """
    turns, removed = _turns_of(exchange, now)
    session_id = turns[0].session_id if turns else exchange.session_id or UNKNOWN_SESSION
    written: list[Receipt] = []
    warnings: list[str] = []
    for at, turn in enumerate(turns):
        try:
            written += [receipt for _, receipt in append_turns(root, session_id, [turn], step=step)]
        except VaultkeeperError as error:
            if at == 0:
                raise
            warnings.append(f"The {turn.role}'s message was not written: {error}")
    return Captured(session_id, tuple(written), dict(removed), tuple(warnings))


def capture_all(root: Path, exchanges: Sequence[Exchange], *, now: datetime) -> list[Captured]:
    """Writes many exchanges for much less than one by one; those of a session in their order.

    Returns:
        One receipt an exchange, in the order given.

    Raises:
        RefusedError: an id or a role looks like a secret; nothing is written.
        StorageError: the disk refused; what was written before stays.
    """
    made = [_turns_of(exchange, now) for exchange in exchanges]
    by_session: dict[str, list[tuple[int, Turn]]] = {}
    for at, (turns, _) in enumerate(made):
        for turn in turns:
            by_session.setdefault(turn.session_id, []).append((at, turn))
    receipts: dict[int, list[Receipt]] = {}
    for session_id, marked in by_session.items():
        written = append_turns(root, session_id, [turn for _, turn in marked])
        for (at, _), (_, receipt) in zip(marked, written, strict=True):
            receipts.setdefault(at, []).append(receipt)
    return [
        Captured(exchange.session_id or UNKNOWN_SESSION, tuple(receipts.get(at, ())), dict(made[at][1]))
        for at, exchange in enumerate(exchanges)
    ]


def _turns_of(exchange: Exchange, now: datetime) -> tuple[list[Turn], Counter[str]]:
    """The turns of an exchange without secrets; their numbers come when they are written."""
    session_id = storable(exchange.session_id.strip() or UNKNOWN_SESSION)
    if _is_secret(session_id) or _is_secret(exchange.role):
        raise RefusedError(path="the turn", reason="its session id or role cannot contain secrets")
    at_ms = exchange.at_ms if exchange.at_ms is not None else _unix_ms(now)
    removed: Counter[str] = Counter()

    def clean(text: str) -> str:
        redaction = redact(storable(text))
        removed.update(redaction.removed)
        return redaction.text

    calls_json = lesson = None
    if exchange.tool_calls:
        calls, found = redact_json([dict(call) for call in exchange.tool_calls])
        removed.update(found)
        calls_json = storable(json.dumps(calls, ensure_ascii=False, default=str))
        lesson = failed_tool_lesson(calls)
        lesson = clean(lesson) if lesson else None
    answered = exchange.assistant is not None or calls_json is not None
    turns = []
    if exchange.user is not None:
        own = {} if answered or calls_json is None else {"lesson": lesson, "tool_calls_json": calls_json}
        cost = 0 if answered else exchange.cost_microdollars
        turns.append(Turn(session_id, 0, at_ms, exchange.role, clean(exchange.user), cost, **own))
    if answered:
        late = REPLY_AFTER_MS if turns else 0
        content = clean(exchange.assistant or "")
        turns.append(
            Turn(
                session_id,
                0,
                at_ms + late,
                "assistant",
                content,
                exchange.cost_microdollars,
                lesson,
                calls_json,
            )
        )
    return turns, removed


_is_secret = lru_cache(maxsize=256)(looks_like_secret)


def _unix_ms(moment: datetime) -> int:
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000


_NAMES = {
    "user": ("user", "user_message", "prompt", "question"),
    "assistant": ("assistant", "assistant_response", "assistant_message", "response", "answer"),
    "session_id": ("session_id", "session", "thread_id", "conversation_id"),
    "tool_calls": ("tool_calls", "tools"),
}


def parse_exchange(value: object, session_id: str = "") -> Exchange:
    """Reads an exchange from JSON: `user` and `assistant`, or one message with `role` and `content`.

    Args:
        session_id: Of an exchange that names none.

    Raises:
        UsageError: it has neither, or a value of the wrong kind; the message names it.
    """
    if not isinstance(value, dict):
        raise UsageError(reason='A turn is a JSON object, such as {"user": "…", "assistant": "…"}.')
    session = _field(value, "session_id") or session_id
    calls = _tool_calls(value)
    at_ms = _when(value)
    cost = value.get("cost_microdollars", 0)
    if isinstance(cost, bool) or not isinstance(cost, int):
        raise UsageError(reason="`cost_microdollars` must be a whole number.")
    if "content" in value or "role" in value:
        role, content = value.get("role"), value.get("content")
        if (
            not isinstance(role, str)
            or not role.strip()
            or len(role) > MOST_ROLE_CHARS
            or not isinstance(content, str)
        ):
            raise UsageError(reason="A message needs a `role` and a `content`, both texts.")
        if role == "assistant":
            return Exchange(None, content, calls, session, at_ms, cost)
        return Exchange(content, None, calls, session, at_ms, cost, role.strip())
    user, assistant = _field(value, "user"), _field(value, "assistant")
    if user is None and assistant is None:
        raise UsageError(reason="A turn needs `user` or `assistant`, or a `role` with its `content`.")
    return Exchange(user, assistant, calls, session, at_ms, cost)


def _field(value: dict[str, Any], name: str) -> str | None:
    for key in _NAMES[name]:
        found = value.get(key)
        if found is None:
            continue
        if name == "session_id" and isinstance(found, int) and not isinstance(found, bool):
            found = str(found)
        if not isinstance(found, str):
            raise UsageError(reason=f"`{key}` must be a text.")
        if name == "session_id" and len(found) > MOST_ID_CHARS:
            raise UsageError(reason=f"`{key}` is longer than {MOST_ID_CHARS} characters.")
        return found
    return None


def _tool_calls(value: dict[str, Any]) -> tuple[Mapping[str, Any], ...]:
    for key in _NAMES["tool_calls"]:
        found = value.get(key)
        if found is None:
            continue
        if not isinstance(found, list) or not all(isinstance(call, dict) for call in found):
            raise UsageError(reason=f"`{key}` must be a list of objects.")
        return tuple(found)
    return ()


def _when(value: dict[str, Any]) -> int | None:
    """`timestamp_ms`, or `timestamp` in seconds or RFC 3339."""
    found = value.get("timestamp_ms")
    if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 10**14:
        return found
    if found is not None:
        raise UsageError(reason="`timestamp_ms` must be a number of milliseconds since 1970.")
    found = value.get("timestamp")
    if found is None:
        return None
    if isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found < 10**11:
        return round(found * 1_000_000) // 1000
    if isinstance(found, str):
        try:
            moment = datetime.fromisoformat(found)
            return _unix_ms(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
        except ValueError:
            pass
    raise UsageError(reason="`timestamp` must be seconds since 1970, or a time such as 2026-03-01T09:30:00Z.")
