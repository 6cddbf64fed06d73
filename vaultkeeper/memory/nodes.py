"""A sealed node of a summary tree, and the note that holds it.

Owns what the properties and the body of a summary note mean. `wiki/summaries/source-<slug>/L<n>/summary-….md` is the
truth; rows of nodes are derived from it. Nothing here reads a file or decides what is sealed.

The body is a title, the sentences of the summary as a list, each with a link to the child that it was taken from, and
a folded callout with the children. `text` of a node is only the sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from urllib.parse import quote, unquote
from uuid import NAMESPACE_URL, uuid5

from vaultkeeper.types import Note
from vaultkeeper.vault.paths import slug
from vaultkeeper.vault.yaml_text import Scalar, render_block_item, render_scalar

FOLDER = "wiki/summaries"
FORMAT = 2
"""Property `memory_artifact_format`. Source: BEHAVIOUR §6.7."""

MERGE_LEVEL = 1_000
"""Roots of documents stand here, and what is above them on levels from 1001 on. Source: BEHAVIOUR §6.5."""

MARK_CHARS = 8
CONVERSATIONS = "conversations:agent"
"""The scope of all turns of all sessions. Source: BEHAVIOUR §4.5."""

LEAF_KINDS = frozenset({"note", "turn", "document"})
"""Kinds of notes whose parts are leaves; everything else is interpretation, or curated."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ATTRIBUTION = re.compile(r"[ \t]+—[ \t]+(?:\[\[[^\[\]\n]+\]\]|\[[^\[\]\n]*\]\([^()\s]+\))[ \t]*$")
_TITLE = re.compile(r"\s*# [^\n]*(?:\n|$)")
_LINK = re.compile(r"\s*\[\[([^\[\]|\n]+)(?:\|[^\[\]\n]*)?\]\]\s*")
_MARKDOWN_LINK = re.compile(r"\s*\[[^\[\]\n]*\]\(([^()\s]+)\)\s*")
_NO_NAME = re.compile(r"[\[\]|#^]|%%")
_NO_LABEL = re.compile(r"[\[\]|#^\n]|%%")
_NO_ANCHOR = re.compile(r"[\[\]|#^:\\]|%%")
_HASH = "%23"  # a hash in the name of a note, where a bare one begins a heading
_BULLET = re.compile(r"^[-*+][ \t]+")
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?\s*(?:Z|([+-])(\d\d):?(\d\d))?)?",
    re.I,
)


@dataclass(frozen=True, slots=True)
class SummaryNode:
    """One sealed node.

    Attributes:
        id: `summary:<13-digit ms>:L<level>-<8 hex>`; stays the same when a stale node is rebuilt.
        tree_id: `<kind>:<uuid>`.
        tree_scope: The source that is summarised, such as `notes:Projects` or `conversations:agent`.
        level: 1 above leaves, 2 above those, …; from 1001 on above roots of documents.
        child_ids: Ids of leaves (level 1) or nodes, in the order of the text; empty in notes that name their children
            by `children` links only.
        children: Targets of the links of `children` (`Note#Heading`, without brackets and label), in the same order.
        marks: First 8 hex digits of the hash of each child's text when it was summarised, in the same order; empty
            when unknown. A child whose text has another mark now makes the node stale.
        parent: Link target of the node above; None at the top. `child_ids` of that node decide.
        time_range_start_ms: Smallest of the children, Unix milliseconds.
        time_range_end_ms: Largest of the children.
        entities: Canonical ids that the text names, sorted.
        topics: Labels without kind, sorted.
        score: Largest of the children, 0 to 1.
        sealed_at: RFC 3339, as in the note.
        summary_by: `extractive`, or the model that wrote the text.
        doc_id: The document, when all leaves below are of one; else None.
        version_ms: Version of that document.
        subtree: It is a part of the tree that a long document has for itself.
        superseded: A newer version of the document has been ingested; readers leave such a node out.
        stale: A child changed or went since; the node will be rebuilt and is still shown.
        text: The sentences, one a line, without links to their children.
        path: Of the note.
        body_sha256: Hex hash of the body as the program wrote it; another hash now means that the user edited it.
    """

    id: str
    tree_id: str
    tree_kind: str
    tree_scope: str
    level: int
    child_ids: tuple[str, ...]
    children: tuple[str, ...]
    time_range_start_ms: int
    time_range_end_ms: int
    entities: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    score: float = 0.0
    sealed_at: str = ""
    doc_id: str | None = None
    version_ms: int | None = None
    subtree: bool = False
    superseded: bool = False
    stale: bool = False
    marks: tuple[str, ...] = ()
    parent: str | None = None
    summary_by: str = "extractive"
    text: str = ""
    path: str = ""
    body_sha256: str = ""

    @property
    def name(self) -> str:
        """The name of its note, for `[[…]]`."""
        return node_name(self.id)

    @property
    def mark(self) -> str:
        """The mark of its text, as a parent stores it."""
        return mark_of(self.text)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A child as its parent's note shows it.

    Attributes:
        link: `[[Note#Heading|label]]`.
        remark: What stands behind it, such as its dates.
    """

    link: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Attributed:
    """A sentence of a summary and the link to the child that it was taken from."""

    text: str
    link: str


def tree_scope_of(source: str) -> str:
    """The tree that a source's leaves belong to: all sessions share one, every other source has its own."""
    return CONVERSATIONS if source.startswith("episodic:") else source


