"""The beginning of a text as one readable line: sentences and items, without the marks of Markdown."""

from __future__ import annotations

import re

from vaultkeeper.present.page import readable
from vaultkeeper.present.sentences import find_sentences

_DIVIDER = re.compile(r"\s*\n[ \t>]*\|?[ \t]*:?-[-: |\t]*(?:\n|$)")
_ENDS = (".", "!", "?", "…", ":", "。", "！", "？", "：")


def gist(body: str, width: int = 220) -> str:
    """Returns the first sentences and list items of a Markdown text that fit into a width; the first one is cut.

    What does not end like a sentence is joined to the next by `·`. Headings, code, embeds and addresses are left out;
    the cells of a table, without its head, are told when there is nothing else. Empty when there is nothing to tell.
    """
    sentences = find_sentences(body)
    kind = "prose" if any(one.kind == "prose" for one in sentences) else "row"
    told, last = "", 0
    for one in sentences:
        if one.kind != kind or (kind == "row" and _DIVIDER.match(body, one.end)):
            continue
        text = readable(body[one.start : one.end]).replace(" | ", ", ")
        within = "\n" not in body[last : one.start]
        joint = (" " if within or told.endswith(_ENDS) else " · ") if told else ""
        last = one.end
        if len(told) + len(joint) + len(text) <= width:
            told += joint + text
            continue
        if not told:
            end = text.rfind(" ", width // 2, width)
            told = text[: end if end > 0 else width]
        return told + "…"
    return told
