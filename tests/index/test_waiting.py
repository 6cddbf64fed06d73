from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.keeping.world import World, text_of
from vaultkeeper.index import waiting
from vaultkeeper.index.db import Connection
from vaultkeeper.index.trees import fetch_scopes


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    world.fill("Log", 5)
    world.write("episodic/a/000000.md", f"---\nsession_id: a\nseq: 0\nrole: user\n---\n\n{text_of(7)}")
    world.write(
        "entities/person/mara.md",
        "---\nid: person:mara\nkind: person\ndisplay_name: Mara\n---\nwords of no leaf\n",
    )
    world.write("Log/Empty.md", "# Heading\n")
    yield world
    world.keeper.close()


def db_of(world: World) -> Connection:
    db = world.keeper._open_reader()
    assert db is not None
    return db


def test_scopes_are_those_of_leaves(world: World) -> None:
    assert list(fetch_scopes(db_of(world))) == ["conversations:agent", "notes:Log"]


def test_leaves_have_a_text_and_their_notes_arrival(world: World) -> None:
    leaves = waiting.fetch_tree_leaves(db_of(world), "notes:Log")
    assert [leaf.path for leaf in leaves] == [f"Log/Day {n}.md" for n in range(5)]
    assert {leaf.arrived_ms for leaf in leaves} == {int(world.now.timestamp() * 1000)}
    [turn] = waiting.fetch_tree_leaves(db_of(world), "conversations:agent")
    assert turn.source_kind == "chat"


def test_texts_and_entities_come_by_id_and_what_is_gone_is_missing(world: World) -> None:
    leaves = waiting.fetch_tree_leaves(db_of(world), "notes:Log")
    ids = [leaf.id for leaf in leaves]
    texts = waiting.fetch_leaf_texts(db_of(world), [*ids, "f" * 32])
    assert texts == {leaf.id: text_of(n).strip() for n, leaf in enumerate(leaves)}
    entities = waiting.fetch_leaf_entities(db_of(world), ids)
    assert [one for one in ids if "person:mara" in entities.get(one, ())] == [ids[0], ids[4]]


def test_what_waits_is_what_no_node_owns(world: World) -> None:
    def by_scope() -> dict[str, int]:
        return {one.scope: one.leaves for one in waiting.fetch_waiting(db_of(world))}

    assert by_scope() == {"conversations:agent": 1, "notes:Log": 5}
    world.tend("notes:Log", force=True)
    assert by_scope() == {"conversations:agent": 1}
    assert waiting.fetch_some_leaves(db_of(world), "notes:Log", []) == []
    ids = [leaf.id for leaf in waiting.fetch_tree_leaves(db_of(world), "notes:Log")]
    assert [leaf.id for leaf in waiting.fetch_some_leaves(db_of(world), "notes:Log", ids[:2])] == ids[:2]


def test_a_node_is_changed_when_a_leaf_went_or_moved_in_time(world: World) -> None:
    world.tend(force=True)
    assert waiting.fetch_changed_nodes(db_of(world)) == {}
    world.write("Log/Day 1.md", "other words\n")
    [(scope, nodes)] = waiting.fetch_changed_nodes(db_of(world)).items()
    assert (scope, len(nodes)) == ("notes:Log", 1)


def test_notes_by_identity_and_their_chunks(world: World) -> None:
    assert waiting.fetch_path_of(db_of(world), "person:mara") == "entities/person/mara.md"
    assert waiting.fetch_path_of(db_of(world), "nobody") is None
    assert waiting.count_note_chunks(db_of(world), ["Log/Day 1.md", "Log/Day 2.md", "gone.md"]) == 2


@pytest.mark.parametrize(
    ("kind", "source", "expected"),
    [
        ("turn", "episodic:a", "chat"),
        ("document", "email:x", "email"),
        ("document", "chat:x", "chat"),
        ("document", "song:x", "document"),
        ("note", "notes:email", "document"),
    ],
)
def test_the_kind_of_a_source(kind: str, source: str, expected: str) -> None:
    assert waiting.source_kind_of(kind, source) == expected
