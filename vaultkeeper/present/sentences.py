"""Sentences of a note's body, with their offsets: what can be quoted.

Owns what of Markdown is prose and what is not. Where a sentence ends is known by `memory.sentences`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from vaultkeeper.memory.sentences import split_sentences

SentenceKind = Literal["prose", "row", "code", "heading", "link"]


class Sentence(NamedTuple):
    """A part of a body: `body[start:end]`.

    Rows are lines of a table, code is a line of a code block; a link is embeds, an address or links alone.
    """

    start: int
    end: int
    kind: SentenceKind


_FENCE = re.compile(r" {0,3}(?:>[ \t]?)*[ \t]*(`{3,}|~{3,})")
# Marks before the text of a line: quotes, callouts, list marks, checkboxes.
_MARKS = re.compile(
    r"[ \t]*(?:>[ \t]?)*(?:\[![\w-]+\][+-]?[ \t]*)?[ \t]*"
    r"(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?)?"
)
_ITEM = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+|[ \t]*(?:>[ \t]?)*\[!")
_HEADING = re.compile(r" {0,3}(?:>[ \t]?)*#{1,6}(?:[ \t]|$)")
_RULE = re.compile(r"[ \t>]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})$")
_DIVIDER = re.compile(r"[ \t>]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{1,}:?[ \t]*)*\|?[ \t]*$")
_BLOCK_ID = re.compile(r"[ \t]+\^[A-Za-z0-9-]+[ \t]*$|^\^[A-Za-z0-9-]+[ \t]*$")
_WORD = re.compile(r"\w")
_QUOTED = re.compile(r"(?:[ \t]*>[ \t]?)*")


def find_sentences(body: str) -> list[Sentence]:
    """Returns the sentences of a body in order.

    A paragraph that is wrapped over several lines is one text, so a sentence may hold line breaks; each list item,
    row, line of code and embed stands for itself. What follows an item without being indented is another paragraph.
    Marks of lists, quotes and callouts, block ids and rules are left out.
    """
    return list(_sentences(body))


@lru_cache(maxsize=64)
def _sentences(body: str) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    for start, end, kind in _blocks(body):
        if kind in ("prose", "heading"):
            # One character for one: offsets stay.
            text = re.sub(r"\n[ \t]*(?:>[ \t]?)*", lambda m: " " * len(m[0]), body[start:end])
            spans = [(start + span.start, start + span.end) for span in split_sentences(text)]
        else:
            spans = [(start, end)]
        if kind == "prose" and is_bare(body[start:end], listed=_is_listed(body, start)):
            kind = "link"
        for a, b in spans:
            if _WORD.search(body, a, b):
                bare = kind == "prose" and is_bare(body[a:b], listed=True)
                found.append(Sentence(a, b, "link" if bare else kind))
    return tuple(found)


def _is_listed(body: str, start: int) -> bool:
    return _ITEM.match(body[body.rfind("\n", 0, start) + 1 : start]) is not None


def _blocks(body: str) -> Iterator[tuple[int, int, SentenceKind]]:
    """Yields paragraphs, items, rows, headings and lines of code, without their marks."""
    begin = end = -1  # of the paragraph that is open
    depth, indent = 0, -1  # of its first line; -1 when that is no item
    fence = ""
    at = 0
    for line in body.split("\n"):
        start, at = at, at + len(line) + 1
        opened = _FENCE.match(line)
        if fence:
            if opened and opened[1].startswith(fence) and not line[opened.end() :].strip("`~ \t"):
                fence = ""
            elif line.strip():
                yield start, start + len(line.rstrip()), "code"
            continue
        marks = _MARKS.match(line)
        first = start + (marks.end() if marks else 0)
        text = _BLOCK_ID.sub("", line).rstrip()
        last = start + len(text)
        breaks = bool(
            opened
            or last <= first
            or _HEADING.match(line)
            or _RULE.match(line)
            or line.lstrip(" >\t").startswith("|")
            or _ITEM.match(line)
            or is_embed(body[first:last])
            or (begin >= 0 and (_place(line)[0] != depth or _place(line)[1] <= indent))
        )
        if breaks and begin >= 0:
            yield begin, end, "prose"
            begin = -1
        if opened:
            fence = opened[1]
        elif last <= first or _RULE.match(line):
            continue
        elif _HEADING.match(line):
            hashes = len(line) - len(line.lstrip(" >\t#"))
            yield start + hashes, last, "heading"
        elif line.lstrip(" >\t").startswith("|"):
            if not _DIVIDER.match(line):
                yield start + len(line) - len(line.lstrip(" >\t")), last, "row"
        elif begin < 0 and is_bare(body[first:last], listed=True):
            yield first, last, "link"  # stands for itself
        elif begin < 0:
            begin, end = first, last
            depth, indent = _place(line)
            indent = indent if _ITEM.match(line) else -1
        else:
            end = last
        if begin >= 0 and text != line.rstrip():  # a block id ends its block
            yield begin, end, "prose"
            begin = -1
    if begin >= 0:
        yield begin, end, "prose"


def _place(line: str) -> tuple[int, int]:
    """How many quotes a line stands in, and how far it is indented there."""
    quotes = _QUOTED.match(line)
    inside = line[quotes.end() if quotes else 0 :].expandtabs(4)
    return line.count(">", 0, quotes.end() if quotes else 0), len(inside) - len(inside.lstrip(" "))


_EMBEDDED = r"!\[\[[^\[\]\n]*\]\]|!\[[^\[\]\n]*\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"
_ADDRESS = r"<?[A-Za-z][A-Za-z0-9+.-]*://[^\s<>]++>?"
_LINK = r"\[\[[^\[\]\n]*\]\]|\[[^\[\]\n]*\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"
_REST = r"[\s|·•.,;/–—>-]*+"

EMBED = re.compile(_EMBEDDED)
"""An embedded note, base, canvas or picture, in either way of writing it."""

_EMBEDS = re.compile(rf"{_REST}(?:(?:{_EMBEDDED}){_REST})+")
_ALONE = re.compile(rf"{_REST}(?:(?:{_EMBEDDED}|{_ADDRESS}){_REST})+")
_LINKS = re.compile(rf"{_REST}(?:(?:{_EMBEDDED}|{_ADDRESS}|{_LINK}){_REST})+")


def is_embed(line: str) -> bool:
    """Returns whether a line, without the marks of lists and quotes, is only embeds."""
    return "![" in line and _EMBEDS.fullmatch(line) is not None


def is_bare(text: str, *, listed: bool) -> bool:
    """Returns whether a text is only embeds and addresses, or links.

    Args:
        listed: Links to notes and links with a label do say something, as in a list of names.
    """
    if "[" not in text and "://" not in text:
        return False
    return (_ALONE if listed else _LINKS).fullmatch(text) is not None
