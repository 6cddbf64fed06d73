"""Sentences of chat text, with their offsets.

Owns where a sentence begins and ends in what people type: English and Chinese, missing capitals, lists, URLs,
versions, abbreviations. Knows nothing of Markdown; a caller that wants code or quotes left alone hides them
first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from vaultkeeper.memory.common_words import word_set


class Span(NamedTuple):
    """A half-open range of character offsets into the text it was found in."""

    start: int
    end: int


_CLOSERS = "\"'”’»)]}）】」』》〉*_~"
_BREAK = re.compile(
    rf"\n|[.!?…]+[{re.escape(_CLOSERS)}]*(?=\s|$|[\u3400-\u9fff])|"
    rf"[。！？；｡]+[.!?…。！？；{re.escape(_CLOSERS)}]*"
)
_WORD_BEFORE = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*$")
_NEVER_LAST = word_set(
    "e.g i.e eg ie vs mr mrs ms dr prof st no nr vol fig sec approx ca cf al resp dept feat z.b d.h bzw ggf"
)
_SELDOM_LAST = word_set("etc a.m p.m inc ltd jr sr u.s u.k min max ph.d b.a m.a")
_LETTERED = re.compile(
    r"\b(?:plan|option|version|variant|team|group|model|type|vitamin|appendix|section|room|gate|hall|building|part|grade|"
    r"class|choice|answer|letter|level|phase|proposal|draft|design|route|line|column|candidate|case|point|side|series) "
    r"[A-Z]$",
    re.I,
)
"""What is called by a letter: `plan B.` ends a sentence, `John B. Smith` does not."""
_MARKER = re.compile(
    r"[ \t]*(?:(?:[-*+•·]|\(?\d{1,3}[.)]|[a-zA-Z]\))[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+|\d{1,2}[、．])"
)
_LOOK_BACK = 24


def split_sentences(text: str) -> list[Span]:
    """Returns the sentences of a text in their order.

    Spans never overlap, hold no leading or trailing whitespace and no list marker, include the closing mark
    with the quotes and brackets right after it, and are never empty. A line break always ends a sentence.
    Linear in the length.
    """
    spans: list[Span] = []
    begin = 0
    for end, following in _ends(text):
        span = _trimmed(text, begin, end)
        if span is not None:
            spans.append(span)
        begin = following
    return spans


def _ends(text: str) -> Iterator[tuple[int, int]]:
    for match in _BREAK.finditer(text):
        if match[0] == "\n":
            yield match.start(), match.end()
        elif not _inside(text, match):
            yield match.end(), match.end()
    yield len(text), len(text)


def _inside(text: str, mark: re.Match[str]) -> bool:
    """Whether this mark belongs to an abbreviation, an initial or a list number, and ends nothing."""
    if mark[0][0] != ".":
        return False
    tail = text[mark.end() : mark.end() + _LOOK_BACK]
    following = tail.lstrip(" \t")[:1]
    if mark[0].startswith(".."):
        return following.islower()
    line_start = text.rfind("\n", max(0, mark.start() - _LOOK_BACK), mark.start()) + 1
    if line_start and text[line_start : mark.start()].strip().isdigit():
        return True
    if not line_start and mark.start() < 4 and text[: mark.start()].strip().isdigit():
        return True
    before = _WORD_BEFORE.search(text[max(0, mark.start() - _LOOK_BACK) : mark.start()])
    if before is None:
        return False
    word = before[0].lower()
    if word in {"no", "nr", "fig", "sec", "vol"}:
        return following.isdigit()
    if word in _NEVER_LAST:
        return True
    if word in _SELDOM_LAST:
        return bool(following) and not following.isupper()
    if len(word) != 1 or not before[0].isupper() or before[0] == "I" or not following.isupper():
        return False
    named = _LETTERED.search(text[max(0, mark.start() - _LOOK_BACK) : mark.start()])
    return named is None


def _trimmed(text: str, start: int, end: int) -> Span | None:
    marker = _MARKER.match(text, start, end)
    if marker is not None and (start == 0 or text[start - 1] == "\n"):
        start = marker.end()
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end) if start < end else None
