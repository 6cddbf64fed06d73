"""Canvases: which files their cards show, and the links and tags in their text cards.

Source: JSON Canvas 1.0.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256

from vaultkeeper.types import Link, Problem
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.text import decode


@dataclass(slots=True)
class Canvas:
    """One canvas as parsed.

    Attributes:
        ok: False when the file is no canvas; then everything else is empty.
        files: Path from the vault's root of every file card, in order, each as often as it stands there.
        links: Links and embeds in text cards; `line` and `start` count within the card.
        tags: In text cards, each once, in order.
        texts: The text cards, in order.
        sha256: Of the bytes on disk, 32 bytes.
    """

    path: str
    sha256: bytes
    ok: bool = True
    files: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The file name without `.canvas`."""
        stem = self.path.rpartition("/")[2]
        return stem[:-7] if stem.lower().endswith(".canvas") else stem


def parse_canvas(path: str, data: bytes) -> Canvas:
    """Reads one canvas. Never raises on content; an empty file is an empty canvas, as in Obsidian."""
    text, remarks = decode(data)
    canvas = Canvas(path, sha256(data).digest())
    canvas.problems = [Problem(path, line, code, message) for code, line, message in remarks]
    if not text.strip():
        return canvas
    try:
        nodes = json.loads(text)["nodes"]
        if not isinstance(nodes, list):
            raise TypeError
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        canvas.ok = isinstance(error, KeyError)  # an object without nodes is an empty canvas
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        if not canvas.ok:
            canvas.problems.append(
                Problem(path, line, "canvas-invalid", "The canvas is not valid JSON Canvas.")
            )
        return canvas
    tags: dict[str, None] = {}
    for node in nodes:
        if not isinstance(node, dict):
            continue
        if node.get("type") == "file" and isinstance(node.get("file"), str):
            canvas.files.append(node["file"])
        elif node.get("type") == "text" and isinstance(node.get("text"), str):
            card = parse_note(path, b"\n" + node["text"].encode("utf-8", "replace"))
            canvas.texts.append(node["text"])
            canvas.links += [link._replace(line=link.line - 1, start=link.start - 1) for link in card.links]
            tags.update(dict.fromkeys(card.tags))
    canvas.tags = list(tags)
    return canvas


def canvas_problems(canvas: Canvas, exists: Callable[[str], bool]) -> list[Problem]:
    """Problems for the file cards whose file does not exist.

    Args:
        exists: Says whether the vault holds a file of this path.
    """
    return [
        Problem(canvas.path, None, "canvas-file-missing", f"A card shows {file}, which is not in the vault.")
        for file in dict.fromkeys(canvas.files)
        if not exists(file)
    ]
