"""A tree whose leaves are values and whose nodes are notes in a folder, for the tests of sealing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from vaultkeeper.memory.due import When
from vaultkeeper.memory.mechanical import find_mechanical
from vaultkeeper.memory.seal import Bench, Done, LeafText, load_nodes, tend_tree, was_edited
from vaultkeeper.memory.tree import Tree, TreeLeaf
from vaultkeeper.memory.verify import verify_tree

DAY_MS = 86_400_000
NOW = datetime(2026, 3, 1, tzinfo=UTC)
NOW_MS = int(NOW.timestamp() * 1000)

WORDS = (
    "harbour gauge storm relay archive lantern meadow kiln orchard ferry compass anchor violin saddle".split()
)


def prose(number: int) -> str:
    """Three sentences that differ from those of other numbers."""
    a, b, c = (WORDS[(number * step + step) % len(WORDS)] for step in (1, 3, 5))
    return (
        f"The {a} number {number} was moved beside the {b} on a quiet morning. "
        f"Nobody asked @keeper{number % 7} about the {c} until the evening came around again. "
        f"Later the {a} and the {c} were counted {number} times by the people of the house."
    )


class Grove:
    """Leaves in memory, summary notes on the disk."""

    def __init__(self, root: Path, scope: str = "notes:Log") -> None:
        self.root = root
        self.scope = scope
        self.leaves: dict[str, TreeLeaf] = {}
        self.texts: dict[str, str] = {}
        self.bench = Bench(
            root, NOW, self._say, lambda text: {m.entity_id for m in find_mechanical(text)}, "0.1.0"
        )
        self.now_ms = NOW_MS

    def _say(self, ids: Sequence[str]) -> dict[str, LeafText]:
        return {
            one: LeafText(self.texts[one], 0.5, self.bench.entities(self.texts[one]))
            for one in ids
            if one in self.texts
        }

    def add(
        self, number: int, *, tokens: int = 100, note: str = "", text: str = "", **more: object
    ) -> TreeLeaf:
        identity = f"{number:032x}"
        start = NOW_MS - DAY_MS + number * 1000
        values = {"arrived_ms": NOW_MS, **more}
        leaf = TreeLeaf(identity, note or f"Log/{number}.md", "", 0, start, start + 10, tokens, **values)  # type: ignore[arg-type]
        self.leaves[identity] = leaf
        self.texts[identity] = text or prose(number)
        return leaf

    def remove(self, number: int) -> None:
        identity = f"{number:032x}"
        del self.leaves[identity], self.texts[identity]

    def tree(self) -> Tree:
        from vaultkeeper.memory.nodes import mark_of

        return Tree(
            self.scope,
            self.leaves.values(),
            load_nodes(self.root),
            marks=lambda leaves: {leaf.id: mark_of(self.texts[leaf.id]) for leaf in leaves},
        )

    def tend(self, *, force: bool = False) -> Done:
        return tend_tree(self.tree(), self.bench, When(self.now_ms, force))

    def levels(self) -> list[int]:
        tree = self.tree()
        live = [node for node in tree.nodes.values() if not node.superseded]
        return [sum(node.level == level for node in live) for level in range(1, tree.height() + 1)]

    def assert_sound(self) -> None:
        """Every invariant holds, nothing is due, and no leaf is summarised twice."""
        tree = self.tree()
        nodes = list(load_nodes(self.root))
        found = verify_tree(
            tree,
            nodes,
            lambda ids: {one: self.texts[one] for one in ids if one in self.texts},
            lambda node: was_edited(self.root, node),
        )
        assert found == []
        assert all(len(above) == 1 for above in tree.parents.values())

    def files(self) -> dict[str, bytes]:
        folder = self.root / "wiki"
        return {str(path.relative_to(self.root)): path.read_bytes() for path in sorted(folder.rglob("*.md"))}
