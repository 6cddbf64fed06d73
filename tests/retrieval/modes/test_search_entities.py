"""BEHAVIOUR §13.4, search."""

from __future__ import annotations

import pytest

from tests.retrieval.woods import Woods, ms
from vaultkeeper.retrieval.modes.search_entities import EntityMatch


@pytest.fixture
def people(woods: Woods) -> Woods:
    woods.person("mara", "Mara Chen", "Mara", "M. Chen")
    woods.person("marguerite", "Marguerite")
    woods.person("nobody", "Anselm Nobody", "the unseen")
    woods.note("Projects/A.md", "Mara met Marguerite. Mara laughed.", "2026-03-01T12:00:00Z")
    woods.note(
        "Projects/B.md",
        "M. Chen wrote to 100%sure@example.org about a_b@example.org.",
        "2026-03-05T12:00:00Z",
    )
    woods.note("Projects/C.md", "#garden and Mara.", "2026-03-03T12:00:00Z")
    woods.sync()
    return woods


def ids(woods: Woods, query: str, **more: object) -> list[str]:
    return [match.canonical_id for match in woods.call("search_entities", query=query, **more)]


@pytest.mark.parametrize("query", ["", "  ", "\n"])
def test_blank_finds_nothing(people: Woods, query: str) -> None:
    assert people.call("search_entities", query=query) == ()


def test_id_substring(people: Woods) -> None:
    assert ids(people, "son:mar") == ["person:mara", "person:marguerite"]


def test_surface_substring_in_any_case(people: Woods) -> None:
    assert ids(people, "M. CH") == ["person:mara"]


def test_like_metacharacters_are_literal(people: Woods) -> None:
    assert ids(people, "a_b") == ["email:a_b@example.org"]
    assert ids(people, "0%s") == ["email:100%sure@example.org"]
    assert ids(people, "%") == ["email:100%sure@example.org"]
    assert ids(people, "\\") == []


def test_kind_filter(people: Woods) -> None:
    assert ids(people, "garden") == ["hashtag:garden", "topic:garden"]
    assert ids(people, "garden", kinds=["topic"]) == ["topic:garden"]


def test_aggregation_across_nodes(people: Woods) -> None:
    [match] = people.call("search_entities", query="mara chen")
    # Her own note names her too.
    assert match == EntityMatch("person:mara", "person", "Mara", 4, match.last_seen_ms)
    assert match.last_seen_ms >= ms("2026-03-05T12:00:00")


def test_the_registry_is_consulted_for_those_that_nobody_wrote_of(people: Woods) -> None:
    (people.bench.root / "entities/person/nobody.md").write_text(
        "---\nid: person:nobody\nkind: person\ndisplay_name: Zz\naliases: [the unseen]\n---\n"
    )
    people.sync()
    [match] = people.call("search_entities", query="unseen")
    assert match.canonical_id == "person:nobody"


def test_limit_truncation_and_defaults(people: Woods) -> None:
    for number in range(120):
        people.note(f"Notes/{number}.md", f"Write to someone{number:03}@example.org soon.")
    people.sync()
    assert len(ids(people, "someone")) == 5
    assert len(ids(people, "someone", limit=0)) == 5
    assert ids(people, "someone", limit=2) == ["email:someone000@example.org", "email:someone001@example.org"]
    assert len(ids(people, "someone", limit=10**6)) == 100


def test_counts_follow_edits_and_equal_a_rebuild(people: Woods) -> None:
    people.note("Projects/A.md", "Nobody here.")
    (people.bench.root / "Projects/C.md").unlink()
    people.sync()
    assert ids(people, "garden") == []
    [match] = people.call("search_entities", query="mara chen")
    assert match.mention_count == 2
    people.bench.assert_like_new()
