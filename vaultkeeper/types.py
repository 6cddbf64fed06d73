"""The values that pass between layers. No behaviour beyond what a value knows of itself.

Paths are relative to the vault's root, with `/`, spelt as on disk. Lines count from 1. Offsets count characters of the
decoded text. Times are aware UTC datetimes, or Unix milliseconds where the name ends in `_ms`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple


class Problem(NamedTuple):
    """Something wrong in a note. It is stored and shown and never stops anything.

    Attributes:
        code: Kebab-case, one of those listed in `docs/problems.md`, such as `yaml-invalid` or `link-dead`.
        line: Line in the file, or None when it concerns the whole note.
        message: One sentence that names what to do.
    """

    path: str
    line: int | None
    code: str
    message: str


class FileStat(NamedTuple):
    """What the scan sees of a file without opening it.

    Attributes:
        ctime_ns: When content or stat last changed, by the file system's clock; a program cannot set it back (on
            Windows: when the file was created).
    """

    size: int
    mtime_ns: int
    inode: int
    ctime_ns: int = 0


class Heading(NamedTuple):
    """A heading at the top level of a note. `text` is as written, without marks and closing hashes."""

    level: int
    text: str
    line: int
    offset: int


class Block(NamedTuple):
    """A block id, without its `^`, and the line that it stands in."""

    id: str
    line: int


LinkKind = Literal["link", "embed", "property", "card"]


class Link(NamedTuple):
    """A reference to another file, as written.

    Attributes:
        target: Path as written (percent-decoded in Markdown links), blanks at the edges removed; empty for
            the note itself.
        subpath: What follows the first `#`, without it (`Heading`, `Heading#Sub`, `^block`), or empty.
        label: What follows the first `|`, the text of a Markdown link, or empty.
        line: 0 in a canvas.
        markdown: True for `[text](target)`.
        start: Offset of the reference in the text (of the property's line for kind `property`).
    """

    kind: LinkKind
    target: str
    subpath: str
    label: str
    line: int
    start: int
    markdown: bool


class Task(NamedTuple):
    """A list item with a checkbox. `status` is the character between the brackets."""

    status: str
    text: str
    line: int


FrontmatterState = Literal["none", "empty", "ok", "invalid"]


@dataclass(slots=True)
class Note:
    """One note as parsed: everything that can be said of it without looking at another file.

    Attributes:
        text: The decoded file with `\\n` line ends and without a byte order mark.
        body_start: Offset in `text` where the body begins (after the frontmatter).
        body_line: Line of the file where the body begins.
        properties: Frontmatter as read by YAML 1.2 with dates as strings; empty when none or invalid.
        tags: Body and property tags without `#`, as spelt, each once, in order of first appearance.
        aliases: In the order of the property.
        callouts: Types of the callouts, in order.
        sha256: Of the bytes on disk, 32 bytes.
    """

    path: str
    text: str
    sha256: bytes
    body_start: int = 0
    body_line: int = 1
    frontmatter: FrontmatterState = "none"
    properties: dict[str, object] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    callouts: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The file name without `.md` or `.canvas`: what Obsidian shows as the title."""
        stem = self.path.rpartition("/")[2]
        if stem[-3:].lower() == ".md":
            return stem[:-3]
        return stem[:-7] if stem[-7:].lower() == ".canvas" else stem


class Chunk(NamedTuple):
    """A leaf: one part of a note that is searched, embedded and cited as a whole.

    Attributes:
        id: 32 hex digits; see `vault.chunks.chunk_id`.
        seq: Position in the note from 0.
        heading: The headings that it stands under, outermost first, joined by ` > `; empty before the first.
        anchor: The innermost heading as written, for `[[note#anchor]]`; empty before the first.
        text: Its Markdown, trimmed; never frontmatter.
        line: Line in the file where it begins.
        start: Offset in the note's text where it begins.
        partial: True when a section was too long and this is one part of it.
    """

    id: str
    seq: int
    heading: str
    anchor: str
    text: str
    line: int
    start: int
    partial: bool


class Handle(NamedTuple):
    """A name on a service, such as kind `github`, value `mara`."""

    kind: str
    value: str


@dataclass(slots=True)
class Entity:
    """A registry note: somebody or something that the vault knows by name.

    Attributes:
        id: Canonical, `<kind>:<value>`.
        path: The note that declares it.
        merged_ids: Ids of entities that were merged into this one; they still resolve to it.
    """

    id: str
    kind: str
    display_name: str
    path: str
    aliases: list[str] = field(default_factory=list)
    emails: list[str] = field(default_factory=list)
    handles: list[Handle] = field(default_factory=list)
    created_at: str = ""
    updated_at: str = ""
    merged_ids: list[str] = field(default_factory=list)


class Mention(NamedTuple):
    """An entity found in a text.

    Attributes:
        entity_id: Canonical id, registered or mechanical (`email: url: handle: hashtag: topic:`).
        kind: The part of the id before the colon.
        surface: The text as it stands there.
        start: Offset of the surface in the text given to the extractor.
        end: Offset behind it.
    """

    entity_id: str
    kind: str
    surface: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Why:
    """Why a hit was found: each signal with its own score in 0..1 and the words or entities that matched."""

    signals: dict[str, float] = field(default_factory=dict)
    matched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RetrievalHit:
    """One leaf or summary that answers a query. The first block of fields is the published contract."""

    node_id: str
    node_kind: Literal["leaf", "summary"]
    tree_id: str
    tree_kind: str
    tree_scope: str
    level: int
    content: str
    entities: tuple[str, ...]
    topics: tuple[str, ...]
    time_range_start: str
    time_range_end: str
    score: float
    child_ids: tuple[str, ...]
    source_ref: str | None
    note_path: str
    heading: str
    block: str
    why: Why


@dataclass(frozen=True, slots=True)
class QueryResponse:
    """Hits, best first.

    Attributes:
        total: Number of hits before the limit was applied.
        truncated: `total > len(hits)`.
        route: The way that was taken, such as `hybrid`.
        notes: Short machine-readable remarks, such as `vectors_pending`.
    """

    hits: tuple[RetrievalHit, ...]
    total: int
    truncated: bool
    route: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """Closed interval in time; an open side is None."""

    since: datetime | None = None
    until: datetime | None = None
