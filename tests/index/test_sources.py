from __future__ import annotations

import pytest

from vaultkeeper.index.sources import display_name


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("notes:", "Notes at the top"),
        ("notes:Projects", "Projects"),
        ("conversations:agent", "Conversations"),
        ("episodic:plans", "Conversation plans"),
        ("entities:person", "Entities: person"),
        ("profile:context", "Profile: context"),
        ("summaries:notes-daily", "Summaries of notes-daily"),
        ("memory", "MEMORY.md and the like"),
        ("memory:keys", "Memory: keys"),
        ("document:manual", "manual"),
    ],
)
def test_a_source_has_a_name_for_people(source: str, name: str) -> None:
    assert display_name(source) == name
