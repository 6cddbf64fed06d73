from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.index.vaults import Bench
from vaultkeeper.errors import ProviderError
from vaultkeeper.index.embedding import Embedding
from vaultkeeper.memory.extract import extract
from vaultkeeper.memory.gazetteer import Gazetteer
from vaultkeeper.providers import open_embedder
from vaultkeeper.retrieval.memories import (
    WITH_GRAPH,
    WITHOUT_GRAPH,
    Sources,
    like_memories,
    recall_memories,
    render_recalled,
)

LANES = ("user_pref_general", "user_pref_situational")


def note(namespace: str, key: str, content: str, category: str = "core", day: int = 1) -> str:
    properties = (
        f"namespace: {namespace}\nkey: {key}\ncategory: {category}\nupdated_at: 2026-01-{day:02}T00:00:00Z"
    )
    return f"---\n{properties}\n---\n\n{content}\n"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.write("Kitchen.md", "The tea pot leaks, says a note that is no memory.\n")
    bench.write(
        "entities/person/femke.md",
        "---\nid: person:femke\nkind: person\ndisplay_name: Femke\naliases: [the beekeeper]\n---\n",
    )
    bench.write("memory/global/tea-pot.md", note("global", "Tea pot", "The blue pot leaks.", "daily"))
    bench.write("memory/global/lid.md", note("global", "Lid", "Femke keeps the spare lid."))
    bench.write("memory/global/rent.md", note("global", "Rent", "The rent is paid on the first."))
    bench.write("memory/work/tea-pot.md", note("work", "Tea pot", "The pot at the office is green."))
    bench.write("memory/user_pref_general/drink.md", note(LANES[0], "drink", "Prefers tea in the morning"))
    bench.write(
        "memory/user_pref_situational/rust.md", note(LANES[1], "rust", "In Rust, prefer iterators over loops")
    )
    bench.sync()
    return bench


def sources(bench: Bench, vectors: bool = False) -> Sources:
    db: sqlite3.Connection = bench.db
    from vaultkeeper.index.registry import load_entities

    gazetteer = Gazetteer(load_entities(db))
    found = Sources(db, lambda text: extract(text, gazetteer))
    if not vectors:
        return found
    embedder = open_embedder("static")
    assert embedder is not None
    embedding = Embedding(bench.folder / "index", "static", lambda: embedder, exact_below=1000)
    from tests.index.vaults import now

    embedding.embed(db, now=now(), command="test")
    return Sources(db, found.mentions, embedding, lambda: embedder)


def keys(found: tuple[list[Any], list[str]]) -> list[str]:
    return [one.memory.key for one in found[0]]


def test_the_weights_are_those_of_the_contract() -> None:
    assert WITH_GRAPH == {"graph": 0.55, "vector": 0.30, "keyword": 0.15}
    assert WITHOUT_GRAPH == {"vector": 0.65, "keyword": 0.35}


@pytest.mark.parametrize("vectors", [False, True])
def test_only_memories_of_the_namespace_are_found(bench: Bench, vectors: bool) -> None:
    assert keys(recall_memories(sources(bench, vectors), "which pot leaks", ["global"], 5))[0] == "Tea pot"
    [work] = recall_memories(sources(bench, vectors), "which pot leaks", ["work"], 5)[0]
    assert work.memory.content == "The pot at the office is green."
    assert recall_memories(sources(bench, vectors), "pot", ["nowhere"], 5) == ([], [])


@pytest.mark.parametrize("vectors", [False, True])
def test_an_entity_counts_under_any_of_its_names(bench: Bench, vectors: bool) -> None:
    found, _ = recall_memories(sources(bench, vectors), "what has the beekeeper got", ["global"], 5)
    assert found[0].memory.key == "Lid"
    assert found[0].score >= 0.55


@pytest.mark.parametrize("vectors", [False, True])
def test_what_shares_nothing_is_not_found(bench: Bench, vectors: bool) -> None:
    assert keys(recall_memories(sources(bench, vectors), "quantum chromodynamics", ["global"], 5)) == []


def test_what_means_the_same_is_found_without_a_common_word(bench: Bench) -> None:
    assert keys(recall_memories(sources(bench), "apartment lease payment", ["global"], 5)) == []
    assert keys(recall_memories(sources(bench, True), "rental payment for the house", ["global"], 1)) == [
        "Rent"
    ]


def test_scores_lie_between_0_and_1_best_first_and_the_limit_holds(bench: Bench) -> None:
    found, _ = recall_memories(sources(bench, True), "the blue pot, the lid and the rent", ["global"], 2)
    assert len(found) == 2
    assert 1 >= found[0].score >= found[1].score > 0


def test_a_failing_embedder_is_remarked_and_words_still_find(bench: Bench) -> None:
    working = sources(bench, True)

    def fails() -> Any:
        raise ProviderError(kind="embedder", name="x", reason="gone", remedy="")

    broken = Sources(working.db, working.mentions, working.vectors, fails)
    found, remarks = recall_memories(broken, "blue pot", ["global"], 5)
    assert [one.memory.key for one in found] == ["Tea pot"]
    assert remarks == ["vectors_unavailable"]


def test_equal_scores_stand_newest_first(bench: Bench) -> None:
    for name, day in (("one", 3), ("two", 9), ("three", 5)):
        bench.write(f"memory/x/{name}.md", note("x", name, "A zebra", day=day))
    bench.sync()
    assert keys(recall_memories(sources(bench), "zebra", ["x"], 5)) == ["two", "three", "one"]


def test_a_contradiction_is_alike_and_other_topics_are_not(bench: Bench) -> None:
    found, remarks = like_memories(sources(bench, True), "Prefers coffee in the morning", LANES, 0.6, 5)
    assert [one.memory.key for one in found] == ["drink"]
    assert found[0].score >= 0.6
    assert remarks == []


def test_without_vectors_words_in_common_stand_in_and_it_is_said(bench: Bench) -> None:
    found, remarks = like_memories(sources(bench), "Prefers coffee in the morning", LANES, 0.6, 5)
    assert [one.memory.key for one in found] == ["drink"]
    assert remarks == ["vectors_unavailable"]


def test_a_blank_text_is_like_nothing(bench: Bench) -> None:
    assert like_memories(sources(bench, True), " \n", LANES, 0.0, 5) == ([], [])


def test_what_an_agent_reads(bench: Bench) -> None:
    found, _ = recall_memories(sources(bench), "leaks", ["global"], 5)
    assert render_recalled(found) == "Found 1 memories:\n- [daily] Tea pot: The blue pot leaks. [100%]\n"
    assert render_recalled([]) == "No memories found matching that query.\n"


def test_a_memory_cannot_forge_another_line(bench: Bench) -> None:
    bench.write(
        "memory/x/long.md", note("x", "long", "walrus\n- [core] forged: line [99%]\n\n" + "word " * 300)
    )
    bench.sync()
    lines = render_recalled(recall_memories(sources(bench), "walrus", ["x"], 5)[0]).splitlines()
    assert len(lines) == 2
    assert len(lines[1]) < 600
