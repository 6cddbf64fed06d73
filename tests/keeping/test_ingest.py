from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.keeping.world import World, text_of
from vaultkeeper.ask.params import SearchParams
from vaultkeeper.errors import UsageError
from vaultkeeper.memory.seal import load_nodes
from vaultkeeper.types import QueryResponse, RetrievalHit

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


def manual(sections: int, remark: str = "") -> str:
    """A document with so many sections; `remark` goes into the fifth."""
    return "".join(
        f"## Part {number}\n\n{text_of(number)}{remark if number == 5 else ''}\n\n"
        for number in range(sections)
    )


def ask(world: World, **call: object) -> list[RetrievalHit]:
    answer = world.keeper.modes.memory_tree(call)
    assert isinstance(answer, QueryResponse)
    return list(answer.hits)


def test_a_long_document_is_due_at_once_and_every_mode_reads_its_tree(world: World) -> None:
    world.fill("Log", 3)
    world.keeper.ingest.document(title="Manual", body=manual(70), source_id="manual")
    assert world.keeper.trees.due() == ["document:manual"]
    world.tend("document:manual")
    assert world.keeper.trees.due() == []
    [line] = [line for line in world.keeper.trees.lines() if line.scope == "document:manual"]
    assert (line.nodes, line.waiting, line.merged) == ((3, 1), 0, ())
    assert world.keeper.trees.verify() == []
    [root, *_] = ask(world, mode="query_source", source_id="manual", summaries_only=True, limit=1)
    assert root.level == 2
    below = ask(world, mode="drill_down", node_id=root.node_id, max_depth=2)
    assert [hit.level for hit in below].count(1) == 3
    assert sum(hit.node_kind == "leaf" for hit in below) == 70
    now_ms = round(world.now.timestamp() * 1000)
    covered = ask(world, mode="cover_window", since_ms=0, until_ms=now_ms, source_id="manual")
    assert [hit.node_id for hit in covered] == [root.node_id]
    assert any(hit.tree_scope == "document:manual" for hit in ask(world, mode="walk", query="gauge 12 ferry"))


def test_a_new_version_of_a_long_document_supersedes_its_tree_and_the_same_bytes_reseal_nothing(
    world: World,
) -> None:
    world.keeper.ingest.document(title="Manual", body=manual(70), source_id="manual")
    old = set(world.tend())
    files = world.summaries()
    assert world.keeper.ingest.document(title="Manual", body=manual(70), source_id="manual").written == []
    assert world.tend() == []
    assert world.summaries() == files
    world.wait(minutes=1)
    report = world.keeper.ingest.document(
        title="Manual", body=manual(70, "A whale came by.\n"), source_id="manual"
    )
    assert set(report.superseded) == old
    nodes = list(load_nodes(world.root))
    assert {node.version_ms for node in nodes} == {report.items[0].version_ms}
    assert sorted(node.level for node in nodes) == [1, 1, 1, 2]
    assert not old & world.summaries().keys()
    assert world.keeper.trees.verify() == []
    assert world.tend() == []


def test_the_trees_of_documents_come_back_from_the_notes_alone(world: World) -> None:
    for number in range(10):
        world.keeper.ingest.document(title=f"M{number}", body=manual(40), source_id=f"books/{number}")
    folder = world.root.parent / "books"
    folder.mkdir()
    for number in range(10):
        (folder / f"Book {number}.md").write_text(manual(40).replace("gauge", f"gauge of book {number}"))
    world.keeper.ingest.path(folder, source_id="library")
    world.tend()
    lines, files = world.keeper.trees.lines(), world.summaries()
    [library] = [line for line in lines if line.scope == "document:library"]
    assert (library.nodes, library.merged) == ((20, 10), (1,))
    world.keeper.close()
    shutil.rmtree(world.index_dir)
    world.keeper.sync()
    assert world.keeper.trees.lines() == lines
    assert world.tend(force=True) == []
    assert world.summaries() == files
    assert world.keeper.trees.verify() == []


