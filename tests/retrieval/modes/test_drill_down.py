"""BEHAVIOUR §13.4, drill_down."""

from __future__ import annotations

import pytest

from tests.retrieval.woods import Woods


@pytest.fixture
def tree(woods: Woods) -> Woods:
    for number, text in enumerate(
        ["bread and honey", "tides and gauges", "bees in winter", "boilers and pipes"]
    ):
        woods.note(
            f"Projects/{number}.md",
            f"What there is to say of {text} at length.",
            f"2026-01-0{number + 1}T00:00:00Z",
        )
    woods.sync()
    leaves = [woods.leaf(f"Projects/{number}.md") for number in range(4)]
    a = woods.summary(1, leaves[:2], "2026-01-01", "2026-01-02", text="Bread, tides.", number=1)
    b = woods.summary(1, leaves[2:], "2026-01-03", "2026-01-04", text="Bees, boilers.", number=2)
    woods.summary(2, [a, b], "2026-01-01", "2026-01-04", text="All of it.", number=3)
    woods.sync()
    return woods


def top(tree: Woods) -> str:
    return str(tree.bench.rows("SELECT node_id FROM nodes WHERE level = 2")[0][0])


def names(woods: Woods, **arguments: object) -> list[str]:
    return [
        hit.note_path.rpartition("/")[2] if hit.node_kind == "leaf" else hit.content
        for hit in woods.hits("drill_down", **arguments)
    ]


def test_summary_drills_to_leaves_at_depth_one(tree: Woods) -> None:
    first = tree.hits("drill_down", node_id=top(tree))[0]
    leaves = tree.hits("drill_down", node_id=first.node_id)
    assert [hit.note_path for hit in leaves] == ["Projects/0.md", "Projects/1.md"]
    assert {(hit.tree_id, hit.level, hit.score, hit.tree_scope) for hit in leaves} == {
        ("", 0, 0.0, "notes:Projects")
    }


def test_walk_visits_siblings_before_descendants_bfs_order(tree: Woods) -> None:
    assert names(tree, node_id=top(tree), max_depth=2) == [
        "Bread, tides.",
        "Bees, boilers.",
        "0.md",
        "1.md",
        "2.md",
        "3.md",
    ]


def test_deeper_max_depth_does_not_break_on_shallow_tree(tree: Woods) -> None:
    assert len(names(tree, node_id=top(tree), max_depth=3)) == 6
    assert len(names(tree, node_id=top(tree), max_depth=50)) == 6


def test_invalid_id_and_leaf_return_empty(tree: Woods) -> None:
    assert names(tree, node_id="summary:0:L9-nothing") == []
    assert names(tree, node_id=tree.leaf("Projects/0.md")) == []


def test_query_with_limit_truncates_after_rerank(tree: Woods) -> None:
    response = tree.call("drill_down", node_id=top(tree), max_depth=2, query="bees", limit=2)
    assert [hit.content for hit in response.hits] == [
        "Bees, boilers.",
        "What there is to say of bees in winter at length.",
    ]
    assert (response.total, response.truncated) == (6, True)


def test_query_without_limit_returns_all_children_and_the_tail_keeps_its_order(tree: Woods) -> None:
    assert names(tree, node_id=top(tree), max_depth=2, query="boilers")[2:] == [
        "Bread, tides.",
        "0.md",
        "1.md",
        "2.md",
    ]
    assert names(tree, node_id=top(tree), max_depth=2, query="nothing fits this") == names(
        tree, node_id=top(tree), max_depth=2
    )


def test_limit_zero_is_none_of_them(tree: Woods) -> None:
    response = tree.call("drill_down", node_id=top(tree), limit=0)
    assert (response.hits, response.total, response.truncated) == ((), 2, True)


def test_vectors_order_by_similarity(tree: Woods) -> None:
    tree.embed()
    hits = tree.hits("drill_down", node_id=top(tree), max_depth=2, query="boilers pipes")
    assert hits[0].note_path == "Projects/3.md"
    assert hits[0].why.signals["dense"] == 1.0


