"""BEHAVIOUR §13.4; DESIGN §6.3."""

from __future__ import annotations

import pytest

from tests.retrieval.woods import Woods, ms
from vaultkeeper.retrieval.modes import EntityMatch


@pytest.fixture
def wood(woods: Woods) -> Woods:
    woods.note(
        "Projects/Sealed.md", "The tides of the sea were measured with a gauge.", "2026-01-10T00:00:00Z"
    )
    woods.note(
        "Projects/Fresh.md", "The new gauge measures the tides of the river too.", "2026-03-20T00:00:00Z"
    )
    woods.note(
        "episodic/s1/000000.md", "We talked about bread and honey for a long while.", "2026-03-25T00:00:00Z"
    )
    woods.note(
        "episodic/s2/000000.md", "And about the bread again, on another day, at noon.", "2026-03-26T00:00:00Z"
    )
    woods.note(
        "sources/email/gmail-a/1.md",
        "A mail about the bill of the boiler, to be paid.",
        "2026-02-01T00:00:00Z",
    )
    woods.note(
        "sources/document/manual/1.md",
        "The manual says how the gauge is mounted.",
        "2026-02-02T00:00:00Z",
        source_id="hd7 manual",
    )
    woods.note("Projects/Tiny.md", "ok", "2026-03-29T00:00:00Z")
    woods.sync()
    woods.summary(
        1, [woods.leaf("Projects/Sealed.md")], "2026-01-10", "2026-01-10", text="Tides were measured."
    )
    woods.sync()
    return woods


def test_all_trees_newest_first_sealed_by_its_summary_and_unsealed_by_leaves(wood: Woods) -> None:
    hits = wood.hits("query_source")
    assert [hit.note_path.rpartition("/")[2] for hit in hits[:3]] == ["000000.md", "000000.md", "Fresh.md"]
    assert [hit.node_kind for hit in hits] == ["leaf"] * 5 + ["summary"]
    assert "Projects/Sealed.md" not in [hit.note_path for hit in hits]
    assert "Projects/Tiny.md" not in [hit.note_path for hit in hits], "what admission drops is in no tree"


def test_summaries_only_turns_leaves_off(wood: Woods) -> None:
    [hit] = wood.hits("query_source", summaries_only=True)
    assert (hit.node_kind, hit.level, hit.content, hit.score) == ("summary", 1, "Tides were measured.", 0.5)
    assert hit.child_ids == (wood.leaf("Projects/Sealed.md"),)


def test_execute_accepts_exact_source_id_without_source_kind(wood: Woods) -> None:
    assert {hit.tree_scope for hit in wood.hits("query_source", source_id="notes:Projects")} == {
        "notes:Projects"
    }
    assert wood.paths("query_source", source_id="document:manual") == ["sources/document/manual/1.md"]


def test_the_id_that_a_document_was_ingested_with_names_its_source(wood: Woods) -> None:
    assert wood.paths("query_source", source_id="hd7 manual") == ["sources/document/manual/1.md"]


def test_a_session_is_a_part_of_the_conversations(wood: Woods) -> None:
    assert wood.paths("query_source", source_id="episodic:s2") == ["episodic/s2/000000.md"]
    assert len(wood.hits("query_source", source_id="conversations:agent")) == 2


@pytest.mark.parametrize("unknown", ["notes:Nowhere", "notes:Pro", "nothing", "", "document:"])
def test_unknown_id_is_empty_and_prefixes_do_not_match(wood: Woods, unknown: str) -> None:
    response = wood.call("query_source", source_id=unknown)
    assert (response.hits, response.total, response.route) == ((), 0, "empty")


def test_by_kind(wood: Woods) -> None:
    assert {hit.tree_scope for hit in wood.hits("query_source", source_kind="chat")} == {
        "conversations:agent"
    }
    assert wood.paths("query_source", source_kind="email") == ["sources/email/gmail-a/1.md"]
    documents = {hit.tree_scope for hit in wood.hits("query_source", source_kind="document")}
    assert documents == {"notes:Projects", "document:manual"}


def test_source_id_goes_before_source_kind(wood: Woods) -> None:
    assert len(wood.hits("query_source", source_id="conversations:agent", source_kind="email")) == 2


def test_window_filter_overlaps_and_reaches_to_now(wood: Woods) -> None:
    assert wood.paths("query_source", time_window_days=7) == [
        "episodic/s2/000000.md",
        "episodic/s1/000000.md",
    ]
    assert wood.call("query_source", time_window_days=0).total == 0
    wood.summary(2, ["x"], "2026-01-01", "2026-03-30", number=9)
    wood.sync()
    assert wood.hits("query_source", time_window_days=7)[0].level == 2


