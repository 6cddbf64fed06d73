"""Writes items as notes below `sources/`, and writes each only once.

Owns the properties of an ingested note and what a second ingest of the same thing means: the same bytes → `unchanged`;
other bytes → the note is replaced, with a new version, and its parts are leaves in place of the old ones. What the user
added to the note's properties stays; a body that the user edited is copied to the trash before it is replaced.

Source: BEHAVIOUR §6.3, §6.7; DESIGN §6.2.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple

from vaultkeeper.errors import ExistsError, NoteNotFoundError, RefusedError, UnreadableNoteError
from vaultkeeper.importers.chat import join_units
from vaultkeeper.importers.item import Item, source_slug
from vaultkeeper.memory.nodes import format_ms
from vaultkeeper.memory.redact import redact
from vaultkeeper.vault.inline import is_tag
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.paths import safe_name, slug
from vaultkeeper.vault.splice import append_items, set_property
from vaultkeeper.vault.write import TRASH, Step, create_note, read_note, replace_note, sha256_hex
from vaultkeeper.vault.yaml_text import Scalar, render_block_item, render_scalar

Outcome = Literal["new", "version", "merged", "unchanged"]
GONE = "gone_at"
"""Property: since when the file of an ingested note is no more."""

FindNote = Callable[[str], str | None]
"""Identity → path of the note that has it, as the index knows; None when it knows none."""


class Ingested(NamedTuple):
    """What became of an item.

    Attributes:
        version_ms: Of the document as it is now.
        removed: How many secrets were taken out, by class.
    """

    id: str
    title: str
    path: str
    outcome: Outcome
    sha256: str
    bytes: int
    version_ms: int
    removed: dict[str, int]


def _no_step(name: str) -> None:
    """The step callback of everything but tests."""


def write_item(
    root: Path,
    item: Item,
    now: datetime,
    find: FindNote = lambda _: None,
    *,
    dry_run: bool = False,
    step: Step = _no_step,
) -> Ingested:
    """Writes an item, unless the vault has it already. The caller holds the edit lock.

    Args:
        dry_run: Only says what would become of it.

    Raises:
        RefusedError: its place leads out of the vault, or through a link.
        UnreadableNoteError: the note that is to be replaced cannot be read.
        ConflictError: somebody changed that note at this moment.
        StorageError: the disk refused.
    """
    body, removed = redact(item.body).text, dict(redact(item.body).removed)
    title = redact(item.title).text
    item = _cleaned(item, title, body)
    path = _existing(root, item, find)
    now_ms = round(now.timestamp() * 1000)
    if path is None:
        if dry_run:
            return _result(item, _place(item), "new", b"", now_ms, removed)
        return _create(root, item, now_ms, now, removed, step)
    read = read_note(root, path)
    note = parse_note(path, read)
    old_body = note.text[note.body_start :]
    if item.merge == "union":
        body = join_units(old_body, item.body)
        if _hash(body) == _hash(old_body):
            return _result(item, path, "unchanged", read, _version(note.properties, now_ms), {})
        item = _spanning(item, note.properties, body)
    elif note.properties.get("content_sha256") == _hash(item.body) and not note.properties.get(GONE):
        return _result(item, path, "unchanged", read, _version(note.properties, now_ms), {})
    elif note.properties.get("content_sha256") != _hash(old_body) and not dry_run:
        _keep_copy(root, path, read, step)
    version = max(now_ms, _version(note.properties, 0) + 1)
    data = _replaced(read, path, item, version, now)
    if not dry_run:
        replace_note(root, path, data, sha256_hex(read), step=step)
    return _result(item, path, "merged" if item.merge == "union" else "version", data, version, removed)


def supersede_note(root: Path, path: str, now: datetime) -> None:
    """Says in an ingested note that what it was made of is gone; its text stays. The caller holds the edit lock.

    Raises:
        UnreadableNoteError: its properties cannot be edited.
        ConflictError: somebody changed that note at this moment.
        StorageError: the disk refused.
    """
    read = read_note(root, path)
    data = set_property(read, "superseded", True, path)
    data = set_property(data, GONE, now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), path)
    replace_note(root, path, data, sha256_hex(read))


def _cleaned(item: Item, title: str, body: str) -> Item:
    from dataclasses import replace

    return replace(
        item,
        title=title,
        body=body.strip() + "\n",
        name=redact(item.name).text,
        owner=redact(item.owner).text,
        source_ref=redact(item.source_ref).text,
        tags=tuple(tag for tag in dict.fromkeys(item.tags) if is_tag(tag)),
    )


def _existing(root: Path, item: Item, find: FindNote) -> str | None:
    """The note of an item: where the index knows it, else where it would be created."""
    for path in (find(item.id), _place(item), _place(item, item.id)):
        if path is None:
            continue
        try:
            properties = parse_note(path, read_note(root, path)).properties
        except (NoteNotFoundError, RefusedError):
            continue
        if item.id in (properties.get("id"), properties.get("source_id") if "id" not in properties else None):
            return path
    return None


def _place(item: Item, mark: str = "") -> str:
    """Where an item's note goes; with a mark, the second choice for a name that another item has."""
    *folders, name = [part for part in item.name.split("/") if part.strip(". ")] or ["unnamed"]
    if mark:
        name = f"{name} {sha256(mark.encode('utf-8', 'replace')).hexdigest()[:8]}"
    parts = [*(safe_name(part, "") for part in folders), safe_name(name)]
    return "/".join(["sources", item.source_kind, source_slug(item.source_id), *parts])


