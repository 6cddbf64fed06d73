from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.grove import Grove
from vaultkeeper.memory.nodes import body_hash
from vaultkeeper.memory.seal import load_nodes, was_edited
from vaultkeeper.memory.tree import FANOUT, INPUT_TOKENS
from vaultkeeper.memory.verify import Finding, verify_tree


@pytest.fixture
def grove(tmp_path: Path) -> Grove:
    grove = Grove(tmp_path)
    for number in range(FANOUT):
        grove.add(number, tokens=INPUT_TOKENS)
    grove.tend()
    grove.assert_sound()
    return grove


def findings(grove: Grove) -> list[Finding]:
    texts = grove.texts
    return verify_tree(
        grove.tree(),
        list(load_nodes(grove.root)),
        lambda ids: {one: texts[one] for one in ids if one in texts},
        lambda node: was_edited(grove.root, node),
    )


def edit(grove: Grove, level: int, old: str, new: str, *, count: int = -1) -> str:
    node = next(node for node in load_nodes(grove.root) if node.level == level)
    file = grove.root / node.path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, count))
    return node.path


def codes(grove: Grove) -> set[tuple[str, bool]]:
    return {(finding.code, finding.due) for finding in findings(grove)}


def test_a_child_that_went_is_due(grove: Grove) -> None:
    grove.remove(3)
    assert codes(grove) == {("child-missing", True)}


def test_a_range_that_somebody_changed_is_put_right(grove: Grove) -> None:
    edit(grove, 1, "time_range_start: 20", "time_range_start: 19")
    assert ("range-wrong", True) in codes(grove)
    grove.tend(force=True)
    grove.assert_sound()


def test_a_child_of_two_parents_is_found(grove: Grove) -> None:
    other = f"{5:032x}"
    edit(grove, 1, f'child_ids:\n  - "{0:032x}"', f'child_ids:\n  - "{0:032x}"\n  - "{other}"')
    assert ("parent-double", True) in codes(grove)


def test_a_wrong_link_to_the_parent_is_found_and_mended(grove: Grove) -> None:
    edit(grove, 1, 'parent: "[[summary', 'parent: "[[nobody')
    assert codes(grove) == {("parent-wrong", True)}
    grove.tend()
    grove.assert_sound()


def test_two_notes_of_one_id_are_damage(grove: Grove) -> None:
    node = next(iter(load_nodes(grove.root)))
    copy = grove.root / node.path.replace(".md", " (conflict).md")
    copy.write_bytes((grove.root / node.path).read_bytes())
    assert ("id-double", False) in codes(grove)


def test_a_text_longer_than_half_of_its_children_is_damage_unless_the_user_wrote_it(grove: Grove) -> None:
    node = next(node for node in load_nodes(grove.root) if node.level == 1)
    edit(grove, 1, "\n- ", "\n- " + "padding words " * 200 + "\n- ", count=1)
    assert not any(code == "text-long" for code, _ in codes(grove))
    body = (grove.root / node.path).read_text().partition("\n---\n")[2]
    edit(grove, 1, node.body_sha256, body_hash(body))
    assert ("text-long", False) in codes(grove)


def test_a_node_above_itself_and_a_wrong_level_are_damage(grove: Grove) -> None:
    edit(grove, 2, "level: 2", "level: 5")
    assert ("level-wrong", False) in codes(grove)