def test_truncation_counts_everything(wood: Woods) -> None:
    response = wood.call("query_source", limit=2)
    assert (len(response.hits), response.total, response.truncated) == (2, 6, True)
    assert not wood.call("query_source").truncated


def test_with_a_query_what_fits_comes_first_and_scores_stay(wood: Woods) -> None:
    hits = wood.hits("query_source", query="tides gauge")
    assert [hit.note_path for hit in hits[:1]] == ["Projects/Fresh.md"]
    assert len(hits) == 6, "what does not fit follows"
    assert hits[0].why.signals["keyword"] == 1.0
    assert [hit.score for hit in hits if hit.node_kind == "leaf"] == [0.0] * 5
    assert wood.call("query_source", query="tides").route == "relevance"


def test_vectors_are_used_when_there_are_some(wood: Woods) -> None:
    wood.embed()
    best = wood.hits("query_source", query="bread and honey")[0]
    assert best.note_path == "episodic/s1/000000.md"
    assert best.why.signals["dense"] > 0


def test_a_superseded_document_is_not_read(wood: Woods) -> None:
    wood.note(
        "sources/document/manual/1.md",
        "The old manual says otherwise than the new.",
        source_id="hd7 manual",
        superseded="true",
    )
    wood.sync()
    assert wood.hits("query_source", source_id="document:manual") == ()


def test_allow_list_blocks_ingested_sources_only_and_before_the_limit(wood: Woods) -> None:
    wood.sources = frozenset()
    scopes = {hit.tree_scope for hit in wood.hits("query_source", limit=100)}
    assert scopes == {"notes:Projects", "conversations:agent"}
    wood.sources = frozenset({"document:manual"})
    assert "document:manual" in {hit.tree_scope for hit in wood.hits("query_source", limit=100)}
    assert wood.hits("query_source", source_id="email:gmail-a") == ()
    for number in range(30):
        wood.note(
            f"sources/email/gmail-a/n{number}.md",
            "A newer mail about nothing at all, again and again.",
            "2026-03-31T00:00:00Z",
        )
    wood.sync()
    assert len(wood.hits("query_source", limit=3)) == 3


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
    name = f"summary:{ms('2026-01-02'):013d}:L2-{7:08x}"
    woods.summary(2, [name], "2026-01-01", "2026-01-02", number=7)
    woods.sync()
    assert names(woods, node_id=name, max_depth=3) == []


def test_children_that_are_gone_are_left_out(tree: Woods) -> None:
    (tree.bench.root / "Projects/0.md").unlink()
    tree.sync()
    assert names(tree, node_id=top(tree), max_depth=2)[2:] == ["1.md", "2.md", "3.md"]


@pytest.fixture
def leafy(woods: Woods) -> Woods:
    long = "The whole of a long body is read, not a part of it. " * 20
    for number in range(25):
        woods.note(f"Projects/{number:02}.md", f"{number} {long}", tags="[a, b]", source_ref=f"ref-{number}")
    woods.note("Projects/tiny.md", "ok")
    woods.sync()
    return woods


def test_empty_input_returns_empty(leafy: Woods) -> None:
    assert leafy.hits("fetch_leaves", chunk_ids=[]) == ()


def test_fetch_leaves_preserves_input_order_and_propagates_scores(leafy: Woods) -> None:
    wanted = [leafy.leaf(f"Projects/{number:02}.md") for number in (7, 3, 11)]
    hits = leafy.hits("fetch_leaves", chunk_ids=wanted)
    assert [hit.node_id for hit in hits] == wanted
    assert all(0.3 < hit.score <= 1 for hit in hits)
    assert leafy.hits("fetch_leaves", chunk_ids=[leafy.leaf("Projects/tiny.md")])[0].score == 0.0


def test_missing_ids_are_skipped(leafy: Woods) -> None:
    one = leafy.leaf("Projects/00.md")
    assert leafy.ids("fetch_leaves", chunk_ids=["nope", one, "", one]) == [one]


def test_execute_truncates_requests_to_twenty_ids(leafy: Woods) -> None:
    wanted = [leafy.leaf(f"Projects/{number:02}.md") for number in range(25)]
    assert leafy.ids("fetch_leaves", chunk_ids=wanted) == wanted[:20]


def test_leaf_hit_carries_source_ref_scope_topics_and_the_full_body(leafy: Woods) -> None:
    [hit] = leafy.hits("fetch_leaves", chunk_ids=[leafy.leaf("Projects/00.md")])
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
