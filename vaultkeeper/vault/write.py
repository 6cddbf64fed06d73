"""The only place that writes files of the vault.

Owns how a note is created, replaced and put into the trash such that at any moment, whatever is killed, the
vault holds the old bytes or the new ones and never a part of either. It does not decide what is written.

A file is first written whole under a name beginning with `.tmp_` in the same folder, where neither Obsidian
nor the scan look, forced to the disk, and then published: by a hard link when it is new, so that nothing is
overwritten, and by a rename when it replaces. What an interrupted write leaves behind is at most such a
file; `remove_stale_temps` clears them. (On a file system without hard links the name of a new note is first
taken by an empty file, which a kill at that moment leaves.)

An editor that knows no locks can still save between the last comparison and the rename, which are a few
microseconds apart.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from vaultkeeper.errors import (
    ConflictError,
    ExistsError,
    NoteNotFoundError,
    ReadOnlyError,
    RefusedError,
    StorageError,
)
from vaultkeeper.vault.paths import PROGRAM_FOLDERS, inside, is_program_path

TEMP_PREFIX = ".tmp_"
_TEMP = re.compile(re.escape(TEMP_PREFIX) + r"[0-9a-f]{32}(?:\..*)?", re.DOTALL)
TRASH = ".trash"
_AT_ONCE = 8  # files that are forced to the disk at the same time

Step = Callable[[str], None]
"""Called with the name of each step after it was done; tests end the process there."""

_NO_LINKS = frozenset(
    {errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EMLINK, errno.EXDEV, errno.EACCES}
)


class Receipt(NamedTuple):
    """What was written.

    Attributes:
        sha256: Of the whole file as it is now, in hex.
        bytes: Length of the whole file.
        changed: False when there was nothing to do and nothing was written.
    """

    path: str
    sha256: str
    bytes: int
    changed: bool = True


def _no_step(name: str) -> None:
    """The step callback of everything but tests."""


def sha256_hex(data: bytes) -> str:
    """Hash of a file's bytes, as receipts and expectations name it."""
    return hashlib.sha256(data).hexdigest()


