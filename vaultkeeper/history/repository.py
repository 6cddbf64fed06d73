"""The git repository: objects, refs and their names, and nothing of what they mean.

The one place that knows dulwich. It is opened by its exact folder, without any configuration of the user's. Whatever
is damaged raises `HistoryError`; nothing damaged passes for empty. Refs are files, so in their names a dot is escaped
too (`..` and `.lock` mean something to git) and a long one becomes its hash.

Source: BEHAVIOUR §12.6, the names.
"""

from __future__ import annotations

import hashlib
import re
import struct
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from dulwich.errors import (
    ChecksumMismatch,
    FileFormatException,
    NotBlobError,
    NotCommitError,
    NotGitRepository,
    NotTagError,
    NotTreeError,
    ObjectFormatException,
)
from dulwich.file import FileLocked
from dulwich.object_store import DiskObjectStore
from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tag, Tree
from dulwich.refs import DiskRefsContainer, Ref

from vaultkeeper.errors import HistoryError, UsageError

_PREFIX = "i_"
_KEPT = re.compile(rb"[A-Za-z0-9._-]")
_ESCAPE = re.compile(r"%([0-9A-F]{2})")
_MAX_REF_BYTES = 200


def encode_name(text: str) -> bytes:
    """Returns `i_` and the UTF-8 bytes of the text, all but `A-Z a-z 0-9 . _ -` as `%XX`."""
    data = text.encode("utf-8", "surrogatepass")
    return _PREFIX.encode() + b"".join(
        byte if _KEPT.match(byte) else b"%%%02X" % byte[0]
        for byte in (data[i : i + 1] for i in range(len(data)))
    )


def decode_name(name: bytes) -> str | None:
    """Returns the text that a name was made from; None for a name that is not one of ours."""
    text = name.decode("ascii", "replace")
    if not text.startswith(_PREFIX):
        return None
    data = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text[len(_PREFIX) :]).encode(
        "latin-1", "replace"
    )
    return data.decode("utf-8", "surrogatepass")


def ref_name(text: str) -> bytes:
    """Returns a name for a part of a ref; the same text has the same name, but it cannot always be read back."""
    name = encode_name(text).replace(b".", b"%2E")
    return name if len(name) <= _MAX_REF_BYTES else b"h_" + hashlib.sha256(name).hexdigest().encode()


def is_source(text: str) -> bool:
    """Tells whether a text can be the id of a source: not blank, and without control characters."""
    return bool(text.strip()) and not any(
        unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") for char in text
    )


def check_source(text: str) -> None:
    """Refuses what cannot be the id of a source.

    Raises:
        UsageError: it is blank or holds control characters.
    """
    if not is_source(text):
        raise UsageError(reason=f"{text!r} cannot be a source: it is blank or holds control characters.")


MAIN = b"refs/heads/main"
_SIGNED = b"vaultkeeper <vaultkeeper@localhost>"
_FILE, _FOLDER = 0o100644, 0o040000
_PACK_FROM = 64  # objects: fewer are written one by one
_PACK_BYTES = 32_000_000
_LOOSE_MOST = 2_000
_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"
_HEX = re.compile(rb"[0-9a-f]{40}")
_DAMAGE = (
    KeyError, ValueError, TypeError, IndexError, AssertionError, EOFError, zlib.error, struct.error, ChecksumMismatch,
    FileFormatException, NotBlobError, NotCommitError, NotGitRepository, NotTagError, NotTreeError,
    ObjectFormatException, FileLocked, NotADirectoryError, IsADirectoryError,
)  # fmt: skip


class Stored(NamedTuple):
    """A commit as stored."""

    id: str
    tree: str
    parent: str | None
    message: str


