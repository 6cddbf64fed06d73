"""BEHAVIOUR §13.1: the dispatcher, its errors, defaults and caps."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.retrieval.woods import NOW, Woods
from vaultkeeper.errors import UsageError
from vaultkeeper.memory.canonical import KINDS
from vaultkeeper.present.jsonform import response_dict
from vaultkeeper.retrieval.dispatch import available_modes, memory_tree, read_call
from vaultkeeper.retrieval.params import FETCH_BATCH, MODES, IngestDocumentParams
from vaultkeeper.retrieval.schemas import mode_schema, tool_schema
from vaultkeeper.types import QueryResponse


def refused(arguments: Any, *, writable: bool = True) -> str:
    with pytest.raises(UsageError) as caught:
        read_call(arguments, writable=writable)
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_schema_requires_mode() -> None:
    schema = tool_schema()
    assert schema["required"] == ["mode"]
    assert refused({}) == "memory_tree: `mode` is required"
    assert refused({"mode": None}) == "memory_tree: `mode` is required"


def test_mode_enum_has_all_modes() -> None:
    modes = tool_schema()["properties"]["mode"]["enum"]
    assert modes == [
        "search_entities", "query_source", "drill_down", "cover_window", "fetch_leaves", "ingest_document", "walk",
        "smart_walk",
    ]  # fmt: skip
    assert not {"query_topic", "query_global"} & {*modes, *MODES}
    assert "time_window_days" in tool_schema()["properties"]


def test_schema_properties_are_those_of_all_modes() -> None:
    assert set(tool_schema()["properties"]) == {
        "mode", "since_ms", "until_ms", "query", "kinds", "source_kind", "time_window_days", "max_hops", "node_id",
        "max_depth", "title", "body", "source_id", "provider", "source_ref", "chunk_ids", "limit", "owner",
        "summaries_only",
    }  # fmt: skip


@pytest.mark.parametrize("mode", ["query_topic", "query_global", "", "Walk", 7, ["walk"], {}])
def test_unknown_mode_lists_valid_ones(mode: object) -> None:
    said = refused({"mode": mode})
    assert "unknown mode" in said
    listed = said.partition("Valid: ")[2].split(", ")
    assert listed == list(MODES)


@pytest.mark.parametrize("arguments", [None, "walk", 3, ["mode"]])
def test_a_call_is_an_object(arguments: object) -> None:
    assert "must be an object" in refused(arguments)


def test_a_read_only_dispatcher_has_no_ingest_document(woods: Woods) -> None:
    assert "ingest_document" not in available_modes(writable=False)
    said = refused({"mode": "ingest_document", "title": "t", "body": "b", "source_id": "s"}, writable=False)
    assert "unknown mode `ingest_document`" in said
    with pytest.raises(UsageError):
        woods.call("ingest_document", title="t", body="b", source_id="s")
    assert "ingest_document" not in tool_schema(writable=False)["properties"]["mode"]["enum"]
    assert "body" not in tool_schema(writable=False)["properties"]


@pytest.mark.parametrize("name", ["title", "body", "source_id"])
def test_ingest_missing_field_errors(name: str) -> None:
    given_ = {"title": "T", "body": "B", "source_id": "S"}
    del given_[name]
    assert (
        refused({"mode": "ingest_document", **given_}) == f"ingest_document: missing required field `{name}`"
    )


@pytest.mark.parametrize("name", ["title", "body", "source_id"])
def test_ingest_rejects_blank_required_fields(name: str) -> None:
    given_ = {"title": "T", "body": "B", "source_id": "S", name: " \n"}
    assert refused({"mode": "ingest_document", **given_}) == (
        "ingest_document: title, body, and source_id must be non-empty"
    )


def test_ingest_goes_to_whom_the_keeper_gave(woods: Woods) -> None:
    seen: list[IngestDocumentParams] = []

    def ingest(params: IngestDocumentParams) -> str:
        seen.append(params)
        return f'Ingested document "{params.title}" as source_id={params.source_id}. 1 chunks created and indexed.'

    call = {
        "mode": "ingest_document",
        "title": "T",
        "body": "B",
        "source_id": "S",
        "source_ref": "r",
        "owner": "o",
    }
    said = memory_tree(woods.corpus, call, NOW, ingest)
    assert said == 'Ingested document "T" as source_id=S. 1 chunks created and indexed.'
    assert (seen[0].provider, seen[0].source_ref, seen[0].owner) == ("agent", "r", "o")


def test_search_entities_parameters_schema_requires_query() -> None:
    assert mode_schema("search_entities")["required"] == ["query"]
    assert refused({"mode": "search_entities"}) == (
        "invalid arguments for memory_tree_search_entities: missing field `query`"
    )


def test_kind_enum_contains_expected_memory_entity_kinds() -> None:
    enum = mode_schema("search_entities")["properties"]["kinds"]["items"]["enum"]
    assert enum == list(KINDS)
    agents = "email url handle hashtag person organization location event product misc topic"
    assert set(agents.split()) <= set(enum)


def test_search_entities_rejects_invalid_kind_after_validation() -> None:
    said = refused({"mode": "search_entities", "query": "x", "kinds": ["person", "planet"]})
    assert said.startswith("memory_tree_search_entities: invalid kind: planet")
    assert "must be a list" in refused({"mode": "search_entities", "query": "x", "kinds": "person"})


def test_limits_default_and_clamp() -> None:
    def limit(mode: str, value: object, **more: object) -> object:
        return read_call({"mode": mode, "limit": value, **more}, writable=True).params.limit  # type: ignore[union-attr]

    assert limit("search_entities", None, query="x") == 5
    assert limit("search_entities", 0, query="x") == 5
    assert limit("search_entities", 10**9, query="x") == 100
    for mode, more in (("walk", {"query": "x"}), ("smart_walk", {"query": "x"}), ("query_source", {})):
        assert limit(mode, None, **more) == 10
        assert limit(mode, 0, **more) == 10
        assert limit(mode, 101, **more) == 100
    bounds = {"since_ms": 1, "until_ms": 2}
    assert limit("cover_window", None, **bounds) == limit("cover_window", 0, **bounds) == 200
    assert limit("cover_window", 5000, **bounds) == 5000
    assert limit("drill_down", None, node_id="x") is None


def test_walk_options_and_ids_are_bounded_deterministically() -> None:
    def hops(value: int) -> int:
        return read_call({"mode": "walk", "query": "x", "max_hops": value}, writable=False).params.max_hops  # type: ignore[union-attr]

    assert [hops(value) for value in (0, 1, 4, 9)] == [2, 1, 4, 4]


@pytest.mark.parametrize("mode", ["walk", "smart_walk"])
@pytest.mark.parametrize("query", [{}, {"query": None}, {"query": ""}, {"query": " \t\n"}])
def test_walk_missing_query_errors(mode: str, query: dict[str, object]) -> None:
    assert refused({"mode": mode, **query}) == "memory_tree walk: `query` is required"


@pytest.mark.parametrize("mode", ["query_source", "cover_window"])
def test_execute_rejects_invalid_source_kind(mode: str) -> None:
    said = refused({"mode": mode, "since_ms": 1, "until_ms": 2, "source_kind": "carrier_pigeon"})
    assert said.startswith(f"memory_tree_{mode}: invalid source_kind: carrier_pigeon")


def test_query_source_schema_exposes_supported_source_filters() -> None:
    properties = mode_schema("query_source")["properties"]
    assert properties["source_kind"]["enum"] == ["chat", "email", "document"]
    assert properties["time_window_days"]["minimum"] == 0


@pytest.mark.parametrize("value", ["five", 1.5, True, [1], {}])
def test_execute_rejects_wrong_type_for_limit(value: object) -> None:
    said = refused({"mode": "query_source", "limit": value})
    assert said.startswith("invalid arguments for memory_tree_query_source: `limit` must be a whole number")


def test_drill_down_requires_node_id_and_a_depth() -> None:
    schema = mode_schema("drill_down")
    assert schema["required"] == ["node_id"]
    assert schema["properties"]["max_depth"]["minimum"] == 1
    assert refused({"mode": "drill_down"}) == (
        "invalid arguments for memory_tree_drill_down: missing field `node_id`"
    )
    for depth in (0, -3):
        assert refused({"mode": "drill_down", "node_id": "x", "max_depth": depth}) == (
            "memory_tree_drill_down: max_depth must be >= 1"
        )
    call = read_call({"mode": "drill_down", "node_id": "x", "max_depth": 99}, writable=False)
    assert call.params.max_depth == 3  # type: ignore[union-attr]


@pytest.mark.parametrize("missing", ["since_ms", "until_ms"])
def test_cover_window_missing_bounds_rejected(missing: str) -> None:
    bounds = {"since_ms": 1, "until_ms": 2}
    del bounds[missing]
    assert f"missing field `{missing}`" in refused({"mode": "cover_window", **bounds})


def test_cover_window_until_before_since_errors() -> None:
    said = refused({"mode": "cover_window", "since_ms": 20, "until_ms": 10})
    assert said == "memory_tree_cover_window: until_ms (10) precedes since_ms (20)"
    assert read_call({"mode": "cover_window", "since_ms": 5, "until_ms": 5}, writable=False)


def test_max_chunk_ids_per_call_matches_description() -> None:
    assert FETCH_BATCH == 20
    assert "20" in mode_schema("fetch_leaves")["properties"]["chunk_ids"]["description"]


def test_request_slice_is_truncated_to_cap() -> None:
    wanted = [f"chunk-{number}" for number in range(25)]
    call = read_call({"mode": "fetch_leaves", "chunk_ids": wanted}, writable=False)
    assert call.params.chunk_ids == tuple(wanted[:20])  # type: ignore[union-attr]


@pytest.mark.parametrize("value", ["a", 3, [1], [None], {"a": 1}])
def test_execute_rejects_wrong_type_for_chunk_ids(value: object) -> None:
    said = refused({"mode": "fetch_leaves", "chunk_ids": value})
    assert said.startswith(
        "invalid arguments for memory_tree_fetch_leaves: `chunk_ids` must be a list of texts"
    )


def test_an_empty_workspace_answers_every_mode(woods: Woods) -> None:
    assert woods.call("search_entities", query="x") == ()
    for mode, more in (
        ("query_source", {}),
        ("query_source", {"source_id": "notes:Nowhere", "query": "x"}),
        ("drill_down", {"node_id": "x", "query": "q", "limit": 3}),
        ("cover_window", {"since_ms": 0, "until_ms": 10**13}),
        ("fetch_leaves", {"chunk_ids": ["a", "b"]}),
        ("walk", {"query": "Mara and Jonas"}),
    ):
        response = woods.call(mode, **more)
        assert response_dict(response) == {
            "schema": 1, "hits": [], "total": 0, "truncated": False, "route": "empty", "notes": [],
        }, mode  # fmt: skip


# Fuzz: every mode answers or says what is wrong, and never writes.

words = st.sampled_from(
    ["Mara", "Jonas Berg", "person:mara", "boiler", "last week", "昨天 王小明", "c++", '"', "NOT", "%", "_", "\\",
     "NEAR(", "😀", "a\x00b", "\ud800", "", " ", "'; DROP TABLE notes; --", "in February 2026", "x" * 3000]
)  # fmt: skip
scalars = st.one_of(
    words,
    st.integers(-(2**70), 2**70),
    st.integers(-3, 130),
    st.none(),
    st.booleans(),
    st.floats(),
    st.text(max_size=8),
)
values = st.one_of(scalars, st.lists(words, max_size=25), st.dictionaries(words, scalars, max_size=2))
names = st.sampled_from(sorted(tool_schema()["properties"]))
typed = st.fixed_dictionaries(
    {},
    optional={
        "query": words, "node_id": words, "source_id": words, "chunk_ids": st.lists(words, max_size=25),
        "kinds": st.lists(st.sampled_from(KINDS), max_size=3), "limit": st.integers(0, 300),
        "max_depth": st.integers(1, 9), "max_hops": st.integers(0, 9), "since_ms": st.integers(-(10**15), 10**13),
        "until_ms": st.integers(0, 10**15), "time_window_days": st.integers(0, 10**6),
        "source_kind": st.sampled_from(["chat", "email", "document"]), "summaries_only": st.booleans(),
    },
)  # fmt: skip


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Woods:
    woods = Woods(tmp_path_factory.mktemp("woods"))
    woods.person("mara", "Mara Chen", "Mara")
    woods.person("jonas", "Jonas Berg")
    woods.note("Projects/A.md", "Mara told Jonas Berg about the boiler, and it took a long while to mend it.")
    woods.note("Projects/B.md", "王小明 wrote to mara@example.org about c++ and the tides of the sea. #plans")
    woods.note(
        "episodic/s1/000000.md", "The boiler is broken again, said Jonas Berg on the telephone at night."
    )
    woods.sync()
    leaves = [woods.leaf("Projects/A.md"), woods.leaf("Projects/B.md")]
    woods.summary(
        1, leaves, "2026-03-01T12:00:00", "2026-03-01T12:00:00", text="Mara and Jonas Berg mended it."
    )
    low = woods.summary(
        1, leaves[1:], "2026-03-01", "2026-03-01", number=2, doc_id="d", version_ms=1, subtree=True
    )
    woods.summary(1001, [low], "2026-03-01", "2026-03-01", number=3, text="王小明 wrote to Mara.")
    woods.bench.write(
        "wiki/summaries/source-notes-projects/L1/by hand.md",
        "---\nid: summary:by-hand\nkind: summary\ntree_scope: notes:Projects\nlevel: 1\n"
        'children: ["[[A]]", "[[B#x]]"]\ntime_range_start: 2026-03-01\ntime_range_end: 2026-03-31\n---\nBy hand.\n',
    )
    woods.sync()
    woods.embed()
    return woods


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    mode=st.one_of(st.sampled_from(list(MODES)), scalars),
    wild=st.dictionaries(names, values, max_size=4),
    tame=typed,
)
def test_any_parameters_give_an_answer_or_a_clear_error_and_no_write(
    grown: Woods, mode: object, wild: dict[str, object], tame: dict[str, object]
) -> None:
    for arguments in ({**tame, "mode": mode}, {**tame, **wild, "mode": mode}):
        grown.bench.db.execute("PRAGMA query_only=1")
        before = grown.bench.db.total_changes
        said = "memory_tree"
        try:
            first = memory_tree(grown.corpus, arguments, NOW)
            assert memory_tree(grown.corpus, arguments, NOW) == first
            if isinstance(first, QueryResponse):
                assert first.truncated == (first.total > len(first.hits))
                assert len({hit.node_id for hit in first.hits}) == len(first.hits)
        except UsageError as error:
            said = str(error)
        finally:
            grown.bench.db.execute("PRAGMA query_only=0")
        assert said.startswith(("memory_tree", "invalid arguments for memory_tree", "ingest_document"))
        assert grown.bench.db.total_changes == before
