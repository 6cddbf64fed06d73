"""Where in a long text a closer look pays: around the places of a few literals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from re import Match, Pattern


def ascii_view(text: str) -> str:
    """Returns the text with `?` for every character outside ASCII: of the same length, and fast to search."""
    return text if text.isascii() else text.encode("ascii", "replace").decode("ascii")


def windows(text: str, literals: Iterable[str], before: int, after: int) -> list[tuple[int, int]]:
    """Returns ranges around every occurrence of the literals, in order, merged where they touch.

    Args:
        text: the text.
        literals: what to look for, as it stands.
        before: characters of context before an occurrence.
        after: characters of context from an occurrence on.
    """
    places: list[int] = []
    for literal in literals:
        at = text.find(literal)
        while at >= 0:
            places.append(at)
            at = text.find(literal, at + len(literal))
    if not places:
        return []
    return joined([(max(0, place - before), min(len(text), place + after)) for place in places])


def joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the ranges in order, those that touch made one."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


def matches(pattern: Pattern[str], text: str, ranges: Iterable[tuple[int, int]]) -> Iterator[Match[str]]:
    """Yields the matches of a pattern inside the ranges; one that reaches the end of a range is read on.

    What lies before a range is seen by look-behinds.
    """
    for low, high in ranges:
        for match in pattern.finditer(text, low, high):
            whole = pattern.match(text, match.start()) if match.end() == high < len(text) else match
            if whole is not None:
                yield whole
