"""Where in a long text a closer look pays: around the places of a few literals."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from re import Match, Pattern


def ascii_view(text: str) -> str:
    """Returns the text with `?` for every character outside ASCII: of the same length, and fast to search."""
    return text if text.isascii() else text.encode("ascii", "replace").decode("ascii")


def vocabulary_of(text: str) -> str:
    """Returns the different words of a text in one line: much shorter, and enough to see what does not occur."""
    return " ".join(set(text.split()))


def present(vocabulary: str, literals: Iterable[str]) -> list[str]:
    """Returns those literals that may occur in a text of this vocabulary; blanks around them are not looked at."""
    return [literal for literal in literals if literal.strip() in vocabulary]


def windows(text: str, literals: Iterable[str], before: int, after: int) -> list[tuple[int, int]]:
    """Returns ranges around every occurrence of the literals, in order, merged where they touch.

    Args:
        text: the text.
        literals: what to look for, as it stands.
        before: characters of context before an occurrence.
        after: characters of context from an occurrence on.
    """
    places = places_of(text, literals)
    if not places:
        return []
    return joined([(max(0, place - before), min(len(text), place + after)) for place in places])


def places_of(text: str, literals: Iterable[str]) -> list[int]:
    """Returns where the literals begin, in no order."""
    places: list[int] = []
    for literal in literals:
        at = text.find(literal)
        while at >= 0:
            places.append(at)
            at = text.find(literal, at + len(literal))
    return places


def words_at(words: Sequence[tuple[int, int]], places: Iterable[int]) -> list[tuple[int, int]]:
    """Returns those ranges, of some in order that do not overlap, in which a place lies."""
    found = {(bisect_right(words, (place, sys.maxsize)) - 1, place) for place in places}
    numbers = {number for number, place in found if number >= 0 and place < words[number][1]}
    return [words[number] for number in sorted(numbers)]


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
