"""From a path, or from what comes in at stdin, to items.

Owns how files are told apart, the walk through a folder, and the size that is read at most. It writes nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from vaultkeeper.errors import UnreadableFileError, UsageError, VaultkeeperError
from vaultkeeper.importers.chat import chat_items, load_messages
from vaultkeeper.importers.document import SUFFIXES, document_item
from vaultkeeper.importers.item import MAX_FILE_BYTES, Item, Original, Source
from vaultkeeper.importers.mail import mail_item, parse_mail, split_mbox
from vaultkeeper.vault.text import decode

MAIL = frozenset({".eml"})
MBOX = frozenset({".mbox", ".mbx"})
CHAT = frozenset({".json", ".jsonl", ".ndjson"})
OF_KIND = {"document": SUFFIXES, "email": MAIL | MBOX, "chat": CHAT}
MAX_MBOX_BYTES = 2 * 1024**3
"""A mailbox holds many messages, each of which may be as large as a file."""


class Skipped(NamedTuple):
    """A file that was passed over, and why."""

    path: str
    reason: str


def guess_kind(path: str) -> str:
    """The kind that a file's name tells; `document` when it tells nothing."""
    suffix = Path(path).suffix.lower()
    return next((kind for kind, suffixes in OF_KIND.items() if suffix in suffixes), "document")


def read_stream(
    data: bytes, source: Source, now: datetime, *, title: str = "", suffix: str = ".md"
) -> list[Item]:
    """Returns the items of bytes that came without a name.

    Raises:
        UnreadableFileError, UsageError: they cannot be read as what the source is.
    """
    original = Original(data, suffix, source.id, title or source.id, title, path="the input")
    return list(_items(original, source, now))


def read_path(path: Path, source: Source, now: datetime, *, title: str = "") -> Iterator[Item | Skipped]:
    """Yields the items of a file, or of all files of a folder that fit the source's kind.

    In a folder, hidden names and links are passed over, and what cannot be read is yielded as skipped. Its documents
    carry its mark.

    Raises:
        UnreadableFileError, UsageError: a file that was named itself cannot be read.
    """
    if path.is_dir():
        mark = folder_mark(path) if source.kind == "document" else ""
        for file in _walk(path):
            if file.suffix.lower() not in OF_KIND[source.kind]:
                continue
            relative = file.relative_to(path).as_posix()
            try:
                name = str(Path(relative).with_suffix(""))
                for item in _of_file(file, source, now, id_in_folder(source, relative), name):
                    yield replace(item, folder=mark)
            except VaultkeeperError as error:
                yield Skipped(relative, str(error.facts.get("reason", error)))
        return
    yield from _of_file(path, source, now, source.id, title or path.stem, title)


def id_in_folder(source: Source, relative: str) -> str:
    """The id of a document of a folder."""
    return f"{source.id}#{relative}"


def folder_mark(folder: Path) -> str:
    """Tells a folder from others of its name, without saying where it lies."""
    return "d-" + sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:12]


def is_gone(folder: Path, relative: str) -> bool:
    """Whether a file is no more; one that cannot be looked at may be there."""
    try:
        (folder / relative).lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def _of_file(
    file: Path, source: Source, now: datetime, item_id: str, name: str, title: str = ""
) -> Iterator[Item]:
    suffix = file.suffix.lower()
    most = MAX_MBOX_BYTES if suffix in MBOX else MAX_FILE_BYTES
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode):
            raise UnreadableFileError(path=file.name, reason="it is no file")
        if found.st_size > most:
            raise UnreadableFileError(path=file.name, reason=f"it is larger than {most // 1024**2} MiB")
        data = file.read_bytes()
    except OSError as error:
        raise UnreadableFileError(path=file.name, reason=(error.strerror or str(error)).lower()) from None
    modified_ms = found.st_mtime_ns // 1_000_000
    yield from _items(Original(data, suffix, item_id, name, title, modified_ms, file.name), source, now)


def _items(original: Original, source: Source, now: datetime) -> Iterator[Item]:
    data, suffix, path = original.data, original.suffix, original.path
    if source.kind == "chat":
        yield from chat_items(load_messages(decode(data)[0], now), source, original.title)
    elif source.kind == "email":
        if suffix in MBOX or (suffix not in MAIL and data.startswith(b"From ")):
            for each in split_mbox(data):
                if len(each) <= MAX_FILE_BYTES:
                    yield mail_item(parse_mail(each, now), source)
        elif not data.strip():
            raise UnreadableFileError(path=path, reason="it is empty")
        else:
            yield mail_item(parse_mail(data, now), source)
    elif len(data) > MAX_FILE_BYTES:
        raise UnreadableFileError(path=path, reason=f"it is larger than {MAX_FILE_BYTES // 1024**2} MiB")
    else:
        yield document_item(original, source, now)


def _walk(folder: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and not Path(here, name).is_symlink()
        )
        for name in sorted(files):
            file = Path(here, name)
            if not name.startswith(".") and not file.is_symlink():
                yield file


def check_outside(path: Path, root: Path) -> None:
    """Makes sure that nobody ingests notes of the vault into the vault.

    Raises:
        UsageError: the path lies in the vault, or the vault in it.
    """
    real, vault = Path(os.path.realpath(path)), Path(os.path.realpath(root))
    if real == vault or vault in real.parents:
        raise UsageError(reason=f"{path} is in the vault already: its notes are leaves without being copied")
    if real in vault.parents:
        raise UsageError(reason=f"the vault lies in {path}")
