"""`vaultkeeper tree`: the summary trees, and sealing what is due."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.completers import complete_source
from vaultkeeper.cli.lazy import Group, json_option, no_sync_option
from vaultkeeper.cli.output import say, show, show_json, table
from vaultkeeper.errors import Exit, TreeNotFoundError

if TYPE_CHECKING:
    from vaultkeeper.keeper import Keeper
    from vaultkeeper.memory.admission import Admission
    from vaultkeeper.memory.nodes import SummaryNode
    from vaultkeeper.memory.seal import Done
    from vaultkeeper.memory.tree import Tree, TreeLeaf


@click.group(cls=Group)
def tree() -> None:
    """Summaries of every source, level upon level, each of them a note.

    Parts of your notes, turns of conversations and ingested documents are leaves; when enough of a source have
    gathered, a summary of them is sealed below wiki/summaries/, and ten summaries get one above them.
    """


@tree.command("list")
@json_option
@no_sync_option
@click.pass_obj
def list_trees(call: Call, as_json: bool, no_sync: bool) -> None:
    """List the trees: leaves, summaries by level, what waits and what is stale."""
    from vaultkeeper.cli.fresh import fresh_keeper
    from vaultkeeper.memory.nodes import MERGE_LEVEL

    with fresh_keeper(call, no_sync=no_sync) as keeper:
        lines = keeper.trees.lines()
    if as_json:
        show_json([line._asdict() for line in lines])
        return
    rows = [("source", "leaves", "summaries", "waiting", "tokens", "")]
    for line in lines:
        counts = [*enumerate(line.nodes, 1), *enumerate(line.merged, MERGE_LEVEL + 1)]
        levels = " ".join(f"L{level}:{count}" for level, count in counts) or "-"
        remarks = [f"{line.stale} stale"] if line.stale else []
        remarks += [f"{line.dropped} too short"] if line.dropped else []
        remarks += ["archived"] if line.archived else []
        rows.append(
            (
                line.scope,
                str(line.leaves),
                levels,
                str(line.waiting),
                f"{line.waiting_tokens:,}",
                ", ".join(remarks),
            )
        )
    for text in table(rows):
        show(text)


@tree.command("show")
@click.argument("name", shell_complete=complete_source)
@click.option("--scores", is_flag=True, help="Show why each leaf is kept or dropped.")
@json_option
@no_sync_option
@click.pass_obj
def show_tree(call: Call, name: str, scores: bool, as_json: bool, no_sync: bool) -> None:
    """Show a tree by its source, or one summary by its id or the name of its note."""
    from vaultkeeper.cli.fresh import fresh_keeper

    with fresh_keeper(call, no_sync=no_sync) as keeper:
        found, node = _find(keeper, name)
        if node is not None:
            if as_json:
                show_json(node_json(found, node))
            else:
                _show_node(found, node)
            return
        if scores:
            leaves = list(found.leaves.values())
            rows = keeper.trees.admissions(leaves)
            if as_json:
                show_json([_score_json(leaf, rows[leaf.id]) for leaf in leaves if leaf.id in rows])
            else:
                _show_scores(leaves, rows)
            return
        if as_json:
            show_json(
                {
                    "scope": found.scope,
                    "tree_id": found.tree_id,
                    "nodes": [node_json(found, one) for one in found.nodes.values()],
                    "waiting": [leaf.id for leaf in found.waiting()],
                }
            )
            return
        for line in _outline(found):
            show(line)
        show(f"{len(found.waiting())} of {len(found.leaves)} leaves wait for a summary.")


@tree.command("seal")
@click.argument("scopes", nargs=-1, metavar="[SOURCE]...", shell_complete=complete_source)
@click.option("--force", is_flag=True, help="Do not wait for enough leaves, for age, or for an edit to end.")
@json_option
@click.pass_obj
def seal(call: Call, scopes: tuple[str, ...], force: bool, as_json: bool) -> None:
    """Seal what is due, and write stale summaries again.

    Safe to run at any time and by several at once: what was interrupted goes on, and nothing is summarised twice. A
    source that is named is sealed now, however little waits.
    """
    from vaultkeeper.cli.fresh import fresh_keeper, take_in

    with fresh_keeper(call, writes=True) as keeper:
        done = keeper.trees.tend(scopes or None, force=force or bool(scopes))
        take_in(call, keeper, done.paths)
    if as_json:
        show_json(done_json(done))
        return
    for line in done_lines(done):
        show(line)
    if not call.quiet:
        say(f"{call.root}: {summary_of(done)}.")


@tree.command("verify")
@json_option
@no_sync_option
@click.pass_context
def verify(ctx: click.Context, as_json: bool, no_sync: bool) -> None:
    """Prove that every tree is sound.

    Children exist, time ranges are those of the children, nobody has two parents, links up and down agree, no summary
    is longer than half of what it summarises. What the next `tree seal` puts right by itself is shown as due.
    """
    from vaultkeeper.cli.fresh import fresh_keeper

    call = ctx.find_object(Call)
    assert call is not None, "the root context carries the Call"
    with fresh_keeper(call, no_sync=no_sync) as keeper:
        found = keeper.trees.verify()
    if as_json:
        show_json([finding._asdict() for finding in found])
    else:
        for finding in found:
            show(f"{finding.path}: {finding.message} ({finding.code}{', due' if finding.due else ''})")
        if not call.quiet:
            say("Every tree is sound." if not found else f"{len(found)} findings.")
    if any(not finding.due for finding in found):
        ctx.exit(Exit.PROBLEMS)


def done_lines(done: Done) -> list[str]:
    """What was written, a line each; links to parents are left out."""
    verbs = (
        ("sealed", done.sealed),
        ("rebuilt", done.rebuilt),
        ("stale", done.marked),
        ("retired", done.retired),
    )
    return [f"{path}  {verb}" for verb, paths in verbs for path in paths]


def summary_of(done: Done) -> str:
    """One sentence on what was done."""
    counts = [
        f"{len(paths)} {verb}"
        for verb, paths in (("sealed", done.sealed), ("rebuilt", done.rebuilt), ("retired", done.retired))
        if paths
    ]
    return ", ".join(counts) or "nothing is due"


def done_json(done: Done) -> dict[str, list[str]]:
    """What was written, by what was done."""
    return {
        "sealed": done.sealed,
        "rebuilt": done.rebuilt,
        "marked": done.marked,
        "retired": done.retired,
        "adopted": done.adopted,
    }


def _find(keeper: Keeper, name: str) -> tuple[Tree, SummaryNode | None]:
    """The tree of that source, or the node of that name with its tree."""
    wanted = name.removesuffix(".md").rpartition("/")[2]
    for scope in keeper.trees.scopes():
        found = keeper.trees.tree(scope)
        if name in (scope, found.tree_id):
            return found, None
        for node in found.nodes.values():
            if name == node.id or wanted == node.name:
                return found, node
    raise TreeNotFoundError(scope=name, near=", ".join(keeper.trees.scopes()[:8]) or "none yet")


def node_json(found: Tree, node: SummaryNode) -> dict[str, Any]:
    """A node as JSON."""
    from vaultkeeper.memory.nodes import format_ms

    return {
        "node_id": node.id,
        "level": node.level,
        "path": node.path,
        "parent": next(iter(found.parents.get(node.id, ())), None),
        "child_ids": list(found.children(node)),
        "time_range_start": format_ms(node.time_range_start_ms),
        "time_range_end": format_ms(node.time_range_end_ms),
        "entities": list(node.entities),
        "topics": list(node.topics),
        "score": node.score,
        "sealed_at": node.sealed_at,
        "summary_by": node.summary_by,
        "doc_id": node.doc_id,
        "version_ms": node.version_ms,
        "subtree": node.subtree,
        "superseded": node.superseded,
        "stale": found.is_stale(node),
        "content": node.text,
    }


def _outline(found: Tree) -> Iterator[str]:
    tops = [node for node in found.nodes.values() if node.id not in found.parents]
    for node in sorted(tops, key=lambda node: (-node.level, node.time_range_start_ms, node.id)):
        yield from _branch(found, node, 0)


def _branch(found: Tree, node: SummaryNode, depth: int) -> Iterator[str]:
    from vaultkeeper.memory.nodes import format_ms

    days = f"{format_ms(node.time_range_start_ms)[:10]}–{format_ms(node.time_range_end_ms)[:10]}"
    remark = " (superseded)" if node.superseded else " (stale)" if found.is_stale(node) else ""
    children = found.children(node)
    what = "leaves" if node.level == 1 else "summaries"
    yield f"{'  ' * depth}L{node.level}  {days}  {len(children)} {what}  {node.name}{remark}"
    if depth < 40:
        for child in children:
            if child in found.nodes:
                yield from _branch(found, found.nodes[child], depth + 1)


def _show_node(found: Tree, node: SummaryNode) -> None:
    value = node_json(found, node)
    rows = [(key, _cell(value[key])) for key in value if key not in ("child_ids", "content") and value[key]]
    for line in table(rows):
        show(line)
    show()
    for line in node.text.splitlines():
        show(f"- {line}")
    show()
    for child in found.children(node):
        leaf = found.leaves.get(child)
        show(f"  {child}  {f'{leaf.path}#{leaf.anchor}'.rstrip('#') if leaf else ''}".rstrip())


def _cell(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _score_json(leaf: TreeLeaf, row: Admission) -> dict[str, Any]:
    return {"chunk_id": leaf.id, "path": leaf.path, "heading": leaf.anchor, **row._asdict()}


def _show_scores(leaves: list[TreeLeaf], rows: dict[str, Admission]) -> None:
    names = (
        "total",
        "token_count",
        "unique_words",
        "metadata_weight",
        "source_weight",
        "interaction",
        "entity_density",
    )
    lines: list[tuple[str, ...]] = [
        ("total", "tok", "words", "meta", "source", "inter", "ent", "reason", "leaf")
    ]
    for leaf in leaves:
        row = rows.get(leaf.id)
        if row is not None:
            numbers = [f"{getattr(row, name):.2f}" for name in names]
            lines.append((*numbers, row.reason, f"{leaf.path}#{leaf.anchor}".rstrip("#")))
    for line in table(lines):
        show(line)
