"""Block structure of a note: which text is read, which is hidden, and what the blocks are.

One pass over the lines with a stack of open containers, as CommonMark describes it, and with Obsidian's additions: `%%`
comments, `$$` formulas, callouts, tasks, tables, footnotes and block ids. It hands every run of inline text to a
callback and knows nothing of what stands in it. Linear in the length of the text.

Source: CommonMark 0.31, chapters 4 and 5, and its appendix on parsing; Obsidian's manual.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from vaultkeeper.types import Block, Heading, Task
from vaultkeeper.vault.marks import (
    ATX,
    BLOCK_ID,
    CALLOUT,
    CELL_END,
    FENCE,
    FOOTNOTE,
    HTML,
    HTML_END,
    ITEM,
    RULE,
    SETEXT,
    SPECIAL,
    TABLE_RULE,
    TASK,
    after_definitions,
    after_quote_mark,
    cell_count,
    consume,
    skip_blanks,
)
from vaultkeeper.vault.spans import Span, Structure
from vaultkeeper.vault.text import Remark

_NONE, _TEXT, _FENCED, _INDENTED, _RAW, _MATH, _COMMENT, _TABLE = range(8)
_QUOTE: Final = -1
_SHORT_ITEM: Final = (2,)


def scan_blocks(text: str, start: int, first_line: int, emit: Callable[[Span], None]) -> Structure:
    """Reads the blocks of `text` from offset `start`, which must begin a line.

    Args:
        first_line: Number of the line at `start`.
        emit: Is given every run of inline text, in document order.
    """
    return _Scanner(text, start, first_line, emit).run()


class _Scanner:
    """The state of one pass: open containers, the open leaf, and the text gathered for it."""

    def __init__(self, text: str, start: int, first_line: int, emit: Callable[[Span], None]) -> None:
        self.text = text
        self.start = start
        self.first_line = first_line
        self.emit = emit
        self.found = Structure()
        self.stack: list[int] = []  # _QUOTE, or the indent that a list item or footnote asks for
        self.quotes = 0
        self.leaf = _NONE
        self.pieces: list[tuple[int, int]] = []
        self.begin = self.end = 0  # the open piece of text
        self.text_line = self.last_line = first_line
        self.leaf_line = first_line
        self.bare_line = 0  # where the innermost item began without content
        self.fence = ""
        self.comment_fence = ""
        self.html = ""
        self.last_dollars = -2

    def run(self) -> Structure:
        offset = self.start
        number = self.first_line - 1
        special = SPECIAL
        stack = self.stack
        end = offset - 1
        for line in self.text[offset:].split("\n") if offset else self.text.split("\n"):
            offset = end + 1
            end = offset + len(line)
            number += 1
            leaf = self.leaf
            if self.quotes or leaf > _TEXT:
                self._line(line, number, offset)
                continue
            # Short ways for most lines; `_line` would do the same. Outside of quotes, a line that begins without a
            # blank continues no container.
            if not line:
                if leaf:
                    self._close()
                if stack and self.bare_line == number - 1:
                    stack.pop()
                continue
            char = line[0]
            if char not in special:
                if not leaf:
                    stack.clear()
                    self.leaf = _TEXT
                    self.begin = offset
                    self.text_line = number
                self.end = end
                self.last_line = number
            elif char == "#" and (marks := ATX.match(line)) is not None:
                if leaf:
                    self._close()
                stack.clear()
                self._heading(line, marks.end(), number, offset)
            elif (char == "-" or char == "*") and line[1:2] == " " and (line[2:3] or " ") not in special:
                if leaf:
                    self._close()
                stack[:] = _SHORT_ITEM
                self.leaf = _TEXT
                self.begin = offset + 2
                self.end = end
                self.text_line = self.last_line = number
            else:
                self._line(line, number, offset)
        self._close()
        return self.found

    def _line(self, line: str, number: int, offset: int) -> None:
        stack = self.stack
        position = column = matched = 0
        for need in stack:
            at, reached = skip_blanks(line, position, column)
            if need == _QUOTE:
                if at == len(line) or line[at] != ">" or reached - column >= 4:
                    break
                position, column = after_quote_mark(line, at, reached)
            elif at == len(line):
                position, column = at, reached
            elif reached - column >= need:
                position, column = consume(line, position, column, column + need)
            else:
                break
            matched += 1
        at, reached = skip_blanks(line, position, column)
        indent = reached - column
        whole = matched == len(stack)
        if self.leaf > _TEXT:
            if not whole:
                self._close()
            else:
                at = self._continue_leaf(line, number, offset, position, at, indent)
                if at < 0:
                    return
        if at == len(line):
            self._blank(number, matched)
        else:
            self._open(line, number, offset, at, reached, indent, matched)

    def _blank(self, number: int, matched: int) -> None:
        if self.leaf != _INDENTED:
            self._close()
        if len(self.stack) > matched:
            self._drop(matched)
        elif self.bare_line == number - 1 and self.stack:
            self._drop(matched - 1)

    def _continue_leaf(self, line: str, number: int, offset: int, position: int, at: int, indent: int) -> int:
        """Gives a line to the open leaf. Returns where reading goes on, or -1 when the leaf took all of it."""
        leaf = self.leaf
        if leaf == _FENCED:
            if (
                indent < 4
                and line.startswith(self.fence, at)
                and not line[at:].rstrip(" \t").strip(self.fence[0])
            ):
                self.leaf = _NONE
            return -1
        if leaf == _INDENTED:
            if at == len(line) or indent >= 4:
                return -1
            self.leaf = _NONE
            return at
        if leaf == _TABLE:
            return at
        if leaf == _RAW:
            return self._continue_html(line, number, offset, position, at)
        if leaf == _MATH:
            close = line.find("$$", position)
            if close < 0:
                return -1
            self.leaf = _NONE
            return self._rest_of_line(line, number, offset, close + 2)
        close = line.find("%%", position)
        self._comment_text(line if close < 0 else line[:close], number, offset, at)
        if close < 0:
            return -1
        self._flush_comment()
        self.leaf = _NONE
        return self._rest_of_line(line, number, offset, close + 2)

    def _continue_html(self, line: str, number: int, offset: int, position: int, at: int) -> int:
        end = HTML_END.get(self.html)
        if end is None:
            if at == len(line):
                self.leaf = _NONE
                return at
            return -1
        close = end.search(line, position)
        if close is None:
            return -1
        self.leaf = _NONE
        return self._rest_of_line(line, number, offset, close.end()) if self.html == "comment" else -1

    def _rest_of_line(self, line: str, number: int, offset: int, position: int) -> int:
        """Text behind the end of a comment or formula begins a paragraph. Always returns -1."""
        at, _ = skip_blanks(line, position, 0)
        if at == len(line):
            return -1
        if line.startswith("<!--", at):
            close = line.find("-->", at + 2)
            if close >= 0:
                return self._rest_of_line(line, number, offset, close + 3)
            self.leaf, self.html, self.leaf_line = _RAW, "comment", number
        else:
            self._begin_text(number, offset + at, offset + len(line))
        return -1

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

    def _open(
        self, line: str, number: int, offset: int, at: int, reached: int, indent: int, matched: int
    ) -> None:
        """Opens the blocks that begin on a line, and gives it what is left as text."""
        stack = self.stack
        leaf = self.leaf
        while True:
            char = line[at]
            in_text = leaf == _TEXT
            if indent >= 4:
                if in_text:
                    break
                self._cut(matched)
                self.leaf = _INDENTED
                return
            if char not in SPECIAL:
                break
            if char == ">":
                self._cut(matched)
                stack.append(_QUOTE)
                self.quotes += 1
                position, column = after_quote_mark(line, at, reached)
                at, reached = skip_blanks(line, position, column)
                if at < len(line) and line[at] == "[":
                    callout = CALLOUT.match(line, at)
                    if callout is not None:
                        self.found.callouts.append(callout.group(1).strip().lower())
            elif char in "-+*_=0123456789":
                if (
                    char in "-="
                    and in_text
                    and matched == len(stack)
                    and SETEXT.match(line, at)
                    and self._underline(char)
                ):
                    return
                if char in "-*_" and RULE.match(line, at):
                    self._cut(matched)
                    return
                item = ITEM.match(line, at)
                if item is None:
                    break
                content = item.end()
                marker_end = reached + content - at
                position, column = skip_blanks(line, content, marker_end)
                bare = position == len(line)
                if in_text and matched == len(stack) and (bare or item.group(1) not in (None, "1")):
                    break
                self._cut(matched)
                if bare or column - marker_end > 4:
                    need = indent + content - at + 1
                    at, column = consume(line, content, marker_end, marker_end + 1)
                else:
                    need = indent + column - reached
                    at = position
                stack.append(need)
                if bare:
                    self.bare_line = number
                    return
                position, reached = skip_blanks(line, at, column)
                indent = reached - column
                at = position
                matched = len(stack)
                leaf = _NONE
                if line[at] == "[" and indent < 4:
                    task = TASK.match(line, at)
                    if task is not None:
                        self.found.tasks.append(Task(task.group(1), task.group(2).strip(), number))
                continue
            elif char == "[":
                footnote = FOOTNOTE.match(line, at) if line.startswith("[^", at) else None
                if footnote is None:
                    break
                self._cut(matched)
                stack.append(indent + 4)
                at, reached = skip_blanks(line, footnote.end(), reached + footnote.end() - at)
                position, column = at, reached
            else:
                if self._open_leaf(char, line, number, offset, at, indent, matched, in_text):
                    return
                break
            if at == len(line):
                return
            indent = reached - column
            matched = len(stack)
            leaf = _NONE
        if leaf == _TEXT:
            rest = line[at:]
            if (
                indent < 4
                and char in "|-:"
                and matched == len(stack)
                and TABLE_RULE.match(rest)
                and self._begin_table(rest, number)
            ):
                return
            self._add_text(number, offset, at, offset + len(line))
        elif leaf == _TABLE and matched == len(stack):
            self._row(line[at:], number, offset + at)
        else:
            self._cut(matched)
            self._begin_text(number, offset + at, offset + len(line))

    def _open_leaf(
        self,
        char: str,
        line: str,
        number: int,
        offset: int,
        at: int,
        indent: int,
        matched: int,
        in_text: bool,
    ) -> bool:
        """Opens a heading, fence, formula, comment or HTML block if one begins here."""
        if char == "#":
            marks = ATX.match(line, at)
            if marks is None:
                return False
            self._cut(matched)
            self._heading(line, marks.end(), number, offset)
            return True
        if char in "`~":
            fence = FENCE.match(line, at)
            if fence is None:
                return False
            self._cut(matched)
            self.leaf, self.fence = _FENCED, fence.group(1) or fence.group(2)
        elif char == "<":
            return self._open_html(line, number, offset, at, matched, in_text)
        elif char == "$":
            if not line.startswith("$$", at) or line.find("$$", at + 2) >= 0:
                return False
            if self.last_dollars == -2:
                self.last_dollars = self.text.rfind("$$")
            if self.last_dollars < offset + at + 2:
                self.found.remarks.append(
                    Remark("math-unclosed", number, "The formula is never closed with `$$`.")
                )
                return False
            self._cut(matched)
            self.leaf = _MATH
        elif char == "%":
            if not line.startswith("%%", at) or line.find("%%", at + 2) >= 0:
                return False
            self._cut(matched)
            self.leaf, self.comment_fence, self.pieces = _COMMENT, "", []
            text_at, _ = skip_blanks(line, at + 2, 0)
            self._comment_text(line, number, offset, text_at)
        else:
            return False
        self.leaf_line = number
        return True

    def _open_html(self, line: str, number: int, offset: int, at: int, matched: int, in_text: bool) -> bool:
        start = HTML.match(line, at)
        if start is None or (start.lastgroup == "other" and in_text):
            return False
        self._cut(matched)
        kind = start.lastgroup or ""
        end = HTML_END.get(kind)
        close = end.search(line, at + 2 if kind == "comment" else start.end()) if end is not None else None
        if close is not None:
            if kind == "comment":
                self._rest_of_line(line, number, offset, close.end())
            return True
        self.leaf, self.html, self.leaf_line = _RAW, kind, number
        return True

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
        self.leaf = _NONE
        line = self.text_line + text.count("\n", 0, after)
        begin = self.text.rfind("\n", 0, first) + 1
        for _ in range(line - self.text_line):
            begin = self.text.index("\n", begin) + 1
        self._end_text(text, heading=True)
        if not self.stack:
            title = " ".join([part.strip() for part in text[after:].split("\n")]).strip()
            self.found.headings.append(Heading(1 if char == "=" else 2, title, line, begin))
        return True

    def _begin_text(self, number: int, begin: int, end: int) -> None:
        self.leaf = _TEXT
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

    def _block_id(self, text: str, number: int) -> None:
        caret = text.rfind("^")
        if caret == 0 or (caret > 0 and (text[caret - 1].isspace() or text.endswith("]]", 0, caret))):
            found = BLOCK_ID.match(text, caret)
            if found is not None:
                self.found.blocks.append(Block(found.group(1), number))

    def _emit(self, text: str, pieces: list[tuple[int, int]], table: bool = False) -> None:
        line = self.text_line
        if text[:1] == "[" and "]:" in text:
            after = after_definitions(text)
            if after:
                blank = " " * after
                text = (
                    "".join([c if c == "\n" else " " for c in text[:after]]) + text[after:]
                    if "\n" in text[:after]
                    else blank + text[after:]
                )
        self.emit(Span(text, line, pieces, table))

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
        self.leaf = _TABLE
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
                self.emit(Span(cell, number, [(offset + begin, offset + bar)], True))
            begin = bar + 1

    def _cut(self, matched: int) -> None:
        self._close()
        self._drop(matched)

    def _drop(self, matched: int) -> None:
        stack = self.stack
        while len(stack) > matched:
            if stack.pop() == _QUOTE:
                self.quotes -= 1

    def _close(self) -> None:
        """Ends the open leaf; one that asks for an end mark and has not got it is remarked."""
        leaf, self.leaf = self.leaf, _NONE
        if leaf == _TEXT:
            self._end_text(self._joined_all() if self.pieces else self.text[self.begin : self.end])
        elif leaf == _FENCED:
            self._remark("fence-unclosed", f"The code fence {self.fence} is never closed.")
        elif leaf == _COMMENT:
            self._flush_comment()
            self._remark("comment-unclosed", "The comment is never closed with `%%`.")
        elif leaf == _MATH:
            self._remark("math-unclosed", "The formula is never closed with `$$`.")
        elif leaf == _RAW and self.html == "comment":
            self._remark("html-comment-unclosed", "The HTML comment is never closed with `-->`.")

    def _remark(self, code: str, message: str) -> None:
        self.found.remarks.append(Remark(code, self.leaf_line, message))