def tree_id_of(scope: str) -> str:
    """The id of the tree of a scope when no node says another; the same everywhere."""
    return f"source:{uuid5(NAMESPACE_URL, f'vaultkeeper:{scope}')}"


def mark_of(text: str) -> str:
    """What a parent remembers of a child's text."""
    return sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()[:MARK_CHARS]


def node_id(end_ms: int, level: int, tree_id: str, child_ids: Iterable[str]) -> str:
    """Returns the id of a node: the same children give the same id, whoever seals them.

    Source: BEHAVIOUR §6.5. The milliseconds are those of the end of its time range.
    """
    digest = sha256("\0".join((tree_id, str(level), *child_ids)).encode()).hexdigest()[:8]
    return f"summary:{max(0, end_ms):013d}:L{level}-{digest}"


def node_name(identity: str) -> str:
    """`summary:<ms>:L1-<hex>` → `summary-<ms>-L1-<hex>`, the name of the note."""
    return identity.replace(":", "-")


def node_path(scope: str, level: int, identity: str, document: tuple[str, int | None] | None = None) -> str:
    """Where a new node's note goes; `document` is that of a subtree, with its version. Source: BEHAVIOUR §6.7."""
    folder = f"{FOLDER}/source-{scope_slug(scope)}"
    if document is not None:
        folder += f"/docs/{scope_slug(document[0])}/v-{document[1] or 0}"
    elif level > MERGE_LEVEL:
        folder += "/merge"
    return f"{folder}/L{level}/{node_name(identity)}.md"


def scope_slug(scope: str) -> str:
    """The slug of a scope; with digits of its hash where the slug loses letters, so that 笔记 and 日记 stay two."""
    name = slug(scope)
    if all(char.isascii() or not char.isalnum() for char in scope):
        return name
    return f"{name[:100].strip('-_')}-{sha256(scope.encode('utf-8', 'replace')).hexdigest()[:8]}"


def format_ms(ms: int) -> str:
    """RFC 3339 in UTC, with milliseconds where there are any."""
    moment = _EPOCH + timedelta(milliseconds=ms)
    return moment.isoformat(timespec="milliseconds" if ms % 1000 else "seconds").replace("+00:00", "Z")