class Repository:
    """A bare repository; made when it is first written to. Close it.

    Args:
        folder: Its own folder, such as `…/history.git`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._objects: DiskObjectStore | None = None
        self._refs = DiskRefsContainer(folder)
        self._waiting: list[ShaFile] = []
        self._waiting_bytes = 0

    def close(self) -> None:
        """Closes what is open; what was not flushed is forgotten."""
        if self._objects is not None:
            self._objects.close()
            self._objects = None

    def create(self) -> None:
        """Makes the repository, for its owner only, or completes one whose making was interrupted.

        Also sweeps away what a killed writer left, so the caller must hold the lock of the history: then nobody else
        writes, and every lock file of git's is a left-over.
        """
        for part in ("objects/pack", "objects/info", "refs/heads", "refs/tags"):
            (self.folder / part).mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder.chmod(0o700)
        for name, text in (("config", _CONFIG), ("HEAD", f"ref: {MAIN.decode()}\n")):
            if not (self.folder / name).exists():
                (self.folder / name).write_text(text, "ascii")
        for pattern in ("*.lock", "refs/**/*.lock", "objects/**/tmp*"):
            for leftover in self.folder.glob(pattern):
                leftover.unlink(missing_ok=True)

    @contextmanager
    def _surfacing(self) -> Iterator[None]:
        try:
            yield
        except _DAMAGE as error:
            reason = f"{type(error).__name__}: {error}".rstrip(": ")
            raise HistoryError(path=self.folder, reason=reason) from error

    def _store(self) -> DiskObjectStore:
        if self._objects is None:
            self._objects = DiskObjectStore(self.folder / "objects", fsync_object_files=True)
        return self._objects

    # Refs

    def read_ref(self, name: bytes) -> str | None:
        """Returns the object that a ref names, or None when there is no such ref."""
        with self._surfacing():
            found = self._refs.read_ref(Ref(name))
            if found is None:
                return None
            if not _HEX.fullmatch(found):
                raise ValueError(f"{name.decode()} names no object")
            return found.decode()

    def list_refs(self, base: bytes) -> dict[bytes, str]:
        """Returns the refs below a base, by what follows it."""
        with self._surfacing():
            return {
                bytes(name): bytes(value).decode() for name, value in self._refs.as_dict(Ref(base)).items()
            }

    def write_ref(self, name: bytes, target: str) -> None:
        """Makes a ref name an object; what it named before is not asked."""
        with self._surfacing():
            self._refs[Ref(name)] = ObjectID(target.encode())

    def delete_ref(self, name: bytes) -> None:
        """Removes a ref, if there is one."""
        with self._surfacing():
            self._refs.remove_if_equals(Ref(name), None)

    def head(self) -> str | None:
        """Returns the newest commit; None when nothing was ever stored.

        Raises:
            HistoryError: there must have been one.
        """
        found = self.read_ref(MAIN)
        if found is None and (self.list_refs(b"refs/vaultkeeper") or self.list_refs(b"refs/tags")):
            raise HistoryError(
                path=self.folder, reason="its newest snapshot is gone, but what refers to one is not"
            )
        return found

    # Objects

    def read_commit(self, commit_id: str) -> Stored:
        """Returns a commit."""
        with self._surfacing():
            found = self._store()[ObjectID(commit_id.encode())]
            if not isinstance(found, Commit):
                raise TypeError(f"{commit_id} is no commit")
            parent = bytes(found.parents[0]).decode() if found.parents else None
            return Stored(
                commit_id, bytes(found.tree).decode(), parent, found.message.decode("utf-8", "replace")
            )

    def has(self, object_id: str) -> bool:
        """Tells whether an object is there."""
        with self._surfacing():
            return ObjectID(object_id.encode()) in self._store()

    def read_tree(self, tree_id: str) -> dict[bytes, str]:
        """Returns the entries of a tree, name → object."""
        with self._surfacing():
            found = self._store()[ObjectID(tree_id.encode())]
            if not isinstance(found, Tree):
                raise TypeError(f"{tree_id} is no tree")
            return {bytes(entry.path): bytes(entry.sha).decode() for entry in found.iteritems()}

    def read_blob(self, blob_id: str) -> bytes:
        """Returns the bytes of a blob."""
        with self._surfacing():
            found = self._store()[ObjectID(blob_id.encode())]
            if not isinstance(found, Blob):
                raise TypeError(f"{blob_id} is no blob")
            return bytes(found.data)

    def read_tag(self, tag_id: str) -> str:
        """Returns the message of an annotated tag."""
        with self._surfacing():
            found = self._store()[ObjectID(tag_id.encode())]
            if not isinstance(found, Tag):
                raise TypeError(f"{tag_id} is no tag")
            return (found.message or b"").decode("utf-8", "replace")

    def blob(self, data: bytes) -> str:
        """Prepares a blob and returns its id; see `flush`."""
        return self._prepare(Blob.from_string(data), len(data))

    def tree(self, files: Mapping[bytes, str], folders: Mapping[bytes, str]) -> str:
        """Prepares a tree and returns its id; see `flush`."""
        made = Tree()
        for mode, entries in ((_FILE, files), (_FOLDER, folders)):
            for name, object_id in entries.items():
                made.add(name, mode, ObjectID(object_id.encode()))
        return self._prepare(made, 64 * (len(files) + len(folders)))

    def commit(self, tree_id: str, parent: str | None, message: str, at_ms: int) -> str:
        """Writes everything prepared and a commit, makes it the newest, and returns its id."""
        made = Commit()
        made.tree = ObjectID(tree_id.encode())
        made.parents = [ObjectID(parent.encode())] if parent else []
        made.author = made.committer = _SIGNED
        made.author_time = made.commit_time = at_ms // 1000
        made.author_timezone = made.commit_timezone = 0
        made.encoding = b"UTF-8"
        made.message = message.encode("utf-8", "replace")
        commit_id = self._prepare(made, 500)
        self.flush()
        self.write_ref(MAIN, commit_id)
        return commit_id

    def tag(self, name: bytes, target: str, message: str, at_ms: int) -> None:
        """Writes an annotated tag of a commit."""
        made = Tag()
        made.name = name
        made.object = (Commit, ObjectID(target.encode()))
        made.tagger = _SIGNED
        made.tag_time = at_ms // 1000
        made.tag_timezone = 0
        made.message = message.encode("utf-8", "replace")
        tag_id = self._prepare(made, 500)
        self.flush()
        self.write_ref(b"refs/tags/" + name, tag_id)

    def flush(self) -> None:
        """Writes what was prepared; many objects become a pack."""
        objects, self._waiting, self._waiting_bytes = self._waiting, [], 0
        if not objects:
            return
        with self._surfacing():
            store = self._store()
            if len(objects) >= _PACK_FROM:
                _write_pack(store.add_objects, objects)
            else:
                for made in objects:
                    store.add_object(made)

    def tidy(self) -> None:
        """Packs single objects when there are many; nothing is lost at any moment of it."""
        with self._surfacing():
            if self._store().count_loose_objects() > _LOOSE_MOST:
                self._store().pack_loose_objects()

    def _prepare(self, made: ShaFile, size: int) -> str:
        self._waiting.append(made)
        self._waiting_bytes += size
        made_id = bytes(made.id).decode()
        if self._waiting_bytes > _PACK_BYTES:
            self.flush()
        return made_id


def _write_pack(
    add: Callable[[Sequence[tuple[ShaFile, str | None]]], object], objects: list[ShaFile]
) -> None:
    unique = {made.id: made for made in objects}
    add([(made, None) for made in unique.values()])
