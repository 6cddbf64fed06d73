from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.keeping.world import World, text_of
from vaultkeeper.errors import StorageError, TreeArchivedError, TreeNotFoundError
from vaultkeeper.keeper import Keeper
from vaultkeeper.memory.admission import score_leaf
from vaultkeeper.memory.nodes import summary_from_note
from vaultkeeper.memory.seal import load_nodes
from vaultkeeper.memory.tree import MOST_LEAVES
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.write import read_note

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.keeper.close()


def test_the_users_own_notes_are_leaves_and_are_not_touched(world: World) -> None:
    world.fill("Log", 30)
    before = {path: path.read_bytes() for path in (world.root / "Log").iterdir()}
    world.tend(force=True)
    assert {path: path.read_bytes() for path in (world.root / "Log").iterdir()} == before
    [line] = world.keeper.trees.lines()
    assert (line.scope, line.leaves, line.nodes, line.waiting) == ("notes:Log", 30, (1,), 0)
    assert world.keeper.trees.verify() == []


def test_a_rebuilt_index_gives_the_same_tree(world: World) -> None:
    world.fill("Log", 2 * MOST_LEAVES + 5)
    world.tend()
    lines, files = world.keeper.trees.lines(), world.summaries()
    world.keeper.close()
    shutil.rmtree(world.index_dir)
    world.keeper.sync()
    assert world.keeper.trees.lines() == lines
    assert world.tend() == []
    assert world.summaries() == files


def test_nothing_is_due_twice_and_due_says_what_tend_does(world: World) -> None:
    world.fill("Log", 5)
    world.fill("Other", MOST_LEAVES)
    assert world.keeper.trees.due() == ["notes:Other"]
    assert len(world.tend()) == 1
    assert world.keeper.trees.due() == []
    world.wait(days=8)
    assert world.keeper.trees.due() == ["notes:Log"]
    assert len(world.tend()) == 1
    assert world.keeper.trees.due() == []


def test_an_edit_is_marked_at_once_and_summarised_when_it_is_over(world: World) -> None:
    world.fill("Log", 20)
    world.tend(force=True)
    world.wait(minutes=5)
    world.write("Log/Day 3.md", "A whale was seen in the harbour and everybody came to look at the whale.\n")
    [path] = world.tend()
    node = summary_from_note(parse_note(path, (world.root / path).read_bytes()))
    assert node is not None
    assert node.stale
    assert "whale" not in node.text
    assert [(finding.code, finding.due) for finding in world.keeper.trees.verify()] == [
        ("child-missing", True)
    ]
    assert world.tend() == []
    world.wait(hours=1)
    assert world.tend() == [path]
    node = summary_from_note(parse_note(path, (world.root / path).read_bytes()))
    assert node is not None
    assert not node.stale
    assert len(node.child_ids) == 20
    assert world.keeper.trees.verify() == []


def test_a_note_that_is_renamed_or_moved_keeps_its_place(world: World) -> None:
    world.fill("Log", 10)
    [path] = world.tend(force=True)
    text = (world.root / path).read_text()
    (world.root / "Log/Old").mkdir()
    (world.root / "Log/Day 3.md").rename(world.root / "Log/Old/Third day.md")
    world.keeper.sync()
    world.wait(hours=2)
    assert world.tend() == [path]
    assert len(list((world.root / "wiki").rglob("*.md"))) == 1
    assert "[[Log/Old/Third day]]" in (world.root / path).read_text()
    assert "[[Log/Day 3]]" in text
    assert world.keeper.trees.verify() == []


def test_a_summary_that_the_user_moved_stays_where_it_is(world: World) -> None:
    world.fill("Log", 10)
    [path] = world.tend(force=True)
    moved = "wiki/summaries/Mine/My log.md"
    (world.root / "wiki/summaries/Mine").mkdir()
    (world.root / path).rename(world.root / moved)
    world.keeper.sync()
    assert world.tend(force=True) == []
    (world.root / "Log/Day 3.md").unlink()
    world.keeper.sync()
    assert world.tend(force=True) == [moved]


def test_a_touched_note_is_no_new_text(world: World) -> None:
    world.fill("Log", 10)
    [path] = world.tend(force=True)
    before = summary_from_note(parse_note(path, (world.root / path).read_bytes()))
    world.wait(days=3)
    world.write("Log/Day 3.md", text_of(3))
    world.wait(hours=2)
    assert world.tend() == [path]
    after = summary_from_note(parse_note(path, (world.root / path).read_bytes()))
    assert before is not None
    assert after is not None
    assert after.text == before.text
    assert after.child_ids == before.child_ids
    assert after.time_range_end_ms > before.time_range_end_ms
    assert world.keeper.trees.verify() == []


