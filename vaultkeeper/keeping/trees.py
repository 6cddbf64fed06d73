"""The summary trees of a vault: what they are, what is due, and doing it.

Owns the lock around sealing and the way from the index's leaves to `memory.tree`. Nodes are read from their notes each
time, under the lock, since the index may not know yet what another process wrote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from operator import is_
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper import __version__
from vaultkeeper.errors import NoIndexError, TreeArchivedError, TreeNotFoundError
from vaultkeeper.index import waiting
from vaultkeeper.index.trees import fetch_scopes
from vaultkeeper.memory.admission import Admission, score_leaf
from vaultkeeper.memory.due import When, next_step
from vaultkeeper.memory.nodes import MERGE_LEVEL, SummaryNode, mark_of, tree_id_of
from vaultkeeper.memory.seal import (
    Bench,
    Done,
    Known,
    LeafText,
    folders_changed,
    load_nodes,
    tend_tree,
    was_edited,
)
from vaultkeeper.memory.tree import DOCUMENT_FANIN, FLUSH_AGE_S, INPUT_TOKENS, MOST_LEAVES, Tree, TreeLeaf
from vaultkeeper.memory.verify import Finding, verify_tree
from vaultkeeper.ports import Clock
from vaultkeeper.vault.links import LinkResolver
from vaultkeeper.vault.lock import edit_lock
from vaultkeeper.vault.splice import set_property
from vaultkeeper.vault.write import Step, read_note, replace_note, sha256_hex

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.memory.gazetteer import Gazetteer

_AT_ONCE = 8
_MOST_JUDGED = 100_000
_GRAIN_S = 0.1
"""A folder's time of change may be the same for two changes that are no further apart."""


class TreeLine(NamedTuple):
    """One tree in a list.

    Attributes:
        nodes: Live nodes by level, from level 1 on, those of subtrees of documents among them.
        merged: Live nodes by level above the roots of documents.
        waiting: Leaves that no node lists and that are worth it.
        waiting_tokens: Of those; at `INPUT_TOKENS` they are sealed.
        dropped: Leaves that are not worth it.
    """

    scope: str
    tree_id: str
    leaves: int
    nodes: tuple[int, ...]
    waiting: int
    waiting_tokens: int
    dropped: int
    stale: int
    superseded: int
    archived: bool
    merged: tuple[int, ...] = ()


class _Seen(NamedTuple):
    """The nodes as they were seen, and what tells that they still are."""

    db: Connection
    changes: str
    folders: Mapping[str, int]
    since_ns: int
    by_scope: dict[str, list[SummaryNode]]


