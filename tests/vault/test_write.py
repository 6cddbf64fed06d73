import errno
import hashlib
import os
import resource
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from vaultkeeper.errors import ConflictError, ExistsError, NoteNotFoundError, RefusedError, StorageError
from vaultkeeper.vault.write import (
    create_note,
    read_note,
    remove_stale_temps,
    replace_note,
    sha256_hex,
    trash_note,
)

NOTE = "entities/person/a.md"


def tree(root) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def test_create_gives_a_receipt_and_leaves_nothing_else(tmp_path):
    receipt = create_note(tmp_path, NOTE, b"hello\r\n")
    assert receipt == (NOTE, hashlib.sha256(b"hello\r\n").hexdigest(), 7, True)
    assert tree(tmp_path) == {NOTE: b"hello\r\n"}
    assert os.lstat(tmp_path / NOTE).st_nlink == 1


def test_create_respects_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        create_note(tmp_path, NOTE, b"")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / NOTE).stat().st_mode) == 0o640


def test_create_never_overwrites(tmp_path):
    create_note(tmp_path, NOTE, b"old")
    with pytest.raises(ExistsError):
        create_note(tmp_path, NOTE, b"new")

    def appear(step: str) -> None:
        if step == "temp-synced":
            (tmp_path / "entities/person/b.md").write_bytes(b"theirs")

    with pytest.raises(ExistsError):
        create_note(tmp_path, "entities/person/b.md", b"ours", step=appear)
    assert tree(tmp_path) == {NOTE: b"old", "entities/person/b.md": b"theirs"}


def test_one_of_many_creators_wins(tmp_path):
    barrier = threading.Barrier(8)
    won: list[bytes] = []

    def run(number: int) -> None:
        barrier.wait()
        try:
            create_note(tmp_path, NOTE, b"%d" % number)
            won.append(b"%d" % number)
        except ExistsError:
            pass

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [tree(tmp_path)[NOTE]] == won


def test_file_systems_without_hard_links(tmp_path, monkeypatch):
    def no_link(*args, **kwargs):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_link)
    create_note(tmp_path, NOTE, b"one")
    with pytest.raises(ExistsError):
        create_note(tmp_path, NOTE, b"two")
    assert tree(tmp_path) == {NOTE: b"one"}


@pytest.mark.parametrize("path", ["People/a.md", "a.md", "Entities/x.md", ".obsidian/app.json"])
def test_the_users_places_need_the_users_word(path, tmp_path):
    with pytest.raises(RefusedError):
        create_note(tmp_path, path, b"")
    assert tree(tmp_path) == {}
    if not path.startswith("."):
        create_note(tmp_path, path, b"x", user_asked=True)
        with pytest.raises(RefusedError):
            replace_note(tmp_path, path, b"y", sha256_hex(b"x"))
        with pytest.raises(RefusedError):
            trash_note(tmp_path, path, sha256_hex(b"x"))
        assert tree(tmp_path) == {path: b"x"}


def test_replace_keeps_the_rights(tmp_path):
    create_note(tmp_path, NOTE, b"old")
    (tmp_path / NOTE).chmod(0o604)
    receipt = replace_note(tmp_path, NOTE, b"new!", sha256_hex(b"old"))
    assert receipt.bytes == 4
    assert tree(tmp_path) == {NOTE: b"new!"}
    assert stat.S_IMODE((tmp_path / NOTE).stat().st_mode) == 0o604


def test_replacing_by_the_same_bytes_touches_nothing(tmp_path):
    create_note(tmp_path, NOTE, b"old")
    before = (tmp_path / NOTE).stat()
    assert replace_note(tmp_path, NOTE, b"old", sha256_hex(b"old")).changed is False
    assert (tmp_path / NOTE).stat() == before


@pytest.mark.parametrize("step", ["temp-created", "temp-written", "temp-synced"])
@pytest.mark.parametrize("how", ["changed", "gone"])
def test_an_edit_meanwhile_is_a_conflict_and_survives(step, how, tmp_path):
    create_note(tmp_path, NOTE, b"old")

    def meddle(done: str) -> None:
        if done == step:
            (tmp_path / NOTE).write_bytes(b"theirs") if how == "changed" else (tmp_path / NOTE).unlink()

    with pytest.raises(ConflictError):
        replace_note(tmp_path, NOTE, b"ours", sha256_hex(b"old"), step=meddle)
    assert tree(tmp_path) == ({NOTE: b"theirs"} if how == "changed" else {})


