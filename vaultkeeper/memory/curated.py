"""MEMORY.md and SKILL.md: guarded append and replacement of a section.

Owns which files there are, what an entry may be, when one is refused as known, and what the receipt says. What a
person wrote is never rewritten: an append adds lines, and a replacement touches the lines of one section.

Source: BEHAVIOUR §5.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vaultkeeper.errors import DuplicateError, FileNotAllowedError, RefusedError, TooLargeError, UsageError
from vaultkeeper.memory.likeness import likeness, parse_said, without_lead_in
from vaultkeeper.memory.page import Page, body_of, find_section, parse_page
from vaultkeeper.memory.redact import redact
from vaultkeeper.vault.sentinel import memory_lock
from vaultkeeper.vault.update import update_note
from vaultkeeper.vault.write import Step, _no_step

if TYPE_CHECKING:
    from vaultkeeper.config import Settings

FILES: Final = ("MEMORY.md", "SKILL.md")
ACTIONS: Final = ("append", "replace_section")
CATEGORIES: Final = ("pattern", "mistake", "preference", "fact")

_SECTIONS: Final = {name: f"{name.capitalize()}s" for name in CATEGORIES}
_MARKERS = re.compile(r"\[REDACTED[A-Z_]*\]")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
_NEARLY: Final = 0.999  # the likeness of what is not the same, at most
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much fits, and from which likeness on (0..1) an entry counts as known."""

    file_bytes: int = 64 * 1024
    entry_bytes: int = 8 * 1024
    similarity: float = 0.9


DEFAULT_LIMITS: Final = Limits()


def limits_of(settings: Settings) -> Limits:
    """The limits that a user has set."""
    return Limits(
        file_bytes=settings.memory_max_file_bytes,
        entry_bytes=settings.memory_max_entry_bytes,
        similarity=settings.memory_similarity,
    )


@dataclass(frozen=True, slots=True)
class CuratedReceipt:
    """What was written.

    Attributes:
        sha256: Of the whole file as it is now, in hex.
        bytes: Length of the whole file.
        changed: False when the file said so already and nothing was written.
        message: One sentence for the agent.
        removed: How many secrets of each class were taken out of the content.
    """

    path: str
    sha256: str
    bytes: int
    changed: bool
    message: str
    removed: Mapping[str, int] = field(default_factory=dict)


def update_memory_md(
    root: Path, arguments: Mapping[str, object], *, limits: Limits = DEFAULT_LIMITS
) -> CuratedReceipt:
    """Does what a tool call asks for.

    Args:
        arguments: `file` (`MEMORY.md` or `SKILL.md`), `action` (`append` or `replace_section`), `content`, and
            `section_title` for `replace_section`; `category` may be given for `append`.

    Raises:
        UsageError: an argument is missing or makes no sense; names it.
        VaultkeeperError: see `append` and `replace_section`.
    """
    file, action, content = (_argument(arguments, name) for name in ("file", "action", "content"))
    _check_file(file)
    if action == "append":
        category = arguments.get("category")
        return append(
            root, file, content, category=category if category is None else str(category), limits=limits
        )
    if action == "replace_section":
        return replace_section(root, file, _argument(arguments, "section_title"), content, limits=limits)
    raise UsageError(reason=f"Unknown action '{action}'. Valid actions: {', '.join(ACTIONS)}")


def _argument(arguments: Mapping[str, object], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str):
        raise UsageError(reason=f"Missing '{name}' parameter")
    return value


