from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from vaultkeeper.errors import ConflictError, RefusedError, StorageError, UsageError
from vaultkeeper.vault import update
from vaultkeeper.vault.scan import scan
from vaultkeeper.vault.update import update_note
from vaultkeeper.vault.write import sha256_hex

FILE = "MEMORY.md"
can_swap = pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="this system cannot swap files")


def add(text: bytes) -> Callable[[bytes], bytes]:
    return lambda old: old + text


def at(name: str, act: Callable[[], object]) -> Callable[[str], None]:
    """A step callback that acts once, at one step."""
    done = []

    def step(reached: str) -> None:
        if reached == name and not done:
            done.append(name)
            act()

    return step


def names(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir())


def test_a_missing_file_is_made_and_an_existing_one_changed(tmp_path: Path) -> None:
    first = update_note(tmp_path, FILE, add(b"a\n"))
    second = update_note(tmp_path, FILE, add(b"b\n"))
    assert (tmp_path / FILE).read_bytes() == b"a\nb\n"
    assert (first.sha256, second.sha256) == (sha256_hex(b"a\n"), sha256_hex(b"a\nb\n"))
    assert (first.bytes, second.bytes) == (2, 4)
    assert names(tmp_path) == [FILE]


def test_an_edit_that_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"a")
    before = (tmp_path / FILE).stat()
    assert not update_note(tmp_path, FILE, add(b"")).changed
    after = (tmp_path / FILE).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert not update_note(tmp_path, "SKILL.md", add(b"")).changed
    assert names(tmp_path) == [FILE]


def test_permission_bits_stay(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"a")
    (tmp_path / FILE).chmod(0o640)
    update_note(tmp_path, FILE, add(b"b"))
    assert (tmp_path / FILE).stat().st_mode & 0o7777 == 0o640


@pytest.mark.parametrize("moment", ["temp-synced", "compared", "replaced", "folder-synced"])
@pytest.mark.parametrize("way", ["in place", "appended", "renamed over", "deleted"])
def test_what_somebody_saves_meanwhile_is_never_lost(tmp_path: Path, moment: str, way: str) -> None:
    file = tmp_path / FILE
    file.write_bytes(b"# Memory\n[ ] milk\n")

    def save() -> None:
        if way == "in place":
            with file.open("r+b") as handle:
                handle.seek(handle.read().index(b"[ ]") + 1)
                handle.write(b"x")
        elif way == "appended":
            with file.open("ab") as handle:
                handle.write(b"by hand\n")
        elif way == "renamed over":
            (tmp_path / "new").write_bytes(file.read_bytes().replace(b"milk", b"oat milk"))
            (tmp_path / "new").replace(file)
        else:
            file.unlink()

    update_note(tmp_path, FILE, add(b"fact\n"), step=at(moment, save))
    wanted = {
        "in place": [b"# Memory", b"[x] milk", b"fact"],
        "appended": [b"# Memory", b"[ ] milk", b"by hand", b"fact"],
        "renamed over": [b"# Memory", b"[ ] oat milk", b"fact"],
        "deleted": [b"fact"],
    }[way]
    if way == "deleted" and moment in ("replaced", "folder-synced"):
        assert not file.exists()  # they deleted what held the fact
    else:
        assert sorted(file.read_bytes().splitlines()) == sorted(wanted)
    assert [name for name in names(tmp_path) if name != FILE] == []


