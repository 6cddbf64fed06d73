"""Runs of inline text with their place in the note, and what the blocks of a note amount to."""

from __future__ import annotations

from bisect import bisect_right

from vaultkeeper.types import Block, Heading, Task
from vaultkeeper.vault.text import Remark


class Span:
    """A run of inline text and where it stands.

    Attributes:
        text: The text, without the marks of the blocks around it.
        line: Line of its first character.
    """

    __slots__ = ("_breaks", "_pieces", "_seen", "_starts", "line", "text")

    def __init__(self, text: str, line: int, pieces: list[tuple[int, int]]) -> None:
        self.text = text
        self.line = line
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
