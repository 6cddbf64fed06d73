"""Several processes seal at once: every leaf is summarised, and none twice."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

from tests.keeping.world import World, text_of
from vaultkeeper.memory.nodes import MERGE_LEVEL
from vaultkeeper.memory.seal import load_nodes

PROGRAM = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from tests.keeping.world import World
    from vaultkeeper.memory import tree

    tree.MOST_LEAVES = tree.DOCUMENT_FANIN = 4
    world = World(Path(sys.argv[1]))
    for _ in range(3):
        world.keeper.trees.tend(force=sys.argv[2] == "force")
    """
)


def test_four_processes_seal_one_vault(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.fill("Log", 45)
    body = "".join(f"## Part {number}\n\n{text_of(number)}\n" for number in range(33))
    world.keeper.ingest.document(title="Manual", body=body, source_id="manual")
    world.keeper.close()
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(tmp_path), "force" if number % 2 else "due"],
            cwd=Path(__file__).parents[2],
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    world.keeper.sync()
    for scope in ("notes:Log", "document:manual"):
        nodes = [node for node in load_nodes(world.root) if node.tree_scope == scope]
        listed = [child for node in nodes if node.level == 1 for child in node.child_ids]
        assert sorted(listed) == sorted(world.keeper.trees.tree(scope).leaves)
    assert [node.level for node in world.keeper.trees.tree("document:manual").open_nodes(MERGE_LEVEL)] == [3]
    assert world.keeper.trees.verify() == []
    world.keeper.close()
