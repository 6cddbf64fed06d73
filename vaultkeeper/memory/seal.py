"""Carries out what a tree needs next: summarises, writes, marks, moves to the trash.

Owns what a new node is made of and the order of the writes. Each step is one write of one note (`vault.write`), and
what is due is found anew from the notes, so a process may be killed anywhere: the next one goes on. The caller holds
the vault's edit lock and has read the nodes under it, so two processes never seal the same leaves.

A summary whose text the user has edited keeps that text: only its lists are brought up to date.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from vaultkeeper.errors import (
    ConflictError,
    ExistsError,
    NoteNotFoundError,
    StorageError,
    UnreadableNoteError,
)
from vaultkeeper.memory.due import Adopt, Mark, Rebuild, Retire, Seal, Step, When, next_step
from vaultkeeper.memory.nodes import (
    FOLDER,
    SOMETIMES,
    Attributed,
    Evidence,
    SummaryNode,
    format_ms,
    is_edited,
    leaf_target,
    mark_of,
    node_id,
    node_path,
    render_link,
    render_summary,
    summary_from_note,
    title_of,
    tree_id_of,
)
from vaultkeeper.memory.redact import redact
from vaultkeeper.memory.summarise import (
    OUTPUT_TOKENS,
    Entities,
    LabelStrategy,
    Writer,
    choose_labels,
    summarise,
)
from vaultkeeper.memory.tree import Tree, TreeLeaf, document_of, range_of
from vaultkeeper.types import Note
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.splice import append_items, keep_properties, replace_frontmatter, set_property
from vaultkeeper.vault.write import Step as WriteStep
from vaultkeeper.vault.write import create_note, read_note, replace_note, sha256_hex, trash_note
from vaultkeeper.vault.yaml_text import Scalar

_TAGGED = frozenset({"person", "organization", "location", "product", "event", "technology", "artifact"})
_UNLABELLED = frozenset({"url", "quantity", "datetime"})
"""Kinds of entities that are no labels of a summary."""


def _no_step(name: str) -> None:
    """The step callback of everything but tests."""


class LeafText(NamedTuple):
    """What a leaf says: its Markdown, its score of admission, the entities in it."""

    text: str
    score: float
    entities: Collection[str]


@dataclass(slots=True)
class Bench:
    """What sealing needs of the world.

    Attributes:
        leaves: Ids of leaves → what they say; ids that are gone are missing.
        entities: Text → canonical ids.
        version: Of vaultkeeper.
        labels: How a node's entities are chosen.
        writer: A model that writes summaries, with its name.
        step: Called after each step of a write; tests end the process there.
    """

    root: Path
    now: datetime
    leaves: Callable[[Sequence[str]], Mapping[str, LeafText]]
    entities: Entities
    version: str
    labels: LabelStrategy = "grounded"
    writer: Writer | None = None
    writer_name: str = "llm"
    step: WriteStep = _no_step


@dataclass(slots=True)
class Done:
    """What was carried out, by path of the summary notes."""

    sealed: list[str] = field(default_factory=list)
    rebuilt: list[str] = field(default_factory=list)
    marked: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    adopted: list[str] = field(default_factory=list)

    def add(self, more: Done) -> None:
        """Takes in what was done later."""
        for name in ("sealed", "rebuilt", "marked", "retired", "adopted"):
            getattr(self, name).extend(getattr(more, name))

    def __len__(self) -> int:
        """How many steps it were."""
        return sum(map(len, (self.sealed, self.rebuilt, self.marked, self.retired, self.adopted)))

    @property
    def paths(self) -> list[str]:
        """All notes that were written or moved, each once."""
        return list(dict.fromkeys([*self.sealed, *self.rebuilt, *self.marked, *self.retired, *self.adopted]))


class Known(NamedTuple):
    """A summary note as it was read: its `(mtime_ns, size)`, the hash of its bytes, and its node, if it is one."""

    stamp: tuple[int, int]
    sha256: bytes
    node: SummaryNode | None


def load_nodes(
    root: Path, known: dict[str, Known] | None = None, folders: dict[str, int] | None = None
) -> Iterator[SummaryNode]:
    """Reads all summary notes of a vault, sorted by path.

    Args:
        known: By path, from an earlier call; notes with the same stamp are not read again.
        folders: Takes the `mtime_ns` of each folder that was looked into; see `folders_changed`.
    """
    known = {} if known is None else known
    files = _files(root, {} if folders is None else folders)
    for path in known.keys() - files.keys():
        del known[path]
    for path, stamp in sorted(files.items()):
        there = known.get(path)
        if there is None or there.stamp != stamp:
            try:
                note = parse_note(path, read_note(root, path))
            except (OSError, NoteNotFoundError):
                known.pop(path, None)
                continue
            there = known[path] = Known(stamp, note.sha256, summary_from_note(note))
        if there.node is not None:
            yield there.node


def folders_changed(root: Path, folders: Mapping[str, int], since_ns: int) -> bool:
    """Whether a summary note came, went or was replaced since the folders were looked into.

    An edit in place does not show. Every write of this program does.

    Args:
        since_ns: When that was; a folder that was changed at that moment may have been changed after the look.
    """
    return any(
        mtime_ns != _mtime_ns(f"{root}/{path}") or mtime_ns > since_ns for path, mtime_ns in folders.items()
    )


def _mtime_ns(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116 (a Path for every folder costs more than the call)
    except OSError:
        return -1


def _files(root: Path, looked_into: dict[str, int]) -> dict[str, tuple[int, int]]:
    """All summary notes with their stamps. Made of strings: Path objects would take longer than the rest."""
    found: dict[str, tuple[int, int]] = {}
    folders = [FOLDER]
    while folders:
        folder = folders.pop()
        looked_into[folder] = _mtime_ns(f"{root}/{folder}")
        try:
            entries = list(os.scandir(f"{root}/{folder}"))
        except OSError:
            continue
        for entry in entries:
            name = entry.name
            if name.startswith("."):
                continue
            try:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{folder}/{name}")
                elif name.endswith(".md"):
                    stat = entry.stat(follow_symlinks=False)
                    found[f"{folder}/{name}"] = (stat.st_mtime_ns, stat.st_size)
            except OSError:
                continue
    return found


def tend_tree(
    tree: Tree, bench: Bench, when: When, *, most: int = 100_000, stop: Callable[[], bool] | None = None
) -> Done:
    """Does what is due in one tree, step by step, until nothing is.

    Args:
        tree: Read under the edit lock; it is brought up to date with each write.
        most: Steps at most.
        stop: Asked between steps.

    Raises:
        StorageError: the disk refused; what was done before stays.
    """
    done = Done()
    for _ in range(most):
        if stop is not None and stop():
            break
        step = next_step(tree, when)
        if step is None:
            break
        try:
            carry_out(tree, step, bench, done)
        except (ConflictError, NoteNotFoundError):
            break  # the user is at that note this moment; the next call sees it anew
    return done


def carry_out(tree: Tree, step: Step, bench: Bench, done: Done) -> None:
    """Carries out one step."""
    if isinstance(step, Seal):
        _seal(tree, step, bench, done)
    elif isinstance(step, Rebuild):
        _rebuild(tree, step, bench, done)
    elif isinstance(step, Mark):
        _splice(tree, step.node, bench, {"stale": True}, replace(step.node, stale=True))
        done.marked.append(step.node.path)
    elif isinstance(step, Adopt):
        parent = f"[[{step.parent}]]" if step.parent else None
        _splice(tree, step.node, bench, {"parent": parent}, replace(step.node, parent=step.parent))
        done.adopted.append(step.node.path)
    elif isinstance(step, Retire):
        data = read_note(bench.root, step.node.path)
        trash_note(bench.root, step.node.path, sha256_hex(data), step=bench.step)
        tree.drop(step.node)
        done.retired.append(step.node.path)


def _seal(tree: Tree, step: Seal, bench: Bench, done: Done) -> None:
    texts = _texts(tree, step.child_ids, step.level, bench)
    if not texts:
        tree.forget(step.child_ids)
        return
    tree_id = tree.tree_id or tree_id_of(tree.scope)
    start_ms, end_ms = range_of(tree, list(texts), step.level)
    doc_id, version_ms = document_of(tree, list(texts), step.level)
    document = (doc_id, version_ms) if step.subtree and doc_id is not None else None
    # The same parts of another version are another node: the note of the old one is still there.
    identity = node_id(end_ms, step.level, tree_id, [*texts, f"v{version_ms}"] if document else texts)
    path = node_path(tree.scope, step.level, identity, document)
    blank = SummaryNode(
        identity, tree_id, "source", tree.scope, step.level, (), (), start_ms, end_ms, path=path,
        subtree=document is not None,
    )  # fmt: skip
    node, data = _made(tree, blank, texts, bench)
    try:
        create_note(bench.root, path, data, step=bench.step)
    except ExistsError:
        # The same children were sealed before; the user may have edited or spoilt that note since.
        there = summary_from_note(parse_note(path, read_note(bench.root, path)))
        if there is None or there.superseded or there.child_ids != node.child_ids:
            read = read_note(bench.root, path)
            replace_note(bench.root, path, data, sha256_hex(read), step=bench.step)
        else:
            node = there
    tree.put(node)
    done.sealed.append(path)


def _rebuild(tree: Tree, step: Rebuild, bench: Bench, done: Done) -> None:
    read = read_note(bench.root, step.node.path)
    note = parse_note(step.node.path, read)
    texts = _texts(tree, step.child_ids, step.node.level, bench)
    if not texts:
        tree.forget(step.child_ids)
        return
    start_ms, end_ms = range_of(tree, list(texts), step.node.level)
    blank = replace(step.node, time_range_start_ms=start_ms, time_range_end_ms=end_ms, stale=False)
    if step.node.summary_by != "extractive" and step.node.marks == tuple(
        mark_of(one.text) for one in texts.values()
    ):
        # Children that only moved: what a model wrote of them stays.
        bench = replace(bench, writer=lambda _texts, _limit: step.node.text, writer_name=step.node.summary_by)
    node, data = _made(tree, blank, texts, bench)
    if is_edited(step.node, note.text[note.body_start :]):
        node, data = _with_body(node, data, read, step.node)
    data = _with_properties(data, read, note, step.node)
    replace_note(bench.root, step.node.path, data, sha256_hex(read), step=bench.step)
    tree.put(node)
    done.rebuilt.append(step.node.path)


def was_edited(root: Path, node: SummaryNode) -> bool:
    """Whether the words of a node's note are the user's; False when the note is gone."""
    try:
        note = parse_note(node.path, read_note(root, node.path))
    except (StorageError, NoteNotFoundError):
        return False
    return is_edited(node, note.text[note.body_start :])


def _with_body(node: SummaryNode, data: bytes, read: bytes, old: SummaryNode) -> tuple[SummaryNode, bytes]:
    """The new lists above the user's own words. The recorded hash stays the old one, so that they stay theirs."""
    data = data.replace(node.body_sha256.encode(), old.body_sha256.encode(), 1)
    try:
        data = replace_frontmatter(read, data, old.path)
    except UnreadableNoteError:  # the whole note is in another encoding: its words stay, not its bytes
        note = parse_note(old.path, read)
        head, mark, _ = data.partition(b"\n---\n")
        data = head + mark + b"\n" + note.text[note.body_start :].lstrip("\n").encode("utf-8", "replace")
    return replace(node, text=old.text, body_sha256=old.body_sha256), data


