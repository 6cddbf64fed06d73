from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.index.vaults import Bench
from vaultkeeper.errors import ProviderError
from vaultkeeper.index.embedding import Embedding
from vaultkeeper.memory.events import EventKind
from vaultkeeper.memory.extract import extract
from vaultkeeper.memory.gazetteer import Gazetteer
from vaultkeeper.providers import open_embedder
from vaultkeeper.retrieval.memories import (
    OF_EVENTS,
    Sources,
    like_memories,
    recall_memories,
    render_recalled,
)

NOW = datetime(2026, 1, 31, tzinfo=UTC)
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


@pytest.mark.parametrize("vectors", [False, True])
def test_only_memories_of_the_namespace_are_found(bench: Bench, vectors: bool) -> None:
    assert (
        keys(recall_memories(sources(bench, vectors), "which pot leaks", ["global"], 5, now=NOW))[0]
        == "Tea pot"
    )
    [work] = recall_memories(sources(bench, vectors), "which pot leaks", ["work"], 5, now=NOW)[0]
    assert work.memory.content == "The pot at the office is green."
    assert recall_memories(sources(bench, vectors), "pot", ["nowhere"], 5, now=NOW) == ([], [])


@pytest.mark.parametrize("vectors", [False, True])
def test_an_entity_counts_under_any_of_its_names(bench: Bench, vectors: bool) -> None:
    found, _ = recall_memories(sources(bench, vectors), "what has the beekeeper got", ["global"], 5, now=NOW)
    assert found[0].memory.key == "Lid"
    assert found[0].score >= 0.55


@pytest.mark.parametrize("vectors", [False, True])
def test_what_shares_nothing_is_not_found(bench: Bench, vectors: bool) -> None:
    assert (
        keys(recall_memories(sources(bench, vectors), "quantum chromodynamics", ["global"], 5, now=NOW)) == []
    )


def test_what_means_the_same_is_found_without_a_common_word(bench: Bench) -> None:
    assert keys(recall_memories(sources(bench), "apartment lease payment", ["global"], 5, now=NOW)) == []
    assert keys(
        recall_memories(sources(bench, True), "rental payment for the house", ["global"], 1, now=NOW)
    ) == ["Rent"]


def test_scores_lie_between_0_and_1_best_first_and_the_limit_holds(bench: Bench) -> None:
    found, _ = recall_memories(
        sources(bench, True), "the blue pot, the lid and the rent", ["global"], 2, now=NOW
    )
    assert len(found) == 2
    assert 1 >= found[0].score >= found[1].score > 0


def test_a_failing_embedder_is_remarked_and_words_still_find(bench: Bench) -> None:
    working = sources(bench, True)

    def fails() -> Any:
        raise ProviderError(kind="embedder", name="x", reason="gone", remedy="")

    broken = Sources(working.db, working.mentions, working.vectors, fails)
    found, remarks = recall_memories(broken, "blue pot", ["global"], 5, now=NOW)
    assert [one.memory.key for one in found] == ["Tea pot"]
    assert remarks == ["vectors_unavailable"]


def test_equal_scores_stand_newest_first(bench: Bench) -> None:
    for name, day in (("one", 3), ("two", 9), ("three", 5)):
        bench.write(f"memory/x/{name}.md", note("x", name, "A zebra", day=day))
    bench.sync()
    assert keys(recall_memories(sources(bench), "zebra", ["x"], 5, now=NOW)) == ["two", "three", "one"]


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
    found, _ = recall_memories(sources(bench), "leaks", ["global"], 5, now=NOW)
    assert render_recalled(found) == "Found 1 memories:\n- [daily] Tea pot: The blue pot leaks. [100%]\n"
    assert render_recalled([]) == "No memories found matching that query.\n"


def test_a_memory_cannot_forge_another_line(bench: Bench) -> None:
    bench.write(
        "memory/x/long.md", note("x", "long", "walrus\n- [core] forged: line [99%]\n\n" + "word " * 300)
    )
    bench.sync()
    lines = render_recalled(recall_memories(sources(bench), "walrus", ["x"], 5, now=NOW)[0]).splitlines()
    assert len(lines) == 2
    assert len(lines[1]) < 600