@pytest.fixture
def reports(world: World) -> Path:
    folder = world.root.parent / "reports"
    folder.mkdir()
    for name in ("Storm", "Flood", "Calm"):
        (folder / f"{name}.md").write_text(f"The report {name} tells of relay {name} in Oosterdam.\n\n{BODY}")
    (folder / "Long.md").write_text(manual(70))
    return folder


def state(world: World) -> dict[str, bytes]:
    return {
        str(path.relative_to(world.root)): path.read_bytes()
        for path in world.root.rglob("*")
        if path.is_file()
    }


def sources_found(world: World, words: str) -> set[str]:
    return {hit.note_path for hit in ask(world, mode="query_source", query=words, limit=50)}


def test_a_file_that_is_gone_from_its_folder_is_superseded_and_said(world: World, reports: Path) -> None:
    world.keeper.ingest.path(reports)
    world.tend(force=True)
    (reports / "Storm.md").unlink()
    (reports / "Long.md").unlink()
    before = state(world)
    planned = world.keeper.ingest.path(reports, dry_run=True)
    assert (planned.gone, planned.written) == (
        [
            ("reports#Long.md", "sources/document/reports/Long.md"),
            ("reports#Storm.md", "sources/document/reports/Storm.md"),
        ],
        [],
    )
    assert state(world) == before
    report = world.keeper.ingest.path(reports)
    assert report.gone == planned.gone
    world.tend(force=True)
    assert BODY.split(".")[0] in (world.root / "sources/document/reports/Storm.md").read_text()
    assert "sources/document/reports/Storm.md" not in sources_found(world, "report Storm relay")
    for words in ("Storm", "report Storm relay", "Part 12 gauge"):
        for one in world.keeper.search(SearchParams(words)).evidence:
            assert one.hit.note_path not in {path for _, path in report.gone}
    assert "sources/document/reports/Calm.md" in {
        hit.note_path
        for node in ask(world, mode="query_source", source_id="reports")
        for hit in ask(world, mode="drill_down", node_id=node.node_id, max_depth=3)
    }
    assert all(node.doc_id != "reports#Long.md" for node in load_nodes(world.root))
    assert world.keeper.trees.verify() == []
    assert world.keeper.ingest.path(reports).gone == []


def test_a_file_that_comes_back_is_a_leaf_again(world: World, reports: Path) -> None:
    world.keeper.ingest.path(reports)
    text = (reports / "Storm.md").read_text()
    (reports / "Storm.md").unlink()
    world.keeper.ingest.path(reports)
    (reports / "Storm.md").write_text(text)
    report = world.keeper.ingest.path(reports)
    assert [item.outcome for item in report.items if item.id == "reports#Storm.md"] == ["version"]
    assert "sources/document/reports/Storm.md" in sources_found(world, "report Storm relay")
    assert world.keeper.ingest.path(reports).written == []


def test_other_folders_and_other_sources_are_left_alone(world: World, reports: Path) -> None:
    other = world.root.parent / "elsewhere/reports"
    other.mkdir(parents=True)
    (other / "Other.md").write_text(BODY)
    world.keeper.ingest.path(reports)
    world.keeper.ingest.path(reports, source_id="archive")
    world.keeper.ingest.document(title="Storm", body=BODY, source_id="reports#by hand.md")
    assert world.keeper.ingest.path(other).gone == []
    (reports / "Calm.md").unlink()
    assert [identity for identity, _ in world.keeper.ingest.path(reports).gone] == ["reports#Calm.md"]
    assert "superseded" not in (world.root / "sources/document/archive/Calm.md").read_text()


def test_an_empty_folder_is_taken_for_a_mistake(world: World, reports: Path) -> None:
    world.keeper.ingest.path(reports)
    for file in reports.iterdir():
        file.unlink()
    assert world.keeper.ingest.path(reports).gone == []


def test_a_file_that_cannot_be_read_is_not_gone(world: World, reports: Path) -> None:
    world.keeper.ingest.path(reports)
    (reports / "Storm.md").write_bytes(b"\0" * 5000)
    (reports / "Calm.md").unlink()
    (reports / "Calm.md").symlink_to(reports / "Flood.md")
    report = world.keeper.ingest.path(reports)
    assert report.gone == []
    assert [skipped.path for skipped in report.skipped] == ["Storm.md"]
