"""Edits of registry notes: add, put, alias, merge.

Owns what an edit means for a note's properties. Existing notes are changed by splicing only the bytes that
must change, under the vault's edit lock; new ones are written whole. An edit that finds everything as it
should be writes nothing, so that a watcher sees no change either.

Every function takes `now`, an aware UTC time, and `lock_dir`, the folder outside the vault in which the
edit lock lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from vaultkeeper.errors import ExistsError, KindsDifferError, UsageError
from vaultkeeper.memory.canonical import SEMANTIC_KINDS, canonical_id, semantic_kind, split_id
from vaultkeeper.memory.entities import is_email, read_entity
from vaultkeeper.memory.registry import fold_name
from vaultkeeper.types import Entity, Handle
from vaultkeeper.vault.lock import edit_lock
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.paths import entity_path, inside
from vaultkeeper.vault.splice import (
    append_items,
    append_text,
    body_text,
    read_properties,
    remove_items,
    set_property,
)
from vaultkeeper.vault.write import Receipt, create_note, read_note, replace_note, sha256_hex, trash_note
from vaultkeeper.vault.yaml_text import Item, render_block_item, render_scalar


class MergeReceipt(NamedTuple):
    """What a merge wrote: the note that was kept, and where the other lies now."""

    kept: Receipt
    trashed: str


def format_time(now: datetime) -> str:
    """RFC 3339 in UTC, to the second."""
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def render_entity(entity: Entity, notes: str = "") -> bytes:
    """A new registry note: id, kind, display name, aliases, e-mails, handles, times, then free notes.

    Source: BEHAVIOUR §7.7.
    """

    def listed(key: str, items: Sequence[Item]) -> list[str]:
        if not items:
            return [f"{key}: []"]
        return [f"{key}:", *(render_block_item(item, "  ", "\n") for item in items)]

    lines = [
        "---",
        f"id: {render_scalar(entity.id)}",
        f"kind: {render_scalar(entity.kind)}",
        f"display_name: {render_scalar(entity.display_name)}",
        *listed("aliases", entity.aliases),
        *listed("emails", entity.emails),
        *listed("handles", [_handle_item(handle) for handle in entity.handles]),
        f"created_at: {render_scalar(entity.created_at)}",
        f"updated_at: {render_scalar(entity.updated_at)}",
    ]
    if entity.merged_ids:
        lines += listed("merged_ids", entity.merged_ids)
    lines.append("---")
    text = "\n".join(lines) + "\n"
    if notes.strip():
        text += "\n" + notes.strip("\n") + "\n"
    return text.encode()


def _handle_item(handle: Handle) -> dict[str, str]:
    return {"kind": handle.kind, "value": handle.value}


def _check_kind(kind: str) -> str:
    known = semantic_kind(kind)
    if known is None:
        raise UsageError(reason=f"{kind!r} is no kind of entity; the kinds are {', '.join(SEMANTIC_KINDS)}")
    return known


def _check_name(name: str) -> str:
    name = " ".join(name.split())
    if not name or any(0xD800 <= ord(char) < 0xE000 for char in name):
        raise UsageError(reason="a name must have at least one character")
    return name


def _check_email(email: str) -> str:
    email = email.strip().removeprefix("mailto:")
    if not is_email(email):
        raise UsageError(reason=f"{email!r} is no e-mail address")
    return email


def _current(path: str, data: bytes) -> Entity | None:
    """The entity as the bytes declare it now, wherever the note lies."""
    note = parse_note(path, data)
    kind = note.properties.get("kind")
    folder = path.rpartition("/")[0]
    return read_entity(note, {folder: kind if isinstance(kind, str) else "misc"})[0]


def add_entity(
    root: Path,
    kind: str,
    name: str,
    *,
    now: datetime,
    aliases: Iterable[str] = (),
    emails: Iterable[str] = (),
    handles: Iterable[Handle] = (),
    entity_id: str | None = None,
    notes: str = "",
    lock_dir: Path | None = None,
) -> Receipt:
    """Creates the note of a new entity. The caller has made sure that no other note declares its id.

    Args:
        kind: A semantic kind, or a word that means one (`people`).
        entity_id: Made from kind and name when it is None.
        notes: Markdown for the body.

    Raises:
        UsageError: unknown kind, an empty name, or an address that is none.
        ExistsError: the note of this entity exists.
    """
    kind = _check_kind(kind)
    name = _check_name(name)
    if entity_id is not None:
        parts = split_id(entity_id)
        if parts is not None and parts[0] != kind:
            raise UsageError(reason=f"the id {entity_id!r} is not one of kind {kind!r}")
        entity_id = canonical_id(kind, parts[1] if parts else entity_id)
    else:
        entity_id = canonical_id(kind, name)
    if entity_id == f"{kind}:":
        raise UsageError(reason="an id must have at least one character behind its kind")
    stamp = format_time(now)
    entity = Entity(
        entity_id,
        kind,
        name,
        "",
        _unique(_check_name(alias) for alias in aliases),
        _unique(_check_email(email) for email in emails),
        list(dict.fromkeys(handles)),
        stamp,
        stamp,
    )
    with edit_lock(lock_dir, command="vaultkeeper entity add", since=now):
        return _create(root, entity, notes)


def _create(root: Path, entity: Entity, notes: str) -> Receipt:
    path = _place(root, entity.id)
    if inside(root, path).exists():
        raise ExistsError(path=path)
    return create_note(root, path, render_entity(entity, notes))


def _place(root: Path, entity_id: str) -> str:
    """Where the note of an entity goes: not where that of another one lies whose id gives the same name."""
    path = entity_path(entity_id)
    if inside(root, path).exists():
        there = _current(path, read_note(root, path))
        if there is not None and there.id != entity_id:
            return entity_path(f"{entity_id}-{sha256_hex(entity_id.encode())[:8]}")
    return path


def _unique(names: Iterable[str]) -> list[str]:
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(fold_name(name), name)
    return list(found.values())


def _missing(have: Iterable[str], wanted: Iterable[str]) -> list[str]:
    known = {fold_name(name) for name in have}
    return [name for name in _unique(wanted) if fold_name(name) not in known]


def _touch(data: bytes, path: str, now: datetime) -> bytes:
    """Sets `updated_at`, in our own notes and where the property exists."""
    if path.startswith("entities/") or "updated_at" in read_properties(data, path):
        return set_property(data, "updated_at", format_time(now), path)
    return data


def _union(data: bytes, path: str, wanted: Entity) -> bytes:
    """Adds what a note's lists lack; what is there stays as it is written."""
    have = _current(path, data)
    aliases, emails = (have.aliases, have.emails) if have else ([], [])
    handles = {(handle.kind, handle.value.lower()) for handle in have.handles} if have else set()
    merged = have.merged_ids if have else []
    # A display name that a note has not spelt out is still its name.
    named = [*aliases, have.display_name] if have else aliases
    data = append_items(data, "aliases", _missing(named, wanted.aliases), path)
    data = append_items(data, "emails", _missing(emails, wanted.emails), path)
    new = [handle for handle in wanted.handles if (handle.kind, handle.value.lower()) not in handles]
    data = append_items(data, "handles", [_handle_item(handle) for handle in dict.fromkeys(new)], path)
    return append_items(data, "merged_ids", _missing(merged, wanted.merged_ids), path)


