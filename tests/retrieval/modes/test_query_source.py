"""BEHAVIOUR §13.4, source; DESIGN §6.3."""

from __future__ import annotations

import pytest

from tests.retrieval.woods import Woods


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
