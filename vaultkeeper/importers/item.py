"""The canonical form of something that is ingested, before it is a note.

Owns kinds of sources and the name of a source's folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, get_args

from vaultkeeper.errors import RefusedError, UsageError
from vaultkeeper.memory.redact import looks_like_secret
from vaultkeeper.vault.paths import slug

SourceKind = Literal["document", "chat", "email"]
KINDS: tuple[str, ...] = get_args(SourceKind)

MAX_FILE_BYTES = 10 * 1024 * 1024
"""A larger file is not read. Source: BEHAVIOUR §6.5, FOLDER_FILE_SIZE_CAP_BYTES."""

Merge = Literal["replace", "union"]


@dataclass(frozen=True, slots=True)
class Item:
    """One note to be.

    Attributes:
        id: Identity of the note; of a source that is one document, the source's id.
        body: Markdown without frontmatter.
        name: What the file is called, with folders and without `.md`; made safe when it is written.
        timestamp_ms: Unix milliseconds, of its beginning and end.
        tags: Without `#`, such as `provider/gmail`; the tag of the source is added.
        merge: `replace`: other bytes are a new version. `union`: its units are added to those that are there.
        folder: Mark of the folder that it was read from; empty when it was no folder.
    """

    source_kind: SourceKind
    source_id: str
    id: str
    title: str
    body: str
    name: str
    start_ms: int
    end_ms: int
    tags: tuple[str, ...] = ()
    owner: str = ""
    source_ref: str = ""
    merge: Merge = "replace"
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Where items come from, as the caller names it."""

    id: str
    kind: SourceKind
    owner: str = ""
    ref: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Original:
    """Bytes as they came, and what is known of them beside.

    Attributes:
        suffix: `.md`, `.html`, …; anything unknown is plain text.
        item_id: Identity of the note that they become.
        name: What it is called when neither `title` nor the text says.
        modified_ms: When they were last changed; a date in the frontmatter goes before.
        path: What a message calls them.
    """

    data: bytes
    suffix: str
    item_id: str
    name: str
    title: str = ""
    modified_ms: int | None = None
    path: str = "the document"


def check_source(source_id: str, kind: str) -> SourceKind:
    """Returns the kind.

    Raises:
        UsageError: no such kind, or a blank id.
        RefusedError: the id looks like a secret.
    """
    if kind not in KINDS:
        raise UsageError(reason=f"{kind!r} is no kind of source; the kinds are {', '.join(KINDS)}")
    if not source_id.strip():
        raise UsageError(reason="a source must have an id")
    if looks_like_secret(source_id):
        raise RefusedError(path="a source with this id", reason="the id looks like a secret")
    found: SourceKind = kind  # type: ignore[assignment]
    return found


def source_slug(source_id: str) -> str:
    """The folder of a source: its id where that is a slug already, else a slug with eight digits of the id's hash.

    Different ids never share a folder.
    """
    name = slug(source_id)
    if name == source_id:
        return name
    return f"{name[:100].strip('-_')}-{sha256(source_id.encode('utf-8', 'replace')).hexdigest()[:8]}"


def scope_of(kind: str, source_id: str) -> str:
    """The tree that a source's leaves belong to."""
    return f"{kind}:{source_slug(source_id)}"
