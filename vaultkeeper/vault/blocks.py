"""Block structure of a note: which text is read, which is hidden, and what the blocks are.

One pass over the lines with a stack of open containers, as CommonMark describes it, and with Obsidian's
additions: `%%` comments, `$$` formulas, callouts, tasks, tables, footnotes and block ids. It hands every
run of inline text to a callback and knows nothing of what stands in it. Linear in the length of the text.

Source: CommonMark 0.31, chapters 4 and 5, and its appendix on parsing; Obsidian's manual.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from vaultkeeper.types import Task
from vaultkeeper.vault.gather import COMMENT, FENCED, INDENTED, MATH, NONE, QUOTE, RAW, TABLE, TEXT, OpenText
from vaultkeeper.vault.marks import (
    ATX,
    CALLOUT,
    FENCE,
    FOOTNOTE,
    HTML,
    HTML_END,
    ITEM,
    MAX_DEPTH,
    RULE,
    SETEXT,
    SPECIAL,
    TABLE_RULE,
    TASK,
    after_quote_mark,
    consume,
    skip_blanks,
)
from vaultkeeper.vault.spans import Span, Structure
from vaultkeeper.vault.text import Remark

_SHORT_ITEM: Final = (2,)


def scan_blocks(text: str, start: int, first_line: int, emit: Callable[[Span], None]) -> Structure:
    """Reads the blocks of `text` from offset `start`, which must begin a line.

    Args:
        first_line: Number of the line at `start`.
        emit: Is given every run of inline text, in document order.
    """
    return _Scanner(text, start, first_line, emit).run()


class _Scanner(OpenText):
    """The state of one pass: open containers, the open leaf, and the text gathered for it."""

    def __init__(self, text: str, start: int, first_line: int, emit: Callable[[Span], None]) -> None:
        super().__init__(text, emit)
        self.start = start
        self.first_line = first_line
        self.quotes = 0
        self.leaf_line = first_line  # where the open leaf began
        self.bare_line = 0  # where the innermost item began without content
        self.fence = ""
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
            if self.quotes or leaf > TEXT:
                self._line(line, number, offset)
                continue
            # Short ways for most lines; `_line` would do the same. Outside of quotes, a line that begins
            # without a blank continues no container.
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
                    self.leaf = TEXT
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
                self.leaf = TEXT
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
        at, reached = skip_blanks(line, position, column)
        for need in stack:
            if need == QUOTE:
                if at == len(line) or line[at] != ">" or reached - column >= 4:
                    break
                position, column = after_quote_mark(line, at, reached)
                at, reached = skip_blanks(line, position, column)
            elif at == len(line):
                position, column = at, reached
            elif reached - column >= need:
                position, column = consume(line, position, column, column + need)
            else:
                break
            matched += 1
        indent = reached - column
        whole = matched == len(stack)
        if self.leaf > TEXT:
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
        if self.leaf != INDENTED:
            self._close()
        if len(self.stack) > matched:
            self._drop(matched)
        elif self.bare_line == number - 1 and self.stack:
            self._drop(matched - 1)

    def _continue_leaf(self, line: str, number: int, offset: int, position: int, at: int, indent: int) -> int:
        """Gives a line to the open leaf. Returns where reading goes on, or -1 when the leaf took it all."""
        leaf = self.leaf
        if leaf == FENCED:
            if (
                indent < 4
                and line.startswith(self.fence, at)
                and not line[at:].rstrip(" \t").strip(self.fence[0])
            ):
                self.leaf = NONE
            return -1
        if leaf == INDENTED:
            if at == len(line) or indent >= 4:
                return -1
            self.leaf = NONE
            return at
        if leaf == TABLE:
            return at
        if leaf == RAW:
            return self._continue_html(line, number, offset, position, at)
        if leaf == MATH:
            close = line.find("$$", position)
            if close < 0:
                return -1
            self.leaf = NONE
            return self._rest_of_line(line, number, offset, close + 2)
        close = line.find("%%", position)
        self._comment_text(line if close < 0 else line[:close], number, offset, at)
        if close < 0:
            return -1
        self._flush_comment()
        self.leaf = NONE
        return self._rest_of_line(line, number, offset, close + 2)

    def _continue_html(self, line: str, number: int, offset: int, position: int, at: int) -> int:
        end = HTML_END.get(self.html)
        if end is None:
            if at == len(line):
                self.leaf = NONE
                return at
            return -1
        close = end.search(line, position)
        if close is None:
            return -1
        self.leaf = NONE
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
            self.leaf, self.html, self.leaf_line = RAW, "comment", number
        else:
            self._begin_text(number, offset + at, offset + len(line))
        return -1

    def _open(
        self, line: str, number: int, offset: int, at: int, reached: int, indent: int, matched: int
    ) -> None:
        """Opens the blocks that begin on a line, and gives it what is left as text."""
        stack = self.stack
        leaf = self.leaf
        no_rule = 0  # a thematic break of the same marks cannot begin before this position
        while True:
            char = line[at]
            in_text = leaf == TEXT
            if indent >= 4:
                if in_text:
                    break
                self._cut(matched)
                self.leaf = INDENTED
                return
            if char not in SPECIAL or (len(stack) >= MAX_DEPTH and matched >= MAX_DEPTH):
                break
            if char == ">":
                self._cut(matched)
                stack.append(QUOTE)
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
                if char in "-*_" and at >= no_rule:
                    rule = RULE[char].match(line, at)
                    if rule is not None and rule.end() == len(line):
                        self._cut(matched)
                        return
                    no_rule = rule.end() if rule is not None else 0
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
                leaf = NONE
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
            leaf = NONE
        if leaf == TEXT:
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
        elif leaf == TABLE and matched == len(stack):
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
            self.leaf, self.fence = FENCED, fence.group(1) or fence.group(2)
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
            self.leaf = MATH
        elif char == "%":
            if not line.startswith("%%", at) or line.find("%%", at + 2) >= 0:
                return False
            self._cut(matched)
            self.leaf, self.comment_fence, self.pieces = COMMENT, "", []
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
        self.leaf, self.html, self.leaf_line = RAW, kind, number
        return True

    def _cut(self, matched: int) -> None:
        self._close()
        self._drop(matched)

    def _drop(self, matched: int) -> None:
        stack = self.stack
        while len(stack) > matched:
            if stack.pop() == QUOTE:
                self.quotes -= 1

    def _close(self) -> None:
        """Ends the open leaf; one that asks for an end mark and has not got it is remarked."""
        leaf, self.leaf = self.leaf, NONE
        if leaf == TEXT:
            self._end_text(self._joined_all() if self.pieces else self.text[self.begin : self.end])
        elif leaf == FENCED:
            self._remark("fence-unclosed", f"The code fence {self.fence} is never closed.")
        elif leaf == COMMENT:
            self._flush_comment()
            self._remark("comment-unclosed", "The comment is never closed with `%%`.")
        elif leaf == MATH:
            self._remark("math-unclosed", "The formula is never closed with `$$`.")
        elif leaf == RAW and self.html == "comment":
            self._remark("html-comment-unclosed", "The HTML comment is never closed with `-->`.")

    def _remark(self, code: str, message: str) -> None:
        self.found.remarks.append(Remark(code, self.leaf_line, message))