def parse_ms(value: object) -> int | None:
    """Reads what `format_ms` writes, and days; None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _ISO.fullmatch(str(value).strip()) if isinstance(value, str | datetime) else None
    if match is None:
        return None
    year, month, day, hour, minute, second, part, sign, off_h, off_m = match.groups()
    try:
        moment = datetime(
            int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), tzinfo=UTC
        )
    except ValueError:
        return None
    since = moment - _EPOCH
    ms = (since.days * 86_400 + since.seconds) * 1000 + int((part or "0").ljust(3, "0")[:3])
    offset_ms = (int(off_h) * 60 + int(off_m)) * 60_000 if sign else 0
    return ms + offset_ms if sign == "-" else ms - offset_ms


def summary_from_note(note: Note) -> SummaryNode | None:
    """Reads a node from its note; None when the note is none. Never raises on what a note holds.

    A note is one when its property `kind` is `summary`, it has an id, and it lies below `wiki/summaries/`.
    """
    if note.properties.get("kind") != "summary":
        return None
    return summary_from_properties(note.path, note.properties, summary_text(note.text[note.body_start :]))


def summary_from_properties(path: str, props: Mapping[str, object], text: str) -> SummaryNode | None:
    """Reads a node from what is known of its note; `text` is that of `summary_text`."""
    identity = props.get("id")
    if props.get("kind") != "summary" or not isinstance(identity, str) or not path.startswith(f"{FOLDER}/"):
        return None
    level = _int(props.get("level"))
    start = parse_ms(props.get("time_range_start"))
    end = _end_ms(props.get("time_range_end"))
    if level is None or level < 1 or start is None:
        return None
    scope = _text(props.get("tree_scope")) or "unknown"
    return SummaryNode(
        id=identity.strip(),
        tree_id=_text(props.get("tree_id")) or tree_id_of(scope),
        tree_kind=_text(props.get("tree_kind")) or "source",
        tree_scope=scope,
        level=level,
        child_ids=_texts(props.get("child_ids")),
        children=tuple(target for item in _texts(props.get("children")) if (target := link_target(item))),
        time_range_start_ms=start,
        time_range_end_ms=max(start, end if end is not None else start),
        entities=_texts(props.get("entities")),
        topics=_texts(props.get("topics")),
        score=_float(props.get("score")),
        sealed_at=_text(props.get("sealed_at")),
        doc_id=_text(props.get("doc_id")) or None,
        version_ms=_int(props.get("version_ms")),
        subtree=props.get("subtree") is True and bool(_text(props.get("doc_id"))),
        superseded=props.get("superseded") is True,
        stale=props.get("stale") is True,
        marks=_marks(props.get("child_marks")),
        parent=link_target(_text(props.get("parent"))),
        summary_by=_text(props.get("summary_by")) or "extractive",
        text=text,
        path=path,
        body_sha256=_text(props.get("body_sha256")),
    )


def summary_text(body: str) -> str:
    """The sentences of a summary note's body: without title, callouts, bullets and links to the children."""
    title = _TITLE.match(body)
    lines = []
    for line in body[title.end() if title else 0 :].split("\n"):
        if line.startswith(">"):
            continue
        line = _ATTRIBUTION.sub("", _BULLET.sub("", line.strip())).strip()
        if line:
            lines.append(line)
    return "\n".join(lines)


def body_hash(body: str) -> str:
    """Hash of a body, by which an edit of the user's is told from our own text."""
    return sha256(body.strip().encode("utf-8", "surrogatepass")).hexdigest()


def is_edited(node: SummaryNode, body: str) -> bool:
    """Whether the body of a node's note holds words of the user's."""
    return bool(node.body_sha256) and body_hash(body) != node.body_sha256


def link_target(link: str) -> str | None:
    """`[[Note#Heading|label]]` → `Note#Heading`; None for what is no link.

    A name that a wikilink cannot hold stands in a Markdown link, with `.md` and percent signs.
    """
    match = _LINK.fullmatch(link)
    if match:
        return match[1].strip()
    match = _MARKDOWN_LINK.fullmatch(link)
    if match is None:
        return None
    path, mark, anchor = match[1].partition("#")
    return unquote(path).removesuffix(".md").replace("#", _HASH) + mark + unquote(anchor)


def render_link(target: str, label: str = "") -> str:
    """The link to a target, with a label where one is given."""
    path, mark, anchor = target.partition("#")
    label = " ".join(_NO_LABEL.sub(" ", label).split())
    if not _NO_NAME.search(path) and _HASH not in path and not _NO_NAME.search(anchor.removeprefix("^")):
        return f"[[{target}|{label}]]" if label and label != target else f"[[{target}]]"
    label = label or " ".join(_NO_LABEL.sub(" ", path.rpartition("/")[2]).split())
    return f"[{label}]({quote(path.replace(_HASH, '#'), safe='/')}.md{mark}{quote(anchor, safe='^#')})"


def leaf_target(path: str, anchor: str) -> str:
    """What a link to a part of a note names: `Folder/Note#Heading`."""
    heading = " ".join(_NO_ANCHOR.sub(" ", anchor).split())
    name = path[:-3] if path[-3:].lower() == ".md" else path
    name = name.replace("#", _HASH)
    return f"{name}#{heading}" if heading else name


SOMETIMES = frozenset({"parent", "doc_id", "version_ms", "subtree", "superseded", "stale"})
"""Properties that only some summaries have; one that a new version lacks is not kept from the old one."""


