"""Changing a file that somebody else may save at the same moment, without losing a byte of theirs.

`vault.write.replace_note` compares and then renames; a save that falls between the two is lost. Here the new file and
the old one change places in one step, and what was displaced is looked at before it goes: if it is not what was read,
somebody saved meanwhile, and the change is made again on what they saved. A program that has the file still open for
writing is waited for, since what it writes would go to the displaced file. Last, the file is looked at once more: a
program that had read it before the change and saved it after has undone the change, which is then made again.

The caller holds `vault.sentinel.memory_lock`. What a killed process leaves is a hidden file beside the note, which the
next update of that note removes, or, if it holds what somebody saved in that very moment, gives a visible name.

Where the system cannot swap files, it is compare and rename, as everywhere else.
"""

from __future__ import annotations

import os
import re
import time
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path

from vaultkeeper.errors import ConflictError, ExistsError, RefusedError, VaultkeeperError
from vaultkeeper.vault.exchange import exchange, wait_for_writers
from vaultkeeper.vault.merge import merge_lines
from vaultkeeper.vault.paths import inside, plain_folders
from vaultkeeper.vault.write import (
    TEMP_PREFIX,
    Receipt,
    Step,
    _check_owner,
    _discard,
    _make_folder,
    _no_step,
    _publish_new,
    _storage,
    _sync_folder,
    _write_temp,
    sha256_hex,
)

Edit = Callable[[bytes], bytes]
"""Old bytes (empty when there is no file) to new ones. May be called several times; raises to refuse."""

GIVE_UP_S = 5.0
"""How long an update tries against somebody who saves again and again, or has the file open for writing."""

_PAUSE_S = 0.002
_DIGITS = 16
_LEFT = re.compile(
    re.escape(TEMP_PREFIX)
    + r"(?:swap-(?P<old>[0-9a-f]{16})-(?P<new>[0-9a-f]{16})-[0-9a-f]{8}|base-(?P<base>[0-9a-f]{16})-[0-9a-f]{8}"
    r"|[0-9a-f]{32})-(?P<note>.+)"
)


def update_note(
    root: Path, path: str, edit: Edit, *, user_asked: bool = False, step: Step = _no_step
) -> Receipt:
    """Changes a file of the vault, or creates it.

    Args:
        path: Relative to the vault's root. Neither the file nor a folder above it may be a symbolic link.
        edit: What to change. When it returns what it was given, nothing is written.
        user_asked: Whether the user named this file; else it must be one of the program's.

    Raises:
        ConflictError: somebody else kept changing the file; it holds what they wrote.
        RefusedError: a link, read-only, not the program's, or not inside the vault.
        StorageError: the disk refused; the file is untouched.
        VaultkeeperError: whatever `edit` raises; the file is untouched.
    """
    _check_owner(path, user_asked)
    deadline = time.monotonic() + GIVE_UP_S
    with _storage(path):
        _clear_leftovers(root, path, deadline)
        while True:
            try:
                return _attempt(root, path, edit, deadline, step)
            except _SavedMeanwhileError:
                if time.monotonic() >= deadline:
                    raise ConflictError(path=path) from None
                time.sleep(_PAUSE_S)


class _SavedMeanwhileError(Exception):
    """Somebody changed, made or removed the file since it was read; nothing was written."""


def _target(root: Path, path: str) -> Path:
    plain_folders(root, path)
    return inside(root, path)


def _attempt(root: Path, path: str, edit: Edit, deadline: float, step: Step) -> Receipt:
    target = _target(root, path)
    try:
        old = target.read_bytes()
    except FileNotFoundError:
        return _create(root, path, edit(b""), step)
    new = edit(old)
    if new == old:
        return Receipt(path, sha256_hex(old), len(old), changed=False)
    receipt = _swap(root, path, old, new, edit, deadline, step)
    if receipt.sha256 == sha256_hex(new) and _is_overwritten(target, old, new):
        raise _SavedMeanwhileError
    return receipt


def _is_overwritten(target: Path, old: bytes, new: bytes) -> bool:
    """Whether somebody who had read the file before the change has saved it since, without the change."""
    try:
        now = target.read_bytes()
    except OSError:
        return False  # they removed it, and what was added with it
    return now != new and merge_lines(old, new, now).data != now


def _create(root: Path, path: str, new: bytes, step: Step) -> Receipt:
    if not new:
        return Receipt(path, sha256_hex(new), 0, changed=False)
    target = _target(root, path)
    _make_folder(target.parent)
    target = _target(root, path)
    temp = _write_temp(target.parent, f"-{target.name}", new, None, step)
    try:
        _publish_new(temp, target, path, step)
    except ExistsError:
        raise _SavedMeanwhileError from None
    finally:
        _discard(temp)
    _sync_folder(target.parent)
    step("folder-synced")
    return Receipt(path, sha256_hex(new), len(new))


