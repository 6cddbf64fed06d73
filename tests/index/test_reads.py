from __future__ import annotations

import pytest

from tests.retrieval.filled import FilledIndex, day_ms
from vaultkeeper.index import reads
from vaultkeeper.index.reads import Filters


@pytest.fixture
def index() -> FilledIndex:
    filled = FilledIndex()
    filled.put(
        "Work/Plan.md", ("A", "alpha"), ("B", "beta"), ("C", "gamma"), day="2026-03-01", tags=["Work/Plans"]
    )
    filled.put(
        "Home/Plan.md", "delta", day="2026-05-01", tags=["home"], aliases=["The flat"], links=["Work/Plan.md"]
    )
    for i in (0, 1, 2, 4):
        filled.put(
            f"episodic/s/{i:06}.md", f"Ann: turn {i}", kind="turn", source="episodic:s", day="2026-04-01"
        )
    filled.put("entities/person/ann.md", "notes on ann", kind="entity", entities=["person:ann"])
    filled.register("person:ann", "entities/person/ann.md", "Ann Ito", ["Annie"])
    return filled


def paths(index: FilledIndex, pks: frozenset[int] | None) -> set[str]:
    assert pks is not None
    return {leaf.path for leaf in reads.fetch_leaves(index.db, pks).values()}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(since_ms=day_ms("2026-05-01")), {"Home/Plan.md"}),
        (Filters(until_ms=day_ms("2026-03-01"), folder="Work"), {"Work/Plan.md"}),
        (Filters(since_ms=day_ms("2026-03-01"), until_ms=day_ms("2026-03-01")), {"Work/Plan.md"}),
        (Filters(kinds=("entity",)), {"entities/person/ann.md"}),
        (Filters(sources=("notes:Home", "notes:Work")), {"Home/Plan.md", "Work/Plan.md"}),
        (Filters(tags=("work",)), {"Work/Plan.md"}),
        (Filters(tags=("#WORK/plans",)), {"Work/Plan.md"}),
        (Filters(tags=("wor",)), set()),
        (Filters(tags=("home", "work")), set()),
        (Filters(folder="episodic/s/"), {f"episodic/s/{i:06}.md" for i in (0, 1, 2, 4)}),
        (Filters(folder="epi"), set()),
    ],
)
def test_filters(index: FilledIndex, filters: Filters, expected: set[str]) -> None:
    assert paths(index, reads.fetch_allowed(index.db, filters)) == expected


def test_open_filters_let_everything_through(index: FilledIndex) -> None:
    assert reads.fetch_allowed(index.db, Filters()) is None


def test_leaves_by_id_keep_the_order_of_the_ids(index: FilledIndex) -> None:
    ids = [leaf.chunk_id for leaf in reads.fetch_note_leaves(index.db, "Work/Plan.md")]
    wanted = [ids[2], "f" * 32, ids[0]]
    assert [leaf.chunk_id for leaf in reads.fetch_leaves_by_id(index.db, wanted)] == [ids[2], ids[0]]


def test_backlinks_and_names(index: FilledIndex) -> None:
    assert [link.path for link in reads.fetch_backlinks(index.db, "Work/Plan.md")] == ["Home/Plan.md"]
    names = reads.fetch_names(index.db)
    assert ("The flat", "Home/Plan.md") in names
    assert ("Annie", "person:ann") in names
    assert not [name for name, _ in names if name.startswith("0000")]
    assert names == sorted(names)


def test_entities_of_leaves(index: FilledIndex) -> None:
    (leaf,) = reads.fetch_note_leaves(index.db, "entities/person/ann.md")
    assert reads.fetch_entities_of(index.db, [leaf.chunk_pk]) == {leaf.chunk_pk: ("person:ann",)}
    assert reads.count_occurrences(index.db, ["person:ann", "person:bob"]) == {"person:ann": 1}
    assert reads.fetch_surfaces(index.db, ["person:ann"]) == {"ann"}
    assert reads.fetch_entity_notes(index.db, ["person:ann"]) == {leaf.note_pk}


def test_notes_that_are_called_so(index: FilledIndex) -> None:
    index.put("Mercury (planet).md", "hot")
    index.put("Mercury rising.md", "film")
    called = reads.fetch_notes_called(index.db, ["mercury", "plan"])
    leaves = reads.fetch_leaves(index.db, [pk for pks in called.values() for pk in pks])
    assert {leaf.path for leaf in leaves.values()} == {"Mercury (planet).md", "Work/Plan.md", "Home/Plan.md"}


def test_counts(index: FilledIndex) -> None:
    assert reads.count_indexed(index.db) == (7, 9, 1)
    allowed = reads.fetch_allowed(index.db, Filters(folder="Work"))
    assert reads.count_indexed(index.db, allowed)[:2] == (1, 3)
