"""Namespaced memories: one note each, at `memory/<namespace>/<name>.md`.

Owns names, properties and the reading of such notes. The folder is the namespace and the property `key` the name, so a
note that is renamed in Obsidian is still found; a note that a person writes into the folder by hand is a memory too.
Other properties, and what a person adds to them, stay when a memory is stored again.

Source: BEHAVIOUR §12.1.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from vaultkeeper.errors import MemoryNotFoundError, RefusedError, TooLargeError, UsageError
from vaultkeeper.memory.redact import looks_like_secret, redact
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.paths import plain_folders, safe_name, slug
from vaultkeeper.vault.sentinel import memory_lock
from vaultkeeper.vault.splice import body_text, read_properties, replace_body, set_property
from vaultkeeper.vault.update import update_note
from vaultkeeper.vault.write import Receipt, sha256_hex, trash_note
from vaultkeeper.vault.yaml_text import Scalar, render_scalar

FOLDER: Final = "memory"
GLOBAL: Final = "global"
CATEGORIES: Final = ("core", "daily", "conversation", "custom")
MAX_NAME_CHARS: Final = 200
MAX_CONTENT_BYTES: Final = 64 * 1024

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory as its note says it.

    Attributes:
        updated_at: RFC 3339; empty when the note does not say.
        properties: All of the note's.
    """

    namespace: str
    key: str
    category: str
    content: str
    path: str
    updated_at: str = ""
    properties: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoreReceipt:
    """What was stored, under which names, and how many secrets of each class were taken out."""

    namespace: str
    key: str
    receipt: Receipt
    removed: Mapping[str, int] = field(default_factory=dict)


def check_namespace(namespace: object) -> str:
    """Returns the namespace that is meant; None means `global`, and a blank one is an error, never `global`.

    Raises:
        UsageError: blank, or no text.
        RefusedError: it looks like a secret.
    """
    if namespace is None:
        return GLOBAL
    if not isinstance(namespace, str) or not namespace.strip():
        raise UsageError(reason="The namespace must be a text that is not blank; leave it out for `global`")
    return _check_name("namespace", namespace)


def check_key(key: object) -> str:
    """Returns the name of a memory, with personal numbers taken out.

    Raises:
        UsageError: blank, or no text.
        RefusedError: it looks like a secret.
    """
    if not isinstance(key, str) or not key.strip():
        raise UsageError(reason="Missing 'key' parameter")
    return _check_name("key", key)


def _check_name(what: str, name: str) -> str:
    if looks_like_secret(name):
        raise RefusedError(path=f"the {what}", reason="it looks like a secret")
    name = " ".join(redact(_CONTROL.sub(" ", unicodedata.normalize("NFC", name))).text.split())
    if len(name) > MAX_NAME_CHARS:
        raise TooLargeError(what=f"The {what}", size=len(name), unit="characters", limit=MAX_NAME_CHARS)
    return name


def folder_of(namespace: str) -> str:
    """Where the notes of a namespace lie."""
    return f"{FOLDER}/{file_stem(namespace)}"


def file_stem(name: str) -> str:
    """A file name for any name: small letters, digits and hyphens, and the letters of other scripts as they are."""
    low = unicodedata.normalize("NFC", name.lower())
    if low.isascii() and re.search(r"[a-z0-9]", low):
        return slug(low)
    return safe_name(re.sub(r"\s+", "-", low), "")


def store(
    root: Path,
    key: str,
    content: str,
    *,
    now: datetime,
    namespace: str | None = None,
    category: str = "core",
    properties: Mapping[str, Scalar] | None = None,
) -> StoreReceipt:
    """Writes a memory, or writes it anew when there is one with this key in this namespace.

    Args:
        root: The vault's real path.
        now: Aware; becomes `updated_at` when anything changed.
        properties: Further ones, which replace those of the same name.

    Raises:
        UsageError: a blank key, namespace or content, or an unknown category.
        RefusedError: a name looks like a secret, the content is nothing but one, or a link is in the way.
        TooLargeError: a name or the content is too long.
        ConflictError, NotesLockedError, StorageError, UnreadableNoteError: nothing was written.
    """
    namespace, key = check_namespace(namespace), check_key(key)
    if category not in CATEGORIES:
        raise UsageError(reason=f"Unknown category '{category}'. Valid categories: {', '.join(CATEGORIES)}")
    text, removed = _clean(content)
    values: dict[str, Scalar] = {"key": key, "category": category, **(properties or {})}
    stamp = now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def edit(old: bytes) -> bytes:
        if not old.strip():
            return _render(namespace, values, stamp, text)
        have = read_properties(old, path)
        new = old
        for name, value in values.items():
            if have.get(name) != value:
                new = set_property(new, name, value, path)
        if body_text(new, path) != text:
            new = replace_body(new, text, path)
        return new if new == old else set_property(new, "updated_at", stamp, path)

    with memory_lock(root):
        path = _find(root, namespace, key) or _free_path(root, namespace, key)
        receipt = update_note(root, path, edit)
    return StoreReceipt(namespace, key, receipt, removed)


