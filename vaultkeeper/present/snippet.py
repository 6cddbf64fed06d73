"""A short piece of a body with the words of the query marked."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import NamedTuple

from vaultkeeper.index.words import split_terms
from vaultkeeper.present.sentences import EMBED, is_bare

_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\w+")
_MARKUP = re.compile(
    r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)\]\]|\[([^\[\]\n]+)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\)"
    r"|(?:\*\*|==|`+)(?=\S)|(?<=\S)(?:\*\*|==|`+)|(?<!\w)(?:\*|_{1,3})(?=\S)|(?<=\S)(?:\*|_{1,3})(?!\w)"
    r"|(?<!\S)\^[A-Za-z0-9-]+[ \t]*(?=\n|$)"
)
_MARK = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?)?")
_SUFFIXES = (
    "ations",
    "ation",
    "ingly",
    "edly",
    "ings",
    "able",
    "ible",
    "ies",
    "ied",
    "ing",
    "ed",
    "es",
    "ly",
    "s",
    "e",
)

# Forms of verbs whose ending says nothing, behind the form that they are compared by.
_IRREGULAR = {
    form: base
    for base, *forms in (
        line.split()
        for line in """
become became|begin began begun|bite bit bitten|blow blew blown|break broke broken|bring brought|build built|buy bought
catch caught|choose chose chosen|come came|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten
fall fell fallen|feed fed|feel felt|find found|fly flew flown|forget forgot forgotten|freeze froze frozen|get got gotten
give gave given|go went gone|grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept|know knew known
lead led|leave left|lend lent|lose lost|make made|mean meant|meet met|pay paid|ride rode ridden|ring rang rung
rise rose risen|run ran|say said|see saw seen|sell sold|send sent|shine shone|shoot shot|shrink shrank shrunk
sing sang sung|sink sank sunk|sit sat|sleep slept|speak spoke spoken|spend spent|stand stood|steal stole stolen
stick stuck|swim swam swum|take took taken|teach taught|tell told|think thought|throw threw thrown
understand understood|wake woke woken|wear wore worn|win won|write wrote written
""".replace("|", "\n").splitlines()
        if line
    )
    for form in forms
}


class Snippet(NamedTuple):
    """Text on one line; `matches` are `(start, end)` offsets into it, in order.

    Attributes:
        beside: The text is not from the body, which has none, but from the properties.
    """

    text: str
    matches: tuple[tuple[int, int], ...] = ()
    beside: bool = False


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Returns a word without its ending, for comparing words on screen. The index has a real stemmer."""
    word = word.casefold()
    word = _IRREGULAR.get(word, word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word[:-1] if len(word) > 2 and word[-1] == "y" else word


def stems(text: str) -> set[str]:
    """Returns the stems of all words of a text."""
    return {stem(term) for term in split_terms(text)}


def plain(text: str) -> str:
    """Returns Markdown without embeds, the marks of links and emphasis, and the ids of blocks, on one line.

    `~~` stays: without it, what was crossed out would read as if it held.
    """
    if "![" in text:
        text = EMBED.sub(" ", text)
    return _SPACE.sub(" ", _MARKUP.sub(lambda found: found[1] or found[2] or "", text)).strip()


def make_snippet(text: str, labels: Collection[str], width: int = 240) -> Snippet:
    """Returns the part of a text that has most of the words, on one line, with the words marked.

    Args:
        text: Markdown.
        labels: Words of the query; a star at the end asks for a prefix, quotes for a phrase; runs of CJK match as they
            are.
        width: Greatest number of characters.
    """
    line = plain(_telling(text))
    matches = _matches(line, labels)
    if len(line) <= width:
        return Snippet(line, tuple(matches))
    begin = _best_begin(line, matches, width - 2)
    end = min(len(line), begin + width - 2)
    if begin > 0:
        begin = line.find(" ", begin, begin + 20) + 1 or begin
    if end < len(line):
        space = line.rfind(" ", end - 20, end)
        end = space if space > begin else end
    head, tail = "…" if begin else "", "…" if end < len(line) else ""
    inside = [(a - begin + len(head), b - begin + len(head)) for a, b in matches if a >= begin and b <= end]
    return Snippet(head + line[begin:end] + tail, tuple(inside))


def property_line(properties: Mapping[str, object]) -> str:
    """Returns the properties that have a value as `key: value · key: a, b`."""
    shown = ((key, _value(value)) for key, value in properties.items())
    return " · ".join(f"{key}: {text}" for key, text in shown if text)


def _value(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        inside = ((key, _value(one)) for key, one in value.items())
        return ", ".join(f"{key} {text}" for key, text in inside if text)
    if isinstance(value, list | tuple):
        return ", ".join(filter(None, map(_value, value)))
    return plain(str(value))


def _telling(text: str) -> str:
    """Leaves out the lines that are only embeds or addresses."""
    if "![" not in text and "://" not in text:
        return text
    return "\n".join(line for line in text.split("\n") if not is_bare(_MARK.sub("", line), listed=True))


def _matches(line: str, labels: Collection[str]) -> list[tuple[int, int]]:
    wanted: set[str] = set()
    prefixes: list[str] = []
    runs: list[str] = []
    for label in labels:
        if label.endswith("*"):
            prefixes.append(label[:-1].casefold())
        elif label.isascii() or label.startswith('"'):
            wanted |= stems(label)
        else:
            wanted |= stems(label)
            runs.append(label)
    found = {
        (word.start(), word.end())
        for word in _WORD.finditer(line)
        if stem(word[0]) in wanted or any(word[0].casefold().startswith(prefix) for prefix in prefixes)
    }
    for run in runs:
        found |= {(at.start(), at.end()) for at in re.finditer(re.escape(run), line)}
    merged: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _best_begin(line: str, matches: list[tuple[int, int]], width: int) -> int:
    """The window with most marks; the first of equals."""
    best, begin = 0, 0
    right = 0
    for left, (start, _) in enumerate(matches):
        while right < len(matches) and matches[right][1] <= start + width:
            right += 1
        if right - left > best:
            span = matches[right - 1][1] - start
            best, begin = right - left, max(0, start - max(0, (width - span) // 3))
    return min(begin, max(0, len(line) - width))
