"""Documents that are longer than one batch: their own trees, and what stands above the roots."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.memory.grove import Grove, prose
from vaultkeeper.memory.due import When
from vaultkeeper.memory.nodes import MERGE_LEVEL, SummaryNode
from vaultkeeper.memory.seal import load_nodes, tend_tree
from vaultkeeper.memory.tree import DOCUMENT_FANIN, FANOUT, INPUT_TOKENS, MOST_LEAVES

SCOPE = "document:reports"


@pytest.fixture
def grove(tmp_path: Path) -> Grove:
    return Grove(tmp_path, SCOPE)


def ingest(grove: Grove, name: str, parts: int, *, first: int = 0, version: int = 1, **more: object) -> None:
    """A document of so many leaves, in place of an older version."""
    for identity in [one for one, leaf in grove.leaves.items() if leaf.doc_id == name]:
        del grove.leaves[identity], grove.texts[identity]
    for number in range(first, first + parts):
        note = f"sources/document/reports/{name}.md"
        grove.add(number, note=note, doc_id=name, version_ms=version, **{"tokens": 60, **more})


def nodes_of(grove: Grove, name: str) -> list[SummaryNode]:
    return [node for node in load_nodes(grove.root) if node.doc_id == name and not node.superseded]


def test_a_document_longer_than_a_batch_gets_a_tree_of_even_batches_with_one_root(grove: Grove) -> None:
    ingest(grove, "d", DOCUMENT_FANIN + 1)
    grove.tend()
    nodes = nodes_of(grove, "d")
    assert sorted((node.level, len(node.child_ids)) for node in nodes) == [(1, 16), (1, 17), (2, 2)]
    assert all(node.subtree and node.version_ms == 1 for node in nodes)
    assert all("/docs/d/v-1/L" in node.path for node in nodes)
    [root] = grove.tree().open_nodes(MERGE_LEVEL)
    assert root.level == 2
    assert grove.tend().paths == []
    grove.assert_sound()


def test_a_document_of_one_batch_waits_as_leaves_for_company(grove: Grove) -> None:
    ingest(grove, "d", DOCUMENT_FANIN)
    assert grove.tend().paths == []
    grove.tend(force=True)
    [node] = load_nodes(grove.root)
    assert (node.level, node.subtree, len(node.child_ids)) == (1, False, DOCUMENT_FANIN)


def test_few_leaves_beyond_the_token_budget_are_several_batches(grove: Grove) -> None:
    ingest(grove, "d", 4, tokens=INPUT_TOKENS // 3)
    grove.tend()
    assert sorted((node.level, len(node.child_ids)) for node in nodes_of(grove, "d")) == [
        (1, 2),
        (1, 2),
        (2, 2),
    ]


@pytest.mark.parametrize("kind", ["chat", "email"])
def test_chats_and_mails_get_no_tree_of_their_own(grove: Grove, kind: str) -> None:
    ingest(grove, "d", MOST_LEAVES, source_kind=kind)
    grove.tend()
    [node] = load_nodes(grove.root)
    assert (node.subtree, len(node.child_ids)) == (False, MOST_LEAVES)


def test_a_very_long_document_recurs_until_one_root(grove: Grove) -> None:
    ingest(grove, "d", DOCUMENT_FANIN * DOCUMENT_FANIN + 1)
    grove.tend()
    levels = [node.level for node in nodes_of(grove, "d")]
    assert [levels.count(level) for level in (1, 2, 3)] == [33, 2, 1]
    assert max(len(node.child_ids) for node in nodes_of(grove, "d")) <= DOCUMENT_FANIN
    grove.assert_sound()


def test_ten_roots_are_merged_at_their_own_level_and_nine_are_not(grove: Grove) -> None:
    for number in range(FANOUT - 1):
        ingest(grove, f"d{number}", 40, first=number * 100)
    grove.tend()
    assert [node for node in load_nodes(grove.root) if node.level > MERGE_LEVEL] == []
    ingest(grove, "last", 40, first=2000)
    grove.tend()
    [top] = [node for node in load_nodes(grove.root) if node.level > MERGE_LEVEL]
    assert (top.level, len(top.child_ids), top.doc_id, top.subtree) == (MERGE_LEVEL + 1, FANOUT, None, False)
    assert "/merge/L1001/" in top.path
    assert {node.level for node in load_nodes(grove.root) if node.id in top.child_ids} == {2}
    grove.assert_sound()


def test_the_merge_cascades_with_the_same_fan_out(grove: Grove) -> None:
    for number in range(FANOUT * FANOUT):
        ingest(grove, f"d{number}", 2, first=number * 10, tokens=INPUT_TOKENS * 3 // 4)
    grove.tend()
    merged = [node.level for node in load_nodes(grove.root) if node.level > MERGE_LEVEL]
    assert sorted(merged) == [MERGE_LEVEL + 1] * FANOUT + [MERGE_LEVEL + 2]
    grove.assert_sound()


def test_another_version_takes_the_place_of_the_whole_subtree_and_the_merge_follows(grove: Grove) -> None:
    for number in range(FANOUT):
        ingest(grove, f"d{number}", 40, first=number * 100)
    grove.tend()
    others = {node.path: node.sealed_at for node in load_nodes(grove.root) if node.doc_id not in (None, "d3")}
    old = {node.path for node in nodes_of(grove, "d3")}
    ingest(grove, "d3", 70, first=300, version=2)
    done = grove.tend()
    assert old == set(done.retired)
    assert all(node.version_ms == 2 and "/v-2/" in node.path for node in nodes_of(grove, "d3"))
    [root] = [node for node in nodes_of(grove, "d3") if node.level == 2]
    [top] = [node for node in load_nodes(grove.root) if node.level == MERGE_LEVEL + 1]
    assert root.id in top.child_ids
    assert len(top.child_ids) == FANOUT
    assert done.rebuilt == [top.path]
    assert others.keys() <= {node.path for node in load_nodes(grove.root)}
    assert not others.keys() & set(done.sealed)
    grove.assert_sound()


@pytest.mark.parametrize("parts", [5, DOCUMENT_FANIN, 100])
def test_a_version_of_any_length_replaces_one_of_any_length(grove: Grove, parts: int) -> None:
    for before in (10, 50):
        ingest(grove, "d", before, version=before)
        grove.tend(force=True)
        ingest(grove, "d", parts, version=before + 1)
        grove.tend(force=True)
        assert {node.version_ms for node in load_nodes(grove.root)} == {before + 1}
        assert {
            child for node in load_nodes(grove.root) if node.level == 1 for child in node.child_ids
        } == set(grove.leaves)
        grove.assert_sound()


def test_an_unchanged_document_reseals_nothing(grove: Grove) -> None:
    ingest(grove, "d", 100)
    grove.tend()
    files = grove.files()
    ingest(grove, "d", 100)
    assert grove.tend(force=True).paths == []
    assert grove.files() == files


@pytest.mark.parametrize("level", [1, 2])
def test_a_part_that_the_user_removes_is_made_anew(grove: Grove, level: int) -> None:
    ingest(grove, "d", 100)
    grove.tend()
    before = grove.files()
    victim = next(node for node in nodes_of(grove, "d") if node.level == level)
    (grove.root / victim.path).unlink()
    grove.tend()
    assert grove.files().keys() == before.keys()
    grove.assert_sound()


def test_an_edited_document_is_written_again_where_it_was_edited(grove: Grove) -> None:
    ingest(grove, "d", 100)
    grove.tend()
    edited = grove.leaves[f"{50:032x}"]
    grove.remove(50)
    grove.add(950, note=edited.path, doc_id="d", version_ms=1, text=prose(950))
    done = grove.tend(force=True)
    assert [path.rpartition("/L")[2][0] for path in done.rebuilt] == ["1", "2"]
    assert done.sealed == []
    grove.assert_sound()


@given(st.integers(2, 80), st.integers(0, 12), st.integers(0, 12))
@settings(max_examples=15, deadline=None)
def test_a_subtree_that_was_interrupted_anywhere_becomes_the_same(
    parts: int, first: int, second: int
) -> None:
    import tempfile

    made = []
    for steps in ((), (first, second)):
        with tempfile.TemporaryDirectory() as folder:
            grove = Grove(Path(folder), SCOPE)
            ingest(grove, "d", parts)
            for most in steps:
                tend_tree(grove.tree(), grove.bench, When(grove.now_ms, force=True), most=most)
            grove.tend(force=True)
            grove.assert_sound()
            made.append(grove.files())
    assert made[0] == made[1]
