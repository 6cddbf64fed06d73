"""Tells embeds, addresses and links that stand alone from text that says something."""

from __future__ import annotations

import re

_EMBEDDED = r"!\[\[[^\[\]\n]*\]\]|!\[[^\[\]\n]*\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"
_ADDRESS = r"<?[A-Za-z][A-Za-z0-9+.-]*://[^\s<>]++>?"
_LINK = r"\[\[[^\[\]\n]*\]\]|\[[^\[\]\n]*\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"
_REST = r"[\s|·•.,;/–—>-]*+"

EMBED = re.compile(_EMBEDDED)
"""An embedded note, base, canvas or picture, in either way of writing it."""

_EMBEDS = re.compile(rf"{_REST}(?:(?:{_EMBEDDED}){_REST})+")
_ALONE = re.compile(rf"{_REST}(?:(?:{_EMBEDDED}|{_ADDRESS}){_REST})+")
_LINKS = re.compile(rf"{_REST}(?:(?:{_EMBEDDED}|{_ADDRESS}|{_LINK}){_REST})+")


def is_embed(line: str) -> bool:
    """Returns whether a line, without the marks of lists and quotes, is only embeds."""
    return "![" in line and _EMBEDS.fullmatch(line) is not None


def is_bare(text: str, *, listed: bool) -> bool:
    """Returns whether a text is only embeds and addresses, or links.

    Args:
        listed: Links to notes and links with a label do say something, as in a list of names.
    """
    if "[" not in text and "://" not in text:
        return False
    return (_ALONE if listed else _LINKS).fullmatch(text) is not None
