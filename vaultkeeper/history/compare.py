"""What differs between two states of a source.

Kinds are added, removed and modified; a rename is one removed and one added, unless the note has an id of its own. Text
is compared on request only, and only for modified items. Source: BEHAVIOUR §12.6.
"""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from typing import NamedTuple

from vaultkeeper.errors import CrossSourceError
from vaultkeeper.history.repository import Repository, decode_name, encode_name
from vaultkeeper.history.snapshots import PATHS, Snapshot
from vaultkeeper.history.trailers import source_line
from vaultkeeper.vault.frontmatter import frontmatter_span
from vaultkeeper.vault.text import decode

MAX_DIFF_CHARS = 2000
MAX_TITLE_CHARS = 120
TRUNCATED = "\n… (truncated)"

_MAX_ALIGNED_LINES = 4_000
"""Changed stretches of more lines are shown as removed and added as a whole: aligning them takes quadratic time."""


class ItemChange(NamedTuple):
    """An item that changed.

    Attributes:
        item: Its id: the frontmatter's `id`, else the path.
        path: Of its note, in the later state that has it.
        title: Its first line with something in it, without marks of a heading.
        diff: A unified diff; None unless asked for and modified.
    """

    item: str
    path: str
    title: str
    diff: str | None = None


@dataclass(frozen=True, slots=True)
class SourceChanges:
    """How a source changed. Items are sorted by path.

    Attributes:
        before: Id of the earlier snapshot; None when everything counts as added.
        after: Id of the later snapshot.
        unchanged: Number of items that are the same in both.
    """

    source: str
    kind: str
    label: str
    before: str | None
    after: str
    added: tuple[ItemChange, ...]
    modified: tuple[ItemChange, ...]
    removed: tuple[ItemChange, ...]
    unchanged: int

    @property
    def total(self) -> int:
        """Number of items that changed."""
        return len(self.added) + len(self.modified) + len(self.removed)


class _State(NamedTuple):
    items: dict[str, str]
    paths: dict[str, str]


def differing_sources(repository: Repository, before: Snapshot | None, after: Snapshot) -> list[str]:
    """Returns the sources that are not the same in both, sorted."""
    old = repository.read_tree(before.tree) if before else {}
    new = repository.read_tree(after.tree)
    return sorted(
        filter(
            None, (decode_name(name) for name in old.keys() | new.keys() if old.get(name) != new.get(name))
        )
    )


def compare(
    repository: Repository, source: str, before: Snapshot | None, after: Snapshot, *, text_diff: bool = False
) -> SourceChanges:
    """Compares two states of one source.

    Args:
        before: None, or a snapshot from before the source was there: then everything is added.
    """
    old = _state(repository, source, before)
    new = _state(repository, source, after)
    removed = old.items.keys() - new.items.keys()
    added = new.items.keys() - old.items.keys()
    modified = {item for item in new.items.keys() & old.items.keys() if new.items[item] != old.items[item]}
    line = source_line(source, len(new.items))

    def changes(items: set[str], state: _State, diff: bool = False) -> tuple[ItemChange, ...]:
        made = []
        for item in items:
            path = state.paths.get(item, item)
            text = _text(repository, state.items[item])
            shown = unified_diff(_text(repository, old.items[item]), text, path) if diff else None
            made.append(ItemChange(item, path, title_of(text), shown))
        return tuple(sorted(made, key=lambda change: (change.path, change.item)))

    return SourceChanges(
        source,
        line.kind,
        line.label,
        before.id if before else None,
        after.id,
        added=changes(added, new),
        modified=changes(modified, new, text_diff),
        removed=changes(removed, old),
        unchanged=len(new.items) - len(added) - len(modified),
    )


def compare_snapshots(
    repository: Repository, source: str, before: Snapshot, after: Snapshot, *, text_diff: bool = False
) -> SourceChanges:
    """Compares two snapshots that somebody named.

    Raises:
        CrossSourceError: one of them knows nothing of the source.
    """
    for snapshot in (before, after):
        check_knows(repository, snapshot, source)
    return compare(repository, source, before, after, text_diff=text_diff)


def check_knows(repository: Repository, snapshot: Snapshot, source: str) -> None:
    """Refuses a snapshot that neither holds a source nor saw it go.

    Raises:
        CrossSourceError: it is only of others.
    """
    if not snapshot.names(source) and encode_name(source) not in repository.read_tree(snapshot.tree):
        raise CrossSourceError(snapshot=snapshot.id[:12], source=source)


def title_of(text: str) -> str:
    """Returns the first line of a note that says something, without the marks of a heading, cut at 120 characters."""
    span = frontmatter_span(text)
    for line in text[span[2] if span else 0 :].split("\n"):
        title = line.strip().lstrip("#").strip()
        if title:
            return title if len(title) <= MAX_TITLE_CHARS else title[: MAX_TITLE_CHARS - 1].rstrip() + "…"
    return ""


def unified_diff(before: str, after: str, path: str) -> str:
    """Returns a unified diff with three lines around each change, cut after 2000 characters, which it then says."""
    old, new = _lines(before), _lines(after)
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    first = max(0, start - 3)
    a, b = old[first : len(old) - max(0, end - 3)], new[first : len(new) - max(0, end - 3)]
    if max(len(a), len(b)) > _MAX_ALIGNED_LINES:
        lines = [f"@@ -{start + 1} +{start + 1} @@", *(f"-{x}" for x in old[start : len(old) - end])]
        lines += [f"+{x}" for x in new[start : len(new) - end]]
    else:
        lines = _hunks(a, b, first)
    if not lines and before != after:
        lines = ["\\ Only the line end at the end of the file changed."]
    head = f"--- {path}\n+++ {path}\n"
    text = head + "\n".join(lines)
    return text if len(text) <= MAX_DIFF_CHARS else text[: MAX_DIFF_CHARS - len(TRUNCATED)] + TRUNCATED


def _hunks(a: list[str], b: list[str], offset: int) -> list[str]:
    """The hunks of two stretches that begin behind `offset` lines which both notes have."""
    lines: list[str] = []
    for group in difflib.SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(3):
        i1, i2, j1, j2 = group[0][1], group[-1][2], group[0][3], group[-1][4]
        lines.append(f"@@ -{_range(i1 + offset, i2 - i1)} +{_range(j1 + offset, j2 - j1)} @@")
        for kind, a1, a2, b1, b2 in group:
            if kind == "equal":
                lines += [f" {line}" for line in a[a1:a2]]
            else:
                lines += [f"-{line}" for line in a[a1:a2]]
                lines += [f"+{line}" for line in b[b1:b2]]
    return lines


def _range(start: int, length: int) -> str:
    return str(start + 1) if length == 1 else f"{start + 1 if length else start},{length}"


def _lines(text: str) -> list[str]:
    """The lines of a text; a line end at its end begins no further one."""
    return text.removesuffix("\n").split("\n") if text else []


def _common(a: list[str], b: list[str]) -> int:
    """Number of equal lines at the start."""
    for at, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return at
    return min(len(a), len(b))


def _state(repository: Repository, source: str, snapshot: Snapshot | None) -> _State:
    if snapshot is None:
        return _State({}, {})
    subtree = repository.read_tree(snapshot.tree).get(encode_name(source))
    if subtree is None:
        return _State({}, {})
    entries = repository.read_tree(subtree)
    paths = entries.pop(PATHS, None)
    items = {item: blob for name, blob in entries.items() if (item := decode_name(name)) is not None}
    return _State(items, json.loads(repository.read_blob(paths)) if paths else {})


def _text(repository: Repository, blob: str) -> str:
    return decode(repository.read_blob(blob))[0]
