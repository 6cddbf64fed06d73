"""BEHAVIOUR §13.4, fetch."""

from __future__ import annotations

import pytest

from tests.retrieval.woods import Woods


@pytest.fixture
def wood(woods: Woods) -> Woods:
    long = "The whole of a long body is read, not a part of it. " * 20
    for number in range(25):
        woods.note(f"Projects/{number:02}.md", f"{number} {long}", tags="[a, b]", source_ref=f"ref-{number}")
    woods.note("Projects/tiny.md", "ok")
    woods.sync()
    return woods


def test_empty_input_returns_empty(wood: Woods) -> None:
    assert wood.hits("fetch_leaves", chunk_ids=[]) == ()


def test_fetch_leaves_preserves_input_order_and_propagates_scores(wood: Woods) -> None:
    wanted = [wood.leaf(f"Projects/{number:02}.md") for number in (7, 3, 11)]
    hits = wood.hits("fetch_leaves", chunk_ids=wanted)
    assert [hit.node_id for hit in hits] == wanted
    assert all(0.3 < hit.score <= 1 for hit in hits)
    assert wood.hits("fetch_leaves", chunk_ids=[wood.leaf("Projects/tiny.md")])[0].score == 0.0


def test_missing_ids_are_skipped(wood: Woods) -> None:
    one = wood.leaf("Projects/00.md")
    assert wood.ids("fetch_leaves", chunk_ids=["nope", one, "", one]) == [one]


def test_execute_truncates_requests_to_twenty_ids(wood: Woods) -> None:
    wanted = [wood.leaf(f"Projects/{number:02}.md") for number in range(25)]
    assert wood.ids("fetch_leaves", chunk_ids=wanted) == wanted[:20]


def test_leaf_hit_carries_source_ref_scope_topics_and_the_full_body(wood: Woods) -> None:
    [hit] = wood.hits("fetch_leaves", chunk_ids=[wood.leaf("Projects/00.md")])
    assert (hit.source_ref, hit.tree_scope, hit.topics, hit.tree_id) == (
        "ref-0",
        "notes:Projects",
        ("a", "b"),
        "",
    )
    assert hit.content.count("not a part of it") == 20
    assert (hit.time_range_start, hit.time_range_end) == ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z")


def test_leaves_carry_their_entities(woods: Woods) -> None:
    woods.person("mara", "Mara")
    woods.note("Projects/A.md", "Mara wrote to a@example.org about the boiler.")
    woods.sync()
    [hit] = woods.hits("fetch_leaves", chunk_ids=[woods.leaf("Projects/A.md")])
    assert hit.entities == ("email:a@example.org", "person:mara")


def test_copies_of_one_leaf_are_one_hit(woods: Woods) -> None:
    for path in ("Projects/A.md", "Archive/A.md"):
        woods.note(path, "The same note lies in two places, with one id.", id="same")
    woods.sync()
    [hit] = woods.hits("fetch_leaves", chunk_ids=[woods.leaf("Projects/A.md")])
    assert hit.note_path == "Archive/A.md"
