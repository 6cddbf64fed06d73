"""Names in running text that no registry knows: capitalised spans, wikilinks, titles.

A guess, good enough to walk from one note to another; nothing that is stored or shown rests on it.
"""

from __future__ import annotations

import re

from vaultkeeper.index.words import STOP_WORDS

MAX_SPAN_CHARS = 80

_CAPITALISED = r"(?:(?![a-z])[^\W\d_](?:[\w'’.&-]*\w)?|\d[\w-]*[A-Z]\w*)"
_JOINING = r"(?:of|the|de|del|la|le|von|van|der|den|du|di|da|and|in|for|to|on|at|y)"
_SPAN = re.compile(rf"{_CAPITALISED}(?:[ ](?:{_JOINING}[ ]){{0,2}}(?:{_CAPITALISED}|\d+\b))*")
_WIKILINK = re.compile(r"\[\[([^\[\]|#^\n]+)[^\[\]\n]*\]\]")
_POSSESSIVE = re.compile(r"['’]s$")
_BRACKETED = re.compile(r"\s*\([^()]*\)\s*$")


def base_title(title: str) -> str:
    """Returns a title without what distinguishes it in brackets: `Mercury (planet)` gives `Mercury`."""
    return _BRACKETED.sub("", title).strip() or title


def find_spans(text: str) -> list[str]:
    """Returns the names in a text, each once, in order of first appearance.

    Stop words at the edges are cut off, so that the first word of a sentence is no name by itself. Scripts without
    capitals give wikilinks only.
    """
    found: dict[str, None] = {}
    for link in _WIKILINK.finditer(text):
        found[base_title(link[1].rpartition("/")[2].strip())] = None
    for match in _SPAN.finditer(text):
        words = match[0].split(" ")
        while words and words[0].lower() in STOP_WORDS:
            words.pop(0)
        while words and words[-1].lower() in STOP_WORDS:
            words.pop()
        span = _POSSESSIVE.sub("", " ".join(words)).rstrip(".")
        if 2 < len(span) <= MAX_SPAN_CHARS and not span.isdigit():
            found[span] = None
    return [span for span in found if span and not _cased_out(span)]


def _cased_out(span: str) -> bool:
    """A script without capitals makes every word look like a name; such words are none."""
    return len(span) <= MAX_SPAN_CHARS and span.upper() == span.lower() and "[[" in span
