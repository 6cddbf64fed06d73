"""One note as rows of the index. Pure: a function of the note, its path, its modification time and the settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from json import JSONEncoder
from typing import NamedTuple

from vaultkeeper.index.dates import time_range, words_of_range
from vaultkeeper.index.grams import is_surely_spaced, is_unspaced
from vaultkeeper.index.own import (
    PREFIX,
    SPEAKS_FOR_ITSELF,
    is_hidden,
    message_parts,
    message_time,
    own_chunks,
    own_context,
    own_dates,
)
from vaultkeeper.index.settings import IndexSettings
from vaultkeeper.index.sources import identity_of, place_of
from vaultkeeper.memory.entities import read_entity
from vaultkeeper.memory.nodes import LEAF_KINDS, SummaryNode, summary_from_note
from vaultkeeper.types import Chunk, Entity, Heading, Link, Note, Problem
from vaultkeeper.vault.chunks import chunk_note, text_sha
from vaultkeeper.vault.tokens import approx_tokens

_CONTEXT_CHARS = 600
_SILENT_NAMES = (
    "id source_id aliases tags tag cssclasses cssclass kind created created_at updated updated_at modified timestamp "
    "timestamp_ms date time_range_start time_range_end sha256 checksum hash uuid uid template banner cover icon seq "
    "permalink publish"
)
_SILENT = frozenset(
    _SILENT_NAMES.split()
)  # properties whose values nobody searches for, or are searched otherwise
_CODE = re.compile(r"\S{40,}|(?=\S*\d)[0-9a-fA-F-]{12,}|[\d\s.:/TZ+-]+|https?://\S+")
_SURROGATE = re.compile("[\ud800-\udfff]")

_encode = JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False, default=str).encode
_quote = JSONEncoder(ensure_ascii=False).encode  # a text alone: no encoder is made for it

ChunkRow = tuple[str, int, str, str, str, str, str, int, int, int, int, bytes, int, int]
"""chunk_id, seq, title, heading, body, context, anchor, line, start, tokens, cjk, text_sha, start_ms, end_ms."""


class NoteRows(NamedTuple):
    """What one note puts into the index.

    Attributes:
        columns: Of `notes` from `path` on.
        links: With their keys; resolved later, since that takes the whole vault.
        problems: Of stage `note`.
        leafy: Its chunks are leaves of a tree: not those of what is derived, nor of old versions of documents.
        node: The node that the note holds, when it is a summary.
    """

    path: str
    sha256: bytes
    columns: tuple[object, ...]
    chunks: list[ChunkRow]
    tags: list[str]
    links: list[Link]
    entity: Entity | None
    problems: list[Problem]
    leafy: bool = False
    node: SummaryNode | None = None


def note_rows(note: Note, mtime_ns: int, settings: IndexSettings) -> NoteRows:
    """Derives the rows of a note."""
    properties = _encode(note.properties) if note.properties else "{}"
    if not properties.isascii() and _SURROGATE.search(properties):
        _scrub(note)
        properties = _encode(note.properties)
    path, title = note.path, note.name
    kind, source = place_of(path)
    entity, problems = None, note.problems
    declares = (
        settings.entity_folders or path.startswith("entities/") or "kind" in map(str.lower, note.properties)
    )
    if declares and kind != "canvas":
        entity, found = read_entity(note, settings.entity_folders)
        if entity is not None:
            kind = "entity"
        problems = [*problems, *found]
    identity = identity_of(note.properties, path)
    own = kind in SPEAKS_FOR_ITSELF or is_hidden(note, kind)
    dating = own_dates(note, kind) if own else note.properties
    start_ms, end_ms, dated_by = time_range(dating, path, mtime_ns)
    dates = words_of_range(start_ms, end_ms) if dated_by != "mtime" else ""
    everywhere = f"{dates}\n{' '.join(note.aliases)}" if note.aliases else dates
    spoken = own_context(note, kind) if own else _spoken(note)
    context = f"{everywhere}\n{spoken}" if spoken else everywhere
    rows: list[ChunkRow] = []
    plain = not own and is_surely_spaced(f"{title}{context}") and is_surely_spaced(note.text)
    parts: Sequence[Chunk] = chunk_note(
        note, identity, kind, section_tokens=settings.section_tokens, max_tokens=settings.max_tokens
    )
    if own:
        parts = own_chunks(note, kind, identity, parts)
    chat = source.startswith(PREFIX)
    if chat:
        parts = message_parts(identity, parts)
    for chunk_id, seq, heading, anchor, body, line, start, _ in parts:
        glued = 0 if plain else int(is_unspaced(f"{title} {heading} {body} {context}"))
        tokens = (len(body) + 3) // 4 if plain else approx_tokens(body)
        sha = text_sha(title, heading, body)
        sent = (chat and dated_by != "mtime" and message_time(heading)) or (start_ms, end_ms)
        rows.append(
            (
                chunk_id,
                seq,
                title,
                heading,
                body,
                context,
                anchor,
                line,
                start,
                tokens,
                glued,
                sha,
                *sent,
            )
        )
        context = everywhere
    columns = (
        path, identity, title, kind, source, note.sha256, start_ms, end_ms, dated_by,
        f"[{','.join(map(_quote, note.aliases))}]" if note.aliases else "[]",
        _headings(note.headings) if note.headings else "[]",
        _encode(note.blocks) if note.blocks else "[]",
        properties,
    )  # fmt: skip
    leafy = kind in LEAF_KINDS and note.properties.get("superseded") is not True
    node = summary_from_note(note) if kind == "summary" else None
    return NoteRows(path, note.sha256, columns, rows, note.tags, note.links, entity, problems, leafy, node)


def _headings(headings: list[Heading]) -> str:
    return f"[{','.join([f'[{level},{_quote(text)},{line}]' for level, text, line, _ in headings])}]"


def _spoken(note: Note) -> str:
    """Tags and the values of properties that somebody may search for; links keep their brackets."""
    words = note.tags.copy()
    for key, value in note.properties.items():
        if key not in _SILENT and key.lower() not in _SILENT:
            if isinstance(value, str):
                if value and (value.isalpha() or _is_spoken(value)):
                    words.append(value)
            elif isinstance(value, list | dict):
                words.extend(filter(_is_spoken, _texts(value)))
    return " ".join(" ".join(words).split())[:_CONTEXT_CHARS] if words else ""


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _is_spoken(value: str) -> bool:
    return 0 < len(value) < _CONTEXT_CHARS and _CODE.fullmatch(value) is None


def _scrub(note: Note) -> None:
    """Replaces halves of surrogate pairs, which YAML can write and SQLite cannot hold."""
    note.properties = {str(_clean(key)): _clean(value) for key, value in note.properties.items()}
    note.aliases = [str(_clean(alias)) for alias in note.aliases]
    note.tags = [str(_clean(tag)) for tag in note.tags]
    note.links = [
        link._replace(
            target=str(_clean(link.target)), subpath=str(_clean(link.subpath)), label=str(_clean(link.label))
        )
        for link in note.links
    ]


def _clean(value: object) -> object:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return value