def put_entity(root: Path, entity: Entity, *, now: datetime, lock_dir: Path | None = None) -> Receipt:
    """Makes sure that an entity's note holds at least what is given.

    A missing note is created at `entity.path`, or where new ones go when that is empty. In an existing one
    lists are united, missing properties are added, and everything that is there stays: other properties,
    the display name, free notes. `updated_at` becomes now if anything changed.

    Raises:
        UnreadableNoteError: the note is not empty and its frontmatter cannot be read; it is untouched.
    """
    stamp = format_time(now)
    with edit_lock(lock_dir, command="vaultkeeper entity", since=now):
        path = entity.path or _place(root, entity.id)
        exists = inside(root, path).exists()
        data = read_note(root, path) if exists else b""
        if not data.strip():
            fresh = Entity(
                entity.id,
                entity.kind,
                entity.display_name,
                path,
                _unique(entity.aliases),
                _unique(entity.emails),
                list(dict.fromkeys(entity.handles)),
                entity.created_at or stamp,
                stamp,
                entity.merged_ids,
            )
            rendered = render_entity(fresh)
            if exists:
                return replace_note(root, path, rendered, sha256_hex(data))
            return create_note(root, path, rendered)
        before = read_properties(data, path)
        new = data
        for key, value in (("id", entity.id), ("kind", entity.kind), ("display_name", entity.display_name)):
            if before.get(key) is None:
                new = set_property(new, key, value, path)
        new = _union(new, path, entity)
        if before.get("created_at") is None and entity.created_at:
            new = set_property(new, "created_at", entity.created_at, path)
        if new != data:
            new = _touch(new, path, now)
        return replace_note(root, path, new, sha256_hex(data))


