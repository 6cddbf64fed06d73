from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.retrieval.woods import Woods, ms
from vaultkeeper.errors import UsageError
from vaultkeeper.present.jsonform import response_dict, rows_list
from vaultkeeper.retrieval.dispatch import read_call
from vaultkeeper.retrieval.params import MODES, ListSourcesParams
from vaultkeeper.retrieval.schemas import all_schemas, mode_schema, result_schemas
from vaultkeeper.retrieval.sources import list_sources

DOCS = Path(__file__).parents[2] / "docs/schema"


@pytest.mark.parametrize("name", all_schemas())
def test_the_files_are_what_the_dataclasses_say_and_are_schemas(name: str) -> None:
    schema = json.loads((DOCS / f"{name}.json").read_text("utf-8"))
    assert schema == all_schemas()[name], "run `python docs/generate.py`"
    jsonschema.Draft202012Validator.check_schema(schema)


def test_no_file_is_left_over() -> None:
    described = {path.stem for path in DOCS.iterdir() if not path.stem.endswith(".output")}
    assert described == set(all_schemas())


plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 150),
    st.text(max_size=5),
    st.lists(st.text(max_size=3), max_size=3),
)


@given(mode=st.sampled_from(list(MODES)), data=st.data())
def test_what_a_schema_refuses_is_refused_and_what_is_accepted_fits_it(
    mode: str, data: st.DataObject
) -> None:
    names = list(mode_schema(mode)["properties"])
    arguments = data.draw(st.dictionaries(st.sampled_from(names), plain))
    given_ = {name: value for name, value in arguments.items() if value is not None}
    fits = jsonschema.Draft202012Validator(mode_schema(mode)).is_valid(given_)
    try:
        read_call({"mode": mode, **arguments}, writable=True)
    except UsageError:
        return  # a sentence may know more than a schema: blank texts, a window that ends before it begins
    assert fits, arguments


def test_answers_fit_their_schemas(woods: Woods) -> None:
    woods.person("mara", "Mara")
    woods.note("Projects/A.md", "Mara measured the tides of the sea with a gauge.", source_ref="x")
    woods.sync()
    woods.summary(
        1, [woods.leaf("Projects/A.md")], "2026-03-01T12:00:00", "2026-03-01T12:00:00", text="Mara measured."
    )
    woods.sync()
    schemas = result_schemas()
    calls: list[tuple[str, dict[str, Any]]] = [
        ("walk", {"query": "Mara tides"}), ("query_source", {}), ("fetch_leaves", {"chunk_ids": [woods.leaf("Projects/A.md")]}),
        ("cover_window", {"since_ms": 0, "until_ms": ms("2027-01-01")}),
    ]  # fmt: skip
    for mode, arguments in calls:
        answer = response_dict(woods.call(mode, **arguments))
        assert answer["hits"]
        jsonschema.validate(json.loads(json.dumps(answer)), schemas["query_response"])
    entities = rows_list(woods.call("search_entities", query="mara"))
    jsonschema.validate(entities, schemas["search_entities"])
    sources = rows_list(list_sources(woods.corpus, ListSourcesParams()))
    assert sources[0]["source_id"] == "notes:Projects"
    jsonschema.validate(sources, schemas["list_sources"])