def _with_properties(data: bytes, read: bytes, note: Note, old: SummaryNode) -> bytes:
    """With the properties, tags and aliases that the user added to the note."""
    new = parse_note(old.path, data)
    known = {name.lower() for name in new.properties} | SOMETIMES
    try:
        data = keep_properties(data, read, known, old.path)
        for name, items, own in (
            ("tags", note.properties.get("tags"), {_tag(one) for one in old.entities} | set(new.tags)),
            ("aliases", note.aliases, {title_of(old), *new.aliases}),
        ):
            added = [one for one in items if isinstance(one, str)] if isinstance(items, list) else []
            theirs = [one for one in added if one not in own and not one.startswith(("source/", "level/"))]
            data = append_items(data, name, theirs, old.path)
    except UnreadableNoteError:  # in another encoding, or of pieces that cannot be told apart
        return data
    return data


def _texts(tree: Tree, child_ids: Sequence[str], level: int, bench: Bench) -> dict[str, LeafText]:
    """What each child says, as far as it is there, in order."""
    if level > 1:
        nodes = [tree.nodes[child] for child in child_ids if child in tree.nodes]
        return {node.id: LeafText(node.text, node.score, node.entities) for node in nodes}
    found = bench.leaves(child_ids)
    return {child: found[child] for child in child_ids if child in found and child in tree.leaves}


