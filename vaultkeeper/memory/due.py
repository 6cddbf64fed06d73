"""What a tree needs next.

Owns the order of the steps and when each is due. Each step is one write of one note, so one after another they lead
from any state to the one in which nothing is due; the same state gives the same step.

Source: BEHAVIOUR §6.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vaultkeeper.memory import tree as limits
from vaultkeeper.memory.nodes import MERGE_LEVEL, SummaryNode
from vaultkeeper.memory.tree import Tree, TreeLeaf, note_target


class Seal(NamedTuple):
    """A new node above these children; `level` is its own.

    Attributes:
        forced: It is an old buffer, or one that the user flushes.
        subtree: It is a part of a document's own tree.
    """

    level: int
    child_ids: tuple[str, ...]
    forced: bool = False
    subtree: bool = False


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
        _document_step(tree)
        or _version_step(tree)
        or _stale_step(tree, when)
        or _leaf_step(tree, when)
        or _cascade_step(tree)
        or _parent_step(tree)
    )


def _document_step(tree: Tree) -> Step | None:
    """A document longer than one batch is summarised by itself, batch by batch and level by level, up to one root."""
    parts: dict[str, list[SummaryNode]] = {}
    for node in tree.open_nodes(MERGE_LEVEL):
        parts.setdefault(node.doc_id or "", []).append(node)
    leaves = _leaves_by_document(tree)
    for doc_id in sorted(parts.keys() | leaves.keys()):
        waiting, tops = leaves.get(doc_id, []), parts.get(doc_id, [])
        batch = _even_batch(waiting)
        if waiting and (
            len(batch) < len(waiting) or any(node.level == 1 for node in tops) or tree.holes(doc_id)
        ):
            return Seal(1, tuple(leaf.id for leaf in batch), forced=True, subtree=True)
        for level in sorted({node.level for node in tops}):
            beside = [node for node in tops if node.level == level]
            if len(beside) > 1:
                chosen = beside[: _even(len(beside), -(-len(beside) // limits.DOCUMENT_FANIN))]
                return Seal(level + 1, tuple(node.id for node in chosen), forced=True, subtree=True)
    return None


def _leaves_by_document(tree: Tree) -> dict[str, list[TreeLeaf]]:
    """The leaves that wait, of documents only, but for those that an edited summary will take."""
    found: dict[str, list[TreeLeaf]] = {}
    if tree.has_documents:
        kept_back = _kept_back(tree)
        for leaf in tree.waiting():
            if leaf.document is not None and note_target(leaf.path) not in kept_back:
                found.setdefault(leaf.document, []).append(leaf)
    return found


def _even_batch(leaves: Sequence[TreeLeaf]) -> Sequence[TreeLeaf]:
    """The first of as few batches as hold all leaves, none of which is much smaller than the others."""
    tokens = sum(leaf.tokens for leaf in leaves)
    count = max(-(-len(leaves) // limits.DOCUMENT_FANIN), -(-tokens // limits.INPUT_TOKENS), 1)
    few = leaves[: _even(len(leaves), count)]
    return few[: len(_group(few))]


def _even(count: int, batches: int) -> int:
    return -(-count // batches)


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
    leaves: Sequence[TreeLeaf] = tree.waiting()
    if kept_back := _kept_back(tree):
        leaves = [leaf for leaf in leaves if note_target(leaf.path) not in kept_back]
    group = _group(leaves)
    if (
        len(group) >= limits.MOST_LEAVES
        or sum(tree.leaves[one].tokens for one in group) >= limits.INPUT_TOKENS
    ):
        return Seal(1, group)
    if leaves:
        oldest_ms = min(leaf.arrived_ms for leaf in leaves)
        if when.force or oldest_ms + limits.FLUSH_AGE_S * 1000 <= when.now_ms:
            return Seal(1, group, forced=True)
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
    there = {
        MERGE_LEVEL if node.subtree else node.level for node in tree.nodes.values() if not node.superseded
    }
    for level in sorted(there):
        if level % MERGE_LEVEL >= limits.MAX_LEVEL:
            continue
        nodes = tree.open_nodes(level)
        if len(nodes) >= limits.FANOUT:
            return Seal(level + 1, tuple(node.id for node in nodes[: limits.FANOUT]))
    return None


def _parent_step(tree: Tree) -> Step | None:
    node = tree.unsettled()
    return Adopt(node, tree.parent_name(node)) if node is not None else None
