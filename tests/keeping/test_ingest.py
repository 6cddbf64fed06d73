from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.keeping.world import World
from vaultkeeper.errors import UsageError
from vaultkeeper.memory.seal import load_nodes

BODY = "The relay of Oosterdam failed at night. Somebody drove there with a spare battery and a lamp.\n\n" * 3


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.keeper.close()


def chunks(world: World, scope: str) -> list[tuple[str, str]]:
    db = world.keeper._open_reader()
    assert db is not None
    return db.execute(
        "SELECT chunk_id, body FROM chunks JOIN notes USING(note_pk) WHERE source = ? AND body <> '' ORDER BY seq",
        (scope,),
    ).fetchall()


def test_a_document_is_a_leaf_at_once(world: World) -> None:
    report = world.keeper.ingest.document(
        title="Storm", body=BODY, source_id="storm", owner="nora", source_ref="x://1"
    )
    assert (report.chunks, report.items[0].outcome) == (1, "new")
    assert chunks(world, "document:storm")
    text = (world.root / report.items[0].path).read_text()
    assert "- agent_ingested" in text
    assert "owner: nora" in text


@pytest.mark.parametrize("field", ["title", "body", "source_id"])
def test_a_blank_field_is_refused(world: World, field: str) -> None:
    given = {"title": "T", "body": "B", "source_id": "s", field: " \n"}
    with pytest.raises(UsageError, match="must be non-empty"):
        world.keeper.ingest.document(**given)  # type: ignore[arg-type]


def test_ingesting_it_again_creates_no_chunk(world: World) -> None:
    world.keeper.ingest.document(title="Storm", body=BODY, source_id="storm")
    before = chunks(world, "document:storm")
    report = world.keeper.ingest.document(title="Storm", body=BODY, source_id="storm")
    assert (report.chunks, report.items[0].outcome) == (0, "unchanged")
    assert chunks(world, "document:storm") == before


def test_a_new_version_supersedes_the_leaves_and_summaries_of_the_old(world: World) -> None:
    world.keeper.ingest.document(
        title="Storm",
        body=f"{BODY}\n## End\n\nThe lamp was found by a dog in the dunes.\n",
        source_id="storm",
    )
    [old_path] = world.tend(force=True)
    old = {identity for identity, _ in chunks(world, "document:storm")}
    world.wait(minutes=1)
    report = world.keeper.ingest.document(
        title="Storm",
        body=f"{BODY}\n## End\n\nThe lamp was never found, and a new lamp was bought in Kelbury.\n",
        source_id="storm",
    )
    assert report.superseded == [old_path]
    assert not (world.root / old_path).exists()
    [node] = load_nodes(world.root)
    assert not node.superseded
    new = {identity for identity, _ in chunks(world, "document:storm")}
    assert len(old & new) == 1
    assert set(node.child_ids) == new
    assert node.version_ms == report.items[0].version_ms
    assert "dog" not in node.text
    assert world.keeper.trees.verify() == []
    assert world.tend() == []


def test_a_superseded_summary_is_not_searched(world: World) -> None:
    world.keeper.ingest.document(title="Storm", body=BODY, source_id="storm")
    [path] = world.tend(force=True)
    assert world.keeper.trees.supersede({"storm": 2**52}) == [path]
    world.keeper.sync()
    db = world.keeper._open_reader()
    assert db is not None
    sql = "SELECT body FROM chunks JOIN notes USING(note_pk) WHERE path = ?"
    assert db.execute(sql, (path,)).fetchall() == [("",)]


def test_the_tool_of_agents_says_what_it_did(world: World) -> None:
    call = {"mode": "ingest_document", "title": "Storm", "body": BODY, "source_id": "storm"}
    assert world.keeper.modes.memory_tree(call, world.keeper.ingest.as_mode) == (
        'Ingested document "Storm" as source_id=storm. 1 chunks created and indexed.'
    )
    assert "0 chunks created" in str(world.keeper.modes.memory_tree(call, world.keeper.ingest.as_mode))
    [hit] = world.keeper.modes.memory_tree({"mode": "query_source", "source_id": "storm"}).hits  # type: ignore[union-attr]
    assert "Oosterdam" in hit.content


def test_messages_of_overlapping_batches_keep_their_ids_and_times(world: World) -> None:
    def say(*numbers: int) -> None:
        world.keeper.ingest.chat(
            [
                {
                    "author": "mara",
                    "text": f"Message number {n} about the gauge",
                    "timestamp": 1_772_366_400_000 + n * 60_000,
                }
                for n in numbers
            ],
            source_id="team",
        )

    say(2, 3)
    before = dict(chunks(world, "chat:team"))
    say(1, 2, 4)
    after = dict(chunks(world, "chat:team"))
    assert before.items() <= after.items()
    assert len(after) == 4
    db = world.keeper._open_reader()
    assert db is not None
    rows = db.execute(
        "SELECT chunks.start_ms, chunks.end_ms FROM chunks JOIN notes USING(note_pk) "
        "WHERE source = 'chat:team' ORDER BY seq"
    )
    assert rows.fetchall() == [(1_772_366_400_000 + n * 60_000,) * 2 for n in (1, 2, 3, 4)]


def test_a_folder_is_one_source_and_its_files_are_its_documents(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.md").write_text("# A\n\n" + BODY)
    (folder / "sub/b.txt").write_text(BODY)
    report = world.keeper.ingest.path(folder, source_id="docs")
    assert [item.path for item in report.items] == [
        "sources/document/docs/a.md",
        "sources/document/docs/sub/b.md",
    ]
    assert {item.outcome for item in world.keeper.ingest.path(folder, source_id="docs").items} == {
        "unchanged"
    }
    (folder / "a.md").write_text("# A\n\nother words")
    assert [item.outcome for item in world.keeper.ingest.path(folder, source_id="docs").items] == [
        "version",
        "unchanged",
    ]


def test_a_failed_ingest_leaves_nothing_behind_and_can_be_repeated(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.link", refuse)
        with pytest.raises(Exception, match="cannot be written"):
            world.keeper.ingest.document(title="Storm", body=BODY, source_id="storm")
    assert not list(world.root.rglob("*.md"))
    assert world.keeper.ingest.document(title="Storm", body=BODY, source_id="storm").chunks == 1
