"""What is worth a line in MEMORY.md.

Owns the rule, which `docs/archivist.md` tells the user: what a person has pinned, what was said often enough and in
more than one conversation, and tools that failed in the same way in more than one; one line each, a few at a time.
What a person deletes from MEMORY.md stays deleted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from vaultkeeper.memory.facets import Facet
from vaultkeeper.memory.failures import Failure
from vaultkeeper.memory.profile import Profile

CONFIRMED = 3
"""Times that something must have been said."""

SESSIONS = 2
"""Conversations that it must have been said in, or a tool have failed in."""

CONFIDENCE = 0.6
MOST_AT_ONCE = 3
MOST_CHARS = 240

CATEGORIES = {"preference": "preference", "workflow": "pattern"}
"""Type of a facet → category of its entry; the others are facts."""

Promote = Callable[[str, str], bool | None]
"""Appends an entry of a category to MEMORY.md; None when it says so already, False when it could not be written and
should be tried again."""


class Entry(NamedTuple):
    """A line for MEMORY.md, and the facet that it tells."""

    category: str
    text: str
    facet: str


def find_entries(profile: Profile, confirmed_only: bool = True) -> list[Entry]:
    """Returns what should be promoted now: what is pinned first, then what was said first.

    Args:
        confirmed_only: Whether it must have been said again and again.
    """
    worthy = [facet for facet in profile.facets.values() if _is_worthy(profile, facet, confirmed_only)]
    worthy.sort(key=lambda facet: (facet.state != "pinned", facet.first_ms, facet.name))
    return [
        Entry(CATEGORIES.get(facet.type, "fact"), _text(profile, facet), facet.name)
        for facet in worthy[:MOST_AT_ONCE]
    ]


def is_repeated(sessions: int, confirmed_only: bool = True) -> bool:
    """Whether a failure that happened in so many conversations is a mistake to be remembered."""
    return sessions >= (SESSIONS if confirmed_only else 1)


def mistake_text(failure: Failure) -> str:
    """Returns the line that tells of a failure."""
    return _cut(f"{failure.tool} failed in several conversations: {failure.error}")


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MOST_CHARS else text[: MOST_CHARS - 1].rstrip() + "…"


def _is_worthy(profile: Profile, facet: Facet, confirmed_only: bool) -> bool:
    if facet.promoted or not facet.current or facet.negated:
        return False
    if facet.state == "pinned" or not confirmed_only or _replaces_promoted(profile, facet):
        return True
    sessions = {segment.rpartition("/")[0] for segment in facet.segments}
    return facet.evidence_count >= CONFIRMED and len(sessions) >= SESSIONS and facet.confidence >= CONFIDENCE


def _replaces_promoted(profile: Profile, facet: Facet) -> bool:
    """Whether MEMORY.md still tells what this facet has taken the place of."""
    return any(other.superseded_by == facet.name and other.promoted for other in profile.facets.values())


def _text(profile: Profile, facet: Facet) -> str:
    text = _cut(facet.value)
    before = [f for f in profile.facets.values() if f.superseded_by == facet.name and f.promoted]
    if before:
        return f"{text.rstrip('.')} (since {facet.valid_from}; no longer: {before[-1].value.rstrip('.')})"
    if profile.slot_of(facet) is not None and facet.valid_from and facet.type != "preference":
        return f"{text.rstrip('.')} (since {facet.valid_from})"
    return text