def append(
    root: Path,
    file: str,
    content: str,
    *,
    category: str | None = None,
    section: str | None = None,
    even_if_similar: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    step: Step = _no_step,
) -> CuratedReceipt:
    """Adds an entry; nothing is written when the file says the same in other case or punctuation.

    Without a section it goes to the end of the file. With a category it becomes a list item `- [category] …`, at the
    end of the section of that category (`## Facts` …) if the file has one.

    Args:
        root: The vault's real path.
        section: Title of the section to whose end it goes; one that is missing is added to the end of the file.
        even_if_similar: Write it though the file says nearly the same.

    Raises:
        FileNotAllowedError: another file than `FILES`.
        UsageError: an empty content, an unknown category, or a code block that is not closed.
        DuplicateError: the file says nearly the same.
        TooLargeError: the entry or the file would be too long.
        RefusedError: nothing but a secret, or the lock, the file or a folder is a symbolic link.
        ConflictError, NotesLockedError, StorageError: somebody else is writing, or the disk refused.
    """
    _check_file(file)
    if category is not None and category not in CATEGORIES:
        raise UsageError(reason=f"Unknown category '{category}'. Valid categories: {', '.join(CATEGORIES)}")
    if section is not None:
        section = _check_title(section)
    entry, removed = _clean(content, file, limits)
    if not entry:
        raise UsageError(reason="Missing 'content' parameter")
    lines = _entry_lines(entry, category)
    new_page = parse_page("\n".join(lines).encode(), file)
    before = 0
    known = 0

    def edit(old: bytes) -> bytes:
        nonlocal before, known
        before, known = len(old), 0
        page = parse_page(old, file)
        score, number, text = _find_known(page, new_page)
        if score >= 1.0:
            known = number
            return old
        if score >= min(limits.similarity, _NEARLY) and not even_if_similar:
            raise DuplicateError(path=file, line=number, text=text.strip(), way="--even-if-similar")
        _insert(page, lines, section or (_SECTIONS[category] if category else None), add=section is not None)
        new = page.render()
        _check_size(file, before, len(new), limits)
        return new

    with memory_lock(root):
        receipt = update_note(root, file, edit, step=step)
    if known:
        message = f"{file} says so already in line {known}; nothing was written."
    else:
        message = f"Appended {receipt.bytes - before} bytes to {file} ({receipt.bytes} bytes total)."
    return CuratedReceipt(file, receipt.sha256, receipt.bytes, receipt.changed, message, removed)


def find_told(root: Path, file: str, text: str, *, limits: Limits = DEFAULT_LIMITS) -> int:
    """Returns the line in which a file says this already, lead-ins such as "I prefer" aside; 0 when none does.

    Raises:
        FileNotAllowedError: another file than `FILES`.
        UnreadableNoteError: the file is no UTF-8 text.
        OSError: the file cannot be read; one that is missing says nothing.
    """
    _check_file(file)
    try:
        page = parse_page((root / file).read_bytes(), file)
    except FileNotFoundError:
        return 0
    said = parse_said(without_lead_in(text))
    for number, entry in _entries(page):
        if likeness(said, parse_said(without_lead_in(entry))) >= limits.similarity:
            return number
    return 0


def replace_section(
    root: Path,
    file: str,
    section_title: str,
    content: str,
    *,
    limits: Limits = DEFAULT_LIMITS,
    step: Step = _no_step,
) -> CuratedReceipt:
    """Replaces what stands below `## <title>`, up to the next heading of level 1 or 2; blank content empties it.

    A section that is missing is added to the end of the file, and a file that is missing is made. Headings in code
    blocks and comments are none. Blank lines before the next heading stay.

    Args:
        root: The vault's real path.
        section_title: Without `## `.

    Raises:
        FileNotAllowedError, TooLargeError, RefusedError, ConflictError, NotesLockedError, StorageError: see `append`.
        UsageError: no title, or a content with headings of its own of level 1 or 2, or an open code block.
    """
    _check_file(file)
    title = _check_title(section_title)
    text, removed = _clean(content, file, limits)
    inner = parse_page(text.encode(), file)
    if any(heading.level <= 2 for heading in inner.headings):
        raise UsageError(reason="The content of a section may not hold headings of level 1 or 2")
    lines = text.split("\n") if text else []

    def edit(old: bytes) -> bytes:
        page = parse_page(old, file)
        heading = find_section(page, title)
        if heading is None:
            page.insert(len(page.lines), [f"## {title}", *lines])
        else:
            start, end = body_of(page, heading)
            while end > start and end < len(page.lines) and not page.line(end).strip():
                end -= 1
            if [page.line(number) for number in range(start + 1, end + 1)] == lines:
                return old
            del page.lines[start:end]
            page.insert(start, lines)
        new = page.render()
        _check_size(file, len(old), len(new), limits)
        return new

    with memory_lock(root):
        receipt = update_note(root, file, edit, step=step)
    message = f"Section '{title}' updated in {file} ({receipt.bytes} bytes)."
    return CuratedReceipt(file, receipt.sha256, receipt.bytes, receipt.changed, message, removed)


def _check_file(file: str) -> None:
    if file not in FILES:
        raise FileNotAllowedError(file=file, permitted=", ".join(FILES))


def _check_title(title: str) -> str:
    title = re.sub(r"^#{1,6}(?:\s+|$)", "", title.strip())
    if not title:
        raise UsageError(reason="Missing 'section_title' parameter")
    if "\n" in title or "\r" in title or _CONTROL.search(title):
        raise UsageError(reason="The title of a section is one line")
    if redact(title).removed:
        raise RefusedError(path="a section", reason="its title holds a secret")
    return title


