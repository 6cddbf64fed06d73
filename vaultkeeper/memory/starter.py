"""The files that `vaultkeeper init` puts into a vault, and where they are found.

They are `templates/` of a checkout, or `_templates/` of an installed wheel. Knows also what of a note is still theirs.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from vaultkeeper.errors import ExistsError, NotInstalledError, StorageError
from vaultkeeper.vault.chunks import chunk_note
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.write import create_note

PLACES = {"obsidian": ".obsidian", "entities": "templates/entities"}
"""Where a folder of the templates goes in a vault; other files go to its root."""


def templates_folder() -> Path:
    """Returns the folder of the templates.

    Raises:
        NotInstalledError: there is none, so the installation is damaged.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_templates", package.parent / "templates"):
        if folder.is_dir():
            return folder
    raise NotInstalledError(what="the templates")


def starter_files() -> dict[str, bytes]:
    """Returns the files by their path in a vault, in order of path."""
    source = templates_folder()
    files: dict[str, bytes] = {}
    for path in sorted(source.rglob("*")):
        if path.is_file():
            first, *rest = path.relative_to(source).parts
            place = "/".join([PLACES[first], *rest]) if rest else first
            files[place] = path.read_bytes()
    return files


def is_starter_text(path: str, body: str) -> bool:
    """Returns whether a section's text is word for word what `init` wrote into this note of the vault's root."""
    return " ".join(body.split()) in _starter_texts().get(path, ())


@cache
def _starter_texts() -> dict[str, frozenset[str]]:
    try:
        files = starter_files()
    except NotInstalledError:  # said where it matters, by `init`
        return {}
    notes = [
        parse_note(path, data) for path, data in files.items() if path.endswith(".md") and "/" not in path
    ]
    return {
        note.path: frozenset(" ".join(part.text.split()) for part in chunk_note(note, note.path, "note"))
        for note in notes
    }


def create_missing(root: Path, *, dry_run: bool) -> list[str]:
    """Creates the files that a vault lacks and returns their paths.

    Raises:
        ExistsError: the vault's folder is a file, or would lie in one.
        StorageError: no folder can be made there.
        RefusedError: a folder on the way is a symlink that leaves the vault.
    """
    created = []
    if not dry_run:
        try:
            root.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise ExistsError(path=root) from None
        except FileNotFoundError as error:  # a place that takes no folders, such as /proc
            raise StorageError(path=root, reason=str(error.strerror).lower()) from None
    for place, content in starter_files().items():
        if os.path.lexists(root / place):
            continue
        if not dry_run:
            try:
                create_note(root, place, content, user_asked=True, allow_hidden=True)
            except ExistsError:
                continue
        created.append(place)
    return created
