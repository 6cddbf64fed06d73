"""Leaves and nodes as hits: one shape for every mode."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.dates import rfc3339
from vaultkeeper.index.reads import fetch_entities_of, fetch_leaves, fetch_source_refs, fetch_tags_of
from vaultkeeper.index.trees import fetch_nodes, fetch_stale
from vaultkeeper.memory.nodes import tree_scope_of
from vaultkeeper.types import RetrievalHit, Why

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.index.reads import Leaf
    from vaultkeeper.index.trees import NodeRow

NO_REASON = Why()


class Found(NamedTuple):
    """Something that answers, before it is read.

    Attributes:
        node: True for a summary.
        pk: Row id of its note, or of the chunk when it is a leaf.
        score: What it means is said by the mode.
    """

    node: bool
    pk: int
    score: float = 0.0
    why: Why = NO_REASON


def make_hits(db: Connection, found: Sequence[Found]) -> tuple[RetrievalHit, ...]:
    """Reads what was found; what is gone is left out. In the given order, each node id once.

    A leaf has no tree id, level 0, no children, and the tags of its note as topics. A summary's content is its
    sentences. The scope is that of the tree, so turns of all sessions have one.
    """
    leaf_pks = [one.pk for one in found if not one.node]
    leaves = fetch_leaves(db, leaf_pks)
    entities = fetch_entities_of(db, leaf_pks)
    note_pks = {leaf.note_pk for leaf in leaves.values()}
    tags, refs = fetch_tags_of(db, note_pks), fetch_source_refs(db, note_pks)
    node_pks = [one.pk for one in found if one.node]
    nodes = fetch_nodes(db, node_pks)
    hits: dict[str, RetrievalHit] = {}
    for one in found:
        if one.node and one.pk in nodes:
            hit = _summary(nodes[one.pk], one)
        elif not one.node and one.pk in leaves:
            leaf = leaves[one.pk]
            hit = _leaf(leaf, entities, tags.get(leaf.note_pk, ()), refs.get(leaf.note_pk), one)
        else:
            continue
        hits.setdefault(hit.node_id, hit)
    return tuple(hits.values())


def _leaf(
    leaf: Leaf, entities: Mapping[int, tuple[str, ...]], tags: tuple[str, ...], ref: str | None, found: Found
) -> RetrievalHit:
    return RetrievalHit(
        node_id=leaf.chunk_id,
        node_kind="leaf",
        tree_id="",
        tree_kind="source",
        tree_scope=tree_scope_of(leaf.source),
        level=0,
        content=leaf.body,
        entities=entities.get(leaf.chunk_pk, ()),
        topics=tags,
        time_range_start=rfc3339(leaf.start_ms),
        time_range_end=rfc3339(leaf.end_ms),
        score=found.score,
        child_ids=(),
        source_ref=ref,
        note_path=leaf.path,
        heading=leaf.heading,
        block="",
        why=found.why,
    )


def _summary(node: NodeRow, found: Found) -> RetrievalHit:
    return RetrievalHit(
        node_id=node.node_id,
        node_kind="summary",
        tree_id=node.tree_id,
        tree_kind=node.tree_kind,
        tree_scope=node.scope,
        level=node.level,
        content=node.content,
        entities=node.entities,
        topics=node.topics,
        time_range_start=rfc3339(node.start_ms),
        time_range_end=rfc3339(node.end_ms),
        score=found.score,
        child_ids=node.child_ids,
        source_ref=None,
        note_path=node.path,
        heading="",
        block="",
        why=found.why,
    )


def stale_notes(db: Connection, found: Collection[Found]) -> tuple[str, ...]:
    """Returns the remark `stale_summaries` when a summary among these waits to be made anew."""
    return ("stale_summaries",) if fetch_stale(db, [one.pk for one in found if one.node]) else ()
