"""BEHAVIOUR §13.5, graph; and the hops of §13.2."""

from __future__ import annotations

import pytest

from tests.retrieval.woods import Woods, ms
from vaultkeeper.retrieval.cooccurrence import (
    CoOccurrence,
    co_occurring_entities,
    group_by_weight,
    neighbors,
    pair_distances,
    shared_places,
)


@pytest.fixture
def wood(woods: Woods) -> Woods:
    for name in ("ann", "bob", "cai", "dee", "eve", "fay"):
        woods.person(name, name.capitalize())
    woods.note("Projects/1.md", "Ann met Bob. Ann likes Bob, and Bob likes Ann.", "2026-01-01T00:00:00Z")
    woods.note("Projects/2.md", "Ann and Bob and Cai had dinner.", "2026-01-02T00:00:00Z")
    woods.note("Projects/3.md", "Cai knows Dee.", "2026-01-03T00:00:00Z")
    woods.note("Projects/4.md", "Dee knows Eve.", "2026-01-04T00:00:00Z")
    woods.sync()
    return woods


def person(*names: str) -> list[str]:
    return [f"person:{name}" for name in names]


def test_empty_when_no_co_occurrence(wood: Woods) -> None:
    assert co_occurring_entities(wood.bench.db, "person:fay") == ()
    assert co_occurring_entities(wood.bench.db, "person:nobody") == ()


def test_single_co_occurrence_weight_one(wood: Woods) -> None:
    assert co_occurring_entities(wood.bench.db, "person:eve") == (
        CoOccurrence("person:eve", "person:dee", 1),
    )


def test_weight_counts_distinct_nodes_not_rows(wood: Woods) -> None:
    first = co_occurring_entities(wood.bench.db, "person:ann")[0]
    assert (first.object, first.weight) == ("person:bob", 2)


def test_excludes_self_edges(wood: Woods) -> None:
    assert "person:ann" not in neighbors(wood.bench.db, "person:ann")


def test_neighbors_returns_ids_in_weight_order_and_ties_break_on_object_id_ascending(wood: Woods) -> None:
    assert list(neighbors(wood.bench.db, "person:ann")) == person("bob", "cai")
    assert list(neighbors(wood.bench.db, "person:cai")) == person("ann", "bob", "dee")


def test_limit_caps_result_set(wood: Woods) -> None:
    assert list(neighbors(wood.bench.db, "person:cai", 2)) == person("ann", "bob")
    assert neighbors(wood.bench.db, "person:cai", 0) == ()


def test_group_by_weight_buckets_neighbors(wood: Woods) -> None:
    edges = co_occurring_entities(wood.bench.db, "person:ann")
    assert group_by_weight(edges) == {2: ("person:bob",), 1: ("person:cai",)}


def test_a_summary_of_several_parts_is_one_node_and_a_superseded_one_is_none(wood: Woods) -> None:
    text = "Eve wrote. " + "It went on for long. " * 300 + "Fay answered, and Eve too."
    wood.summary(1, ["x"], "2026-01-01", "2026-01-02", text=text)
    wood.sync()
    assert co_occurring_entities(wood.bench.db, "person:fay") == (
        CoOccurrence("person:fay", "person:eve", 1),
    )
    wood.summary(1, ["x"], "2026-01-01", "2026-01-02", text=text, superseded=True)
    wood.sync()
    assert co_occurring_entities(wood.bench.db, "person:fay") == ()


def test_weights_follow_edits_down_as_well_as_up(wood: Woods) -> None:
    for _ in range(3):
        wood.note("Projects/1.md", "Ann met Bob twice.", "2026-01-01T00:00:00Z")
        wood.sync()
    assert co_occurring_entities(wood.bench.db, "person:ann")[0].weight == 2
    wood.note("Projects/1.md", "Ann met nobody.", "2026-01-01T00:00:00Z")
    wood.sync()
    assert co_occurring_entities(wood.bench.db, "person:ann")[0].weight == 1


def test_shared_nodes_are_cited_newest_first(wood: Woods) -> None:
    places = shared_places(wood.bench.db, "person:ann", "person:bob", 5)
    paths = [
        wood.bench.rows("SELECT path FROM chunks JOIN notes USING(note_pk) WHERE chunk_pk = ?", place.pk)[0][
            0
        ]
        for place in places
    ]
    assert paths == ["Projects/2.md", "Projects/1.md"]


def test_bounded_bfs_finds_two_hop_pair(wood: Woods) -> None:
    db = wood.bench.db
    ids = person("ann", "dee")
    assert pair_distances(db, ids, 1) == ()
    assert pair_distances(db, ids, 2) == ((2, "person:ann", "person:dee"),)
    assert pair_distances(db, [*ids, *ids], 4) == pair_distances(db, ids, 2)


def test_distances_are_sorted_and_bounded(wood: Woods) -> None:
    db = wood.bench.db
    assert pair_distances(db, person("eve", "ann", "bob"), 3) == (
        (1, "person:ann", "person:bob"), (3, "person:ann", "person:eve"), (3, "person:bob", "person:eve"),
    )  # fmt: skip
    assert pair_distances(db, person("ann", "bob"), 0) == ()
    assert pair_distances(db, person("ann"), 3) == ()
    assert pair_distances(db, person("ann", "fay"), 4) == ()


def test_the_newest_occurrences_are_capped_and_ties_do_not_depend_on_row_ids(woods: Woods) -> None:
    from vaultkeeper.index.connections import OCCURRENCE_CAP, fetch_newest

    woods.person("ann", "Ann")
    body = "".join(f"## {number}\nAnn, number {number}.\n" for number in range(OCCURRENCE_CAP + 100))
    woods.bench.write("Projects/many.md", f"---\ndate: 2026-01-01\n---\n{body}")
    woods.sync()
    found = fetch_newest(woods.bench.db, "person:ann")
    assert len(found) == OCCURRENCE_CAP
    rows = [
        woods.bench.rows("SELECT chunk_id FROM chunks WHERE chunk_pk = ?", row.chunk_pk)[0] for row in found
    ]
    every = woods.bench.rows(
        "SELECT chunk_id FROM chunks JOIN notes USING(note_pk) WHERE path = 'Projects/many.md'"
    )
    assert [row[0] for row in rows] == sorted(row[0] for row in every)[:OCCURRENCE_CAP]


def test_a_historic_window_is_applied_before_the_cap(woods: Woods) -> None:
    from vaultkeeper.index.connections import OCCURRENCE_CAP, fetch_newest

    woods.person("ann", "Ann")
    body = "".join(f"## {number}\nAnn, number {number}.\n" for number in range(OCCURRENCE_CAP + 5))
    woods.bench.write("Projects/many.md", f"---\ndate: 2026-03-20\n---\n{body}")
    woods.note("Projects/old.md", "Ann was here.", "2025-01-05T12:00:00Z")
    woods.sync()
    window = (ms("2025-01-01"), ms("2025-01-31"))
    [found] = fetch_newest(woods.bench.db, "person:ann", window)
    assert woods.bench.rows(
        "SELECT path FROM chunks JOIN notes USING(note_pk) WHERE chunk_pk = ?", found.chunk_pk
    ) == [("Projects/old.md",)]
    [hit] = woods.hits("walk", query="What did Ann do in January 2025?")
    assert hit.note_path == "Projects/old.md"