def _swap(root: Path, path: str, old: bytes, new: bytes, edit: Edit, deadline: float, step: Step) -> Receipt:
    target = _target(root, path)
    try:
        before = os.lstat(target)
    except FileNotFoundError:
        raise _SavedMeanwhileError from None
    if not before.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise RefusedError(path=path, reason="it is read-only")
    aside = _write_temp(target.parent, f"-{target.name}", new, before, step)
    basis = _name(target, "base", old)
    try:
        named = _name(target, "swap", old, new)
        aside.replace(named)
        aside = named
        basis.write_bytes(old)
        if not wait_for_writers(target, max(0.0, deadline - time.monotonic())):
            raise _SavedMeanwhileError
        if target.read_bytes() != old:
            raise _SavedMeanwhileError
        step("compared")
        swapped = exchange(aside, _target(root, path))
        if not swapped:
            aside.replace(target)
    except BaseException as error:
        _discard(aside)
        _discard(basis)
        if isinstance(error, FileNotFoundError):
            raise _SavedMeanwhileError from None
        raise
    step("replaced")
    _sync_folder(target.parent)
    step("folder-synced")
    receipt = Receipt(path, sha256_hex(new), len(new))
    refusal = None
    if swapped:
        receipt, refusal = _look_at_displaced(root, path, aside, old, receipt, edit, deadline, step)
    _discard(basis)
    step("cleared")
    if refusal is not None:
        raise refusal
    return receipt


def _look_at_displaced(
    root: Path, path: str, aside: Path, old: bytes, receipt: Receipt, edit: Edit, deadline: float, step: Step
) -> tuple[Receipt, VaultkeeperError | None]:
    """Removes the displaced file if it is what was read; else brings back what somebody saved into it."""
    finished = wait_for_writers(aside, GIVE_UP_S)
    saved = aside.read_bytes()
    refusal = None
    if saved != old:
        receipt, refusal = _bring_back(root, path, old, saved, receipt, edit, deadline, step)
    if finished:
        _discard(aside)
    return receipt, refusal


def _bring_back(
    root: Path, path: str, old: bytes, saved: bytes, receipt: Receipt, edit: Edit, deadline: float, step: Step
) -> tuple[Receipt, VaultkeeperError | None]:
    """Makes the change again on what they saved; where the change is refused there, what they saved stays as it is."""
    refusal: VaultkeeperError | None = None

    def merge(now: bytes) -> bytes:
        nonlocal refusal
        if sha256_hex(now) == receipt.sha256:
            try:
                return edit(saved)
            except VaultkeeperError as error:
                refusal = error
                return saved
        return _merge(root, path, old, saved, now)  # they saved once more, on top of the new file

    merged = _attempt_until(root, path, merge, deadline, step)
    return merged, refusal


def _attempt_until(root: Path, path: str, edit: Edit, deadline: float, step: Step) -> Receipt:
    while True:
        try:
            return _attempt(root, path, edit, deadline, step)
        except _SavedMeanwhileError:
            if time.monotonic() >= deadline + GIVE_UP_S:
                raise ConflictError(path=path) from None
            time.sleep(_PAUSE_S)


def _merge(root: Path, path: str, base: bytes, saved: bytes, now: bytes) -> bytes:
    merged = merge_lines(base, saved, now)
    if not merged.clean:
        _keep_copy(root, path, saved)
    return merged.data


def _name(target: Path, what: str, *contents: bytes) -> Path:
    """A hidden name that says what is in the file: digests of what was read, and of what replaces it."""
    digests = "-".join(sha256_hex(data)[:_DIGITS] for data in contents)
    return target.parent / f"{TEMP_PREFIX}{what}-{digests}-{uuid.uuid4().hex[:8]}-{target.name}"


def _clear_leftovers(root: Path, path: str, deadline: float) -> None:
    """Removes what killed updates of this file left; the lock says that none is under way.

    What somebody saved into a displaced file is brought back.
    """
    target = _target(root, path)
    try:
        with os.scandir(target.parent) as entries:
            names = [entry.name for entry in entries if entry.name.startswith(TEMP_PREFIX)]
    except FileNotFoundError:
        return
    left = [known for known in map(_LEFT.fullmatch, sorted(names)) if known and known["note"] == target.name]
    if not left:
        return
    bases = {known["base"]: target.parent / known[0] for known in left if known["base"]}
    for known in left:
        aside = target.parent / known[0]
        if not known["old"] or not wait_for_writers(aside, GIVE_UP_S):
            continue
        saved = aside.read_bytes()
        if sha256_hex(saved)[:_DIGITS] not in (known["old"], known["new"]):
            base = bases.get(known["old"])
            basis = base.read_bytes() if base else b""
            if base and sha256_hex(basis)[:_DIGITS] == known["old"]:
                edit = partial(_merge, root, path, basis, saved)
                _attempt_until(root, path, edit, deadline, _no_step)
            else:
                _keep_copy(root, path, saved)
        _discard(aside)
    for known in left:
        if not known["old"]:
            _discard(target.parent / known[0])


def _keep_copy(root: Path, path: str, saved: bytes) -> None:
    """Gives what somebody saved in the moment of a swap a visible name beside the file."""
    stem, suffix = os.path.splitext(path)
    copy = f"{stem} (conflicted copy {sha256_hex(saved)[:8]}){suffix}"
    target = _target(root, copy)
    temp = _write_temp(target.parent, target.suffix, saved, None, _no_step)
    try:
        _publish_new(temp, target, copy, _no_step)
    except ExistsError:
        pass
    finally:
        _discard(temp)