def _made(
    tree: Tree, blank: SummaryNode, texts: Mapping[str, LeafText], bench: Bench
) -> tuple[SummaryNode, bytes]:
    """A node with its text, labels and note, from the texts of its children."""
    child_ids = tuple(texts)
    summary = summarise(
        [one.text for one in texts.values()],
        budget_tokens=OUTPUT_TOKENS,
        entities=bench.entities,
        writer=bench.writer,
        writer_name=bench.writer_name,
    )
    sentences = [(redact(one.text).text, one.child) for one in summary.sentences]
    text = "\n".join(words for words, _ in sentences)
    if blank.level == 1:
        leaves = [tree.leaves[child] for child in child_ids]
        targets = [leaf_target(leaf.path, leaf.anchor) for leaf in leaves]
        labels = [_leaf_label(leaf) for leaf in leaves]
        ranges = [(leaf.start_ms, leaf.end_ms) for leaf in leaves]
    else:
        nodes = [tree.nodes[child] for child in child_ids]
        targets = [node.name for node in nodes]
        labels = [
            f"L{node.level} · {_days(node.time_range_start_ms, node.time_range_end_ms)}" for node in nodes
        ]
        ranges = [(node.time_range_start_ms, node.time_range_end_ms) for node in nodes]
    known = {entity for one in texts.values() for entity in one.entities}
    links = [render_link(target, label) for target, label in zip(targets, labels, strict=True)]
    labels = choose_labels(bench.entities(text), known, bench.labels)
    entities = [one for one in labels if one.partition(":")[0] not in _UNLABELLED]
    doc_id, version_ms = document_of(tree, child_ids, blank.level)
    node = replace(
        blank,
        child_ids=child_ids,
        children=tuple(targets),
        marks=tuple(mark_of(one.text) for one in texts.values()),
        entities=tuple(one for one in entities if one.partition(":")[0] not in ("topic", "hashtag")),
        topics=tuple(
            sorted({one.partition(":")[2] for one in entities if one.startswith(("topic:", "hashtag:"))})
        ),
        score=round(max(one.score for one in texts.values()), 4),
        sealed_at=bench.now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        summary_by=summary.by,
        doc_id=doc_id,
        version_ms=version_ms,
    )
    data = render_summary(
        node,
        [Attributed(words, links[child]) for words, child in sentences],
        [
            Evidence(link, f"{_days(*span)} · score {one.score:.2f}")
            for link, span, one in zip(links, ranges, texts.values(), strict=True)
        ],
        version=bench.version,
        tags=[tag for one in node.entities if (tag := _tag(one))],
    )
    again = summary_from_note(parse_note(node.path, data))
    if again is None:
        raise AssertionError("a rendered node can be read")
    return again, data


