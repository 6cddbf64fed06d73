"""Proves the invariants of a tree, or says where they do not hold.

Owns what must be true of nodes: children exist and stand one level below, ranges are those of the children, nobody has
two parents, links up and down agree, no text of the program's is longer than half of its children, the subtree of a
document is of that document alone and only roots are merged. Reads nothing and mends nothing: `memory.tree` says what
is due, and what is due is no damage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from vaultkeeper.memory.nodes import MERGE_LEVEL, SummaryNode
from vaultkeeper.memory.tree import MAX_LEVEL, Tree
from vaultkeeper.vault.tokens import approx_tokens

SLACK_MS = 999
"""Ends of ranges that were written to the second."""

Texts = Callable[[Sequence[str]], Mapping[str, str]]
Edited = Callable[[SummaryNode], bool]


class Finding(NamedTuple):
    """Something that does not hold.

    Attributes:
        code: `child-missing`, `level-wrong`, `range-wrong`, `parent-double`, `parent-wrong`, `id-double`,
            `document-mixed`, `text-long` or `cycle`.
        due: True when the next `tend` puts it right by itself; False is damage.
    """

    path: str
    code: str
    message: str
    due: bool


def verify_tree(tree: Tree, nodes: Sequence[SummaryNode], texts: Texts, edited: Edited) -> list[Finding]:
    """Checks all nodes of a scope.

    Args:
        nodes: As they were read, those with an id that occurs twice too.
        texts: Ids of leaves → their Markdown.
        edited: Whether the words of a node's note are the user's, who may write as much as they like.

    Returns:
        Sorted by path; empty when every invariant holds.
    """
    found = list(_doubles(nodes))
    for node in tree.nodes.values():
        if not node.superseded:
            found += _node(tree, node, texts, edited)
    return sorted(found)


def _doubles(nodes: Iterable[SummaryNode]) -> Iterator[Finding]:
    counted = Counter(node.id for node in nodes)
    for node in nodes:
        if counted[node.id] > 1:
            yield Finding(node.path, "id-double", f"Another note has the id {node.id} too.", False)


def _node(tree: Tree, node: SummaryNode, texts: Texts, edited: Edited) -> Iterator[Finding]:
    stale = tree.is_stale(node)
    children = tree.children(node)
    there = [
        child for child in children if (child in tree.leaves if node.level == 1 else tree.is_live(child))
    ]

    def finding(code: str, message: str, due: bool = stale) -> Finding:
        return Finding(node.path, code, message, due)

    missing = len(children) - len(there) if node.child_ids else 0
    if missing or (node.children and not children):
        yield finding("child-missing", f"{missing or len(node.children)} of its children cannot be found.")
    if not (1 <= node.level <= MAX_LEVEL or 1 <= node.level - MERGE_LEVEL <= MAX_LEVEL):
        yield finding("level-wrong", f"Level {node.level} is none.", False)
    for child in children:
        below = tree.nodes.get(child)
        if below is not None and not _stands_below(below, node):
            yield finding("level-wrong", f"Its child {child} has level {below.level}.", False)
        if len(tree.parents.get(child, ())) > 1:
            yield finding("parent-double", f"Its child {child} is listed by another node too.", True)
    if there and len(there) == len(children):
        yield from _range(tree, node, there, stale)
    if node.subtree and any(_document(tree, child, node.level) != node.doc_id for child in there):
        yield finding("document-mixed", f"Not all that it summarises is of {node.doc_id}.")
    yield from _above(tree, node)
    if node.child_ids and there and not stale and _is_long(tree, node, there, texts) and not edited(node):
        yield finding("text-long", "It is longer than half of what it summarises.", False)


def _stands_below(child: SummaryNode, node: SummaryNode) -> bool:
    """Whether a node's level fits that of the one that lists it; the lowest merged ones list roots of any level."""
    if node.level == MERGE_LEVEL + 1:
        return child.subtree
    return child.level == node.level - 1 and child.subtree == node.subtree


def _document(tree: Tree, child: str, level: int) -> str | None:
    return (tree.leaves[child] if level == 1 else tree.nodes[child]).doc_id


def _range(tree: Tree, node: SummaryNode, children: Sequence[str], stale: bool) -> Iterator[Finding]:
    spans = [
        (tree.leaves[child].start_ms, tree.leaves[child].end_ms)
        if node.level == 1
        else (tree.nodes[child].time_range_start_ms, tree.nodes[child].time_range_end_ms)
        for child in children
    ]
    start_ms, end_ms = min(start for start, _ in spans), max(end for _, end in spans)
    slack = SLACK_MS if not node.child_ids else 0
    if abs(node.time_range_start_ms - start_ms) > slack or abs(node.time_range_end_ms - end_ms) > slack:
        message = "Its time range is not that of its children."
        yield Finding(node.path, "range-wrong", message, stale or not node.child_ids)


def _above(tree: Tree, node: SummaryNode) -> Iterator[Finding]:
    above = tree.parents.get(node.id)
    name = tree.nodes[above[0]].name if above else None
    written = node.parent.rpartition("/")[2] if node.parent else None
    if written != name:
        yield Finding(node.path, "parent-wrong", f"It names {written} above it, but {name} lists it.", True)
    seen = {node.id}
    at = node
    while above := tree.parents.get(at.id):
        at = tree.nodes[above[0]]
        if at.id in seen:
            yield Finding(node.path, "cycle", "It stands above itself.", False)
            return
        seen.add(at.id)


def _is_long(tree: Tree, node: SummaryNode, children: Sequence[str], texts: Texts) -> bool:
    below = texts(children).values() if node.level == 1 else [tree.nodes[child].text for child in children]
    total = sum(map(approx_tokens, below))
    return approx_tokens(node.text) > max(1, total // 2) and not node.text.count("[REDACTED")