def test_an_archived_tree_takes_nothing_more(tmp_path: Path) -> None:
    world = World(tmp_path, tree_archived=("notes:Old*",))
    world.fill("Old stuff", 10)
    world.fill("Log", 10)
    with pytest.raises(TreeArchivedError, match="Old stuff"):
        world.keeper.trees.tend(["notes:Old stuff"], force=True)
    world.wait(days=30)
    assert all("source-notes-log" in path for path in world.tend())
    world.keeper.close()


def test_a_tree_that_is_none_is_said_to_be_none(world: World) -> None:
    world.fill("Log", 1)
    with pytest.raises(TreeNotFoundError, match="notes:Nowhere"):
        world.keeper.trees.tend(["notes:Nowhere"])
    with pytest.raises(TreeNotFoundError, match="notes:Nowhere"):
        world.keeper.trees.tree("notes:Nowhere")


def test_one_tree_that_fails_does_not_stop_the_rest(world: World) -> None:
    world.fill("Alpha", 5)
    world.fill("Beta", 5)
    world.write("wiki/summaries/source-notes-alpha", "a file where a folder should be", sync=False)
    with pytest.raises(StorageError):
        world.keeper.trees.tend(force=True)
    assert [path for path in world.summaries() if "source-notes-beta" in path]


def test_dropped_leaves_stay_notes_and_are_in_no_tree(world: World) -> None:
    world.fill("Log", 3)
    world.write("Log/Tiny.md", "ok then\n")
    world.tend(force=True)
    tree = world.keeper.trees.tree("notes:Log")
    [tiny] = [leaf for leaf in tree.leaves.values() if leaf.path == "Log/Tiny.md"]
    assert tiny.id not in tree.parents
    assert world.keeper.trees.admissions([tiny])[tiny.id].reason == "tiny"
    assert [line.dropped for line in world.keeper.trees.lines()] == [1]


def test_a_leaf_that_names_somebody_new_is_kept_after_all(world: World) -> None:
    world.write("Log/Tiny.md", "Zorro came\n")
    assert world.tend(force=True) == []
    world.write("entities/person/zorro.md", "---\nid: person:zorro\nkind: person\ndisplay_name: Zorro\n---\n")
    assert len(world.tend(force=True)) == 1


def test_summaries_are_no_leaves_and_their_evidence_is_not_searched(world: World) -> None:
    world.fill("Log", 10)
    [path] = world.tend(force=True)
    [row] = world.keeper._open_reader().execute(  # type: ignore[union-attr]
        "SELECT body, context FROM chunks JOIN notes USING(note_pk) WHERE path = ?", (path,)
    )
    assert "Evidence" not in row[0]
    assert "[[" not in row[0] + row[1]
    assert world.keeper.trees.lines()[0].leaves == 10


def test_sessions_share_one_tree_and_turns_are_its_leaves(world: World) -> None:
    for session in ("a", "b"):
        for seq in range(3):
            world.write(
                f"episodic/{session}/{seq:06}.md",
                f"---\nsession_id: {session}\nseq: {seq}\ntimestamp_ms: 177200000{seq}000\nrole: user\n---\n\n"
                + text_of(seq),
            )
    [path] = world.tend(force=True)
    assert path.startswith("wiki/summaries/source-conversations-agent/L1/")
    [line] = world.keeper.trees.lines()
    assert (line.scope, line.leaves) == ("conversations:agent", 6)


def test_the_sample_vaults_own_summaries_keep_their_children(tmp_path: Path) -> None:
    world = World(tmp_path)
    shutil.copytree(PROJECT / "sample_vault", world.root, dirs_exist_ok=True)
    world.keeper.sync()
    before = world.summaries()
    daily = world.keeper.trees.tree("notes:Daily")
    assert sum(len(daily.children(node)) for node in daily.nodes.values()) == 13
    world.wait(days=400)
    world.tend(force=True)
    assert {path: data for path, data in world.summaries().items() if path in before} == before
    assert [finding for finding in world.keeper.trees.verify() if not finding.due] == []
    assert world.tend(force=True) == []
    world.keeper.close()


