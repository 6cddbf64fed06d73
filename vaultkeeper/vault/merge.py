"""Three-way merge of lines: what two people changed in the same text, brought together.

A pure function of three byte strings.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


class Merged(NamedTuple):
    """The text with the changes of both; `clean` is False when they changed the same lines and one had to give way."""

    data: bytes
    clean: bool


def merge_lines(base: bytes, theirs: bytes, ours: bytes) -> Merged:
    """Makes on `ours` the changes that lead from `base` to `theirs`.

    Where `ours` has changed the same lines, what they added goes behind ours, and what they deleted stays.
    """
    from difflib import SequenceMatcher

    newline = next((end for end in (b"\r\n", b"\n", b"\r") if end in ours + theirs), b"\n")
    old, other, mine = (_lines(data, newline) for data in (base, theirs, ours))
    place = _places(old, mine)
    clean = True
    edits: list[tuple[int, int, list[bytes]]] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, other, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        there = [place[index] for index in range(i1, i2)]
        before, behind = _behind(place, i1), _before(place, i2, len(mine))
        lines = other[j1:j2]
        if there and there[0] is not None and there == list(range(there[0], there[0] + len(there))):
            edits.append((there[0], there[0] + len(there), lines))
        elif not _holds(mine[before:behind], lines):
            clean = clean and not there
            spot = before if not there else behind
            edits.append((spot, spot, lines))
    for first, last, lines in reversed(edits):
        mine[first:last] = lines
    data = b"".join(mine)
    if not (_is_ended(ours) or _is_ended(theirs)):
        data = data.removesuffix(newline)
    return Merged(data, clean)


def _is_ended(data: bytes) -> bool:
    return data.endswith((b"\n", b"\r"))


def _lines(data: bytes, newline: bytes) -> list[bytes]:
    """The lines with their ends; a last one without an end gets one."""
    lines = _LINE.findall(data)
    if lines and not _is_ended(data):
        lines[-1] += newline
    return lines


def _places(old: list[bytes], mine: list[bytes]) -> list[int | None]:
    """Where each line of the base stands in ours; None when it is gone."""
    from difflib import SequenceMatcher

    place: list[int | None] = [None] * len(old)
    for block in SequenceMatcher(None, old, mine, autojunk=False).get_matching_blocks():
        for offset in range(block.size):
            place[block.a + offset] = block.b + offset
    return place


def _behind(place: list[int | None], at: int) -> int:
    """Where the lines begin that ours has before a line of the base: behind the nearest one before it that is there."""
    return next((spot + 1 for spot in reversed(place[:at]) if spot is not None), 0)


def _before(place: list[int | None], at: int, end: int) -> int:
    """Where they end."""
    return next((spot for spot in place[at:] if spot is not None), end)


def _holds(lines: list[bytes], part: list[bytes]) -> bool:
    """Whether lines stand among others, in a row."""
    return any(lines[at : at + len(part)] == part for at in range(len(lines) - len(part) + 1))