def _clean(content: str, file: str, limits: Limits) -> tuple[str, Mapping[str, int]]:
    """Returns the content as it may be written, with `\\n` line ends and none around it, and what was taken out."""
    size = len(content.encode("utf-8", "replace"))
    if size > limits.entry_bytes:
        raise TooLargeError(what="The entry", size=size, unit="bytes", limit=limits.entry_bytes)
    if _CONTROL.search(content):
        raise UsageError(reason="The content holds control characters")
    redaction = redact(re.sub(r"\r\n?", "\n", content))
    text = re.sub(r"^(?:[ \t]*\n)+", "", redaction.text).rstrip()
    if redaction.removed and not re.sub(r"\W", "", _MARKERS.sub("", text)):
        raise RefusedError(path=file, reason="it is nothing but a secret")
    _check_fences(text)
    return text, dict(redaction.removed)


def _check_fences(text: str) -> None:
    opened = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if not found:
            continue
        if not opened:
            opened = found[1]
        elif found[1][0] == opened[0] and len(found[1]) >= len(opened) and not found[2].strip():
            opened = ""
    if opened:
        raise UsageError(reason="The content opens a code block and does not close it")


def _entry_lines(entry: str, category: str | None) -> list[str]:
    lines = entry.split("\n")
    if category is None:
        return lines
    first = re.sub(r"^\s*[-*+]\s+", "", lines[0])
    if not first.startswith(f"[{category}]"):
        first = f"[{category}] {first}"
    return [f"- {first}", *(f"  {line}".rstrip() for line in lines[1:])]


def _find_known(old: Page, new: Page) -> tuple[float, int, str]:
    """Returns how well a file says already what an entry says: likeness 0..1, and the line of the file and its text.

    Of several items the one that is known least counts, and headings must be there too: an entry of which anything is
    new is new.
    """
    there = {heading.text for heading in old.headings}
    if any(heading.text not in there for heading in new.headings):
        return 0.0, 0, ""
    known = [(parse_said(text), first, text) for first, text in _entries(old)]
    least = (1.0, 0, "")
    for _, text in _entries(new):
        said = parse_said(text)
        best = (0.0, 0, "")
        for other, first, other_text in known:
            score = 1.0 if said.words == other.words else min(likeness(said, other), _NEARLY)
            if score > best[0]:
                best = (score, first, other_text)
        if best[0] < least[0] or not least[1]:
            least = best
    return least if least[1] else (0.0, 0, "")


def _entries(page: Page) -> list[tuple[int, str]]:
    """First line and text of each list item and paragraph that is read."""
    headings = {heading.line for heading in page.headings}
    found: list[tuple[int, str]] = []
    opened = False
    for number in range(1, len(page.lines) + 1):
        line = page.line(number)
        if number not in page.shown or number in headings or not line.strip():
            opened = False
        elif opened and line[:1] in " \t" and not _ITEM.match(line):
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{line}")
        else:
            found.append((number, line))
            opened = True
    return found


def _insert(page: Page, lines: list[str], section: str | None, *, add: bool) -> None:
    heading = find_section(page, section) if section is not None else None
    if (
        heading is None and section is not None and not add
    ):  # the section of a category, however it is written
        titles = (section.casefold(), section.removesuffix("s").casefold())
        heading = next(
            (h for h in page.headings if h.level == 2 and h.text.strip().casefold() in titles), None
        )
    if heading is None:
        page.insert(len(page.lines), [f"## {section}", *lines] if add else lines)
        return
    start, end = body_of(page, heading)
    while end > start and not page.line(end).strip():
        end -= 1
    if end > start:
        page.insert(end, lines)
        return
    # An empty section: a blank line behind its heading, and one before the next.
    blank = sum(
        not page.line(number).strip() for number in range(start + 1, min(start + 2, len(page.lines)) + 1)
    )
    at_end = start + blank >= len(page.lines)
    if blank == 0:
        lines = ["", *lines] if at_end else ["", *lines, ""]
    elif blank == 1 and not at_end:
        lines = [*lines, ""]
    page.insert(start + min(blank, 1), lines)


def _check_size(file: str, before: int, after: int, limits: Limits) -> None:
    if after > limits.file_bytes and after > before:
        raise TooLargeError(what=file, size=after, unit="bytes", limit=limits.file_bytes)
