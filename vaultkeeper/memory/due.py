"""What a tree needs next.

Owns the order of the steps and when each is due. Each step is one write of one note, so one after another they lead
from any state to the one in which nothing is due; the same state gives the same step.

Source: BEHAVIOUR §6.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vaultkeeper.memory import tree as limits
from vaultkeeper.memory.nodes import SummaryNode
from vaultkeeper.memory.tree import Tree, TreeLeaf, note_target


class Seal(NamedTuple):
    """A new node above these children; `level` is its own. `forced`: an old buffer, or one that the user flushes."""

    level: int
    child_ids: tuple[str, ...]
    forced: bool = False


class Rebuild(NamedTuple):
    """A node whose children changed is written again, with these, under its id."""

    node: SummaryNode
    child_ids: tuple[str, ...]


class Mark(NamedTuple):
    """A node whose children changed and that will be written again later is told so."""

    node: SummaryNode


class Retire(NamedTuple):
    """A node that has nothing below it, or that a newer one replaced, goes to the trash."""

    node: SummaryNode


class Adopt(NamedTuple):
    """A node is told the name of the node above it; None when there is none any more."""

    node: SummaryNode
    parent: str | None


Step = Seal | Rebuild | Mark | Retire | Adopt


class When(NamedTuple):
    """Which steps are due.

    Attributes:
        now_ms: Unix milliseconds.
        force: Seal what waits at level 0 and rebuild what is stale, whatever its age.
    """

    now_ms: int
    force: bool = False


def next_step(tree: Tree, when: When) -> Step | None:
    """Returns what to do next; None when nothing is due."""
    return (
        _version_step(tree)
        or _stale_step(tree, when)
        or _leaf_step(tree, when)
        or _cascade_step(tree)
        or _parent_step(tree)
    )


def _version_step(tree: Tree) -> Step | None:
    """Leaves of a document whose old summary is superseded do not wait for company."""
    old = [node for node in tree.nodes.values() if node.superseded]
    documents = {node.doc_id for node in old if node.level == 1 and node.doc_id is not None}
    for doc_id in sorted(documents):
        leaves = [leaf for leaf in tree.waiting() if leaf.doc_id == doc_id]
        if leaves:
            return Seal(1, _group(leaves), forced=True)
    for node in old:
        if node.id not in tree.parents:
            return Retire(node)
    return None


def _stale_step(tree: Tree, when: When) -> Step | None:
    for node in tree.stale_nodes():
        children = tree.renewed(node)
        if not children:
            return Retire(node)
        if when.force or node.level > 1 or _is_quiet(tree, node, when.now_ms):
            return Rebuild(node, children)
        if not node.stale:
            return Mark(node)
    return None


def _is_quiet(tree: Tree, node: SummaryNode, now_ms: int) -> bool:
    """Nobody has been at the notes of a node for a while."""
    last_ms = max((tree.arrival(target.partition("#")[0]) for target in node.children), default=0)
    return last_ms + limits.QUIET_S * 1000 <= now_ms


def _leaf_step(tree: Tree, when: When) -> Step | None:
    kept_back = _kept_back(tree)
    leaves = [leaf for leaf in tree.waiting() if not kept_back or note_target(leaf.path) not in kept_back]
    if len(leaves) >= limits.MOST_LEAVES or sum(leaf.tokens for leaf in leaves) >= limits.INPUT_TOKENS:
        return Seal(1, _group(leaves))
    if leaves:
        oldest_ms = min(leaf.arrived_ms for leaf in leaves)
        if when.force or oldest_ms + limits.FLUSH_AGE_S * 1000 <= when.now_ms:
            return Seal(1, _group(leaves), forced=True)
    return None


def _kept_back(tree: Tree) -> set[str]:
    """Notes whose summary waits to be written again: their new parts are for that summary."""
    return {
        target.partition("#")[0] for node in tree.stale_nodes() if node.level == 1 for target in node.children
    }


def _group(leaves: Sequence[TreeLeaf]) -> tuple[str, ...]:
    """The first leaves that reach the budget, or the most that a node has, together."""
    total = 0
    for at, leaf in enumerate(leaves, 1):
        total += leaf.tokens
        if total >= limits.INPUT_TOKENS or at >= limits.MOST_LEAVES:
            return tuple(leaf.id for leaf in leaves[:at])
    return tuple(leaf.id for leaf in leaves)


def _cascade_step(tree: Tree) -> Step | None:
    for level in range(1, min(limits.MAX_LEVEL, tree.height() + 1)):
        nodes = tree.open_nodes(level)
        if len(nodes) >= limits.FANOUT:
            return Seal(level + 1, tuple(node.id for node in nodes[: limits.FANOUT]))
    return None


def _parent_step(tree: Tree) -> Step | None:
    node = tree.unsettled()
    return Adopt(node, tree.parent_name(node)) if node is not None else None