def test_a_folder_that_becomes_a_link_is_refused(tmp_path):
    vault, outside = tmp_path / "vault", tmp_path / "outside"
    vault.mkdir()
    outside.mkdir()
    create_note(vault, NOTE, b"old")
    (outside / "a.md").write_bytes(b"old")

    def swap(step: str) -> None:
        if step == "temp-synced":
            (vault / "entities/person").rename(vault / "entities/moved")
            (vault / "entities/person").symlink_to(outside)

    with pytest.raises(RefusedError):
        replace_note(vault, NOTE, b"ours", sha256_hex(b"old"), step=swap)
    assert (outside / "a.md").read_bytes() == b"old"


def test_links_and_read_only_files_are_refused(tmp_path):
    create_note(tmp_path, "entities/person/real.md", b"x")
    (tmp_path / NOTE).symlink_to("real.md")
    with pytest.raises(RefusedError):
        replace_note(tmp_path, NOTE, b"y", sha256_hex(b"x"))
    with pytest.raises(RefusedError):
        create_note(tmp_path, NOTE, b"y")
    (tmp_path / "entities/person/real.md").chmod(0o444)
    with pytest.raises(RefusedError, match="read-only"):
        replace_note(tmp_path, "entities/person/real.md", b"y", sha256_hex(b"x"))
    assert tree(tmp_path)["entities/person/real.md"] == b"x"


def test_a_missing_note_is_not_found(tmp_path):
    with pytest.raises(NoteNotFoundError):
        read_note(tmp_path, NOTE)
    with pytest.raises(NoteNotFoundError):
        trash_note(tmp_path, NOTE, sha256_hex(b""))


def test_a_full_disk_leaves_the_old_bytes_and_no_litter(tmp_path):
    """A real limit of the system on file sizes, in another process."""
    create_note(tmp_path, NOTE, b"old")
    program = f"""
        import resource, signal, sys
        from pathlib import Path
        from vaultkeeper.errors import StorageError
        from vaultkeeper.vault.write import create_note, replace_note, sha256_hex
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, {resource.RLIM_INFINITY}))
        root = Path(sys.argv[1])
        for write in (
            lambda: replace_note(root, {NOTE!r}, b"x" * 9000, sha256_hex(b"old")),
            lambda: create_note(root, "entities/person/b.md", b"x" * 9000),
        ):
            try:
                write()
            except StorageError as error:
                print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(tmp_path)],
        capture_output=True, text=True, check=True, cwd=Path.cwd(),
    )  # fmt: skip
    assert done.stdout.count("cannot be written: file too large") == 2
    assert tree(tmp_path) == {NOTE: b"old"}


def test_an_error_of_the_disk_is_told_in_words(tmp_path, monkeypatch):
    create_note(tmp_path, NOTE, b"old")

    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="no space left on device"):
        replace_note(tmp_path, NOTE, b"new", sha256_hex(b"old"))
    assert tree(tmp_path) == {NOTE: b"old"}


def test_trash_keeps_every_version(tmp_path):
    for text in (b"one", b"two", b"two"):
        create_note(tmp_path, NOTE, text)
        trash_note(tmp_path, NOTE, sha256_hex(text))
    assert tree(tmp_path) == {f".trash/{NOTE}": b"one", ".trash/entities/person/a 2.md": b"two"}


def test_trash_refuses_a_note_that_changed(tmp_path):
    create_note(tmp_path, NOTE, b"one")

    def meddle(step: str) -> None:
        if step == "published":
            (tmp_path / NOTE).write_bytes(b"theirs")

    with pytest.raises(ConflictError):
        trash_note(tmp_path, NOTE, sha256_hex(b"one"), step=meddle)
    assert tree(tmp_path)[NOTE] == b"theirs"


def test_stale_temporary_files_go_and_fresh_ones_stay(tmp_path):
    (tmp_path / "wiki" / "summaries").mkdir(parents=True)
    (tmp_path / "Mine").mkdir()
    names = [f".tmp_{number:032x}.md" for number in range(4)]
    stale = [tmp_path / names[0], tmp_path / "wiki" / "summaries" / names[1]]
    kept = [
        tmp_path / names[2],  # fresh
        tmp_path / "Mine" / names[3],  # where the program never writes
        tmp_path / ".tmp_old-0123456789ab-0123456789ab-01234567-MEMORY.md",  # somebody may have saved into it
        tmp_path / ".tmp_notes.md",
        tmp_path / "a.md",
    ]
    for file in (*stale, *kept):
        file.write_bytes(b"")
        os.utime(file, ns=(1, 1))
    os.utime(kept[0])
    assert remove_stale_temps(tmp_path, 10**9) == 2
    assert sorted(tree(tmp_path)) == sorted(file.relative_to(tmp_path).as_posix() for file in kept)
    assert remove_stale_temps(tmp_path / "none", 10**9) == 0
