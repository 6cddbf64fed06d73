"""Explicit preferences: what a person asked for in so many words.

Owns the two lanes. General preferences hold always and are told to every agent, the newest first; situational ones are
looked up by what is being talked about (`retrieval.memories`). Both are namespaced memories, so that a person can read
and edit them; the key is the topic, and saving a topic again replaces what was said.

Source: BEHAVIOUR §4.9.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Final

from vaultkeeper.memory.namespaces import Memory, StoreReceipt, load_memories, store

GENERAL: Final = "user_pref_general"
SITUATIONAL: Final = "user_pref_situational"
LANES: Final = {"general": GENERAL, "situational": SITUATIONAL}

STANDING_LIMIT: Final = 10
SITUATIONAL_LIMIT: Final = 5
SITUATIONAL_SIMILARITY: Final = 0.35
CONTRADICTION_SIMILARITY: Final = 0.6


def save_preference(
    root: Path, topic: str, text: str, *, now: datetime, situational: bool = False
) -> StoreReceipt:
    """Saves what is preferred about a topic.

    Raises:
        VaultkeeperError: see `namespaces.store`.
    """
    lane = SITUATIONAL if situational else GENERAL
    return store(root, topic, text, now=now, namespace=lane, category="core")


def standing_preferences(root: Path, limit: int = STANDING_LIMIT) -> list[Memory]:
    """Returns the general preferences that every agent is told, newest first."""
    return newest_first(load_memories(root, GENERAL))[:limit]


def newest_first(memories: list[Memory]) -> list[Memory]:
    """Orders memories by when they were last stored; those that do not say come last."""
    return sorted(sorted(memories, key=lambda m: m.key), key=lambda m: m.updated_at, reverse=True)


def render_preferences(memories: list[Memory]) -> str:
    """The preferences as an agent reads them: one line each, whatever line ends they have."""
    return "".join(f"- {one_line(memory.key)}: {one_line(memory.content)}\n" for memory in memories)


def one_line(text: str) -> str:
    """A text without line ends, so that it cannot pose as another line."""
    return " ".join(text.split())