def add_alias(
    root: Path, entity: Entity, alias: str, *, now: datetime, lock_dir: Path | None = None
) -> Receipt:
    """Adds an alias to the note of an entity, wherever it lies: the user asked for it.

    Nothing is written when the entity has the alias already, without regard to case.

    Raises:
        UsageError: an empty alias.
        UnreadableNoteError, ConflictError, RefusedError, StorageError: the note is untouched.
    """
    alias = _check_name(alias)
    with edit_lock(lock_dir, command="vaultkeeper entity alias", since=now):
        data = read_note(root, entity.path)
        read_properties(data, entity.path)
        have = _current(entity.path, data)
        new = data
        if have is None or _missing(have.aliases, [alias]):
            new = _touch(append_items(data, "aliases", [alias], entity.path), entity.path, now)
        return replace_note(root, entity.path, new, sha256_hex(data), user_asked=True)


def remove_alias(
    root: Path, entity: Entity, alias: str, *, now: datetime, lock_dir: Path | None = None
) -> Receipt:
    """Removes an alias, in every spelling of case, from the note of an entity.

    Nothing is written, and the receipt says so, when the entity has no such alias.

    Raises:
        UnreadableNoteError, ConflictError, RefusedError, StorageError: the note is untouched.
    """
    folded = fold_name(alias)

    def goes(value: object) -> bool:
        return isinstance(value, (str, int, float)) and fold_name(str(value)) == folded

    with edit_lock(lock_dir, command="vaultkeeper entity alias", since=now):
        data = read_note(root, entity.path)
        new = remove_items(data, "aliases", goes, entity.path)
        if new != data:
            new = _touch(new, entity.path, now)
        return replace_note(root, entity.path, new, sha256_hex(data), user_asked=True)


def merge_entities(
    root: Path,
    kept: Entity,
    other: Entity,
    *,
    now: datetime,
    lock_dir: Path | None = None,
    across_kinds: bool = False,
) -> MergeReceipt:
    """Makes one entity of two; nothing is lost.

    The kept note gets the other's names as aliases, its addresses, its ids as `merged_ids` (so that old ids
    still resolve), and its free notes under a heading of their own. Then the other note is moved to
    `.trash`, whole. Killed between the two and run again, the merge comes to the same end.

    Raises:
        UsageError: both are the same note.
        KindsDifferError: they are of different kinds, and `across_kinds` is False.
        UnreadableNoteError, ConflictError, RefusedError, StorageError: the other note is untouched.
    """
    if kept.path == other.path:
        raise UsageError(reason=f"{kept.path} cannot be merged with itself")
    if kept.kind != other.kind and not across_kinds:
        raise KindsDifferError(kept=kept.id, other=other.id)
    with edit_lock(lock_dir, command="vaultkeeper entity merge", since=now):
        data = read_note(root, kept.path)
        other_data = read_note(root, other.path)
        there = _current(other.path, other_data) or other
        names = [there.display_name, *there.aliases]
        if not other.path.startswith("entities/"):
            names.append(other.path.rpartition("/")[2].removesuffix(".md"))
        ids = [old for old in (other.id, *there.merged_ids) if old != kept.id]
        union = Entity(kept.id, kept.kind, "", kept.path, names, there.emails, there.handles, merged_ids=ids)
        new = _union(data, kept.path, union)
        body = body_text(other_data, other.path)
        heading = f"## From {there.display_name} ({other.id})"
        if body.strip() and f"{heading}\n" not in body_text(data, kept.path) + "\n":
            new = append_text(new, f"{heading}\n\n{body}", kept.path)
        if new != data:
            new = _touch(new, kept.path, now)
        receipt = replace_note(root, kept.path, new, sha256_hex(data), user_asked=True)
        trashed = trash_note(root, other.path, sha256_hex(other_data), user_asked=True)
    return MergeReceipt(receipt, trashed)
