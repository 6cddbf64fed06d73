"""BEHAVIOUR §13.2, and DESIGN §6.3 and §6.5."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.retrieval.woods import NOW, Woods
from vaultkeeper.retrieval.corpus import Corpus
from vaultkeeper.retrieval.dispatch import memory_tree
from vaultkeeper.types import QueryResponse


@pytest.fixture
def wood(woods: Woods) -> Woods:
    woods.person("mara", "Mara Chen", "Mara")
    woods.person("jonas", "Jonas Berg", "Jonas")
    woods.person("tarik", "Tarik")
    woods.person("ines", "Ines")
    woods.note("Projects/1.md", "Mara and Jonas repaired the boiler together.", "2026-01-01T00:00:00Z")
    woods.note("Projects/2.md", "Jonas told Mara about the honey.", "2026-02-01T00:00:00Z")
    woods.note("Projects/3.md", "Mara alone went to the river.", "2026-03-01T00:00:00Z")
    woods.note("Projects/4.md", "Jonas and Tarik played chess.", "2026-03-02T00:00:00Z")
    woods.note("Projects/5.md", "Mara, Jonas and Tarik had dinner.", "2025-12-01T00:00:00Z")
    woods.note("Projects/6.md", "A recipe for soup with lentils.", "2026-03-03T00:00:00Z")
    woods.sync()
    return woods


def leaves(woods: Woods, query: str, **more: Any) -> list[str]:
    """Paths of the leaves among the hits, without the notes of the registry."""
    return [path[-4:-3] for path in woods.paths("walk", query=query, **more) if path.startswith("Projects/")]


def test_local_candidates_intersect_occurrences_and_keep_latest_timestamp(wood: Woods) -> None:
    response = wood.call("walk", query="Mara and Jonas")
    assert response.route == "local"
    assert leaves(wood, "Mara and Jonas") == ["2", "1", "5"]
    assert [hit.score for hit in response.hits] == [2.0, 2.0, 2.0]
    assert response.hits[0].why.matched == ("person:mara", "person:jonas")
    assert response.hits[0].why.signals["entity"] == 1.0


def test_score_is_coverage_and_orders_before_time(wood: Woods) -> None:
    hits = wood.hits("walk", query="Mara Jonas Tarik")
    assert [(hit.note_path, hit.score) for hit in hits] == [
        ("Projects/5.md", 3.0), ("Projects/4.md", 2.0), ("Projects/2.md", 2.0), ("Projects/1.md", 2.0),
    ]  # fmt: skip


def test_an_alias_in_the_question_means_the_entity_under_its_other_names(wood: Woods) -> None:
    assert leaves(wood, "Mara Chen, Jonas Berg") == leaves(wood, "Mara, Jonas")


def test_a_single_entity_has_a_local_route(wood: Woods) -> None:
    assert wood.call("walk", query="Mara").route == "local"
    assert leaves(wood, "Mara") == ["3", "2", "1", "5"]


def test_other_words_of_the_question_order_equals(wood: Woods) -> None:
    assert leaves(wood, "What did Mara and Jonas do with the boiler?")[0] == "1"
    assert leaves(wood, "Mara honey")[0] == "2"


def test_what_fits_follows_with_score_zero_when_local_is_short(wood: Woods) -> None:
    hits = wood.hits("walk", query="Tarik and Mara and the lentils")
    assert [(hit.note_path, hit.score) for hit in hits][:1] == [("Projects/5.md", 2.0)]
    assert ("Projects/6.md", 0.0) in [(hit.note_path, hit.score) for hit in hits]


def test_nobody_named_is_global(wood: Woods) -> None:
    response = wood.call("walk", query="soup with lentils")
    assert response.route == "global"
    assert response.hits[0].note_path == "Projects/6.md"
    assert 0 < response.hits[0].score <= 1


def test_occurrence_fallback_prioritizes_hits_containing_query_entities(wood: Woods) -> None:
    response = wood.call("walk", query="Ines and Tarik: soup, lentils, chess")
    assert response.route == "occurrence"
    named = [bool({"person:ines", "person:tarik"} & set(hit.entities)) for hit in response.hits]
    assert named == sorted(named, reverse=True)
    assert named[0]
    assert not named[-1]
    assert response.total == len(response.hits)


def test_blank_query_is_refused_without_opening_storage() -> None:
    class Closed:
        def __getattr__(self, name: str) -> Any:
            raise AssertionError("the index was opened")

    corpus = Corpus(Closed(), "vault")  # type: ignore[arg-type]
    from vaultkeeper.errors import UsageError

    with pytest.raises(UsageError, match="`query` is required"):
        memory_tree(corpus, {"mode": "walk", "query": "  "}, NOW)


def test_nothing_found_is_empty(wood: Woods) -> None:
    response = wood.call("walk", query="zygomorphic quux")
    assert (response.hits, response.total, response.route) == ((), 0, "empty")


def test_smart_walk_is_walk(wood: Woods) -> None:
    assert wood.call("smart_walk", query="Mara and Jonas") == wood.call("walk", query="Mara and Jonas")


@pytest.mark.parametrize(
    "query", ["Mara and Jonas", "Mara", "Ines and Mara", "boiler honey river chess dinner"]
)
def test_the_window_holds_on_every_route(wood: Woods, query: str) -> None:
    response = wood.call("walk", query=query, time_window_days=31)
    assert {hit.note_path for hit in response.hits if hit.note_path.startswith("Projects")} <= {
        "Projects/3.md", "Projects/4.md", "Projects/6.md",
    }  # fmt: skip


def test_words_of_the_question_limit_the_time_and_it_says_so(wood: Woods) -> None:
    response = wood.call("walk", query="What did Mara do in February?")
    assert [hit.note_path for hit in response.hits] == ["Projects/2.md"]
    assert response.notes[0] == "window:2026-02-01T00:00:00Z/2026-02-28T23:59:59.999Z"
    days = wood.call("walk", query="Mara in February", time_window_days=60)
    assert ({hit.note_path for hit in days.hits}, days.notes) == ({"Projects/3.md", "Projects/2.md"}, ())
    assert leaves(wood, "Mara 今年一月") == ["1"]


def test_summaries_are_nodes_too_and_their_parts_are_one(wood: Woods) -> None:
    text = "Jonas wrote a lot. " * 300 + "Mara answered."
    node = wood.summary(1, [wood.leaf("Projects/3.md")], "2026-03-01", "2026-03-01", text=text)
    wood.sync()
    hits = wood.hits("walk", query="Mara and Jonas")
    assert hits[0].node_id == node
    assert (hits[0].node_kind, hits[0].level, hits[0].score) == ("summary", 1, 2.0)


def test_superseded_nodes_and_documents_are_skipped(wood: Woods) -> None:
    wood.note("Projects/2.md", "Jonas told Mara about the honey.", "2026-02-01T00:00:00Z", superseded="true")
    wood.summary(1, ["x"], "2026-03-01", "2026-03-01", text="Mara and Jonas talked.", superseded=True)
    wood.sync()
    assert wood.paths("walk", query="Mara and Jonas") == ["Projects/1.md", "Projects/5.md"]
    assert "Projects/2.md" not in wood.paths("walk", query="honey")


def test_local_branch_intersects_entities_and_applies_scope_before_limit(wood: Woods) -> None:
    for number in range(12):
        wood.note(f"sources/email/m{number}/1.md", "Mara wrote to Jonas once more.", "2026-03-20T00:00:00Z")
    wood.sync()
    wood.sources = frozenset()
    assert leaves(wood, "Mara and Jonas", limit=3) == ["2", "1", "5"]
    wood.sources = frozenset({"email:m3"})
    assert wood.paths("walk", query="Mara and Jonas", limit=3)[0] == "sources/email/m3/1.md"


def test_dense_fallback_filters_scope_before_limit(wood: Woods) -> None:
    for number in range(30):
        wood.note(
            f"sources/email/m{number}/1.md", "Soup with lentils, soup with lentils.", "2026-03-20T00:00:00Z"
        )
    wood.sync()
    wood.sources = frozenset()
    assert wood.paths("walk", query="soup lentils", limit=1) == ["Projects/6.md"]


def test_total_counts_before_the_limit(wood: Woods) -> None:
    response = wood.call("walk", query="Mara and Jonas", limit=1)
    assert (len(response.hits), response.total, response.truncated) == (1, 3, True)


def test_a_rare_entity_beside_a_common_one_is_found_however_old(woods: Woods) -> None:
    woods.person("mara", "Mara")
    woods.person("ines", "Ines")
    woods.note("Projects/old.md", "Mara met Ines at the harbour.", "2020-01-01T00:00:00Z")
    for number in range(700):
        woods.note(f"Notes/{number}.md", f"Mara again, number {number}.", "2026-01-01T00:00:00Z")
    woods.sync()
    assert woods.paths("walk", query="Mara and Ines") == ["Projects/old.md"]


def test_unembedded_leaves_are_found_and_vectors_help(wood: Woods) -> None:
    wood.embed()
    wood.note("Projects/7.md", "Lentils, freshly written and not embedded.", "2026-03-30T00:00:00Z")
    wood.sync()
    paths = wood.paths("walk", query="lentils")
    assert {"Projects/6.md", "Projects/7.md"} <= set(paths)


QUERIES = ["Mara and Jonas", "Mara", "Tarik soup", "boiler", "Jonas Tarik Mara dinner", "lentils last month"]


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_rebuild_gives_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Row ids differ, answers do not: notes are written in another order."""
    names = ["Mara", "Jonas", "Tarik", "soup", "boiler"]
    texts = data.draw(
        st.lists(st.lists(st.sampled_from(names), min_size=1, max_size=4), min_size=2, max_size=12)
    )
    answers: list[list[QueryResponse]] = []
    for order in (list(enumerate(texts)), list(reversed(list(enumerate(texts))))):
        woods = Woods(tmp_path_factory.mktemp("order"))
        for name in ("mara", "jonas", "tarik"):
            woods.person(name, name.capitalize())
        for number, words in order:
            woods.note(f"Projects/{number}.md", " ".join(words) + ".", "2026-02-01T00:00:00Z")
            woods.sync()
        answers.append([woods.call("walk", query=query, limit=3) for query in QUERIES])
        woods.bench.db.close()
    assert answers[0] == answers[1]
