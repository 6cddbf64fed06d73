"""Tables of words written as lines of text."""

from __future__ import annotations


def word_set(*lines: str) -> frozenset[str]:
    """Returns the blank-separated words of the lines."""
    return frozenset(word for line in lines for word in line.split())