def render_summary(
    node: SummaryNode,
    sentences: Sequence[Attributed],
    evidence: Sequence[Evidence],
    *,
    version: str,
    tags: Sequence[str] = (),
) -> bytes:
    """Returns the note of a node.

    Args:
        sentences: What the body says, with the child of each.
        evidence: All children, for the folded callout.
        version: Of vaultkeeper, for `vaultkeeper_version`.
        tags: Entity tags (`person/Mara`), behind those of source and level.
    """
    body = render_body(node, sentences, evidence)
    fields: list[tuple[str, Scalar | Sequence[str]]] = [
        ("id", node.id),
        ("kind", "summary"),
        ("tree_kind", node.tree_kind),
        ("tree_id", node.tree_id),
        ("tree_scope", node.tree_scope),
        ("level", node.level),
        ("children", [render_link(target) for target in node.children]),
        ("child_ids", node.child_ids),
        ("child_count", len(node.children)),
        ("child_marks", "".join(node.marks)),
        ("time_range_start", format_ms(node.time_range_start_ms)),
        ("time_range_end", format_ms(node.time_range_end_ms)),
        ("score", f"{node.score:.4f}"),
        ("sealed_at", node.sealed_at),
        ("summary_by", node.summary_by),
        ("vaultkeeper_version", version),
        ("memory_artifact_format", FORMAT),
        ("body_sha256", body_hash(body)),
    ]
    if node.parent:
        fields.append(("parent", f"[[{node.parent}]]"))
    if node.doc_id is not None:
        fields.append(("doc_id", node.doc_id))
    if node.version_ms is not None:
        fields.append(("version_ms", node.version_ms))
    fields += [("subtree", True)] if node.subtree else []
    fields += [("superseded", True)] if node.superseded else []
    fields += [("stale", True)] if node.stale else []
    fields += [
        ("entities", node.entities),
        ("topics", node.topics),
        ("aliases", [title_of(node)]),
        ("tags", [f"source/{scope_slug(node.tree_scope)}", f"level/L{node.level}", *tags]),
    ]
    lines = ["---"]
    for key, value in fields:
        if key in ("score", "time_range_start", "time_range_end", "sealed_at"):
            lines.append(f"{key}: {value}")
        elif isinstance(value, str | int | bool) or value is None:
            lines.append(f"{key}: {render_scalar(value)}")
        elif not value:
            lines.append(f"{key}: []")
        else:
            lines += [f"{key}:", *(render_block_item(item, "  ", "\n") for item in value)]
    return ("\n".join([*lines, "---", ""]) + "\n" + body).encode("utf-8", "replace")


def render_body(node: SummaryNode, sentences: Sequence[Attributed], evidence: Sequence[Evidence]) -> str:
    """The body of a node's note, ending in one line break."""
    lines = [f"# {title_of(node)}", ""]
    lines += [f"- {sentence.text} — {sentence.link}" for sentence in sentences]
    lines += ["", f"> [!quote]- Evidence ({len(evidence)})"]
    lines += [f"> - {item.link}{f' · {item.remark}' if item.remark else ''}" for item in evidence]
    return "\n".join(lines) + "\n"


def title_of(node: SummaryNode) -> str:
    """What a person reads: `L1 · notes:Daily · 6 children · 2026-03-09–2026-03-15`. Source: BEHAVIOUR §6.7.

    In the subtree of a document that is named, and not its source.
    """
    start, end = format_ms(node.time_range_start_ms)[:10], format_ms(node.time_range_end_ms)[:10]
    count = len(node.children)
    of = node.doc_id if node.subtree else node.tree_scope
    return f"L{node.level} · {of} · {count} {'child' if count == 1 else 'children'} · {start}–{end}"


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(str(item).strip() for item in items if isinstance(item, str | int) and str(item).strip())


def _int(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?\d{1,18}", value.strip()) else None


def _float(value: object) -> float:
    try:
        number = float(value) if isinstance(value, int | float | str) else 0.0
    except ValueError:
        return 0.0
    return number if 0.0 <= number <= 1.0 else 0.0


def _end_ms(value: object) -> int | None:
    """A day ends with its last millisecond; a second as it stands (so that min and max stay exact)."""
    ms = parse_ms(value)
    if ms is not None and isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value.strip()):
        return ms + 86_399_999
    return ms


def _marks(value: object) -> tuple[str, ...]:
    text = _text(value).lower() if isinstance(value, str) else ""
    if not text or len(text) % MARK_CHARS or not re.fullmatch(r"[0-9a-f]+", text):
        return ()
    return tuple(text[at : at + MARK_CHARS] for at in range(0, len(text), MARK_CHARS))