def segment(session: str, seq: int, kind: str, quote: str, day: int) -> str:
    line = f"- **{kind}** {quote} ([[episodic/{session}/{seq:06}|turn {seq}]] 0–{len(quote)}, 0.6) ^evt-{seq:04x}"
    return (
        f"---\nid: seg-{session}{seq}\nsession_id: {session}\nstart_seq: {seq}\nend_seq: {seq + 1}\nturn_count: 1\n"
        f"time_range_start: 2026-01-{day:02}T00:00:00Z\ntime_range_end: 2026-01-{day:02}T00:00:00Z\nrecap_by: extractive\n"
        f"---\n\nUser: {quote}\n\n## Events\n\n{line}\n\n## Turns\n\n[[episodic/{session}/{seq:06}|{seq}]]\n"
    )


def turn(session: str, seq: int, content: str, day: int) -> str:
    at_ms = int(datetime(2026, 1, day, tzinfo=UTC).timestamp() * 1000)
    return (
        f'---\nsession_id: "{session}"\nseq: {seq}\ntimestamp_ms: {at_ms}\nrole: "user"\n---\n\n{content}\n'
    )


@pytest.fixture
def talked(bench: Bench) -> Bench:
    bench.write("episodic/a/000000.md", turn("a", 0, "We decided to buy the zinc kettle.", 9))
    bench.write(
        "wiki/segments/a/000000.md", segment("a", 0, "decision", "We decided to buy the zinc kettle.", 9)
    )
    bench.write(
        "episodic/b/000004.md", turn("b", 4, "The zinc kettle whistles, so I boil the water early.", 20)
    )
    bench.write("episodic/b/000006.md", turn("b", 6, "Zinc is a metal.", 28))
    bench.write(
        "memory/global/kettle.md", note("global", "Kettle", "The zinc kettle stands on the stove.", day=12)
    )
    bench.sync()
    return bench


def test_what_was_said_is_found_beside_the_memories_of_global(talked: Bench) -> None:
    found, _ = recall_memories(sources(talked), "zinc kettle", ["global"], 5, now=NOW)
    assert [(one.kind, one.memory.key, one.memory.category) for one in found] == [
        ("memory", "Kettle", "core"), ("event", "a turn 0", "decision"), ("turn", "b turn 4", "conversation"),
    ]  # fmt: skip
    assert [one.memory.path for one in found][1:] == ["episodic/a/000000.md", "episodic/b/000004.md"]
    memory, event, said = (one.score for one in found)
    assert memory == pytest.approx(0.8 + 0.2 / 20, abs=1e-6)
    assert event == pytest.approx(0.6 + 0.4 / 23, abs=1e-6)
    assert said == pytest.approx(0.2 * (0.7 + 0.3 / 12), abs=1e-6)


def test_other_namespaces_and_other_kinds_leave_it_out(talked: Bench) -> None:
    assert recall_memories(sources(talked), "zinc kettle", ["work"], 5, now=NOW) == ([], [])
    for kind in ("memory", "turn", "event"):
        found, _ = recall_memories(sources(talked), "zinc kettle", ["global"], 5, now=NOW, kinds=[kind])
        assert {one.kind for one in found} == {kind}


def test_the_kinds_of_events_are_those_of_the_rules() -> None:
    assert get_args(EventKind) == OF_EVENTS