@dataclass(slots=True)
class Trees:
    """See the module.

    Args:
        root: The vault's real path.
        lock_dir: Where the edit lock lies.
        open_db: Opens the index for reading; None when there is none.
        open_gazetteer: The names of the registry.
        archived: Globs of scopes that are not summarised any more.
        command: What this process is doing, for whoever waits for the lock.
    """

    root: Path
    lock_dir: Path
    open_db: Callable[[], Connection | None]
    open_gazetteer: Callable[[Connection], Gazetteer]
    clock: Clock
    archived: tuple[str, ...] = ()
    command: str = "vaultkeeper tree"
    _known: dict[str, Known] = field(default_factory=dict)
    _seen: _Seen | None = None
    _rested: dict[str, tuple[SummaryNode, ...]] = field(default_factory=dict)
    _judged: dict[str, tuple[object, bool]] = field(default_factory=dict)
    _state: tuple[object, int] | None = None

    def scopes(self) -> list[str]:
        """All scopes with leaves or nodes, sorted."""
        return list(fetch_scopes(self._db()))

    def lines(self) -> list[TreeLine]:
        """Returns a line for each tree."""
        db, nodes = self._db(), self._by_scope()
        lines = []
        for scope in sorted({*fetch_scopes(db), *nodes}):
            tree = self._tree(db, scope, nodes.get(scope, ()))
            live = [node for node in tree.nodes.values() if not node.superseded]
            levels = Counter(node.level for node in live)
            unlisted, waits = tree.unlisted(), tree.waiting()
            lines.append(
                TreeLine(
                    scope,
                    tree.tree_id or tree_id_of(scope),
                    len(tree.leaves),
                    tuple(levels[level] for level in range(1, tree.height() + 1)),
                    len(waits),
                    sum(leaf.tokens for leaf in waits),
                    len(unlisted) - len(waits),
                    len(tree.stale_nodes()),
                    len(tree.nodes) - len(live),
                    self.is_archived(scope),
                    tuple(levels[level] for level in range(MERGE_LEVEL + 1, max(levels, default=0) + 1)),
                )
            )
        return lines

    def tree(self, scope: str) -> Tree:
        """Returns one tree as it is.

        Raises:
            TreeNotFoundError: neither a leaf nor a node has this scope.
        """
        found = self._tree(self._db(), scope, self._by_scope().get(scope, ()))
        if not found.leaves and not found.nodes:
            raise TreeNotFoundError(scope=scope, near=", ".join(self.scopes()[:8]) or "none yet")
        return found

    def admissions(self, leaves: Sequence[TreeLeaf]) -> dict[str, Admission]:
        """Returns for each leaf the row that says why it is kept or dropped."""
        return self._admissions(self._db(), leaves)

    def due(self) -> list[str]:
        """Returns the scopes in which something is due, as far as the index and the nodes tell; reads no leaf's text.

        It may name one in which nothing is to be done after all, and never leaves one out that the index knows of.
        """
        db, now_ms = self._db(), int(self.clock().timestamp() * 1000)
        found = set(waiting.fetch_changed_nodes(db))
        found |= waiting.fetch_waiting_documents(db, DOCUMENT_FANIN, INPUT_TOKENS)
        waits = waiting.fetch_waiting(db)
        for one in waits:
            old = one.oldest_ms + FLUSH_AGE_S * 1000 <= now_ms
            if old or one.leaves >= MOST_LEAVES or one.tokens >= INPUT_TOKENS:
                found.add(one.scope)
        some = {one.scope for one in waits}
        for scope, nodes in self._by_scope().items():
            if (scope in some and any(map(_is_begun, nodes))) or self._has_work_above(scope, nodes):
                found.add(scope)
        return sorted(scope for scope in found if not self.is_archived(scope))

    def tend(
        self,
        scopes: Iterable[str] | None = None,
        *,
        force: bool = False,
        most: int = 1_000_000,
        stop: Callable[[], bool] | None = None,
        step: Step | None = None,
    ) -> Done:
        """Seals, rebuilds and tidies what is due, in `most` steps at most; `force` does not wait for age or quiet.

        The caller syncs afterwards. A tree that fails does not keep the others from their turn; the first failure is
        raised at the end.

        Raises:
            NotesLockedError: another process edits notes and does not finish.
            TreeNotFoundError, TreeArchivedError: a scope that is named is none, or archived.
            StorageError: the disk refused.
        """
        wanted = list(scopes) if scopes is not None else None
        known = self.scopes()
        for scope in wanted or ():
            if scope not in known:
                raise TreeNotFoundError(scope=scope, near=", ".join(known[:8]) or "none yet")
            if self.is_archived(scope):
                raise TreeArchivedError(scope=scope)
        done = Done()
        failed: Exception | None = None
        for scope in known if wanted is None else wanted:
            if self.is_archived(scope):
                continue
            try:
                self._tend(scope, done, force, most, stop, step)
            except Exception as error:  # the other trees still get their turn
                failed = failed or error
        if failed is not None:
            raise failed
        return done

    def _tend(
        self,
        scope: str,
        done: Done,
        force: bool,
        most: int,
        stop: Callable[[], bool] | None,
        step: Step | None,
    ) -> None:
        """Tends one tree, a few steps at a time, so that nobody waits long for the lock."""
        tree: Tree | None = None
        while len(done) < most and not (stop is not None and stop()):
            few = min(_AT_ONCE, most - len(done))
            with edit_lock(self.lock_dir, command=self.command, since=self.clock()):
                tree = self._current(scope, tree)
                made = self._some_steps(tree, force, few, stop, step)
            done.add(made)
            if len(made) < few:
                return

    def _current(self, scope: str, tree: Tree | None) -> Tree:
        """The tree as notes and index are now: the one from before, when nobody else was at them."""
        db, nodes = self._db(), self._by_scope().get(scope, ())
        state = (db, db.execute("PRAGMA data_version").fetchone()[0])
        if tree is not None and state == self._state and tree.holds(nodes):
            return tree
        self._state = state
        return self._tree(db, scope, nodes, whole=False)

    def _some_steps(
        self, tree: Tree, force: bool, most: int, stop: Callable[[], bool] | None, step: Step | None
    ) -> Done:
        db, now = self._db(), self.clock()
        bench = Bench(
            self.root,
            now,
            leaves=lambda ids: self._leaf_texts(db, [tree.leaves[one] for one in ids if one in tree.leaves]),
            entities=self._entities(db),
            version=__version__,
        )
        if step is not None:
            bench.step = step
        return tend_tree(tree, bench, When(int(now.timestamp() * 1000), force), most=most, stop=stop)

    def supersede(self, versions: Mapping[str, int]) -> list[str]:
        """Tells the summaries of older versions of documents; the caller holds the edit lock.

        Args:
            versions: Document → version that is in force now.

        Returns:
            Paths of the notes that were changed. The next `tend` puts newer summaries in their place.
        """
        paths = []
        for node in self._nodes():
            version = versions.get(node.doc_id or "")
            if (
                version is not None
                and not node.superseded
                and (node.level == 1 or node.subtree)
                and (node.version_ms or 0) < version
            ):
                read = read_note(self.root, node.path)
                data = set_property(read, "superseded", True, node.path)
                replace_note(self.root, node.path, data, sha256_hex(read))
                paths.append(node.path)
        return paths

    def verify(self) -> list[Finding]:
        """Returns every invariant that does not hold, sorted by path."""
        db, nodes = self._db(), self._by_scope()
        found: list[Finding] = []
        for scope in sorted(nodes):
            tree = self._tree(db, scope, nodes[scope], judged=False)
            found += verify_tree(
                tree,
                nodes[scope],
                lambda ids: waiting.fetch_leaf_texts(db, ids),
                lambda node: was_edited(self.root, node),
            )
        return sorted(found)

    def is_archived(self, scope: str) -> bool:
        """Whether a scope is summarised no more."""
        return any(fnmatchcase(scope, glob) for glob in self.archived)

    # What they share

    def _db(self) -> Connection:
        db = self.open_db()
        if db is None:
            raise NoIndexError()
        return db

    def _nodes(self) -> list[SummaryNode]:
        return [node for nodes in self._by_scope().values() for node in nodes]

    def _has_work_above(self, scope: str, nodes: Sequence[SummaryNode]) -> bool:
        """Whether nodes, taken alone, have something due: a cascade, an edited child, a link to mend, a removal."""
        rested = self._rested.get(scope, ())
        if len(rested) == len(nodes) and all(map(is_, rested, nodes)):
            return False
        leafless = {node.id for node in nodes if node.level == 1 and not node.superseded}
        if next_step(Tree("", (), nodes, trusted=leafless), When(0)) is not None:
            return True
        self._rested[scope] = tuple(nodes)
        return False

    def _by_scope(self) -> dict[str, list[SummaryNode]]:
        """The nodes by their notes; one that is as the index read it is not read again.

        When neither the folders nor the index have changed, the notes are not even looked at.
        """
        db, seen = self._db(), self._seen
        changes = waiting.fetch_node_changes(db)
        same = seen is not None and seen.db is db and seen.changes == changes
        if seen is not None and same and not folders_changed(self.root, seen.folders, seen.since_ns):
            return seen.by_scope
        if not self._known:
            rows = waiting.fetch_node_notes(db)
            self._known = {path: Known(stamp, digest, node) for path, stamp, digest, node in rows}
        since_ns = int((self.clock().timestamp() - _GRAIN_S) * 1e9)
        found: dict[str, list[SummaryNode]] = {}
        folders: dict[str, int] = {}
        for node in load_nodes(self.root, self._known, folders):
            found.setdefault(node.tree_scope, []).append(node)
        self._seen = _Seen(db, changes, folders, since_ns, found)
        return found

    def _tree(
        self,
        db: Connection,
        scope: str,
        nodes: Sequence[SummaryNode],
        *,
        judged: bool = True,
        whole: bool = True,
    ) -> Tree:
        """Puts a tree together; not whole: without the leaves of nodes in which nothing has changed."""
        trusted: set[str] = set()
        foreign = any(not node.child_ids for node in nodes)
        if whole or foreign:
            leaves = waiting.fetch_tree_leaves(db, scope)
        else:
            sound = waiting.fetch_sound_nodes(db, scope)
            lowest = [node for node in nodes if node.level == 1]
            trusted = {node.id for node in lowest if sound.get(node.path) == self._known[node.path].sha256}
            new = [child for node in lowest if node.id not in trusted for child in node.child_ids]
            trusted -= waiting.fetch_listing_nodes(db, scope, new)
            trusted -= {one for one, count in Counter(node.id for node in lowest).items() if count > 1}
            doubtful = (node for node in lowest if node.id not in trusted)
            leaves = waiting.fetch_some_leaves(
                db, scope, [child for node in doubtful for child in node.child_ids]
            )
        resolve = _resolver(leaves) if foreign else None
        judgements: dict[str, bool] = {}

        def admit(found: Sequence[TreeLeaf]) -> list[TreeLeaf]:
            new = [leaf for leaf in found if leaf.id not in judgements]
            judgements.update(self._kept(db, new))
            return [leaf for leaf in found if judgements.get(leaf.id, False)]

        def marks(found: Sequence[TreeLeaf]) -> dict[str, str]:
            texts = waiting.fetch_leaf_texts(db, [leaf.id for leaf in found])
            return {leaf.id: mark_of(texts[leaf.id]) for leaf in found if leaf.id in texts}

        return Tree(
            scope,
            leaves,
            nodes,
            resolve=resolve,
            admit=admit if judged else None,
            marks=marks if judged else None,
            trusted=trusted,
        )

    def _kept(self, db: Connection, leaves: Sequence[TreeLeaf]) -> dict[str, bool]:
        """Which leaves are kept. An id stands for a text, so what was judged once is not read again."""
        entities = waiting.fetch_leaf_entities(db, [leaf.id for leaf in leaves])
        by = {leaf.id: (leaf.source_kind, leaf.tags, frozenset(entities.get(leaf.id, ()))) for leaf in leaves}
        if len(self._judged) > _MOST_JUDGED:
            self._judged.clear()
        new = [leaf for leaf in leaves if self._judged.get(leaf.id, (None, False))[0] != by[leaf.id]]
        self._judged.update((one, (by[one], row.kept)) for one, row in self._admissions(db, new).items())
        found = {leaf.id: self._judged.get(leaf.id, (None, False)) for leaf in leaves}
        return {one: kept for one, (key, kept) in found.items() if key == by[one]}

    def _admissions(self, db: Connection, leaves: Sequence[TreeLeaf]) -> dict[str, Admission]:
        ids = [leaf.id for leaf in leaves]
        texts = waiting.fetch_leaf_texts(db, ids)
        entities = waiting.fetch_leaf_entities(db, ids)
        return {
            leaf.id: score_leaf(texts[leaf.id], leaf.source_kind, leaf.tags, entities.get(leaf.id, ()))
            for leaf in leaves
            if leaf.id in texts
        }

    def _leaf_texts(self, db: Connection, leaves: Sequence[TreeLeaf]) -> dict[str, LeafText]:
        ids = [leaf.id for leaf in leaves]
        texts = waiting.fetch_leaf_texts(db, ids)
        entities = waiting.fetch_leaf_entities(db, ids)
        scores = self._admissions(db, leaves)
        return {
            one: LeafText(texts[one], scores[one].total, entities.get(one, ())) for one in ids if one in texts
        }

    def _entities(self, db: Connection) -> Callable[[str], set[str]]:
        from vaultkeeper.memory.extract import extract

        gazetteer = self.open_gazetteer(db)
        return lambda text: {mention.entity_id for mention in extract(text, gazetteer)}


def _is_begun(node: SummaryNode) -> bool:
    """Whether a document has been summarised in part."""
    return node.subtree and node.level == 1 and node.parent is None


def _resolver(leaves: Sequence[TreeLeaf]) -> Callable[[str], Sequence[str]]:
    """Link target → ids of the leaves of that note, or of that heading in it."""
    by_path: dict[str, list[TreeLeaf]] = {}
    for leaf in leaves:
        by_path.setdefault(leaf.path, []).append(leaf)
    links = LinkResolver(by_path)

    def resolve(target: str) -> list[str]:
        name, _, anchor = target.partition("#")
        path = links.resolve("", name).path
        found = by_path.get(path or "", [])
        return [leaf.id for leaf in found if not anchor or anchor.startswith("^") or leaf.anchor == anchor]

    return resolve
