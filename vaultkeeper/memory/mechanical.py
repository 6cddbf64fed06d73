"""Mentions that their shape alone gives away: e-mail addresses, URLs, handles and hashtags.

Owns the patterns and nothing else; names are found by `memory.gazetteer` and both are merged by
`memory.extract`. Every pattern runs in time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from vaultkeeper.memory.canonical import canonical_id
from vaultkeeper.types import Mention

# Marks that belong to the letter before them (scripts of India, Thailand, … and decomposed accents).
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0e31-\u0e4e"
)

_DOMAIN = re.compile(r"@((?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,})(?![A-Za-z0-9_])")
_LOCAL_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-")
_URL_REST = re.compile("[^\\s<>\\[\\]()\u3001-\u3011\uff01-\uff0f\uff1a-\uff20\u201c\u201d]+")
_URL_TAIL = ".,;:!?*`\"'|"
_HANDLE = re.compile(rf"@(\w(?:[\w{_MARKS}.-]*[\w{_MARKS}])?)")
_HASHTAG = re.compile(rf"#([^\W\d_][\w{_MARKS}/-]*)")
_NUMBERED = re.compile(r"#[0-9]{4}(?!\w)")
_CJK_LETTER = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def _places(text: str, mark: str) -> Iterator[int]:
    """Where a mark stands, from left to right; quicker than a pattern that begins with a look behind."""
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + 1)


def _opens(text: str, at: int) -> bool:
    """Whether a handle or hashtag may begin here: at the start, after white space or a parenthesis."""
    return not at or text[at - 1].isspace() or text[at - 1] in "(（"


def _email(text: str, at: int, found: list[Mention]) -> None:
    match = _DOMAIN.match(text, at)
    if match:
        start = at
        while start and text[start - 1] in _LOCAL_CHARS:
            start -= 1
        while start < at and text[start] in ".%+-":
            start += 1
        if start < at:
            surface = text[start : match.end()]
            found.append(Mention(canonical_id("email", surface), "email", surface, start, match.end()))


def _numbered_handle(text: str, end: int, found: list[Mention]) -> None:
    match = _NUMBERED.match(text, end)
    if match:
        start = end
        while start and end - start <= 32 and (text[start - 1].isalnum() or text[start - 1] in "._-"):
            start -= 1
        if 2 <= end - start <= 32:
            surface = text[start : match.end()]
            found.append(Mention(canonical_id("handle", surface), "handle", surface, start, match.end()))


def _hashtags(text: str, found: list[Mention], parts: Sequence[int]) -> None:
    labels: set[str] = set()
    ends = iter((*parts, len(text)))
    end_of_part = next(ends)
    start = text.find("#")
    while start >= 0:
        match = _HASHTAG.match(text, start) if _opens(text, start) else None
        if match is not None:
            label = match[1].rstrip("/")
            if len(label) > 1 or _CJK_LETTER.match(label):
                while start >= end_of_part:
                    end_of_part = next(ends)
                    labels.clear()
                end = start + 1 + len(label)
                surface = text[start:end]
                hashtag = canonical_id("hashtag", label)
                found.append(Mention(hashtag, "hashtag", surface, start, end))
                if hashtag not in labels:
                    labels.add(hashtag)
                    found.append(Mention(f"topic{hashtag[7:]}", "topic", surface, start, end))
        start = text.find("#", start + 1)


def _urls(text: str, found: list[Mention]) -> None:
    end = 0
    for colon in _places(text, "://"):
        if colon < end:
            continue  # inside the last one
        start = colon - (5 if text[max(0, colon - 5) : colon].lower() == "https" else 4)
        if (
            start < 0
            or text[start:colon].lower() not in ("http", "https")
            or text[start - 1 : start].isalnum()
        ):
            continue
        match = _URL_REST.match(text, colon + 3)
        rest = match[0].rstrip(_URL_TAIL) if match else ""
        end = match.end() if match else 0
        if rest:
            surface = text[start : colon + 3 + len(rest)]
            found.append(Mention(canonical_id("url", surface), "url", surface, start, start + len(surface)))


def find_at_mentions(text: str) -> list[Mention]:
    """Finds e-mail addresses, `@handles` and `name#1234`, in no particular order."""
    found: list[Mention] = []
    for at in _places(text, "@"):
        _email(text, at, found)
        match = _HANDLE.match(text, at) if _opens(text, at) else None
        if match:
            found.append(Mention(canonical_id("handle", match[1]), "handle", match[0], at, match.end()))
    for at in _places(text, "#"):
        _numbered_handle(text, at, found)
    return found


def find_mechanical(text: str, parts: Sequence[int] = ()) -> list[Mention]:
    """Finds every mention that its shape gives away.

    - `email:` local part of ASCII letters, digits and `._%+-`, domain with a dot and a last part of two
      letters or more.
    - `url:` from `http://` or `https://` to white space, any of `< > [ ] ( )` or Chinese punctuation, without
      closing punctuation.
    - `handle:` `@` at the start or after white space or a parenthesis, then letters of any script, digits,
      `_`, with `.` and `-` inside; and `name#1234` with 2 to 32 characters of name and exactly four digits.
    - `hashtag:` `#` at the start or after white space or a parenthesis, a letter of any script, then
      letters, digits, `_`, `-` or `/`: at least two characters, or one Chinese, Japanese or Korean letter.
      The first of each label is a `topic:` as well.

    Args:
        parts: Where each part of the text but the first begins; each has its own first labels.

    Returns:
        Mentions with offsets in characters, in no particular order; a text without `@`, `#` and `://` costs
        three substring searches.

    Source: BEHAVIOUR §7.2; letters beyond ASCII and nested tags are ours.
    """
    found = find_at_mentions(text)
    _hashtags(text, found, parts)
    _urls(text, found)
    return found