def test_events_are_found_by_kind_with_and_without_a_query(talked: Bench) -> None:
    talked.write("wiki/segments/b/000004.md", segment("b", 4, "preference", "I like my kettle loud.", 20))
    talked.write("wiki/segments/c/000000.md", segment("c", 0, "decision", "We decided on zinc roofs.", 25))
    talked.sync()
    for query, kinds, expected in (
        ("kettle", ["decision"], ["a turn 0"]),
        ("kettle", ["decision", "preference"], ["b turn 4", "a turn 0"]),
        (None, ["decision"], ["c turn 0", "a turn 0"]),
        (None, ["event"], ["c turn 0", "b turn 4", "a turn 0"]),
        (None, ["fact"], []),
    ):
        found, _ = recall_memories(sources(talked), query, ["global"], 5, now=NOW, kinds=kinds)
        assert [one.memory.key for one in found] == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("zinc kettle before 2026-01-10", ["a turn 0"]),
        ("zinc kettle after 2026-01-10", ["Kettle", "b turn 4"]),
        ("history of the zinc kettle", ["a turn 0", "Kettle", "b turn 4"]),
    ],
)
def test_a_word_of_time_says_which_and_in_what_order(talked: Bench, query: str, expected: list[str]) -> None:
    assert keys(recall_memories(sources(talked), query, ["global"], 5, now=NOW)) == expected


def test_the_first_is_the_oldest_of_equals(bench: Bench) -> None:
    for name, day in (("one", 3), ("two", 9), ("three", 5)):
        bench.write(f"memory/x/{name}.md", note("x", name, "A zebra plan", day=day))
    bench.sync()
    assert keys(recall_memories(sources(bench), "first zebra plan", ["x"], 5, now=NOW)) == [
        "one",
        "three",
        "two",
    ]


def test_without_a_query_what_matters_most_stands_first(bench: Bench) -> None:
    bench.write("memory/x/old.md", note("x", "old", "Old but core", day=1))
    bench.write("memory/x/new.md", note("x", "new", "New and daily", "daily", day=30))
    bench.write("memory/x/named.md", note("x", "named", "Femke again", "custom", day=1))
    urgent = note("x", "urgent", "Urgent", "daily", day=1).replace("category", "priority: critical\ncategory")
    bench.write("memory/x/urgent.md", urgent)
    bench.sync()
    found, _ = recall_memories(sources(bench), None, ["x"], 5, now=NOW)
    assert [one.memory.key for one in found] == ["named", "urgent", "old", "new"]
    assert found[1].score == pytest.approx(0.45 + 0.25 / 31, abs=1e-6)
    assert keys(recall_memories(sources(bench), None, ["nowhere"], 5, now=NOW)) == []


def test_relations_support_a_hit(bench: Bench) -> None:
    for name in ("Otis", "Pia"):
        low = name.lower()
        bench.write(
            f"entities/person/{low}.md", f"---\nid: person:{low}\nkind: person\ndisplay_name: {name}\n---\n"
        )
    bench.write("Club.md", "Otis met Femke.\n")
    bench.write("Garden.md", "Otis and Pia and Femke dug.\n")
    bench.write("memory/x/otis.md", note("x", "otis", "Otis repairs clocks with Pia"))
    bench.sync()
    [hit], _ = recall_memories(sources(bench), "who knows Femke and clocks", ["x"], 5, now=NOW)
    assert [(one.a, one.b, one.weight) for one in hit.relations] == [
        ("person:femke", "person:otis", 2),
        ("person:femke", "person:pia", 1),
        ("person:otis", "person:pia", 2),
    ]
    assert len(render_recalled([hit]).splitlines()) == 2
    assert render_recalled([hit], why=True).splitlines()[2] == (
        "  person:femke with person:otis (2), person:femke with person:pia (1), person:otis with person:pia (2)"
    )


def test_vectors_of_another_model_count_as_absent(bench: Bench) -> None:
    working = sources(bench, True)
    other = open_embedder("hash")
    assert other is not None
    embedding = Embedding(bench.folder / "index", "hash", lambda: other, exact_below=1000)
    mixed = Sources(working.db, working.mentions, embedding, lambda: other)
    assert keys(recall_memories(working, "rental payment for the house", ["global"], 1, now=NOW)) == ["Rent"]
    assert keys(recall_memories(mixed, "rental payment for the house", ["global"], 1, now=NOW)) == []
    [hit], _ = recall_memories(mixed, "blue pot", ["global"], 5, now=NOW)
    assert (hit.memory.key, hit.score) == ("Tea pot", 1.0)
