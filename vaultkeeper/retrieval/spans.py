"""Names in running text that no registry knows: capitalised spans, wikilinks, titles.

A guess, good enough to walk from one note to another; nothing that is stored or shown rests on it.
"""

from __future__ import annotations

import re

from vaultkeeper.index.words import STOP_WORDS, split_terms
from vaultkeeper.retrieval.timewords import MONTHS, WEEKDAYS

MAX_SPAN_CHARS = 80

# Blocks with capitals; where a block holds small letters too, the first letter is looked at afterwards.
_CAPITAL = "A-Z\u00c0-\u00de\u0100-\u024f\u0370-\u03ab\u0400-\u042f\u0531-\u0556\u1e00-\u1eff"
_WORD = rf"[{_CAPITAL}](?:[\w'’.&-]*\w)?"
# Words in small letters within names; within titles, such as "Lost in the Fog", there are more.
_IN_NAMES = "of|the|de|del|la|le|von|van|der|den|du|di|da"
_IN_TITLES = _IN_NAMES + "|and|in|for|to|on|at|y"


def _spans(joining: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){_WORD}(?:[ ](?:(?:{joining})[ ]){{0,2}}(?:{_WORD}|\d+\b))*")


_NAME = _spans(_IN_NAMES)
_TITLE = _spans(_IN_TITLES)
_WIKILINK = re.compile(r"\[\[([^\[\]|#^\n]+)[^\[\]\n]*\]\]")
_POSSESSIVE = re.compile(r"['’]s$")
_BRACKETED = re.compile(r"\s*\([^()]*\)\s*$")


# A day is no name; the empty word stands for numbers.
_DATES = frozenset([*MONTHS, *WEEKDAYS, ""])


def base_title(title: str) -> str:
    """Returns a title without what distinguishes it in brackets: `Mercury (planet)` gives `Mercury`."""
    return _BRACKETED.sub("", title).strip() or title


def plain_words(text: str) -> str:
    """Returns the words of a text in small letters with single blanks between, for comparing names."""
    return " ".join(split_terms(text.casefold().replace("'", "").replace("’", "")))


def find_spans(text: str, titles: bool = False) -> list[str]:
    """Returns the names in a text, each once, in order of first appearance.

    Args:
        text: Markdown, or a question.
        titles: Takes long spans as well: "Anna and Ben" is two names, "Pride and Prejudice" one title.

    Stop words at the edges are cut off, so that the first word of a sentence is no name by itself. Scripts without
    capitals give wikilinks only.
    """
    found: dict[str, None] = {}
    for link in _WIKILINK.finditer(text):
        found[base_title(link[1].rpartition("/")[2].strip())] = None
    matches = [*_TITLE.finditer(text), *_NAME.finditer(text)] if titles else _NAME.finditer(text)
    for match in matches:
        words = match[0].split(" ")
        while words and (words[0].lower() in STOP_WORDS or not words[0][0].isupper()):
            words.pop(0)
        while words and words[-1].lower() in STOP_WORDS:
            words.pop()
        span = _POSSESSIVE.sub("", " ".join(words))
        if 2 < len(span) <= MAX_SPAN_CHARS and not _DATES.issuperset(re.split(r"[\W\d]+", span.lower())):
            found[span] = None
    found.pop("", None)
    return list(found)