def test_the_sample_vaults_own_summaries_drill_to_the_notes_that_they_link(tmp_path: Path) -> None:
    world = World(tmp_path)
    shutil.copytree(PROJECT / "sample_vault", world.root, dirs_exist_ok=True)
    world.keeper.sync()

    def below(node_id: str) -> list[str]:
        hits = world.keeper.modes.memory_tree({"mode": "drill_down", "node_id": node_id, "max_depth": 1}).hits  # type: ignore[union-attr]
        return list(dict.fromkeys(hit.note_path.removesuffix(".md") for hit in hits))

    nodes = [node for node in load_nodes(world.root) if not node.child_ids]
    assert len(nodes) > 3
    for node in nodes:
        names = [path.rpartition("/")[2] if "/" not in node.children[0] else path for path in below(node.id)]
        assert names == list(node.children)
    daily = world.keeper.modes.memory_tree(
        {
            "mode": "cover_window",
            "since_ms": 1773014400000,
            "until_ms": 1773619199999,
            "source_id": "notes:Daily",
        }
    )
    assert [hit.node_kind for hit in daily.hits] == ["summary"]  # type: ignore[union-attr]
    world.keeper.close()


def test_the_cost_of_a_note_does_not_grow_with_the_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted in leaves that are judged for each that is sealed, not in time."""
    judged: list[str] = []

    def counted(text: str, *rest: object) -> object:
        judged.append(text)
        return score_leaf(text, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("vaultkeeper.keeping.trees.score_leaf", counted)
    world = World(tmp_path)
    costs = []
    for batch in range(3):
        world.fill("Log", MOST_LEAVES, first=batch * MOST_LEAVES)
        judged.clear()
        world.tend()
        costs.append(len(judged))
    assert costs[0] <= 2 * MOST_LEAVES
    assert costs[2] <= costs[0]
    world.keeper.close()


def test_a_summary_is_read_again_only_when_it_changed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.fill("Log", 30)
    [path] = world.tend(force=True)
    world.now = datetime.now(UTC) + timedelta(hours=1)  # so that stats of files are old enough to be trusted
    world.keeper.sync()
    read: list[str] = []

    def counted(root: Path, name: str) -> bytes:
        read.append(name)
        return read_note(root, name)

    def sealed_at() -> set[str]:
        return {node.sealed_at for node in other.trees.tree("notes:Log").nodes.values()}

    monkeypatch.setattr("vaultkeeper.memory.seal.read_note", counted)
    other = Keeper(world.root, world.index_dir, world.keeper.settings, clock=lambda: world.now)
    assert sealed_at() == {"2026-03-01T09:00:00Z"}
    assert (other.trees.due(), other.trees.tend().paths, read) == ([], [], [])
    note = world.root / path
    replaced = note.with_suffix(".tmp")
    replaced.write_text(note.read_text().replace("sealed_at: 2026-03-01", "sealed_at: 2026-03-02"))
    replaced.replace(note)
    assert sealed_at() == {"2026-03-02T09:00:00Z"}
    assert read == [path]
    note.write_text(note.read_text().replace("sealed_at: 2026-03-02", "sealed_at: 2026-03-03"))
    world.keeper.sync()
    assert sealed_at() == {"2026-03-03T09:00:00Z"}
    other.close()


@pytest.mark.parametrize("digit", ["0", "f"])
def test_a_summary_that_the_index_does_not_know_yet_shares_no_leaf(world: World, digit: str) -> None:
    world.fill("Log", 30)
    [path] = world.tend(force=True)
    text = (world.root / path).read_text()
    mine = path[-11:-3]
    theirs = digit * 8
    (world.root / path.replace(mine, theirs)).write_text(text.replace(f"L1-{mine}", f"L1-{theirs}"))
    world.keeper.trees.tend(force=True)
    world.keeper.sync()
    world.tend(force=True)
    assert world.keeper.trees.verify() == []
    [node] = [node for node in load_nodes(world.root) if not node.superseded]
    assert len(node.child_ids) == 30


def test_a_note_that_moves_to_another_source_is_summarised_there(world: World) -> None:
    for number in range(12):
        world.write(f"Log/{number}.md", f"---\nid: log-{number}\n---\n{text_of(number)}")
    [path] = world.tend(force=True)
    (world.root / "Other").mkdir()
    (world.root / "Log/3.md").rename(world.root / "Other/3.md")
    world.keeper.sync()
    assert world.keeper.trees.due() == ["notes:Log"]
    world.wait(hours=2)
    assert path in world.tend(force=True)
    assert {line.scope: (line.leaves, line.waiting) for line in world.keeper.trees.lines()} == {
        "notes:Log": (11, 0),
        "notes:Other": (1, 0),
    }
    assert world.keeper.trees.verify() == []
    assert world.tend(force=True) == []
