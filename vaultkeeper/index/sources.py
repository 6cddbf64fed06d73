"""What a note is, by where it lies: kind, tree scope and identity.

Owns the mapping of the vault's layout to kinds and scopes. Everything outside of the folders that vaultkeeper writes
is a note of the user's, of the source `notes:<top folder>`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

CURATED = frozenset({"MEMORY.md", "SKILL.md", "MEMORY_GOALS.md"})
"""Notes in the root of the vault that hold curated memory."""

_NAMES = {
    "conversations:agent": "Conversations",
    "notes:": "Notes at the top",
    "memory": "MEMORY.md and the like",
    "flavoured": "Flavours",
}
_PREFIXES = {
    "entities": "Entities:",
    "profile": "Profile:",
    "memory": "Memory:",
    "episodic": "Conversation",
    "summaries": "Summaries of",
}


class Place(NamedTuple):
    """Kind and scope of a note; see the columns of the same names."""

    kind: str
    source: str


def place_of(path: str) -> Place:
    """Returns what a note is by its path alone; a note elsewhere may still declare an entity."""
    folder = path.rpartition("/")[0]
    if path[-7:].lower() == ".canvas":
        return Place("canvas", f"notes:{folder.partition('/')[0]}")
    if not folder and path in CURATED:
        return Place("memory", "memory")
    return _place_of_folder(folder)


@lru_cache(maxsize=1024)
def _place_of_folder(folder: str) -> Place:
    parts = folder.split("/")
    depth = len(parts)
    top = parts[0]
    if depth > 1 and top == "episodic":
        return Place("turn", f"episodic:{parts[1]}")
    if depth > 1 and top == "entities":
        return Place("entity", f"entities:{parts[1]}")
    if depth > 2 and top == "wiki" and parts[1] == "segments":
        return Place("segment", f"episodic:{parts[2]}")
    if depth > 2 and top == "wiki" and parts[1] == "summaries":
        return Place("summary", f"summaries:{parts[2].removeprefix('source-')}")
    if depth > 1 and top == "profile":
        return Place("facet", f"profile:{parts[1]}")
    if depth > 1 and top == "memory":
        return Place("memory", f"memory:{parts[1]}")
    if top == "flavoured":
        return Place("memory", "flavoured")
    if depth > 2 and top == "sources":
        return Place("document", f"{parts[1]}:{parts[2]}")
    return Place("note", f"notes:{top}")


def identity_of(properties: dict[str, object], path: str) -> str:
    """Returns the frontmatter's `id`, or `source_id`, as text; else the path. Numbers and dates are ids too."""
    for key in ("id", "source_id"):
        value = properties.get(key)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            text = str(value).strip()
            if text:
                return text
    return path


def display_name(scope: str, user_email_hint: str | None = None) -> str:
    """Returns a scope for people: without a prefix that says nothing; of `a|b` the other party, or both by `↔`."""
    kind, _, name = scope.partition(":")
    name = name or kind
    if scope in _NAMES or kind in _PREFIXES:
        return _NAMES.get(scope) or f"{_PREFIXES[kind]} {name}"
    parties = [party.strip() for party in name.split("|") if party.strip()]
    if len(parties) < 2:
        return name
    hint = (user_email_hint or "").strip().casefold()
    others = [party for party in parties if party.casefold() != hint]
    return " ↔ ".join(others if hint and 0 < len(others) < len(parties) else parties)
