"""Canvases, read as notes: their text cards and the labels of their groups are the text, their cards are links.

Source: JSON Canvas 1.0.
"""

from __future__ import annotations

import json
from hashlib import sha256

from vaultkeeper.types import Link, Note, Problem
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.text import decode

_WORDS = {"file": "file", "text": "text", "group": "label"}
"""Where a card of each type has its words; one of another type has none."""


def parse_canvas(path: str, data: bytes) -> Note:
    """Reads one canvas. Never raises on content; an empty file is an empty canvas, as in Obsidian.

    Returns:
        A note whose text is that of its text cards, its file cards as embeds and the labels of its groups, in their
        order, with blank lines between. A file card is a link of kind `card`; its target begins with `/`, since it is
        a path from the vault's root. No link has a line, for a line of the file says nothing. It has no headings:
        nothing can link to one in a canvas.
    """
    text, remarks = decode(data)
    canvas = Note(path, "", sha256(data).digest(), frontmatter="none")
    canvas.problems = [Problem(path, line, code, message) for code, line, message in remarks]
    parts: list[str] = []
    length = 0
    tags: dict[str, None] = {}
    for node in _nodes(text, canvas) if text.strip() else ():
        if not isinstance(node, dict):
            continue
        words = node.get(_WORDS.get(str(node.get("type")), ""))
        if not isinstance(words, str) or not words.strip():
            continue
        if node["type"] == "file":
            card = _file_card(words, node.get("subpath"))
        else:  # what a card begins with is no frontmatter
            card = parse_note(path, b"\n" + words.encode("utf-8", "replace"))
        canvas.links += [link._replace(line=0, start=length + link.start - 1) for link in card.links]
        tags.update(dict.fromkeys(card.tags))
        parts.append(card.text[1:])
        length += len(parts[-1]) + 2
    canvas.text = "\n\n".join(parts)
    canvas.tags = list(tags)
    return canvas


def _nodes(text: str, canvas: Note) -> list[object]:
    try:
        nodes = json.loads(text)["nodes"]
        if not isinstance(nodes, list):
            raise TypeError
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        if not isinstance(error, KeyError):  # an object without nodes is an empty canvas
            line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
            message = "The canvas is not valid JSON Canvas."
            canvas.problems.append(Problem(canvas.path, line, "canvas-invalid", message))
        return []
    return nodes


def _file_card(file: str, subpath: object) -> Note:
    part = subpath.removeprefix("#") if isinstance(subpath, str) else ""
    return Note(file, f"\n![[{file}]]", b"", links=[Link("card", f"/{file}", part, "", 0, 1, False)])