@can_swap
def test_a_save_through_an_open_handle_is_waited_for_and_brought_back(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_bytes(b"a\n")
    opened = []

    def open_and_write_later() -> None:
        handle = file.open("ab")
        opened.append(handle)

    def step(name: str) -> None:
        if name == "compared" and not opened:
            open_and_write_later()
        if name == "folder-synced" and not opened[0].closed:
            opened[0].write(b"by hand\n")
            opened[0].close()

    update_note(tmp_path, FILE, add(b"fact\n"), step=step)
    assert sorted(file.read_bytes().splitlines()) == [b"a", b"by hand", b"fact"]
    assert names(tmp_path) == [FILE]


@pytest.mark.parametrize("moment", ["replaced", "folder-synced", "cleared"])
def test_a_change_that_a_stale_save_undid_is_made_again(tmp_path: Path, moment: str) -> None:
    file = tmp_path / FILE
    file.write_bytes(b"a\n")
    stale = at(moment, lambda: file.write_bytes(b"a\nby hand\n"))
    receipt = update_note(tmp_path, FILE, add(b"fact\n"), step=stale)
    assert file.read_bytes() == b"a\nby hand\nfact\n"
    assert receipt.sha256 == sha256_hex(b"a\nby hand\nfact\n")
    assert names(tmp_path) == [FILE]


@can_swap
def test_saves_before_and_after_the_swap_are_both_kept(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_bytes(b"a\n")

    def step(name: str) -> None:
        if name in ("compared", "replaced") and file.read_bytes().count(name.encode()) == 0:
            with file.open("ab") as handle:
                handle.write(name.encode() + b"\n")

    update_note(tmp_path, FILE, add(b"fact\n"), step=step)
    assert set(file.read_bytes().splitlines()) == {b"a", b"fact", b"compared", b"replaced"}
    assert names(tmp_path) == [FILE]


@can_swap
def test_a_refusal_of_what_was_saved_meanwhile_leaves_what_was_saved(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_bytes(b"a\n")

    def edit(old: bytes) -> bytes:
        if b"fact" in old:
            raise UsageError(reason="known")
        return old + b"fact\n"

    with pytest.raises(UsageError):
        update_note(tmp_path, FILE, edit, step=at("compared", lambda: file.write_bytes(b"a\nfact by hand\n")))
    assert file.read_bytes() == b"a\nfact by hand\n"
    assert names(tmp_path) == [FILE]


def test_somebody_who_saves_for_ever_is_a_conflict_and_keeps_what_they_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(update, "GIVE_UP_S", 0.05)
    file = tmp_path / FILE
    file.write_bytes(b"0")
    count = iter(range(1, 10_000))

    def step(name: str) -> None:
        if name == "temp-synced":
            file.write_bytes(b"%d" % next(count))

    with pytest.raises(ConflictError) as caught:
        update_note(tmp_path, FILE, add(b"fact"), step=step)
    assert caught.value.exit_code == 4
    assert file.read_bytes().isdigit()
    assert names(tmp_path) == [FILE]


@can_swap
def test_a_program_that_keeps_the_file_open_for_writing_is_a_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(update, "GIVE_UP_S", 0.05)
    (tmp_path / FILE).write_bytes(b"a\n")
    if sys.platform == "linux":
        with (tmp_path / FILE).open("ab"), pytest.raises(ConflictError):
            update_note(tmp_path, FILE, add(b"fact\n"))
        assert (tmp_path / FILE).read_bytes() == b"a\n"


def test_without_a_swap_it_is_compare_and_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "exchange", lambda first, second: False)
    (tmp_path / FILE).write_bytes(b"a\n")
    save = at("temp-synced", lambda: (tmp_path / FILE).write_bytes(b"a\nby hand\n"))
    update_note(tmp_path, FILE, add(b"fact\n"), step=save)
    assert (tmp_path / FILE).read_bytes() == b"a\nby hand\nfact\n"
    assert names(tmp_path) == [FILE]


@pytest.mark.parametrize("path", ["MEMORY.md", "memory/global/a.md"])
def test_a_symlinked_target_is_refused(tmp_path: Path, path: str) -> None:
    victim = tmp_path / "victim.md"
    victim.write_text("mine")
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).symlink_to(victim)
    with pytest.raises(RefusedError):
        update_note(tmp_path, path, add(b"x"))
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("link", ["memory", "memory/global"])
def test_a_symlinked_parent_is_refused_wherever_it_leads(tmp_path: Path, link: str, inside: bool) -> None:
    root = tmp_path / "vault"
    theirs = (root if inside else tmp_path) / "Private"
    (theirs / "global").mkdir(parents=True)
    (root / link).parent.mkdir(parents=True, exist_ok=True)
    (root / link).symlink_to(theirs)
    with pytest.raises(RefusedError):
        update_note(root, "memory/global/a.md", add(b"x"))
    assert list(theirs.rglob("*.md")) == []


def test_a_link_put_there_meanwhile_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    victim = tmp_path / "victim.md"
    victim.write_text("mine")
    file = root / FILE
    file.write_bytes(b"a\n")

    def swap_for_link() -> None:
        file.unlink()
        file.symlink_to(victim)

    with pytest.raises(RefusedError):
        update_note(root, FILE, add(b"x"), step=at("compared", swap_for_link))
    assert victim.read_text() == "mine"
    assert [name for name in names(root) if name != FILE] == []


def test_only_the_programs_files_unless_the_user_asked(tmp_path: Path) -> None:
    for path in ("Diary.md", "Notes/a.md", "../MEMORY.md", "/etc/passwd"):
        with pytest.raises(RefusedError):
            update_note(tmp_path, path, add(b"x"))
    assert names(tmp_path) == []


def test_a_read_only_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"a")
    (tmp_path / FILE).chmod(0o444)
    with pytest.raises(RefusedError):
        update_note(tmp_path, FILE, add(b"x"))
    assert (tmp_path / FILE).read_bytes() == b"a"


