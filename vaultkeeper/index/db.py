"""Connections to SQLite: the only module that imports `sqlite3`.

Owns how a database of vaultkeeper is opened, and nothing about what is in it. Connections are in autocommit mode;
whoever writes says where a transaction begins (`transaction`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

Connection = sqlite3.Connection
Cursor = sqlite3.Cursor
DatabaseError = sqlite3.DatabaseError
OperationalError = sqlite3.OperationalError

BUSY_TIMEOUT_MS = 10_000
"""How long a connection waits for another one before it gives up."""

CACHE_KIB = 16_000
"""Pages that a connection keeps in memory."""

_PAGE_BYTES = (
    8192  # a first build writes half as many pages as with the usual 4096, and edits hardly more bytes
)
_CORRUPT, _NOT_A_DATABASE = 11, 26  # primary result codes
_LOCKED = (5, 6)
_NO_SHARED_MEMORY = (8, 10, 13, 14)  # read-only, input or output, full, cannot open
_WRITING = (
    f"PRAGMA page_size={_PAGE_BYTES}",  # heeded by an empty file only
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
)
_READING = ("PRAGMA schema_version",)  # the first read, which is what fails
_DAMAGED = ("Could not decode to UTF-8", "no such table", "no such column", "malformed database schema")
"""How messages begin that have another code, or none, in a database of the right version."""


def connect(path: Path, *, readonly: bool = False) -> Connection:
    """Opens a database file, in WAL mode so that readers never wait for the writer.

    A writer creates the file, readable by its owner only. Transactions are explicit (`isolation_level=None`). A reader
    needs no room on the disk: where none can be had for the memory that it shares with others, nobody writes either,
    and it reads alone.

    Raises:
        OperationalError: the file cannot be opened, or a reader finds none.
        DatabaseError: the file is no database.
    """
    if not readonly and not path.exists():
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    if not readonly:
        return _open(path, "mode=rw", _WRITING)
    try:
        return _open(path, "mode=ro", _READING)
    except OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _NO_SHARED_MEMORY or not path.is_file():
            raise
    return _open_alone(path)


def _open_alone(path: Path) -> Connection:
    """Opens a database whose folder is full or read-only: without the file that connections share.

    What a killed writer left in its log is read too.
    """
    log = path.with_name(f"{path.name}-wal")
    if not log.is_file() or log.stat().st_size == 0:
        return _open(path, "mode=ro&immutable=1", _READING)
    no_locks = "win32-none" if os.name == "nt" else "unix-none"
    return _open(path, f"mode=ro&vfs={no_locks}", ("PRAGMA locking_mode=EXCLUSIVE", *_READING))


def _open(path: Path, options: str, pragmas: tuple[str, ...]) -> Connection:
    db = sqlite3.connect(
        f"file:{quote(os.fspath(path))}?{options}",
        uri=True,
        timeout=BUSY_TIMEOUT_MS / 1000,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        for pragma in (*pragmas, "PRAGMA temp_store=MEMORY", f"PRAGMA cache_size=-{CACHE_KIB}"):
            db.execute(pragma)
    except BaseException:
        db.close()
        raise
    return db


@contextmanager
def transaction(db: Connection) -> Iterator[None]:
    """Runs its block in one transaction: all of it or nothing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def is_corrupt(error: DatabaseError) -> bool:
    """True when the file itself is at fault, so that only throwing it away helps; False for a lock or a full disk."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (_CORRUPT, _NOT_A_DATABASE) or str(error).startswith(_DAMAGED)


def is_locked(error: DatabaseError) -> bool:
    """True when another connection is in the way."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _LOCKED


def is_sound(path: Path) -> bool:
    """Looks through a whole database file; False when its structure is damaged."""
    try:
        db = connect(path, readonly=True)
        try:
            return bool(db.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",))
        finally:
            db.close()
    except DatabaseError as error:
        return not is_corrupt(error)


def statements(script: str) -> Iterator[str]:
    """Yields the statements of a script one by one, so that they can run inside of a transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
