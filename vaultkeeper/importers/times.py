"""Times as they come from outside."""

from __future__ import annotations

from datetime import UTC, datetime

from vaultkeeper.errors import UsageError
from vaultkeeper.memory.nodes import format_ms

_LEAST_MS = 10**11
"""Anything smaller is seconds, which would put a message into 1970. Source: BEHAVIOUR §6.1."""


def parse_timestamp(value: object, now: datetime) -> int:
    """Returns Unix milliseconds of an RFC 3339 text, of milliseconds as a number or digits, or now for None and blank.

    Raises:
        UsageError: it is none of these, or seconds.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return round(now.timestamp() * 1000)
    if isinstance(value, str):
        text = value.strip()
        if not text.lstrip("-").isdigit():
            try:
                moment = datetime.fromisoformat(text)
            except ValueError:
                raise UsageError(reason=f"{text[:60]!r} is no time") from None
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
            return round(moment.timestamp() * 1000)
        value = int(text[:20])
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise UsageError(reason=f"{value!r} is no time")
    if abs(value) < _LEAST_MS:
        raise UsageError(reason=f"{value} is no time in milliseconds; it looks like seconds")
    try:
        format_ms(int(value))
    except (OverflowError, ValueError):
        raise UsageError(reason=f"{value} is no time") from None
    return int(value)