def _create(
    root: Path, item: Item, now_ms: int, now: datetime, removed: dict[str, int], step: Step
) -> Ingested:
    data = render_item(item, now_ms, now)
    for path in (_place(item), _place(item, item.id)):
        try:
            create_note(root, path, data, step=step)
        except ExistsError:
            continue
        return _result(item, path, "new", data, now_ms, removed)
    raise ExistsError(path=_place(item, item.id))


def _properties(item: Item, version_ms: int, now: datetime) -> list[tuple[str, Scalar]]:
    fields: list[tuple[str, Scalar]] = [
        ("id", item.id),
        ("title", item.title),
        ("source_kind", item.source_kind),
        ("source_id", item.source_id),
        ("owner", item.owner),
        ("timestamp", format_ms(item.start_ms)),
        ("time_range_start", format_ms(item.start_ms)),
        ("time_range_end", format_ms(item.end_ms)),
        ("source_ref", item.source_ref),
        ("version_ms", version_ms),
        ("ingested_at", now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")),
        ("content_sha256", _hash(item.body)),
        ("folder_mark", item.folder),
    ]
    return [(key, value) for key, value in fields if value != ""]


def _tags(item: Item) -> list[str]:
    return list(dict.fromkeys([f"source/{slug(item.source_id)}", *item.tags]))


def render_item(item: Item, version_ms: int, now: datetime) -> bytes:
    """The note of an item. Source: BEHAVIOUR §6.7 for the order of properties."""
    lines = ["---"]
    for key, value in _properties(item, version_ms, now):
        plain = key in ("timestamp", "time_range_start", "time_range_end", "ingested_at")
        lines.append(f"{key}: {value}" if plain else f"{key}: {render_scalar(value)}")
    if item.title and item.title != safe_name(item.name.rpartition("/")[2], ""):
        lines += ["aliases:", render_block_item(item.title, "  ", "\n")]
    lines += ["tags:", *(render_block_item(tag, "  ", "\n") for tag in _tags(item)), "---", ""]
    return ("\n".join(lines) + "\n" + item.body).encode("utf-8", "replace")


def _replaced(read: bytes, path: str, item: Item, version_ms: int, now: datetime) -> bytes:
    """The note with another body; of the properties only ours change."""
    text = read.decode("utf-8", "replace")
    note = parse_note(path, read)
    if note.frontmatter != "ok" or "\r" in text:
        return render_item(item, version_ms, now)
    head = text[: len(text) - len(note.text) + note.body_start].encode("utf-8")
    try:
        for key, value in _properties(item, version_ms, now):
            head = set_property(head, key, value, path)
        if note.properties.get(GONE):  # it is there again
            head = set_property(set_property(head, "superseded", False, path), GONE, None, path)
        head = append_items(head, "tags", [tag for tag in _tags(item) if tag not in note.tags], path)
    except UnreadableNoteError:
        return render_item(item, version_ms, now)
    return head + b"\n" + item.body.encode("utf-8", "replace")


def _spanning(item: Item, properties: dict[str, object], body: str) -> Item:
    """An item with the joined body, whose time reaches over both."""
    from dataclasses import replace

    from vaultkeeper.memory.nodes import parse_ms

    start, end = parse_ms(properties.get("time_range_start")), parse_ms(properties.get("time_range_end"))
    return replace(
        item,
        body=body,
        start_ms=min(item.start_ms, start if start is not None else item.start_ms),
        end_ms=max(item.end_ms, end if end is not None else item.end_ms),
    )


def _keep_copy(root: Path, path: str, data: bytes, step: Step) -> None:
    """What the user wrote into an ingested note is never lost with its next version."""
    stem = path.removesuffix(".md")
    for number in range(1, 1000):
        copy = f"{TRASH}/{stem}{'' if number == 1 else f' {number}'}.md"
        try:
            create_note(root, copy, data, user_asked=True, allow_hidden=True, step=step)
            return
        except ExistsError:
            if root.joinpath(copy).read_bytes() == data:
                return


def _hash(body: str) -> str:
    return sha256(body.strip().encode("utf-8", "replace")).hexdigest()


def _version(properties: dict[str, object], default: int) -> int:
    value = properties.get("version_ms")
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _result(
    item: Item, path: str, outcome: Outcome, data: bytes, version_ms: int, removed: dict[str, int]
) -> Ingested:
    return Ingested(item.id, item.title, path, outcome, sha256_hex(data), len(data), version_ms, removed)
