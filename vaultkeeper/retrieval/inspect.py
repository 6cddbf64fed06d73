"""One note as vaultkeeper reads it: what stands in it, where its links lead, and what is wrong with it.

The note is read from the vault, so that it is shown as it is now; the index tells which other files there are.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vaultkeeper.errors import AmbiguousNoteError, NoteNotFoundError
from vaultkeeper.index.reports import (
    Found,
    NoteView,
    fetch_anchors,
    fetch_backlinks,
    fetch_found,
    fetch_paths,
    fetch_problems,
)
from vaultkeeper.vault.canvas import parse_canvas
from vaultkeeper.vault.links import Anchors, LinkResolver, link_problems
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.scan import is_canvas

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection


def inspect_notes(db: Connection | None, root: Path, names: Sequence[str], folder: Path) -> list[NoteView]:
    """Reads notes and resolves their links.

    Args:
        db: The index; without one no link resolves but those to the notes themselves.
        names: Paths relative to the vault or to `folder`, or names as in a wikilink.

    Raises:
        NoteNotFoundError: one is not in this vault.
        AmbiguousNoteError: a name fits several notes.
    """
    paths = fetch_paths(db) if db is not None else []
    resolver = LinkResolver(paths)
    return [_inspect(db, root, resolver, find_path(root, name, folder, resolver)) for name in names]


def find_path(root: Path, name: str, folder: Path, resolver: LinkResolver) -> str:
    """Returns the vault-relative path of the note that a name means.

    A path relative to the vault comes first, then one relative to `folder`, then the name as a wikilink would find it,
    except that several equally good notes are an error here.

    Raises:
        NoteNotFoundError, AmbiguousNoteError: see `inspect_notes`.
    """
    for base in (root, folder):
        for suffix in ("", ".md"):
            path = os.path.normpath(base / (name + suffix))
            if path.startswith(str(root) + os.sep) and _is_file(path) and _really_inside(path, root):
                return Path(path).relative_to(root).as_posix()
    found = resolver.resolve("", name)
    if found.status == "ambiguous":
        raise AmbiguousNoteError(name=name, candidates=", ".join(found.candidates), first=found.candidates[0])
    if found.path is None or not _is_file(root / found.path):
        near = resolver.near(name) or resolver.alike(name)
        hint = (
            f"Did you mean {' or '.join(near)}?"
            if near
            else "`vaultkeeper search` finds notes by their words."
        )
        raise NoteNotFoundError(path=name, near=hint)
    return found.path


def _is_file(path: str | Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 (a Path raises for a name that is too long)


def _really_inside(path: str, root: Path) -> bool:
    return os.path.realpath(path).startswith(str(root) + os.sep)


def _inspect(db: Connection | None, root: Path, resolver: LinkResolver, path: str) -> NoteView:
    data = (root / path).read_bytes()
    note = parse_canvas(path, data) if is_canvas(path) else parse_note(path, data)
    resolutions = [resolver.resolve(path, link.target) for link in note.links]

    def anchors(target: str) -> Anchors | None:
        if target == path:
            return Anchors(note.headings, note.blocks)
        known = fetch_anchors(db, target) if db is not None else None
        return Anchors(*known) if known is not None else None

    problems = [*note.problems, *link_problems(note, resolutions, anchors, resolver.near)]
    found: list[Found] = []
    backlinks: list[tuple[str, int]] = []
    if db is not None:
        backlinks = fetch_backlinks(db, path)
        problems += fetch_problems(db, path, ("scan", "entity"))
        found = fetch_found(db, path)
    problems.sort(key=lambda problem: (problem.line or 0, problem.code, problem.message))
    links = tuple(zip(note.links, resolutions, strict=True))
    return NoteView(note, links, tuple(found), tuple(problems), tuple(backlinks))
