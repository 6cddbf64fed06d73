"""The folder of a vault's index: where its database lies, how it is opened, replaced and thrown away.

The database has a generation: `current` names the file that counts, and a rebuild writes a new file and then renames a
new `current` into place. Readers of an old generation go on undisturbed, and no write-ahead log ever meets a database
that it does not belong to. Everything here is derived: what is broken, or of another version, is thrown away.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple

from vaultkeeper.errors import LockedError, NotPermittedError, StorageError
from vaultkeeper.index.db import (
    Connection,
    DatabaseError,
    OperationalError,
    connect,
    is_corrupt,
    is_locked,
    is_sound,
    statements,
    transaction,
)
from vaultkeeper.index.embedding import STATE as VECTORS_STATE
from vaultkeeper.index.schema import SCHEMA_VERSION, TABLES

_CURRENT = "current"
_CONDEMNED = "condemned"
_OURS = re.compile(
    r"(?:current|condemned|index-\d+\.sqlite|embeddings\.sqlite3|vectors|writer\.lock|edit\.lock|watch\.sock)(?:[-.].*)?"
)
"""The names in an index folder. One that the user chose may hold other things too."""
_SUFFIXES = ("", "-wal", "-shm", "-journal")
_CACHEDIR_TAG = """Signature: 8a477f597d28d172789f06886806bc55
# This folder holds data that vaultkeeper derives from notes; it can be deleted at any moment.
# Backup programs may leave it out: https://bford.info/cachedir/
"""


class Opened(NamedTuple):
    """An index as found. Either `db` or the reason why there is none; a sync mends every reason."""

    db: Connection | None
    state: Literal["ready", "missing", "outdated", "corrupt"]


def prepare_folder(index_dir: Path) -> None:
    """Makes the folder, for its owner only, marked as a cache. What somebody put in the place of a file goes,
    and a file that was closed to its owner is opened again.

    Raises:
        StorageError: it cannot be made.
    """
    try:
        index_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        tag = index_dir / "CACHEDIR.TAG"
        if not tag.exists():
            index_dir.chmod(0o700)
            tag.write_text(_CACHEDIR_TAG, encoding="ascii")
        with os.scandir(index_dir) as entries:
            ours = [entry for entry in entries if _OURS.fullmatch(entry.name)]
        strange = [entry.name for entry in ours if entry.is_symlink() or entry.is_dir()]
    except OSError as error:
        raise StorageError(path=index_dir, reason=error.strerror or str(error)) from error
    for name in strange:
        _clear(index_dir / name)
    for entry in ours:
        if not os.access(entry, os.R_OK | os.W_OK):
            with suppress(OSError):  # on a read-only disk, say
                Path(entry.path).chmod(0o600)


def database_path(index_dir: Path) -> Path | None:
    """The file that counts, or None when no index was ever begun."""
    try:
        name = (index_dir / _CURRENT).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return index_dir / name if name.startswith("index-") and "/" not in name else None


def open_reader(index_dir: Path) -> Opened:
    """Opens the index for reading; never creates or repairs, and never waits for a writer.

    Raises:
        LockedError: another program locks the database.
        NotPermittedError: it may not be read.
    """
    path = database_path(index_dir)
    if path is None or not path.is_file():
        return Opened(None, "missing")
    if is_condemned(index_dir):
        return Opened(None, "corrupt")
    try:
        db = connect(path, readonly=True)
    except DatabaseError as error:
        if is_locked(error):
            raise LockedError(holder="another program") from error
        if not os.access(path, os.R_OK):
            raise NotPermittedError(path=path) from error
        return Opened(None, "corrupt")
    version = _version(db)
    if version is None:
        db.close()
        return Opened(None, "corrupt")
    if version != SCHEMA_VERSION:
        db.close()
        return Opened(None, "outdated" if version else "missing")
    return Opened(db, "ready")


class Reader:
    """The connection of one thread to the generation that counts, opened when it is needed."""

    def __init__(self, index_dir: Path) -> None:
        self._index_dir = index_dir
        self._db: Connection | None = None
        self._path: Path | None = None
        self._held = False

    def open(self) -> Connection | None:
        """Returns the connection, to a new generation where there is one; None when no index can be read."""
        if self._held:
            return self._db
        if self._db is not None and database_path(self._index_dir) != self._path:
            self.close()
        if self._db is None:
            self._path = database_path(self._index_dir)
            self._db = open_reader(self._index_dir).db
        return self._db

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Inside, all is read from one state of the index, whatever is written meanwhile."""
        db = self.open()
        if db is None or self._held:
            yield
            return
        db.execute("BEGIN")
        self._held = True
        try:
            yield
        finally:
            self._held = False
            if self._db is db and db.in_transaction:
                db.execute("COMMIT")

    def close(self) -> None:
        """Closes the connection; it can be opened again."""
        if self._db is not None:
            self._db.close()
        self._db, self._held = None, False


