"""Documents: Markdown, plain text, HTML and PDF → one note each.

Owns which suffix is what, and that a title is part of what is searched.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import PurePosixPath

from vaultkeeper.errors import UnreadableFileError
from vaultkeeper.importers.item import Item, Original, Source
from vaultkeeper.memory.nodes import parse_ms
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.text import decode

MARKDOWN = frozenset({".md", ".markdown", ".mdown"})
TEXT = frozenset({".txt", ".text", ".rst", ".org", ".log"})
HTML = frozenset({".html", ".htm", ".xhtml"})
PDF = frozenset({".pdf"})
SUFFIXES = MARKDOWN | TEXT | HTML | PDF

_IMAGE = re.compile(r"\[IMAGE:[A-Za-z0-9+/=\s]+\]|!\[[^\]\n]*\]\(data:[^)\s]*\)")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BINARY_SHARE = 0.02


def document_item(original: Original, source: Source, now: datetime) -> Item:
    """Reads a document. Its title is what is given, else what the document says, else the name.

    Raises:
        UnreadableFileError: it is no text, no PDF, or empty.
        UsageError: PDF without the extra that reads it.
    """
    data, path, suffix = original.data, original.path, original.suffix.lower()
    found, tags, dated_ms = "", source.tags, None
    if suffix in PDF:
        from vaultkeeper.importers.conversion import pdf_to_markdown

        found, body = pdf_to_markdown(data, path)
    else:
        text = decode(data)[0]
        if len(_CONTROL.findall(text[:20_000])) > _BINARY_SHARE * max(200, len(text[:20_000])):
            raise UnreadableFileError(path=path, reason="it is no text")
        if suffix in HTML or (suffix == "" and re.match(r"\s*(?:<!doctype html|<html)", text, re.I)):
            from vaultkeeper.importers.conversion import html_to_markdown

            found, body = html_to_markdown(text)
        elif suffix in TEXT:
            body = text
        else:
            found, body, more, dated_ms = _markdown(data, path)
            tags = (*tags, *(tag for tag in more if tag not in tags))
    body = _CONTROL.sub("", _IMAGE.sub("", body).replace("\r\n", "\n").replace("\r", "\n")).strip()
    if not body:
        raise UnreadableFileError(path=path, reason="it holds no text")
    at_ms = next(
        (ms for ms in (dated_ms, original.modified_ms) if ms is not None), round(now.timestamp() * 1000)
    )
    title = " ".join((original.title or found or PurePosixPath(original.name).name).split())
    if suffix in PDF or suffix in HTML or suffix in TEXT:
        body = _with_title(body, title)
    return Item(
        "document",
        source.id,
        original.item_id,
        title,
        body + "\n",
        original.name,
        at_ms,
        at_ms,
        tags,
        source.owner,
        source.ref,
    )


def _with_title(body: str, title: str) -> str:
    """A note whose first line is its title, unless the text begins with it."""
    first = body.split("\n", 1)[0].lstrip("# ").strip()
    return body if not title or first.casefold() == title.casefold() else f"# {title}\n\n{body}"


def _markdown(data: bytes, path: str) -> tuple[str, str, list[str], int | None]:
    """Title, body, tags of the frontmatter and its date."""
    note = parse_note(path, data)
    properties = {str(key).lower(): value for key, value in note.properties.items()}
    listed = properties.get("tags")
    tags = [str(tag).removeprefix("#") for tag in listed] if isinstance(listed, list) else []
    given = properties.get("title")
    title = given if isinstance(given, str) else ""
    body = note.text[note.body_start :]
    if not title and note.headings and not body[: max(0, note.headings[0].offset - note.body_start)].strip():
        title = note.headings[0].text if note.headings[0].level == 1 else ""
    dates = (parse_ms(properties[key]) for key in ("date", "timestamp", "created") if key in properties)
    return title, body, tags, next((ms for ms in dates if ms is not None), None)