@contextmanager
def _storage(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(path=path, reason=(error.strerror or str(error)).lower()) from error


def _check_owner(path: str, user_asked: bool) -> None:
    if not user_asked and not is_program_path(path):
        raise RefusedError(path=path, reason="this note is the user's own")


def _sync_folder(folder: Path) -> None:
    """Forces names in a folder to the disk; systems that cannot do that are left alone."""
    try:
        handle = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def _make_folder(folder: Path) -> None:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for new in reversed(missing):
        new.mkdir(exist_ok=True)
        _sync_folder(new.parent)


def _write_temp(folder: Path, suffix: str, data: bytes, like: os.stat_result | None, step: Step) -> Path:
    """Writes the bytes under a new hidden name, with the rights of the file that they will replace."""
    temp = folder / f"{TEMP_PREFIX}{uuid.uuid4().hex}{suffix}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(temp, flags, 0o666 if like is None else 0o600)
    try:
        step("temp-created")
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        step("temp-written")
        if like is not None:
            _copy_rights(handle, like)
        os.fsync(handle)
        step("temp-synced")
    except BaseException:
        os.close(handle)
        _discard(temp)
        raise
    os.close(handle)
    return temp


def _copy_rights(handle: int, like: os.stat_result) -> None:
    """Owner first, because changing it clears bits. The owner is kept where the system lets us."""
    if not hasattr(os, "fchmod"):
        return
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (like.st_uid, like.st_gid):
        try:
            os.fchown(handle, like.st_uid, like.st_gid)
        except OSError:
            pass
    os.fchmod(handle, like.st_mode & 0o7777)


def _discard(temp: Path) -> None:
    try:
        temp.unlink()
    except OSError:
        pass


def _publish_new(temp: Path, target: Path, path: str, step: Step) -> None:
    """Gives the temporary file its name, and never overwrites."""
    try:
        os.link(temp, target)
        step("published")
        temp.unlink()
    except FileExistsError:
        raise ExistsError(path=path) from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        try:
            os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        except FileExistsError:
            raise ExistsError(path=path) from None
        step("reserved")
        temp.replace(target)
        step("published")


def create_note(
    root: Path,
    path: str,
    data: bytes,
    *,
    user_asked: bool = False,
    allow_hidden: bool = False,
    step: Step = _no_step,
) -> Receipt:
    """Writes a file that does not exist yet, and the folders above it.

    Args:
        path: Relative to the vault's root.
        user_asked: Whether the user named this place; without it only the program's own places are allowed.
        allow_hidden: Whether a name that begins with a dot is meant.

    Raises:
        ExistsError: there is such a file; it is untouched.
        RefusedError: not the program's, or not inside the vault.
        StorageError: the disk refused; nothing is left behind.
    """
    _check_owner(path, user_asked)
    target = inside(root, path, allow_hidden=allow_hidden)
    if os.path.lexists(target):
        raise ExistsError(path=path)
    with _storage(path):
        _make_folder(target.parent)
        inside(root, path, allow_hidden=allow_hidden)
        temp = _write_temp(target.parent, target.suffix, data, None, step)
        try:
            _publish_new(temp, target, path, step)
        finally:
            _discard(temp)
        _sync_folder(target.parent)
        step("folder-synced")
    return Receipt(path, sha256_hex(data), len(data))


def create_notes(root: Path, notes: Sequence[tuple[str, bytes]], *, step: Step = _no_step) -> list[Receipt]:
    """Writes new files of one folder, in order, for much less than one by one: the disk is waited for once.

    Args:
        notes: Path relative to the vault's root and content; all in the same folder of the program's.

    Returns:
        One receipt for each file that was written. It ends before the first whose name is taken; that one and those
        behind it are not written.

    Raises:
        RefusedError: not the program's, or not inside the vault.
        StorageError: the disk refused; files that were published before stay, nothing else is left behind.
    """
    from concurrent.futures import ThreadPoolExecutor

    receipts: list[Receipt] = []
    if not notes:
        return receipts
    first = notes[0][0]
    above = first.rpartition("/")[0]
    _check_owner(first, False)
    folder = inside(root, first).parent
    targets = []
    for path, _ in notes:
        place, _, name = path.rpartition("/")
        if place != above or not name or name.startswith(".") or (os.sep != "/" and os.sep in name):
            raise RefusedError(path=path, reason="it is not a plain name in the same folder")
        targets.append(folder / name)
    made: list[Path] = []
    with _storage(first):
        _make_folder(folder)
        inside(root, first)
        try:
            slices = [notes[at::_AT_ONCE] for at in range(min(_AT_ONCE, len(notes)))]
            with ThreadPoolExecutor(len(slices)) as pool:
                written = list(pool.map(lambda part: _write_temps(folder, part, made, step), slices))
            temps = [written[at % len(slices)][at // len(slices)] for at in range(len(notes))]
            for (path, data), target, temp in zip(notes, targets, temps, strict=True):
                try:
                    _publish_new(temp, target, path, step)
                except ExistsError:
                    break
                receipts.append(Receipt(path, sha256_hex(data), len(data)))
        finally:
            for temp in made:
                _discard(temp)
        _sync_folder(folder)
        step("folder-synced")
    return receipts


def _write_temps(
    folder: Path, notes: Sequence[tuple[str, bytes]], made: list[Path], step: Step
) -> list[Path]:
    """Writes several files under hidden names, one after the other; `made` hears of each at once."""
    temps = []
    for path, data in notes:
        temps.append(_write_temp(folder, Path(path).suffix, data, None, step))
        made.append(temps[-1])
    return temps


def read_note(root: Path, path: str) -> bytes:
    """Reads a file that is to be edited.

    Raises:
        NoteNotFoundError: there is none.
        RefusedError: not inside the vault, or a link.
    """
    target = inside(root, path)
    try:
        return target.read_bytes()
    except FileNotFoundError:
        raise NoteNotFoundError(path=path, near="") from None
    except OSError as error:
        raise StorageError(path=path, reason=(error.strerror or str(error)).lower()) from error


def replace_note(
    root: Path,
    path: str,
    data: bytes,
    expected_sha256: str,
    *,
    user_asked: bool = False,
    step: Step = _no_step,
) -> Receipt:
    """Replaces the bytes of a note if it still is what the caller read. Rights and, where possible, the
    owner are kept.

    The caller holds the edit lock of the vault (`vault.lock`) from reading to here.

    Args:
        expected_sha256: Hex hash of the bytes that the new ones were made from.
        user_asked: Whether the user asked for a change of this note; without it only the program's own are
            allowed.

    Raises:
        ConflictError: the note changed or vanished meanwhile; it is untouched.
        RefusedError: a link, read-only, not the program's, or not inside the vault.
        StorageError: the disk refused; the note is untouched.
    """
    _check_owner(path, user_asked)
    target = inside(root, path)
    if sha256_hex(data) == expected_sha256:
        return Receipt(path, expected_sha256, len(data), changed=False)
    with _storage(path):
        try:
            before = os.lstat(target)
        except FileNotFoundError:
            raise ConflictError(path=path) from None
        if not before.st_mode & 0o222 or not os.access(target, os.W_OK):
            raise ReadOnlyError(path=path, reason="it is read-only")
        temp = _write_temp(target.parent, target.suffix, data, before, step)
        try:
            inside(root, path)
            try:
                unchanged = sha256_hex(target.read_bytes()) == expected_sha256
            except FileNotFoundError:
                unchanged = False
            if not unchanged:
                raise ConflictError(path=path)
            step("compared")
            temp.replace(target)
        except BaseException:
            _discard(temp)
            raise
        step("replaced")
        _sync_folder(target.parent)
        step("folder-synced")
    return Receipt(path, sha256_hex(data), len(data))


def trash_note(
    root: Path, path: str, expected_sha256: str, *, user_asked: bool = False, step: Step = _no_step
) -> str:
    """Moves a note into the vault's `.trash`, where Obsidian puts what is deleted; nothing there is
    overwritten.

    Returns:
        Where it lies now, relative to the root.

    Raises:
        ConflictError: the note changed meanwhile; it stays.
        RefusedError, StorageError: as for `replace_note`.
    """
    _check_owner(path, user_asked)
    source = inside(root, path)
    with _storage(path):
        try:
            data = source.read_bytes()
        except FileNotFoundError:
            raise NoteNotFoundError(path=path, near="") from None
        if sha256_hex(data) != expected_sha256:
            raise ConflictError(path=path)
        stem, suffix = os.path.splitext(f"{TRASH}/{path}")
        for number in range(1, 1000):
            trashed = f"{stem}{suffix}" if number == 1 else f"{stem} {number}{suffix}"
            try:
                create_note(root, trashed, data, user_asked=True, allow_hidden=True, step=step)
                break
            except ExistsError:
                if sha256_hex(inside(root, trashed, allow_hidden=True).read_bytes()) == expected_sha256:
                    break
        if sha256_hex(source.read_bytes()) != expected_sha256:
            raise ConflictError(path=path)
        step("copied")
        source.unlink()
        step("removed")
        _sync_folder(source.parent)
    return trashed


def remove_stale_temps(root: Path, older_than_ns: int) -> int:
    """Removes what interrupted writes of this module left in the folders that the program writes.

    What `vault.update` left stays: somebody may have saved into it, and the next change of that file looks.

    Args:
        root: The vault.
        older_than_ns: Only files last changed before this time (nanoseconds since 1970) go, so that a write
            under way is left alone.

    Returns:
        How many were removed.
    """
    removed = 0
    for folder in (root, *(root / name for name in (*PROGRAM_FOLDERS, TRASH))):
        for above, folders, names in os.walk(folder):
            if folder == root:
                folders.clear()
            for name in filter(_TEMP.fullmatch, names):
                file = Path(above, name)
                try:
                    status = file.lstat()
                    if stat.S_ISREG(status.st_mode) and status.st_mtime_ns < older_than_ns:
                        file.unlink()
                        removed += 1
                except OSError:  # somebody else removes it, or may not
                    continue
    return removed
