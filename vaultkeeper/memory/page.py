"""A hand-edited Markdown file as lines that can be put back byte for byte.

Owns lines, line ends and what of them is shown: headings, and text outside of frontmatter, code blocks and comments.
Used where a program adds a line to a file that a person also edits.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from vaultkeeper.errors import UnreadableNoteError
from vaultkeeper.types import Heading
from vaultkeeper.vault.blocks import scan_blocks
from vaultkeeper.vault.frontmatter import frontmatter_span
from vaultkeeper.vault.text import decode

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_END = re.compile(r"\r\n|\n|\r")
_FENCE = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(`{3,}(?=[^`]*$)|~{3,})")
_MARK = codecs.BOM_UTF8.decode()


@dataclass(slots=True)
class Page:
    """The lines of a file.

    Attributes:
        lines: With their line ends; bytes that are no UTF-8 are carried as lone surrogates.
        newline: The line end of the first line, `\\n` when there is none.
        headings: At the top level of the file, in order.
        shown: Numbers of the lines, from 1, that hold text which is read: none of code, comments or properties.
    """

    lines: list[str] = field(default_factory=list)
    newline: str = "\n"
    headings: list[Heading] = field(default_factory=list)
    shown: frozenset[int] = frozenset()

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its end."""
        return self.lines[number - 1].rstrip("\r\n").removeprefix(_MARK)

    def render(self) -> bytes:
        """The bytes of the lines."""
        return "".join(self.lines).encode("utf-8", "surrogateescape")

    def insert(self, at: int, texts: Sequence[str]) -> None:
        """Puts lines (without line ends) before the line at an index; a last line without an end gets one."""
        if at > 0 and self.lines[at - 1][-1:] not in ("\r", "\n"):
            self.lines[at - 1] += self.newline
        self.lines[at:at] = [text + self.newline for text in texts]


def parse_page(data: bytes, path: str) -> Page:
    """Reads the lines of a file.

    Args:
        path: For the error.

    Raises:
        UnreadableNoteError: it is UTF-16, or no text.
    """
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or b"\0" in data:
        raise UnreadableNoteError(path=path, reason="it is not a UTF-8 text")
    raw = data.decode("utf-8", "surrogateescape")
    lines = _LINE.findall(raw)
    first = _END.search(raw)
    text, _ = decode(data)
    properties = frontmatter_span(text)
    start = properties[2] if properties else 0
    number = 1 + text.count("\n", 0, start) + (start > 0 and text[start - 1] != "\n")
    found = scan_blocks(text, start, number, lambda _: None)
    shown = frozenset(_shown(text.split("\n")[: len(lines)], number))
    return Page(lines, first[0] if first else "\n", found.headings, shown)


def _shown(lines: Sequence[str], first: int) -> Iterator[int]:
    """Numbers of the lines from the first on that stand in no fenced code block and no comment."""
    closing: re.Pattern[str] | None = None
    for number, line in enumerate(lines[first - 1 :], first):
        if closing is not None:
            if closing.search(line):
                closing = None
            continue
        fence = _FENCE.match(line)
        if fence:
            closing = re.compile(rf"^\s*{re.escape(fence[1][0])}{{{len(fence[1])},}}\s*$")
        elif line.count("%%") % 2:
            closing = re.compile("%%")
        elif line.rfind("<!--") > line.rfind("-->"):
            closing = re.compile("-->")
        else:
            yield number


def body_of(page: Page, heading: Heading) -> tuple[int, int]:
    """Returns which lines stand below a heading of level 2, as indices into `Page.lines`, the end excluded.

    They end before the next heading of level 1 or 2.
    """
    start = heading.line
    if not page.line(heading.line).lstrip().startswith("#"):
        # A heading that is underlined.
        while start < len(page.lines) and not re.fullmatch(r"\s*(?:=+|-+)\s*", page.line(start + 1)):
            start += 1
        start += 1
    later = [other.line - 1 for other in page.headings if other.line > heading.line and other.level <= 2]
    return start, later[0] if later else len(page.lines)


def find_section(page: Page, title: str) -> Heading | None:
    """Returns the first heading of level 2 with this text."""
    return next((h for h in page.headings if h.level == 2 and h.text.strip() == title), None)
