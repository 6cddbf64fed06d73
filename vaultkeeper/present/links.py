"""Ways to point at a place of the vault: wikilinks as Obsidian writes them, and `obsidian://` addresses."""

from __future__ import annotations

import re
from urllib.parse import quote

# Not possible inside of [[ ]]: they would end the name or begin a heading, block or label.
_NO_TARGET = re.compile(r"[\[\]|#^]|%%")
# What Obsidian leaves out of a heading when it links to it.
_NO_ANCHOR = re.compile(r"[\[\]|#^:\\]|%%")


def link_target(path: str, unique: bool) -> str:
    """Returns what stands in `[[ ]]` for a note: its name when no other file is called so, else its path.

    A name that is only a number, as turns have, says nothing to a reader: then it is the path too.
    """
    target = path[:-3] if path[-3:].lower() == ".md" else path
    name = target.rpartition("/")[2]
    return name if unique and not name.isdecimal() else target


def anchor_of(heading: str) -> str:
    """Returns a heading as it is written behind `#`."""
    return " ".join(_NO_ANCHOR.sub(" ", heading).split())


def wikilink(path: str, unique: bool, headings: tuple[str, ...] = (), block: str = "") -> str:
    """Returns `[[note]]`, `[[note#heading]]` or `[[note#^block]]`.

    Args:
        path: The note's path in the vault.
        unique: No other file of the vault has this name.
        headings: Where in the note: a heading, or a heading with those above it where it alone is ambiguous.
        block: A block id without `^`, which wins over the heading.

    Returns:
        A Markdown link when the name has characters that a wikilink cannot hold.
    """
    sub = _subpath(headings, block)
    target = link_target(path, unique)
    if not _NO_TARGET.search(target):
        return f"[[{target}{sub}]]"
    name = target.rpartition("/")[2].replace("[", "\\[").replace("]", "\\]")
    return f"[{name}]({_quote(path, '/')}{_quote(sub, '#^')})"


def _subpath(headings: tuple[str, ...], block: str) -> str:
    if block:
        return f"#^{block}"
    return "".join(f"#{anchor}" for anchor in map(anchor_of, headings) if anchor)


def obsidian_url(vault: str, path: str, headings: tuple[str, ...] = (), block: str = "") -> str:
    """Returns an address that opens the note in Obsidian at the heading or block; a blank is `%20`.

    Source: Obsidian's manual, "Obsidian URI", action `open`.
    """
    target = path[:-3] if path[-3:].lower() == ".md" else path
    return f"obsidian://open?vault={_quote(vault)}&file={_quote(target + _subpath(headings, block))}"


def _quote(text: str, safe: str = "") -> str:
    """Percent-encodes; a byte of a name that is no UTF-8 becomes that byte."""
    return quote(text, safe=safe, errors="surrogateescape")