def open_writer(index_dir: Path) -> Connection:
    """Opens the index for writing; makes an empty one when there is none, or none that can be used.

    The caller holds the lock of the index.

    Raises:
        StorageError: the folder cannot be written.
    """
    prepare_folder(index_dir)
    path = database_path(index_dir)
    if path is not None and path.is_file():
        try:
            db = connect(path)
        except DatabaseError as error:
            if not is_corrupt(error):
                raise _storage_error(path, error) from error
        else:
            if _version(db) == SCHEMA_VERSION:
                _remove_others(path)
                return db
            db.close()
    with new_generation(index_dir) as db:
        pass
    path = database_path(index_dir)
    assert path is not None
    return connect(path)


@contextmanager
def new_generation(index_dir: Path) -> Iterator[Connection]:
    """Yields an empty database; when the block ends well it becomes the current one, and the others are removed.

    Raises:
        StorageError: the folder cannot be written.
    """
    prepare_folder(index_dir)
    numbers = [int(path.stem[6:]) for path in index_dir.glob("index-*.sqlite") if path.stem[6:].isdecimal()]
    path = index_dir / f"index-{max(numbers, default=0) + 1}.sqlite"
    try:
        try:
            db = connect(path)
        except OSError as error:
            raise StorageError(path=path, reason=(error.strerror or str(error)).lower()) from error
        try:
            create(db)
            yield db
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            db.close()
        _publish(index_dir, path)
    except BaseException as error:
        _remove(path)
        if isinstance(error, OperationalError):
            raise _storage_error(path, error) from error
        raise
    _remove_others(path)


def _clear(path: Path) -> None:
    """Removes a file, or a folder that somebody put in its place."""
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(path=path, reason=(error.strerror or str(error)).lower()) from error


def _publish(index_dir: Path, path: Path) -> None:
    publish = index_dir / f"{_CURRENT}.new"
    for in_the_way in (publish, index_dir / _CURRENT):
        if in_the_way.is_dir():
            _clear(in_the_way)
    try:
        publish.write_text(path.name, encoding="ascii")
        publish.replace(index_dir / _CURRENT)
    except OSError as error:
        raise StorageError(path=publish, reason=error.strerror or str(error)) from error


def renew_writer(index_dir: Path, db: Connection | None) -> Connection:
    """Returns the writer's connection, opened where there is none; an index that was condemned is made anew.

    Raises:
        StorageError: the folder cannot be written.
    """
    if is_condemned(index_dir):
        if db is not None:
            db.close()
        discard(index_dir)
        return open_writer(index_dir)
    return db if db is not None else open_writer(index_dir)


def condemn_if_broken(index_dir: Path, error: BaseException) -> bool:
    """Looks whether the database is to blame for an error; then the next sync makes it anew.

    A reader calls it, who may not throw anything away: perhaps another process writes. It only leaves a mark, where the
    disk lets it.
    """
    path = database_path(index_dir)
    if path is None or not path.is_file():
        return False
    if not (isinstance(error, DatabaseError) and is_corrupt(error)) and is_sound(path):
        return False
    with suppress(OSError):
        (index_dir / _CONDEMNED).write_text(path.name, encoding="ascii")
    return True


def is_condemned(index_dir: Path) -> bool:
    """True when a reader found the database that counts now to be broken."""
    try:
        name = (index_dir / _CONDEMNED).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return False
    path = database_path(index_dir)
    return path is not None and path.name == name


def discard(index_dir: Path) -> None:
    """Throws the database away (not the memo of embeddings): the next sync makes a new one.

    Raises:
        StorageError: the folder cannot be written.
    """
    for name in (_CURRENT, _CONDEMNED, VECTORS_STATE):
        _clear(index_dir / name)
    for path in index_dir.glob("index-*.sqlite"):
        _remove(path)


def create(db: Connection) -> None:
    """Makes the tables in an empty database. Indexes are made by the first sync that ends."""
    with transaction(db):
        for statement in statements(TABLES):
            db.execute(statement)
        db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")


def _version(db: Connection) -> int | None:
    """The version of the schema; None when the file is corrupt."""
    try:
        row = db.execute("PRAGMA user_version").fetchone()
    except DatabaseError as error:
        if is_corrupt(error):
            return None
        db.close()
        raise
    return int(row[0])


def _remove_others(path: Path) -> None:
    """Removes every generation but this one: those that it replaces, and what a killed rebuild left."""
    for other in path.parent.glob("index-*.sqlite"):
        if other.name != path.name:
            _remove(other)


def _remove(path: Path) -> None:
    for suffix in _SUFFIXES:
        try:
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        except OSError:  # still open elsewhere, where open files cannot be removed; the next one does
            continue


def _storage_error(path: Path, error: DatabaseError) -> StorageError:
    return StorageError(path=path, reason=str(error))
