"""Parsing a note: bytes to `Note`. Never raises on content, never touches a file.

Puts together decoding, frontmatter, block structure and inline text, and reads the properties that Obsidian
knows: `tags` and `aliases`.
"""

from __future__ import annotations

from hashlib import sha256
from operator import attrgetter

from vaultkeeper.types import Link, Note, Problem
from vaultkeeper.vault.blocks import scan_blocks
from vaultkeeper.vault.frontmatter import Frontmatter, frontmatter_span, parse_properties
from vaultkeeper.vault.inline import Inline, is_tag, property_link
from vaultkeeper.vault.text import Remark, decode

_HUGE_BYTES = 5_000_000
_LONG_LINE_CHARS = 100_000


def parse_note(path: str, data: bytes) -> Note:
    """Reads one note.

    Args:
        path: Relative to the vault's root; only recorded.
        data: The bytes of the file.

    Returns:
        The note. Whatever is wrong with it stands in its `problems`, in order of their lines.
    """
    text, remarks = decode(data)
    note = Note(path, text, sha256(data).digest())
    inline = Inline(text)
    span = frontmatter_span(text)
    if span is not None:
        inner, closing, note.body_start = span
        note.body_line = 1 + text.count("\n", 0, note.body_start) + (text[note.body_start - 1] != "\n")
        front = parse_properties(text[inner:closing])
        note.frontmatter = front.state
        note.properties = front.properties
        if front.error is not None:
            remarks.append(front.error)
        _read_properties(note, front, inline, remarks)
    elif text.startswith("---"):
        _remark_unclosed(text, remarks)
    if len(data) > _LONG_LINE_CHARS:
        _remark_size(text, len(data), remarks)
    found = scan_blocks(text, note.body_start, note.body_line, inline.scan)
    if inline.unsorted:
        inline.links.sort(key=attrgetter("start"))
    note.links += inline.links
    note.tags = list(inline.tags)
    note.headings = found.headings
    note.blocks = found.blocks
    note.tasks = found.tasks
    note.callouts = found.callouts
    remarks += found.remarks
    if remarks:
        note.problems = [Problem(path, line, code, message) for code, line, message in remarks]
        note.problems.sort(key=lambda problem: problem.line or 0)
    return note


def _read_properties(note: Note, front: Frontmatter, inline: Inline, remarks: list[Remark]) -> None:
    for name, value in front.properties.items():
        if len(name) == 4 and name.lower() == "tags":
            for item in value if isinstance(value, list) else [value]:
                _read_tag(item, inline, remarks)
        elif len(name) == 7 and name.lower() == "aliases":
            for item in value if isinstance(value, list) else [value]:
                alias = _alias(item)
                if alias:
                    note.aliases.append(alias)
    if front.strings:
        starts = _line_starts(note.text, max(line for _, line in front.strings))
        for text, line in front.strings:
            link = property_link(text)
            if link is not None:
                target, subpath, label, markdown = link
                note.links.append(Link("property", target, subpath, label, line, starts[line - 1], markdown))


def _read_tag(item: object, inline: Inline, remarks: list[Remark]) -> None:
    if item is None:
        return
    tag = item.strip().removeprefix("#") if isinstance(item, str) else str(item)
    if isinstance(item, str) and is_tag(tag):
        inline.tags[tag] = None
    elif tag:
        message = f"`{tag[:80]}` is no valid tag: a tag has no blanks and punctuation, and not only digits."
        remarks.append(Remark("tag-invalid", 1, message))


def _alias(item: object) -> str:
    if isinstance(item, str):
        return item.strip()
    return str(item) if isinstance(item, (int, float)) and not isinstance(item, bool) else ""


def _line_starts(text: str, lines: int) -> list[int]:
    starts = [0]
    while len(starts) < lines:
        starts.append(text.index("\n", starts[-1]) + 1)
    return starts


def _remark_unclosed(text: str, remarks: list[Remark]) -> None:
    first, _, rest = text.partition("\n")
    if first.rstrip(" \t") == "---" and ":" in rest.partition("\n")[0]:
        remarks.append(
            Remark("frontmatter-unclosed", 1, "The frontmatter is never closed with a line `---`.")
        )


def _remark_size(text: str, size: int, remarks: list[Remark]) -> None:
    if size > _HUGE_BYTES:
        remarks.append(
            Remark("text-huge", None, f"The note is {size / 1e6:.0f} MB large; consider splitting it.")
        )
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > _LONG_LINE_CHARS:
            remarks.append(Remark("text-long-line", number, f"The line is {len(line):,} characters long."))
            break