def forget(root: Path, key: str, *, namespace: str | None = None) -> str:
    """Moves the note of a memory into the vault's trash.

    Returns:
        Where it lies now.

    Raises:
        MemoryNotFoundError: there is no such memory.
        UsageError, RefusedError, ConflictError, NotesLockedError, StorageError: nothing was changed.
    """
    namespace, key = check_namespace(namespace), check_key(key)
    with memory_lock(root):
        path = _find(root, namespace, key)
        if path is None:
            near = ", ".join(memory.key for memory in load_memories(root, namespace)[:8])
            raise MemoryNotFoundError(
                what=f"memory in {namespace} called", name=key, near=f"There are {near}." if near else ""
            )
        plain_folders(root, path)
        return trash_note(root, path, sha256_hex((root / path).read_bytes()))


def load_memories(root: Path, namespace: str) -> list[Memory]:
    """Returns the memories of a namespace as the notes say them now, by key."""
    found = []
    for path in _paths(root, namespace):
        memory = load_memory(root, path)
        if memory is not None:
            found.append(memory)
    return sorted(found, key=lambda memory: (memory.key, memory.path))


def load_memory(root: Path, path: str) -> Memory | None:
    """Reads one memory; None when the note is gone."""
    try:
        data = (root / path).read_bytes()
    except OSError:
        return None
    note = parse_note(path, data)
    return memory_from(path, note.properties, note.text[note.body_start :].strip(), note.name)


def memory_from(path: str, properties: Mapping[str, object], content: str, title: str) -> Memory:
    """Makes a memory of what a note holds; one that was written by hand is called like its file."""
    key = properties.get("key")
    category = properties.get("category")
    namespace = properties.get("namespace")
    folder = path.split("/")[1]
    if not isinstance(namespace, str) or file_stem(namespace) != folder:
        namespace = folder  # moved by hand: the folder decides
    return Memory(
        namespace,
        str(key) if isinstance(key, str | int | float) and str(key).strip() else title,
        category if isinstance(category, str) and category else "core",
        content,
        path,
        str(properties.get("updated_at") or properties.get("created_at") or ""),
        properties,
    )


def list_namespaces(root: Path) -> list[str]:
    """Returns the folders of memories that there are."""
    try:
        folders = sorted((root / FOLDER).iterdir())
    except OSError:
        return []
    return [f.name for f in folders if not f.name.startswith(".") and not f.is_symlink() and f.is_dir()]


def _clean(content: object) -> tuple[str, Mapping[str, int]]:
    if not isinstance(content, str) or not content.strip():
        raise UsageError(reason="Missing 'content' parameter")
    size = len(content.encode("utf-8", "replace"))
    if size > MAX_CONTENT_BYTES:
        raise TooLargeError(what="The content", size=size, unit="bytes", limit=MAX_CONTENT_BYTES)
    if _CONTROL.search(content):
        raise UsageError(reason="The content holds control characters")
    redaction = redact(re.sub(r"\r\n?", "\n", content))
    text = redaction.text.strip("\n").rstrip()
    if redaction.removed and not re.sub(r"\[REDACTED[A-Z_]*\]|\W", "", text):
        raise RefusedError(path="the memory", reason="it is nothing but a secret")
    return text, dict(redaction.removed)


def _render(namespace: str, values: Mapping[str, Scalar], stamp: str, text: str) -> bytes:
    lines = [f"namespace: {render_scalar(namespace)}"]
    lines += [f"{name}: {render_scalar(value)}" for name, value in values.items()]
    lines += [f"created_at: {render_scalar(stamp)}", f"updated_at: {render_scalar(stamp)}"]
    return "\n".join(["---", *lines, "---", "", text, ""]).encode()


def _paths(root: Path, namespace: str) -> list[str]:
    folder = folder_of(namespace)
    plain_folders(root, f"{folder}/")
    try:
        names = sorted(
            path.name for path in (root / folder).iterdir() if not path.is_symlink() and path.is_file()
        )
    except OSError:
        return []
    return [f"{folder}/{name}" for name in names if name.lower().endswith(".md") and not name.startswith(".")]


def _has_key(root: Path, path: str, key: str) -> bool:
    memory = load_memory(root, path)
    return memory is not None and memory.key == key


def _find(root: Path, namespace: str, key: str) -> str | None:
    """The note of a memory: where it would be made, or wherever it was renamed to."""
    paths = _paths(root, namespace)
    usual = f"{folder_of(namespace)}/{file_stem(key)}.md"
    for path in sorted(paths, key=lambda path: path != usual):
        if _has_key(root, path, key):
            return path
    return None


def _free_path(root: Path, namespace: str, key: str) -> str:
    path = f"{folder_of(namespace)}/{file_stem(key)}.md"
    if not (root / path).exists():
        return path
    # Another memory whose key gives the same file name, such as `C` and `C#`.
    return f"{path.removesuffix('.md')}-{hashlib.sha256(key.encode()).hexdigest()[:8]}.md"