def _leaf_label(leaf: TreeLeaf) -> str:
    """`Note › Heading`; of a turn its session and number."""
    folder, _, name = leaf.path.removesuffix(".md").rpartition("/")
    if leaf.path.startswith("episodic/"):
        name = f"{folder.rpartition('/')[2]} › {name.lstrip('0') or '0'}"
    return f"{name} › {leaf.anchor}" if leaf.anchor not in ("", name) else name


def _days(start_ms: int, end_ms: int) -> str:
    start, end = format_ms(start_ms)[:10], format_ms(end_ms)[:10]
    return start if start == end else f"{start}–{end}"


def _tag(entity_id: str) -> str:
    kind, _, value = entity_id.partition(":")
    if kind not in _TAGGED:
        return ""
    name = "-".join(part for part in "".join(c if c.isalnum() or c in "_-" else " " for c in value).split())
    return f"{kind}/{name}" if name and not name.isdigit() else ""


def _splice(
    tree: Tree, node: SummaryNode, bench: Bench, changes: Mapping[str, Scalar], wanted: SummaryNode
) -> None:
    """Sets properties of a node's note; the rest of it stays as it is."""
    read = read_note(bench.root, node.path)
    data = read
    for key, value in changes.items():
        data = set_property(data, key, value, node.path)
    replace_note(bench.root, node.path, data, sha256_hex(read), step=bench.step)
    tree.put(wanted)