def test_drill_down_surfaces_only_latest_doc_version_and_falls_back_when_it_is_deleted(woods: Woods) -> None:
    woods.note("Projects/v1.md", "What the first version said of the tides in spring.")
    woods.note("Projects/v2.md", "What the second version said of the tides in spring.")
    woods.sync()
    old, new = woods.leaf("Projects/v1.md"), woods.leaf("Projects/v2.md")
    first = woods.summary(
        1, [old], "2026-01-01", "2026-01-01", number=1, text="Old.", doc_id="d", version_ms=1
    )
    second = woods.summary(
        1, [new], "2026-01-02", "2026-01-02", number=2, text="New.", doc_id="d", version_ms=2
    )
    merged = woods.summary(2, [first, second], "2026-01-01", "2026-01-02", number=3)
    woods.sync()
    assert names(woods, node_id=merged, max_depth=3) == ["New.", "v2.md"]
    path = woods.bench.rows("SELECT path FROM nodes WHERE node_id = ?", second)[0][0]
    (woods.bench.root / str(path)).unlink()
    woods.sync()
    assert names(woods, node_id=merged, max_depth=3) == ["Old.", "v1.md"]


def test_per_depth_batch_keys_hit_scope_by_tree_id_not_position(woods: Woods) -> None:
    woods.note("Projects/A.md", "What there is to say of bread at length.")
    woods.note("Other/B.md", "What there is to say of honey at length.")
    woods.sync()
    leaves = [woods.leaf("Projects/A.md"), woods.leaf("Other/B.md")]
    a = woods.summary(1, leaves[:1], "2026-03-01", "2026-03-01", number=1)
    b = woods.summary(1, leaves[1:], "2026-03-01", "2026-03-01", number=2, scope="notes:Other")
    both = woods.summary(2, [b, a], "2026-03-01", "2026-03-01", number=3)
    woods.sync()
    hits = woods.hits("drill_down", node_id=both, max_depth=2)
    assert [(hit.node_kind, hit.tree_scope) for hit in hits] == [
        ("summary", "notes:Other"),
        ("summary", "notes:Projects"),
        ("leaf", "notes:Other"),
        ("leaf", "notes:Projects"),
    ]
    assert len({hit.tree_id for hit in hits if hit.node_kind == "summary"}) == 2


def test_the_subtree_of_a_document_drills_from_its_merged_summary_down(woods: Woods) -> None:
    woods.note("Projects/A.md", "What there is to say of bread at length.")
    woods.sync()
    part = {"doc_id": "d", "version_ms": 1, "subtree": True}
    low = woods.summary(
        1, [woods.leaf("Projects/A.md")], "2026-03-01", "2026-03-01", number=1, text="Low.", **part
    )
    root = woods.summary(2, [low], "2026-03-01", "2026-03-01", number=2, text="Root.", **part)
    merged = woods.summary(1001, [root], "2026-03-01", "2026-03-01", number=3, text="Merged.")
    woods.sync()
    assert names(woods, node_id=merged, max_depth=3) == ["Root.", "Low.", "A.md"]
    [cover] = woods.hits("cover_window", since_ms=0, until_ms=2_000_000_000_000)
    assert cover.node_id == merged


def test_a_tree_that_bites_its_tail_ends(woods: Woods) -> None:
    from tests.retrieval.woods import ms

    name = f"summary:{ms('2026-01-02'):013d}:L2-{7:08x}"
    woods.summary(2, [name], "2026-01-01", "2026-01-02", number=7)
    woods.sync()
    assert names(woods, node_id=name, max_depth=3) == []


def test_children_that_are_gone_are_left_out(tree: Woods) -> None:
    (tree.bench.root / "Projects/0.md").unlink()
    tree.sync()
    assert names(tree, node_id=top(tree), max_depth=2)[2:] == ["1.md", "2.md", "3.md"]
