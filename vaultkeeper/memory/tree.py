"""A tree as it is, from its leaves and its nodes alone.

Owns what waits, what is stale and what takes the place of what; `memory.due` says what to do about it. Pure: it reads
and writes nothing. A buffer is no list that is kept somewhere: it is the admitted leaves that no node lists (level 0),
or the nodes of a level that no node above lists. So nothing is lost with the index or with a process.

Source: BEHAVIOUR §6.5.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from vaultkeeper.memory.nodes import MERGE_LEVEL, SummaryNode, leaf_target

INPUT_TOKENS = 50_000
"""Level 0 is sealed when its leaves reach this. Source: BEHAVIOUR §6.5, INPUT_TOKEN_BUDGET."""

MOST_LEAVES = 200
"""Level 0 is sealed at so many leaves too: a note with more links than these is no use to a reader. Ours."""

FANOUT = 10
"""Nodes of a level that are sealed into one above."""

DOCUMENT_FANIN = 32
"""Leaves of a document, or nodes of its subtree, in one node. Source: BEHAVIOUR §6.5, DOC_SUBTREE_MAX_FANIN."""

FLUSH_AGE_S = 604_800
"""A leaf that has waited so long is sealed with whatever waits beside it."""

QUIET_S = 3_600
"""A note that was edited less than this ago is left alone before its summary is written again."""

MAX_LEVEL = 32
"""Levels of a tree at most. Source: BEHAVIOUR §6.5, MAX_CASCADE_DEPTH."""


@dataclass(frozen=True, slots=True)
class TreeLeaf:
    """A part of a note, without its text.

    Attributes:
        anchor: The heading that it stands under; empty before the first.
        seq: Position in its note.
        arrived_ms: When its note was last written; tells how long it has waited.
        source_kind: chat, email or document.
        tags: Of its note.
        doc_id: The document that it is a part of, when its note is an ingested one.
        version_ms: Version of that document.
    """

    id: str
    path: str
    anchor: str
    seq: int
    start_ms: int
    end_ms: int
    tokens: int
    arrived_ms: int
    source_kind: str = "document"
    tags: tuple[str, ...] = ()
    doc_id: str | None = None
    version_ms: int | None = None

    @property
    def document(self) -> str | None:
        """The document, where one that is long enough gets a subtree: chats and mails do not."""
        return self.doc_id if self.source_kind == "document" else None

    @property
    def order(self) -> tuple[int, int, str, int]:
        """Leaves are sealed in the order of their time."""
        return (self.start_ms, self.end_ms, self.path, self.seq)


Admit = Callable[[Sequence[TreeLeaf]], Sequence[TreeLeaf]]
"""Returns those of some leaves that are worth summarising, in their order."""


class Tree:
    """The leaves and nodes of one scope.

    Args:
        leaves: All leaves that there are now.
        nodes: All its nodes; of two with one id the first counts.
        resolve: Link target → ids of the leaves that it means, for nodes that name their children by links only.
        admit: See there; asked for leaves of level 0 that no node lists.
        marks: Leaves → the marks of their texts, by id; tells a leaf that moved from a new one.
        trusted: Nodes of level 1 that are known to be sound and to share no leaf with another node, so that their
            leaves need not be among `leaves`.
    """

    def __init__(
        self,
        scope: str,
        leaves: Iterable[TreeLeaf],
        nodes: Iterable[SummaryNode],
        *,
        resolve: Callable[[str], Sequence[str]] | None = None,
        admit: Admit | None = None,
        marks: Callable[[Sequence[TreeLeaf]], Mapping[str, str]] | None = None,
        trusted: Collection[str] = (),
    ) -> None:
        self.scope = scope
        self.leaves: dict[str, TreeLeaf] = {}
        for leaf in sorted(leaves, key=lambda leaf: leaf.order):
            self.leaves.setdefault(leaf.id, leaf)
        self.has_documents = any(leaf.document is not None for leaf in self.leaves.values())
        self._versions = self._newest_versions()
        self.nodes: dict[str, SummaryNode] = {}
        for node in sorted(nodes, key=lambda node: (node.level, node.id, node.path)):
            self.nodes.setdefault(node.id, self._judged(node))
        self._by_name = {node.name: node.id for node in self.nodes.values()}
        self._resolve = resolve
        self._admit = admit or (lambda found: found)
        self._marks = marks
        self._trusted = set(trusted)
        self._children: dict[str, tuple[str, ...]] = {}
        self._waiting: list[TreeLeaf] | None = None
        self._arrivals: dict[str, int] | None = None
        self.parents = self._parents()
        # Nodes that may be stale, or may not know the node above: all of them, then those that a step touched.
        self._suspects = self.nodes.keys() - self._trusted
        self._unsettled = set(self.nodes)

    # What there is

    @property
    def tree_id(self) -> str | None:
        """The id that its nodes carry; None without nodes."""
        return min((node.tree_id for node in self.nodes.values()), default=None)

    def children(self, node: SummaryNode) -> tuple[str, ...]:
        """The ids of a node's children, in order; of one without ids those that its links mean."""
        if node.child_ids:
            return node.child_ids
        if node.id not in self._children:
            found: dict[str, None] = {}
            for target in node.children:
                name = target.partition("#")[0].rpartition("/")[2]
                if name in self._by_name:
                    found[self._by_name[name]] = None
                elif self._resolve is not None:
                    found.update(dict.fromkeys(self._resolve(target)))
            self._children[node.id] = tuple(found)
        return self._children[node.id]

    def _newest_versions(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for leaf in self.leaves.values():
            if leaf.doc_id is not None and leaf.version_ms is not None:
                found[leaf.doc_id] = max(leaf.version_ms, found.get(leaf.doc_id, leaf.version_ms))
        return found

    def _judged(self, node: SummaryNode) -> SummaryNode:
        """A node of an older version than that of the leaves is superseded, whether its note says so or not."""
        newest = self._versions.get(node.doc_id or "")
        if newest is None or node.superseded or (node.version_ms or newest) >= newest:
            return node
        if node.level > 1 and not node.subtree:
            return node
        return replace(node, superseded=True)

    def _parents(self) -> dict[str, list[str]]:
        """Child id → the live nodes that list it; the first is the one that counts."""
        parents: dict[str, list[str]] = {}
        for node in self.nodes.values():
            if not node.superseded and node.id not in self._trusted:
                for child in self.children(node):
                    parents.setdefault(child, []).append(node.id)
        return parents

    def put(self, node: SummaryNode) -> None:
        """Takes in a node that was just written, new or again."""
        old = self.nodes.get(node.id)
        if old is not None and node.id in self._trusted and node.child_ids == old.child_ids:
            self.nodes[node.id] = node  # its leaves are nobody else's, and none of them is here
            self._unsettled.add(node.id)
            return
        if old is not None:
            self._unlist(old)
        self.nodes[node.id] = node
        self._by_name[node.name] = node.id
        self._trusted.discard(node.id)
        if not node.superseded:
            for child in self.children(node):
                self.parents.setdefault(child, []).append(node.id)
        if self._waiting is not None:
            if old is not None:
                self._waiting = None  # what the old one listed and the new one does not waits again
            else:
                self._waiting = [leaf for leaf in self._waiting if leaf.id not in self.parents]
        self._touch(node)

    def drop(self, node: SummaryNode) -> None:
        """Takes out a node that is gone."""
        self._unlist(node)
        del self.nodes[node.id]
        self._by_name.pop(node.name, None)
        self._waiting = None
        self._touch(node)

    def forget(self, leaf_ids: Iterable[str]) -> None:
        """Takes out leaves whose text cannot be had."""
        for identity in leaf_ids:
            self.leaves.pop(identity, None)
        self._waiting = None
        self._suspects = set(self.nodes)

    def _unlist(self, node: SummaryNode) -> None:
        for child in self.children(node):
            above = self.parents.get(child, [])
            if node.id in above:
                above.remove(node.id)
                if not above:
                    del self.parents[child]
        self._touch(node)
        self._children.pop(node.id, None)

    def _touch(self, node: SummaryNode) -> None:
        near = {node.id, *self.parents.get(node.id, ())}
        for child in self.children(node):
            near.update(self.parents.get(child, ()))
            if child in self.nodes:
                near.add(child)
        self._suspects |= near
        self._unsettled |= near

    def is_live(self, identity: str) -> bool:
        """True for a node that readers see."""
        return identity in self.nodes and not self.nodes[identity].superseded

    def unlisted(self) -> list[TreeLeaf]:
        """Leaves that no live node lists, in order, worth it or not."""
        return [leaf for leaf in self.leaves.values() if leaf.id not in self.parents]

    def waiting(self) -> list[TreeLeaf]:
        """The buffer of level 0."""
        if self._waiting is None:
            self._waiting = list(self._admit(self.unlisted()))
        return self._waiting

    def arrival(self, target: str) -> int:
        """When the note that a link means was last written, in Unix milliseconds; 0 when it has no leaf."""
        if self._arrivals is None:
            self._arrivals = {}
            for leaf in self.leaves.values():
                name = note_target(leaf.path)
                self._arrivals[name] = max(leaf.arrived_ms, self._arrivals.get(name, 0))
        return self._arrivals.get(target, 0)

    def holds(self, nodes: Iterable[SummaryNode]) -> bool:
        """Whether these are its nodes, all of them, as it knows them."""
        return {node.id: self._judged(node) for node in nodes} == self.nodes

    def open_nodes(self, level: int) -> list[SummaryNode]:
        """The buffer of a level from 1 on, in the order of time; that of `MERGE_LEVEL` are the roots of documents.

        While a document is being summarised, the tops of what is done are roots too.
        """
        found = [
            node
            for node in self.nodes.values()
            if (node.subtree if level == MERGE_LEVEL else node.level == level and not node.subtree)
            and not node.superseded
            and node.id not in self.parents
        ]
        return sorted(found, key=lambda node: (node.time_range_start_ms, node.time_range_end_ms, node.id))

    def holes(self, doc_id: str) -> bool:
        """Whether a node of the subtree of a document lacks a child that the user removed."""
        return any(
            child not in self.nodes
            for node in self.nodes.values()
            if node.subtree and node.doc_id == doc_id and node.level > 1 and not node.superseded
            for child in node.child_ids
        )

    # What is stale

    def is_stale(self, node: SummaryNode) -> bool:
        """True when a child went, changed, moved in time, or is in an earlier node too."""
        if not node.child_ids or node.id in self._trusted:
            return False  # without ids it was written by somebody else, who did not say from what
        marks = node.marks if len(node.marks) == len(node.child_ids) else ()
        for at, child in enumerate(node.child_ids):
            if self.parents.get(child, [node.id])[0] != node.id:
                return True
            if node.level == 1:
                if child not in self.leaves:
                    return True
            elif not self.is_live(child) or (marks and self.nodes[child].mark != marks[at]):
                return True
        return range_of(self, node.child_ids, node.level) != (
            node.time_range_start_ms,
            node.time_range_end_ms,
        )

    def stale_nodes(self) -> list[SummaryNode]:
        """Live nodes that are stale, lowest first."""
        self._suspects = {
            identity
            for identity in self._suspects
            if self.is_live(identity) and self.is_stale(self.nodes[identity])
        }
        return sorted((self.nodes[one] for one in self._suspects), key=lambda node: (node.level, node.id))

    def renewed(self, node: SummaryNode) -> tuple[str, ...]:
        """The children that a stale node should have: those that are left, and what took the place of the others."""
        kept = [child for child in self.children(node) if self.parents.get(child, [node.id])[0] == node.id]
        renew = self._renewed_leaves if node.level == 1 else self._renewed_nodes
        return tuple(dict.fromkeys(renew(node, kept)))

    def _renewed_leaves(self, node: SummaryNode, kept: Sequence[str]) -> list[str]:
        missing = [child for child in kept if child not in self.leaves]
        if not missing:
            return list(kept)
        notes = {
            child: target.partition("#")[0]
            for child, target in zip(node.child_ids, node.children, strict=False)
        }
        in_note: dict[str, list[str]] = {}
        for leaf in self.waiting():
            in_note.setdefault(note_target(leaf.path), []).append(leaf.id)
        moved = self._moved(node, set(missing))
        found: list[str] = []
        for child in kept:
            if child in self.leaves:
                found.append(child)
            elif child in moved:
                found.append(moved[child])
            else:
                found += in_note.pop(notes.get(child, ""), [])
        most = 2 * (DOCUMENT_FANIN if node.subtree else MOST_LEAVES)
        return self._cut(list(dict.fromkeys(found)), 2 * INPUT_TOKENS, most)

    def _moved(self, node: SummaryNode, missing: set[str]) -> dict[str, str]:
        """Missing child → the waiting leaf with the very same text, as after a rename of its note."""
        if self._marks is None or len(node.marks) != len(node.child_ids):
            return {}
        by_mark: dict[str, list[str]] = {}
        for identity, mark in self._marks(self.waiting()).items():
            by_mark.setdefault(mark, []).append(identity)
        found: dict[str, str] = {}
        for child, mark in zip(node.child_ids, node.marks, strict=True):
            if child in missing and by_mark.get(mark):
                found[child] = by_mark[mark].pop(0)
        return found

    def _cut(self, leaf_ids: Sequence[str], most_tokens: int, most: int) -> list[str]:
        total = 0
        for at, identity in enumerate(leaf_ids):
            total += self.leaves[identity].tokens
            if at and (total > most_tokens or at >= most):
                return list(leaf_ids[:at])
        return list(leaf_ids)

    def _renewed_nodes(self, node: SummaryNode, kept: Sequence[str]) -> list[str]:
        found: list[str] = []
        for child in kept:
            if self.is_live(child):
                found.append(child)
            elif child in self.nodes:
                old = self.nodes[child]
                found += [
                    new.id
                    for new in self.open_nodes(MERGE_LEVEL if old.subtree else old.level)
                    if new.doc_id is not None and new.doc_id == old.doc_id
                ]
        return found

    # What is left to say

    def unsettled(self) -> SummaryNode | None:
        """The first node whose note names another parent than it has; None when all agree."""
        for identity in sorted(self._unsettled):
            node = self.nodes.get(identity)
            if node is not None and written_parent(node) != self.parent_name(node):
                return node
            self._unsettled.discard(identity)
        return None

    def parent_name(self, node: SummaryNode) -> str | None:
        """The name of the note of the node above; None at the top."""
        above = self.parents.get(node.id)
        return self.nodes[above[0]].name if above else None

    def height(self) -> int:
        """The highest level of a live node below the merge level; 0 without nodes."""
        levels = (node.level for node in self.nodes.values() if not node.superseded)
        return max((level for level in levels if level <= MERGE_LEVEL), default=0)


def note_target(path: str) -> str:
    """The target that a link to a note carries."""
    return leaf_target(path, "")


def written_parent(node: SummaryNode) -> str | None:
    """The name of the note above, as a node's own note says it."""
    return node.parent.rpartition("/")[2] if node.parent else None


def range_of(tree: Tree, child_ids: Sequence[str], level: int) -> tuple[int, int]:
    """Smallest start and largest end of some children. Source: BEHAVIOUR §6.5."""
    spans = [
        (tree.leaves[child].start_ms, tree.leaves[child].end_ms)
        if level == 1
        else (tree.nodes[child].time_range_start_ms, tree.nodes[child].time_range_end_ms)
        for child in child_ids
    ]
    return min(start for start, _ in spans), max(end for _, end in spans)


def document_of(tree: Tree, child_ids: Sequence[str], level: int) -> tuple[str | None, int | None]:
    """The document and version that all children are of; None for several, and above roots."""
    if level > MERGE_LEVEL:
        return None, None
    found: Mapping[str | None, int | None] = {
        (tree.leaves[child] if level == 1 else tree.nodes[child]).doc_id: (
            tree.leaves[child] if level == 1 else tree.nodes[child]
        ).version_ms
        for child in child_ids
    }
    if len(found) != 1:
        return None, None
    [(doc_id, version_ms)] = found.items()
    return doc_id, version_ms if doc_id is not None else None
