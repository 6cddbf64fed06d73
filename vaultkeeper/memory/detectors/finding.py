"""What a detector found."""

from __future__ import annotations

from typing import NamedTuple

SECRET = "[REDACTED_SECRET]"
"""Replaces what is secret by its shape: keys, tokens, key blocks."""
NAMED = "[REDACTED]"
"""Replaces what is secret by the name beside it: passwords, assigned keys."""


class Finding(NamedTuple):
    """A secret in a text.

    Attributes:
        start, end: character offsets.
        kind: the class, such as `github_token`, as it is counted and reported.
        replacement: what stands in its place afterwards.
    """

    start: int
    end: int
    kind: str
    replacement: str
