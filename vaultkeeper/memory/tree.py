"""What a tree needs next, from its leaves and its nodes alone.

Owns the rules of sealing, of staleness and of versions. Pure: it reads and writes nothing, and the same state gives the
same step. A buffer is no list that is kept somewhere: it is the admitted leaves that no node lists (level 0), or the
nodes of a level that no node above lists. So nothing is lost with the index or with a process, and one step after
another, each a single write, leads from any state to the one in which nothing is due.

Source: BEHAVIOUR §6.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vaultkeeper.memory.nodes import SummaryNode

INPUT_TOKENS = 50_000
"""Level 0 is sealed when its leaves reach this. Source: BEHAVIOUR §6.5, INPUT_TOKEN_BUDGET."""

FANOUT = 10
"""Nodes of a level that are sealed into one above."""

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
    def order(self) -> tuple[int, int, str, int]:
        """Leaves are sealed in the order of their time."""
        return (self.start_ms, self.end_ms, self.path, self.seq)


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


Admit = Callable[[Sequence[TreeLeaf]], Sequence[TreeLeaf]]
"""Returns those of some leaves that are worth summarising, in their order."""


class Tree:
    """The leaves and nodes of one scope.

    Args:
        leaves: All leaves that there are now.
        nodes: All its nodes; of two with one id the first counts.
        resolve: Link target → ids of the leaves that it means, for nodes that name their children by links only.
        admit: See there; asked for leaves of level 0 that no node lists.
    """

    def __init__(
        self,
        scope: str,
        leaves: Iterable[TreeLeaf],
        nodes: Iterable[SummaryNode],
        *,
        resolve: Callable[[str], Sequence[str]] | None = None,
        admit: Admit | None = None,
    ) -> None:
        self.scope = scope
        self.leaves: dict[str, TreeLeaf] = {}
        for leaf in sorted(leaves, key=lambda leaf: leaf.order):
            self.leaves.setdefault(leaf.id, leaf)
        self.nodes: dict[str, SummaryNode] = {}
        for node in sorted(nodes, key=lambda node: (node.level, node.id, node.path)):
            self.nodes.setdefault(node.id, node)
        self._by_name = {node.name: node.id for node in self.nodes.values()}
        self._resolve = resolve
        self._admit = admit or (lambda found: found)
        self._children: dict[str, tuple[str, ...]] = {}
        self._waiting: list[TreeLeaf] | None = None
        self.parents = self._parents()

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

    def _parents(self) -> dict[str, list[str]]:
        """Child id → the live nodes that list it; the first is the one that counts."""
        parents: dict[str, list[str]] = {}
        for node in self.nodes.values():
            if not node.superseded:
                for child in self.children(node):
                    parents.setdefault(child, []).append(node.id)
        return parents

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

    def open_nodes(self, level: int) -> list[SummaryNode]:
        """The buffer of a level from 1 on, in the order of time."""
        found = [
            node
            for node in self.nodes.values()
            if node.level == level and not node.superseded and node.id not in self.parents
        ]
        return sorted(found, key=lambda node: (node.time_range_start_ms, node.time_range_end_ms, node.id))

    # What is stale

    def is_stale(self, node: SummaryNode) -> bool:
        """True when a child went, was replaced, says something else, or is listed by an earlier node too."""
        if not node.child_ids:
            return False  # written by somebody else, who did not say from what
        marks = node.marks if len(node.marks) == len(node.child_ids) else ()
        for at, child in enumerate(node.child_ids):
            if self.parents.get(child, [node.id])[0] != node.id:
                return True
            if node.level == 1:
                if child not in self.leaves:
                    return True
            elif not self.is_live(child) or (marks and self.nodes[child].mark != marks[at]):
                return True
        return False

    def renewed(self, node: SummaryNode) -> tuple[str, ...]:
        """The children that a stale node should have: those that are left, and what took the place of the others."""
        kept = [child for child in self.children(node) if self.parents.get(child, [node.id])[0] == node.id]
        renew = self._renewed_leaves if node.level == 1 else self._renewed_nodes
        return tuple(dict.fromkeys(renew(node, kept)))

    def _renewed_leaves(self, node: SummaryNode, kept: Sequence[str]) -> list[str]:
        notes = {
            child: target.partition("#")[0]
            for child, target in zip(node.child_ids, node.children, strict=False)
        }
        waiting: dict[str, list[str]] = {}
        for leaf in self.waiting():
            waiting.setdefault(_name_of(leaf.path), []).append(leaf.id)
        found: list[str] = []
        for child in kept:
            if child in self.leaves:
                found.append(child)
            else:
                found += waiting.pop(notes.get(child, ""), [])
        return self._cut(found, 2 * INPUT_TOKENS)

    def _cut(self, leaf_ids: Sequence[str], most_tokens: int) -> list[str]:
        total = 0
        for at, identity in enumerate(leaf_ids):
            total += self.leaves[identity].tokens
            if total > most_tokens and at:
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
                    for new in self.open_nodes(old.level)
                    if new.doc_id is not None and new.doc_id == old.doc_id
                ]
        return found

    # What is due

    def next_step(self, when: When) -> Step | None:
        """Returns what to do next; None when nothing is due."""
        for step in (
            self._version_step(),
            self._stale_step(when),
            self._leaf_step(when),
            self._cascade_step(),
        ):
            if step is not None:
                return step
        return self._parent_step()

    def _version_step(self) -> Step | None:
        """Leaves of a document whose old summary is superseded do not wait for company."""
        old = [node for node in self.nodes.values() if node.superseded]
        documents = {node.doc_id for node in old if node.level == 1 and node.doc_id is not None}
        for doc_id in sorted(documents):
            leaves = [leaf for leaf in self.waiting() if leaf.doc_id == doc_id]
            if leaves:
                return Seal(1, self._group(leaves), forced=True)
        for node in old:
            if node.id not in self.parents:
                return Retire(node)
        return None

    def _stale_step(self, when: When) -> Step | None:
        stale = [node for node in self.nodes.values() if not node.superseded and self.is_stale(node)]
        for node in sorted(stale, key=lambda node: (node.level, node.id)):
            children = self.renewed(node)
            if not children:
                return Retire(node)
            if when.force or node.level > 1 or self._is_quiet(node, when.now_ms):
                return Rebuild(node, children)
            if not node.stale:
                return Mark(node)
        return None

    def _is_quiet(self, node: SummaryNode, now_ms: int) -> bool:
        """Nobody has been at the notes of a node for a while."""
        names = {target.partition("#")[0] for target in node.children}
        last = max(
            (leaf.arrived_ms for leaf in self.leaves.values() if _name_of(leaf.path) in names), default=0
        )
        return last + QUIET_S * 1000 <= now_ms

    def _leaf_step(self, when: When) -> Step | None:
        if self._held_back(when):
            return None
        leaves = self.waiting()
        if sum(leaf.tokens for leaf in leaves) >= INPUT_TOKENS:
            return Seal(1, self._group(leaves))
        if leaves:
            oldest_ms = min(leaf.arrived_ms for leaf in leaves)
            if when.force or oldest_ms + FLUSH_AGE_S * 1000 <= when.now_ms:
                return Seal(1, self._group(leaves), forced=True)
        return None

    def _held_back(self, when: When) -> bool:
        """While a note is being edited and its summary waits for that, its new parts are kept for that summary."""
        return False if when.force else any(node.stale for node in self.nodes.values() if not node.superseded)

    def _group(self, leaves: Sequence[TreeLeaf]) -> tuple[str, ...]:
        """The first leaves that reach the budget together."""
        total = 0
        for at, leaf in enumerate(leaves, 1):
            total += leaf.tokens
            if total >= INPUT_TOKENS:
                return tuple(leaf.id for leaf in leaves[:at])
        return tuple(leaf.id for leaf in leaves)

    def _cascade_step(self) -> Step | None:
        for level in range(1, min(MAX_LEVEL, self.height() + 1)):
            nodes = self.open_nodes(level)
            if len(nodes) >= FANOUT:
                return Seal(level + 1, tuple(node.id for node in nodes[:FANOUT]))
        return None

    def _parent_step(self) -> Step | None:
        for node in self.nodes.values():
            above = self.parents.get(node.id)
            name = self.nodes[above[0]].name if above else None
            written = node.parent.rpartition("/")[2] if node.parent else None
            if written != name:
                return Adopt(node, name)
        return None

    def height(self) -> int:
        """The highest level of a live node; 0 without nodes."""
        return max((node.level for node in self.nodes.values() if not node.superseded), default=0)


def _name_of(path: str) -> str:
    """The target that a link to a note carries."""
    from vaultkeeper.memory.nodes import leaf_target

    return leaf_target(path, "")


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
    """The document and version that all children are of; None for several."""
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
