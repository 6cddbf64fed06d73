"""The marks by which blocks are known, as compiled patterns, and the arithmetic of columns.

Every pattern is linear in the length of what it is given: repetitions that could try again are possessive.

Source: CommonMark 0.31, chapters 2 and 4; GitHub Flavored Markdown, 4.10; Obsidian's manual.
"""

from __future__ import annotations

import re
from typing import Final

# Containers that lie deeper than this are read as text: every line costs time for each of them.
MAX_DEPTH: Final = 200

# First characters of a line that may mean something; every other line is a line of text. White space other
# than blank and tab is text for CommonMark.
SPECIAL: Final = frozenset(" \t#>-+*_=`~<$%[|:0123456789")

ATX: Final = re.compile(r"(#{1,6})(?=[ \t]|$)")
FENCE: Final = re.compile(r"(`{3,})[^`]*$|(~{3,})")
RULE: Final = {char: re.compile(rf"(?:{re.escape(char)}[ \t]*+){{3,}}+") for char in "-*_"}
SETEXT: Final = re.compile(r"(?:=++|-++)[ \t]*+$")
ITEM: Final = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)")
TASK: Final = re.compile(r"\[(.)\](?:[ \t]+|$)(.*)")
CALLOUT: Final = re.compile(r"\[!([^\[\]|]+)(?:\|[^\[\]]*)?\][+-]?")
BLOCK_ID: Final = re.compile(r"\^([A-Za-z0-9-]++)\s*+$")
TABLE_RULE: Final = re.compile(r"\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+$")
CELL_END: Final = re.compile(r"(?<!\\)\|")
FOOTNOTE: Final = re.compile(r"\[\^[^\]\s]+\]:[ \t]*")
_DEFINITION: Final = re.compile(
    r"""[ ]{0,3}\[(?!\^)(?=[^\[\]]*[^\s\[\]])(?:[^\[\]\\]|\\.){1,999}+\]:
        [ \t]*+(?:\n[ \t]*+)?(?:<(?:[^<>\n\\]|\\.)*+>|(?!<)[^\s]++)
        (?:(?:[ \t]++|[ \t]*+\n[ \t]*+)
           (?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))(?=[ \t]*+(?:\n|$)))?+
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
HTML: Final = re.compile(
    rf"""(?P<raw><(?:script|pre|style|textarea)(?=[\s>]|$))|(?P<comment><!--)|(?P<instruction><\?)|(?P<cdata><!\[CDATA\[)
        |(?P<declaration><![a-zA-Z])|(?P<block></?(?:{_BLOCK_TAGS})(?=[\s>]|/>|$))
        |(?P<other>(?:{OPEN_OR_CLOSE_TAG})[ \t]*$)""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
HTML_END: Final = {
    "raw": re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    "comment": re.compile("-->"),
    "instruction": re.compile(r"\?>"),
    "cdata": re.compile(r"\]\]>"),
    "declaration": re.compile(">"),
}


def skip_blanks(line: str, position: int, column: int) -> tuple[int, int]:
    """Position and column of the next character that is neither blank nor tab."""
    end = len(line)
    while position < end:
        char = line[position]
        if char == " ":
            column += 1
        elif char == "\t":
            column += 4 - column % 4
        else:
            break
        position += 1
    return position, column


def consume(line: str, position: int, column: int, target: int) -> tuple[int, int]:
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


def after_quote_mark(line: str, at: int, reached: int) -> tuple[int, int]:
    """Position and column behind the `>` at a position, and behind the one blank that belongs to it."""
    position, column = at + 1, reached + 1
    if position < len(line) and line[position] in " \t":
        return consume(line, position, column, column + 1)
    return position, column


def after_definitions(text: str) -> int:
    """Length of the link definitions that a paragraph begins with."""
    after = 0
    while True:
        found = _DEFINITION.match(text, after)
        if found is None:
            return after
        after = found.end()


def cell_count(row: str) -> int:
    """Number of cells in a row of a table."""
    row = row.strip(" \t")
    bars = len(CELL_END.findall(row))
    return bars + 1 - row.startswith("|") - (len(row) > 1 and row.endswith("|") and not row.endswith("\\|"))
