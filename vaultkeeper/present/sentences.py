"""Sentences of a note's body, with their offsets: what can be quoted.

Owns what of Markdown is prose and what is not. Where a sentence ends is known by `memory.sentences`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from vaultkeeper.memory.sentences import split_sentences

SentenceKind = Literal["prose", "row", "code", "heading"]


class Sentence(NamedTuple):
    """A part of a body: `body[start:end]`. Rows are lines of a table, code is a line of a code block."""

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


def find_sentences(body: str) -> list[Sentence]:
    """Returns the sentences of a body in order.

    A paragraph that is wrapped over several lines is one text, so a sentence may hold line breaks; each list item,
    row and line of code stands for itself. Marks of lists, quotes and callouts, block ids and rules are left out.
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
        found += [Sentence(a, b, kind) for a, b in spans if _WORD.search(body, a, b)]
    return tuple(found)


def _blocks(body: str) -> Iterator[tuple[int, int, SentenceKind]]:
    """Yields paragraphs, items, rows, headings and lines of code, without their marks."""
    begin = end = -1  # of the paragraph that is open
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
        elif begin < 0:
            begin, end = first, last
        else:
            end = last
        if begin >= 0 and text != line.rstrip():  # a block id ends its block
            yield begin, end, "prose"
            begin = -1
    if begin >= 0:
        yield begin, end, "prose"