def test_a_disk_that_refuses_is_an_error_and_the_file_is_untouched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / FILE).write_bytes(b"a")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StorageError):
        update_note(tmp_path, FILE, add(b"x"))
    assert (tmp_path / FILE).read_bytes() == b"a"
    assert names(tmp_path) == [FILE]


def leftover(root: Path, old: bytes, new: bytes, held: bytes, *, base: bool = True) -> None:
    """What an update leaves that was killed behind its swap."""
    digests = [sha256_hex(data)[:16] for data in (old, new)]
    (root / f".tmp_swap-{'-'.join(digests)}-0123abcd-{FILE}").write_bytes(held)
    if base:
        (root / f".tmp_base-{digests[0]}-4567abcd-{FILE}").write_bytes(old)


def test_what_killed_updates_left_is_cleared_by_the_next(tmp_path: Path) -> None:
    leftover(tmp_path, b"old\n", b"new\n", b"old\n")
    leftover(tmp_path, b"older\n", b"newer\n", b"newer\n")
    (tmp_path / f".tmp_{'0' * 32}-{FILE}").write_bytes(b"half")
    (tmp_path / f".tmp_{'0' * 32}-SKILL.md").write_bytes(b"somebody else's")
    (tmp_path / FILE).write_bytes(b"new\n")
    update_note(tmp_path, FILE, add(b"fact\n"))
    assert (tmp_path / FILE).read_bytes() == b"new\nfact\n"
    assert names(tmp_path) == [f".tmp_{'0' * 32}-SKILL.md", FILE]


def test_what_was_saved_into_a_displaced_file_is_brought_back(tmp_path: Path) -> None:
    leftover(tmp_path, b"a\nb\n", b"a\nb\nnew\n", b"a\nb\nby hand\n")
    (tmp_path / FILE).write_bytes(b"a\nb\nnew\n")
    update_note(tmp_path, FILE, add(b"fact\n"))
    assert sorted((tmp_path / FILE).read_bytes().splitlines()) == [b"a", b"b", b"by hand", b"fact", b"new"]
    assert names(tmp_path) == [FILE]


def test_what_cannot_be_merged_gets_a_visible_name(tmp_path: Path) -> None:
    leftover(tmp_path, b"a\n", b"a\nnew\n", b"something else\n", base=False)
    (tmp_path / FILE).write_bytes(b"a\nnew\n")
    update_note(tmp_path, FILE, add(b"fact\n"))
    [copy] = [name for name in names(tmp_path) if name != FILE]
    assert copy.startswith("MEMORY (conflicted copy ")
    assert (tmp_path / copy).read_bytes() == b"something else\n"
    assert [problem.code for problem in scan(tmp_path).problems] == ["sync-conflict"]
    assert (tmp_path / FILE).read_bytes() == b"a\nnew\nfact\n"
