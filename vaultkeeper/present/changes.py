"""What changed, as JSON and as Markdown."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from vaultkeeper.index.sources import display_name
from vaultkeeper.present.columns import columns
from vaultkeeper.present.jsonform import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vaultkeeper.history.bookmarks import Checkpoint
    from vaultkeeper.history.compare import ItemChange, SourceChanges

KINDS = ("added", "modified", "removed")


def stamp(ms: int) -> str:
    """Returns Unix milliseconds as RFC 3339, with milliseconds where they are not zero."""
    moment = datetime.fromtimestamp(ms / 1000, UTC)
    text = moment.isoformat(timespec="milliseconds" if ms % 1000 else "seconds")
    return text.replace("+00:00", "Z")


def changes_json(
    since: str, sources: tuple[SourceChanges, ...], marked: bool, notes: tuple[str, ...]
) -> dict[str, Any]:
    """Returns the fields that `docs/schema.md` describes, in their order."""
    return {
        "schema": SCHEMA,
        "since": since,
        "sources": [_source_json(changes) for changes in sources],
        "marked": marked,
        "notes": list(notes),
    }


def checkpoint_json(checkpoint: Checkpoint) -> dict[str, Any]:
    """Returns a checkpoint as JSON."""
    return {
        "id": checkpoint.id,
        "label": checkpoint.label,
        "snapshot_ids": list(checkpoint.snapshot_ids),
        "created_at": stamp(checkpoint.created_at_ms),
    }


def changes_markdown(sources: tuple[SourceChanges, ...], most: int | None) -> str:
    """Returns a section for each source, with lists of what was added, modified and removed.

    Args:
        most: How many notes a list names at most; None names all.
    """
    return "\n\n".join(_section(changes, most) for changes in sources)


def first_look_text(
    sources: tuple[SourceChanges, ...], newest: Sequence[tuple[str, int]], marked: bool
) -> str:
    """Returns what there is, by source, and the newest notes: at a first look everything would be listed.

    Args:
        newest: Paths with their time in Unix milliseconds.
    """
    notes = sum(changes.total for changes in sources)
    lines = [f"This is the first look, so all {notes:,} notes are new:", ""]
    lines += columns(
        (f"{changes.total:>7,}", display_name(changes.source), changes.source) for changes in sources
    )
    if newest:
        lines += ["", "The newest of yours:", "", *(f"- {stamp(ms)[:10]} {path}" for path, ms in newest)]
    if marked:
        lines += ["", "They count as seen now: the next call lists what is new, modified or removed since."]
    else:
        lines += [
            "",
            "They do not count as seen yet; without --peek they do. `--limit 100` lists notes of each source.",
        ]
    return "\n".join(lines)


def _source_json(changes: SourceChanges) -> dict[str, Any]:
    return {
        "source": changes.source,
        "kind": changes.kind,
        "label": changes.label,
        "from": changes.before,
        "to": changes.after,
        **{kind: [_item_json(item) for item in getattr(changes, kind)] for kind in KINDS},
        "unchanged": changes.unchanged,
    }


def _item_json(item: ItemChange) -> dict[str, Any]:
    found: dict[str, Any] = {"id": item.item, "path": item.path, "title": item.title}
    if item.diff is not None:
        found["diff"] = item.diff
    return found


def _section(changes: SourceChanges, most: int | None) -> str:
    counts = [f"{len(getattr(changes, kind))} {kind}" for kind in KINDS if getattr(changes, kind)]
    told = ", ".join([*counts, f"{changes.unchanged} unchanged"])
    lines = [f"## {display_name(changes.source)} ({told}) · {changes.source}"]
    for kind in KINDS:
        items: tuple[ItemChange, ...] = getattr(changes, kind)
        if not items:
            continue
        lines += ["", f"### {kind.capitalize()}", ""]
        for item in items[:most]:
            lines += _item(item)
        if most is not None and len(items) > most:
            lines.append(f"- … and {len(items) - most} more")
    return "\n".join(lines)


def _item(item: ItemChange) -> list[str]:
    name = item.path.rpartition("/")[2].removesuffix(".md")
    title = f": {item.title}" if item.title and item.title != name else ""
    lines = [f"- {item.path}{title}"]
    if item.diff is not None:
        longest = max((len(run) for run in _ticks(item.diff)), default=0)
        fence = "`" * max(3, longest + 1)
        lines += [
            "",
            f"  {fence}diff",
            *(f"  {line}".rstrip() for line in item.diff.split("\n")),
            f"  {fence}",
            "",
        ]
    return lines


def _ticks(text: str) -> list[str]:
    import re

    return re.findall("`+", text)
