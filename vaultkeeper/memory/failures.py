"""Tools that failed: what a turn says of them, and which failures come back.

Owns what counts as the same failure: the same tool with the same first line of its error, whatever numbers, ids and
temporary files stand in it. A failure without an error text says nothing that could be learnt.

Source: BEHAVIOUR §1.4; that repeated ones are remembered is ours (§5).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

LESSON = "Tools that failed in this turn: "
ERROR_CHARS = 200
MOST_A_SEGMENT = 20

_ERROR_KEYS = ("error", "error_message", "stderr", "message", "output", "result", "content")
_VARYING = re.compile(
    r"\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d)?[\d.,z+:-]*"  # times
    r"|(?:[a-z]:)?[\\/](?:private[\\/])?(?:tmp|var[\\/]folders|temp)[\\/][^\s'\":,)]*"  # temporary files
    r"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)[0-9a-f]{7,64}\b"  # ids
    r"|\d+(?:[.,:]\d+)*"
)


class Failure(NamedTuple):
    """A tool that failed in a turn.

    Attributes:
        failure_id: The same for the same failure, wherever it happens.
        told: Whether MEMORY.md was told of it.
    """

    failure_id: str
    tool: str
    error: str
    seq: int
    told: bool = False


def find_failed(tool_calls: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Returns the tools that failed, in the order of the calls, each with the first line of its first error.

    A tool has failed when its record says `success: false`; one that says no error has an empty one.
    """
    failed: dict[str, str] = {}
    for call in tool_calls:
        if call.get("success") is not False:
            continue
        name = " ".join(str(call.get("name") or "unnamed").split())
        if not failed.get(name):
            failed[name] = _error_line(call)
    return failed


def failed_tool_lesson(tool_calls: Sequence[Mapping[str, Any]]) -> str | None:
    """Returns which tools failed as one line; None when none did."""
    failed = find_failed(tool_calls)
    if not failed:
        return None
    return LESSON + ", ".join(f"{name} ({error})" if error else name for name, error in failed.items())


def _error_line(call: Mapping[str, Any]) -> str:
    for key in _ERROR_KEYS:
        value = call.get(key)
        if isinstance(value, dict):
            value = value.get("message") or value.get("error")
        if isinstance(value, str):
            line = next((" ".join(line.split()) for line in value.splitlines() if line.strip()), "")
            if line:
                return line if len(line) <= ERROR_CHARS else line[: ERROR_CHARS - 1] + "…"
    return ""


def failure_id(tool: str, error: str) -> str:
    """Returns what names a failure: the same whatever numbers, ids, times and temporary files its error holds."""
    same = " ".join(_VARYING.sub("#", error.casefold()).split())
    digest = hashlib.sha256(f"{tool.casefold()}\x1f{same}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"err-{digest[:20]}"


def find_failures(recorded: Sequence[tuple[int, str | None]]) -> tuple[Failure, ...]:
    """Returns the failures in the turns of a segment, each once, where it happened first.

    Args:
        recorded: Number of each turn, and its tool calls as JSON.
    """
    from vaultkeeper.memory.redact import redact

    found: dict[str, Failure] = {}
    for seq, calls_json in recorded:
        for tool, error in find_failed(_calls(calls_json)).items():
            # What was written by hand may hold secrets, and links that would be links of the segment.
            said = redact(error).text.replace("[[", "[ [")
            if not re.search(r"[^\W\d_]{2}", said):
                continue
            name = failure_id(tool, said)
            found.setdefault(name, Failure(name, redact(tool).text.replace("[[", "[ ["), said, seq))
    return tuple(found.values())[:MOST_A_SEGMENT]


def _calls(calls_json: str | None) -> list[Mapping[str, Any]]:
    try:
        calls = json.loads(calls_json) if calls_json and "false" in calls_json else []
    except ValueError:
        return []
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
