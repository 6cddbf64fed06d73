"""Block structure of a note: which text is read, which is hidden, and what the blocks are.

One pass over the lines with a stack of open containers, as CommonMark describes it, and with Obsidian's additions: `%%`
comments, `$$` formulas, callouts, tasks, tables, footnotes and block ids. It hands every run of inline text to a
callback and knows nothing of what stands in it. Linear in the length of the text.

Source: CommonMark 0.31, chapters 4 and 5; GitHub Flavored Markdown, 4.10; Obsidian's manual.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Final

from vaultkeeper.types import Block, Heading, Task
from vaultkeeper.vault.text import Remark


class Span:
    """A run of inline text and where it stands.

    Attributes:
        text: The text, without the marks of the blocks around it.
        line: Line of its first character.
        table: True in the cells of a table, where `\\|` stands for the pipe.
    """

    __slots__ = ("_breaks", "_pieces", "_seen", "_starts", "line", "table", "text")

    def __init__(self, text: str, line: int, pieces: list[tuple[int, int]], table: bool = False) -> None:
        self.text = text
        self.line = line
        self.table = table
        self._pieces = pieces
        self._starts: list[int] | None = None
        self._seen = (0, line)
        self._breaks: list[int] | None = None

    def offset(self, position: int) -> int:
        """The offset in the note of a position in this text."""
        pieces = self._pieces
        if len(pieces) == 1:
            return pieces[0][0] + position
        if self._starts is None:
            starts, at = [], 0
            for start, end in pieces:
                starts.append(at)
                at += end - start + 1
            self._starts = starts
        index = bisect_right(self._starts, position) - 1
        return pieces[index][0] + position - self._starts[index]

    def line_at(self, position: int) -> int:
        """The line of a position; quick when asked in ascending order."""
        if self._breaks is not None:
            return self.line + bisect_right(self._breaks, position - 1)
        seen, line = self._seen
        if position < seen:
            self._breaks = [i for i, char in enumerate(self.text) if char == "\n"]
            return self.line_at(position)
        line += self.text.count("\n", seen, position)
        self._seen = (position, line)
        return line


class Structure:
    """What the blocks of one note are."""

    __slots__ = ("blocks", "callouts", "headings", "remarks", "tasks")

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self.tasks: list[Task] = []
        self.callouts: list[str] = []
        self.remarks: list[Remark] = []


# First characters of a line that may mean something; every other line is a line of text. A formfeed or any other
# white space than these two is text for CommonMark.
_SPECIAL: Final = frozenset(" \t#>-+*_=`~<$%[|:0123456789")

_ATX: Final = re.compile(r"(#{1,6})(?=[ \t]|$)")
_FENCE: Final = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_RULE: Final = re.compile(r"(?:(?:-[ \t]*+){3,}+|(?:\*[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$")
_SETEXT: Final = re.compile(r"(?:=++|-++)[ \t]*+$")
_ITEM: Final = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)")
_TASK: Final = re.compile(r"\[(.)\](?:[ \t]+|$)(.*)")
_CALLOUT: Final = re.compile(r"\[!([^\[\]|]+)(?:\|[^\[\]]*)?\][+-]?")
_BLOCK_ID: Final = re.compile(r"\^([A-Za-z0-9-]++)\s*+$")
_TABLE_RULE: Final = re.compile(r"\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+$")
_CELL_END: Final = re.compile(r"(?<!\\)\|")
_FOOTNOTE: Final = re.compile(r"\[\^[^\]\s]+\]:[ \t]*")
_DEFINITION: Final = re.compile(
    r"""[ ]{0,3}\[(?!\^)(?=[^\[\]]*[^\s\[\]])(?:[^\[\]\\]|\\.){1,999}+\]:
        [ \t]*+(?:\n[ \t]*+)?(?:<(?:[^<>\n\\]|\\.)*+>|(?!<)[^\s]++)
        (?:(?:[ \t]++|[ \t]*+\n[ \t]*+)(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))(?=[ \t]*(?:\n|$)))?+
        [ \t]*+(?:\n|$)""",
    re.VERBOSE | re.DOTALL,
)

_BLOCK_TAGS: Final = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|"
    "track|ul"
)
_ATTRIBUTES: Final = (
    r"""(?:\s++[a-zA-Z_:][\w.:-]*+(?:\s*+=\s*+(?:[^\s"'=<>`]++|'[^']*+'|"[^"]*+"))?+)*+\s*+"""
)
OPEN_OR_CLOSE_TAG: Final = rf"<[a-zA-Z][a-zA-Z0-9-]*+{_ATTRIBUTES}/?>|</[a-zA-Z][a-zA-Z0-9-]*+\s*+>"
_HTML: Final = re.compile(
    rf"""(?P<raw><(?:script|pre|style|textarea)(?=[\s>]|$))|(?P<comment><!--)|(?P<instruction><\?)|(?P<cdata><!\[CDATA\[)
        |(?P<declaration><![a-zA-Z])|(?P<block></?(?:{_BLOCK_TAGS})(?=[\s>]|/>|$))
        |(?P<other>(?:{OPEN_OR_CLOSE_TAG})[ \t]*$)""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
_HTML_END: Final = {
    "raw": re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    "comment": re.compile("-->"),
    "instruction": re.compile(r"\?>"),
    "cdata": re.compile(r"\]\]>"),
    "declaration": re.compile(">"),
}

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


def _skip_blanks(line: str, position: int, column: int) -> tuple[int, int]:
    """Position and column of the next character that is neither blank nor tab."""
    for position in range(position, len(line)):
        char = line[position]
        if char == " ":
            column += 1
        elif char == "\t":
            column += 4 - column % 4
        else:
            return position, column
    return len(line), column


def _consume(line: str, position: int, column: int, target: int) -> tuple[int, int]:
    """Goes on to a column; a tab that reaches beyond it is consumed in part (the position stays on it)."""
    while column < target and position < len(line):
        if line[position] == "\t":
            after = column + 4 - column % 4
            if after > target:
                return position, target
            column = after
        else:
            column += 1
        position += 1
    return position, column


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
        special = _SPECIAL
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
            elif char == "#" and (marks := _ATX.match(line)) is not None:
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
            at, reached = _skip_blanks(line, position, column)
            if need == _QUOTE:
                if at == len(line) or line[at] != ">" or reached - column >= 4:
                    break
                position, column = _after_quote_mark(line, at, reached)
            elif at == len(line):
                position, column = at, reached
            elif reached - column >= need:
                position, column = _consume(line, position, column, column + need)
            else:
                break
            matched += 1
        at, reached = _skip_blanks(line, position, column)
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
        self._drop(matched)
        if self.bare_line and self.bare_line == number - 1 and self.stack:
            self._drop(len(self.stack) - 1)

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
        end = _HTML_END.get(self.html)
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
        at, _ = _skip_blanks(line, position, 0)
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
        fence = _FENCE.match(line, at)
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
                if leaf == _TABLE and matched == len(stack):
                    break
                self._cut(matched)
                self.leaf = _INDENTED
                return
            if char not in _SPECIAL:
                break
            if char == ">":
                self._cut(matched)
                stack.append(_QUOTE)
                self.quotes += 1
                position, column = _after_quote_mark(line, at, reached)
                at, reached = _skip_blanks(line, position, column)
                if at < len(line) and line[at] == "[":
                    callout = _CALLOUT.match(line, at)
                    if callout is not None:
                        self.found.callouts.append(callout.group(1).strip().lower())
            elif char in "-+*_=0123456789":
                if (
                    char in "-="
                    and in_text
                    and matched == len(stack)
                    and _SETEXT.match(line, at)
                    and self._underline(char)
                ):
                    return
                if char in "-*_" and _RULE.match(line, at):
                    self._cut(matched)
                    return
                item = _ITEM.match(line, at)
                if item is None:
                    break
                content = item.end()
                marker_end = reached + content - at
                position, column = _skip_blanks(line, content, marker_end)
                bare = position == len(line)
                if in_text and matched == len(stack) and (bare or item.group(1) not in (None, "1")):
                    break
                self._cut(matched)
                if bare or column - marker_end > 4:
                    need = indent + content - at + 1
                    at, column = _consume(line, content, marker_end, marker_end + 1)
                else:
                    need = indent + column - reached
                    at = position
                stack.append(need)
                if bare:
                    self.bare_line = number
                    return
                position, reached = _skip_blanks(line, at, column)
                indent = reached - column
                at = position
                matched = len(stack)
                leaf = _NONE
                if line[at] == "[" and indent < 4:
                    task = _TASK.match(line, at)
                    if task is not None:
                        self.found.tasks.append(Task(task.group(1), task.group(2).strip(), number))
                continue
            elif char == "[":
                footnote = _FOOTNOTE.match(line, at) if line.startswith("[^", at) else None
                if footnote is None:
                    break
                self._cut(matched)
                stack.append(indent + 4)
                at, reached = _skip_blanks(line, footnote.end(), reached + footnote.end() - at)
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
                char in "|-:"
                and matched == len(stack)
                and _TABLE_RULE.match(rest)
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
            marks = _ATX.match(line, at)
            if marks is None:
                return False
            self._cut(matched)
            self._heading(line, marks.end(), number, offset)
            return True
        if char in "`~":
            fence = _FENCE.match(line, at)
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
            text_at, _ = _skip_blanks(line, at + 2, 0)
            self._comment_text(line, number, offset, text_at)
        else:
            return False
        self.leaf_line = number
        return True

    def _open_html(self, line: str, number: int, offset: int, at: int, matched: int, in_text: bool) -> bool:
        start = _HTML.match(line, at)
        if start is None or (start.lastgroup == "other" and in_text):
            return False
        self._cut(matched)
        kind = start.lastgroup or ""
        end = _HTML_END.get(kind)
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
        line, begin = self.text_line, self.pieces[0][0] if self.pieces else self.begin
        text = self._joined_all()
        if not text[_after_definitions(text) :].strip():
            return False
        self.leaf = _NONE
        self._end_text(text, heading=True)
        if not self.stack:
            title = " ".join(part.strip() for part in text.split("\n")).strip()
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
        if caret == 0 or (caret > 0 and text[caret - 1].isspace()):
            found = _BLOCK_ID.match(text, caret)
            if found is not None:
                self.found.blocks.append(Block(found.group(1), number))

    def _emit(self, text: str, pieces: list[tuple[int, int]], table: bool = False) -> None:
        line = self.text_line
        if text[:1] == "[" and "]:" in text:
            after = _after_definitions(text)
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
        if ("|" not in head and "|" not in rule) or _cell_count(head) != _cell_count(rule):
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
        if row[0] == "^" and _BLOCK_ID.match(row):
            self._block_id(row, number)
            return
        if "[" not in row and "#" not in row:
            return
        begin = 0
        for bar in [*[m.start() for m in _CELL_END.finditer(row)], len(row)]:
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


def _after_quote_mark(line: str, at: int, reached: int) -> tuple[int, int]:
    position, column = at + 1, reached + 1
    if position < len(line) and line[position] in " \t":
        return _consume(line, position, column, column + 1)
    return position, column


def _after_definitions(text: str) -> int:
    """Length of the link definitions that a paragraph begins with."""
    after = 0
    while True:
        found = _DEFINITION.match(text, after)
        if found is None:
            return after
        after = found.end()


def _cell_count(row: str) -> int:
    row = row.strip(" \t")
    bars = len(_CELL_END.findall(row))
    return bars + 1 - row.startswith("|") - (len(row) > 1 and row.endswith("|") and not row.endswith("\\|"))
