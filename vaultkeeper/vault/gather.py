"""The text of the open block, and what becomes of it when the block ends.

The half of the block scanner that deals with text: paragraphs, headings, rows of tables and the text of
comments. It knows nothing of how blocks begin and end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from vaultkeeper.types import Block, Heading
from vaultkeeper.vault.marks import BLOCK_ID, CELL_END, FENCE, after_definitions, cell_count
from vaultkeeper.vault.spans import Span, Structure

NONE, TEXT, FENCED, INDENTED, RAW, MATH, COMMENT, TABLE = range(8)
QUOTE: Final = -1


class OpenText:
    """The open leaf and the text gathered for it.

    Attributes:
        stack: The open containers: `QUOTE`, or the indent that a list item or footnote asks for.
        pieces: The parts of the text that are complete, when a container's marks cut it in pieces.
        begin: Where the last part begins; `end`, where it ends.
    """

    def __init__(self, text: str, emit: Callable[[Span], None]) -> None:
        self.text = text
        self.emit = emit
        self.found = Structure()
        self.stack: list[int] = []
        self.quotes = 0
        self.leaf = NONE
        self.pieces: list[tuple[int, int]] = []
        self.begin = self.end = 0
        self.text_line = self.last_line = 1
        self.comment_fence = ""

    def _begin_text(self, number: int, begin: int, end: int) -> None:
        self.leaf = TEXT
        self.begin, self.end = begin, end
        self.text_line = self.last_line = number

    def _add_text(self, number: int, offset: int, at: int, end: int) -> None:
        if self.quotes or self.pieces:
            self.pieces.append((self.begin, self.end))
            self.begin = offset + at
        self.end = end
        self.last_line = number

    def _joined(self) -> str:
        return "\n".join([self.text[begin:end] for begin, end in self.pieces])

    def _joined_all(self) -> str:
        if not self.pieces:
            return self.text[self.begin : self.end]
        self.pieces.append((self.begin, self.end))
        return self._joined()

    def _end_text(self, text: str, heading: bool = False) -> None:
        pieces = self.pieces or [(self.begin, self.end)]
        self.pieces = []
        if "[" in text or "#" in text:
            self._emit(text, pieces)
        if not heading and "^" in text:
            self._block_id(text, self.last_line)

    def _heading(self, line: str, at: int, number: int, offset: int) -> None:
        body = line[at:].rstrip(" \t")
        bare = body.rstrip("#")
        if len(bare) < len(body) and (not bare or bare[-1] in " \t"):
            body = bare.rstrip(" \t")
        text = body.lstrip(" \t")
        if not self.stack:
            self.found.headings.append(Heading(line.count("#", 0, at), text, number, offset))
        if "#" in text or "[" in text:
            begin = offset + at + len(body) - len(text)
            self.emit(Span(text, number, [(begin, begin + len(text))]))

    def _underline(self, char: str) -> bool:
        """Makes the open paragraph a heading, unless nothing but link definitions stands in it."""
        first = self.pieces[0][0] if self.pieces else self.begin
        text = self._joined_all()
        after = after_definitions(text)
        if not text[after:].strip():
            return False
        self.leaf = NONE
        line = self.text_line + text.count("\n", 0, after)
        begin = self.text.rfind("\n", 0, first) + 1
        for _ in range(line - self.text_line):
            begin = self.text.index("\n", begin) + 1
        self._end_text(text, heading=True)
        if not self.stack:
            title = " ".join([part.strip() for part in text[after:].split("\n")]).strip()
            self.found.headings.append(Heading(1 if char == "=" else 2, title, line, begin))
        return True

    def _block_id(self, text: str, number: int) -> None:
        caret = text.rfind("^")
        if caret == 0 or (caret > 0 and (text[caret - 1].isspace() or text.endswith("]]", 0, caret))):
            found = BLOCK_ID.match(text, caret)
            if found is not None:
                self.found.blocks.append(Block(found.group(1), number))

    def _emit(self, text: str, pieces: list[tuple[int, int]]) -> None:
        if text[:1] == "[" and "]:" in text:
            after = after_definitions(text)
            if after:
                blanks = "".join(["\n" if char == "\n" else " " for char in text[:after]])
                text = blanks + text[after:]
        self.emit(Span(text, self.text_line, pieces))

    def _begin_table(self, rule: str, number: int) -> bool:
        """Makes the last line of the open paragraph the head of a table, if the number of cells agrees."""
        begin = self.begin
        cut = self.text.rfind("\n", begin, self.end) + 1
        head_at = max(begin, cut)
        head = self.text[head_at : self.end]
        if ("|" not in head and "|" not in rule) or cell_count(head) != cell_count(rule):
            return False
        if cut > begin:
            self.end, last = cut - 1, self.last_line
            self.last_line = last - 1
            self._end_text(self._joined_all())
        elif self.pieces:
            before, self.pieces = self.pieces, []
            text = "\n".join([self.text[a:b] for a, b in before])
            self.pieces = before
            self._end_text(text)
        self.leaf = TABLE
        self._row(head, number - 1, head_at)
        return True

    def _row(self, row: str, number: int, offset: int) -> None:
        if row[0] == "^" and BLOCK_ID.match(row):
            self._block_id(row, number)
            return
        if "[" not in row and "#" not in row:
            return
        begin = 0
        for bar in [*[m.start() for m in CELL_END.finditer(row)], len(row)]:
            cell = row[begin:bar]
            if "[" in cell or "#" in cell:
                self.emit(Span(cell, number, [(offset + begin, offset + bar)]))
            begin = bar + 1

    def _comment_text(self, line: str, number: int, offset: int, at: int) -> None:
        if at >= len(line):
            self._flush_comment()
            return
        if self.comment_fence:
            if line.startswith(self.comment_fence, at) and not line[at:].strip().strip(self.comment_fence[0]):
                self.comment_fence = ""
            return
        fence = FENCE.match(line, at)
        if fence is not None:
            self._flush_comment()
            self.comment_fence = fence.group(1) or fence.group(2)
            return
        if not self.pieces:
            self.text_line = number
        self.pieces.append((offset + at, offset + len(line)))

    def _flush_comment(self) -> None:
        if self.pieces:
            self._emit(self._joined(), self.pieces)
            self.pieces = []
