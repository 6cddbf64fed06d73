from __future__ import annotations

import errno
import os
import unicodedata
from pathlib import Path

import pytest

from vaultkeeper.vault.scan import Scan, scan

UTF8_ONLY = os.uname().sysname == "Darwin"


def write(root: Path, *paths: str) -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x")


def codes(found: Scan) -> dict[str, str]:
    return {problem.path: problem.code for problem in found.problems}


def test_stats_are_those_of_the_file(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b/c.png")
    found = scan(tmp_path)
    assert set(found.files) == {"a.md", "b/c.png"}
    status = (tmp_path / "b/c.png").stat()
    assert found.files["b/c.png"] == (1, status.st_mtime_ns, status.st_ino, status.st_ctime_ns)


@pytest.mark.parametrize(
    "path",
    [
        ".obsidian/app.md", ".trash/a.md", ".git/x.md", "sub/.hidden/y.md", ".DS_Store", "a.md~", ".a.md.swp", "4913",
        ".#a.md", "#a.md#", "a.md.tmp", "~$a.docx", "a.md.sb-1a2b3c4d-XyZ123", "a.swx", "Thumbs.db", "a.md.crdownload",
    ],
)  # fmt: skip
def test_temporary_and_hidden_files_are_left_out_in_silence(tmp_path: Path, path: str) -> None:
    write(tmp_path, path, "kept.md")
    found = scan(tmp_path)
    assert set(found.files) == {"kept.md"}
    assert found.problems == []


@pytest.mark.parametrize(
    "path",
    [
        "a.sync-conflict-20260309-101500-ABCDEFG.md", "a (Mara's conflicted copy 2026-03-09).md",
        "a (conflicted copy 2026-03-09 101500).md", "a_conflict-20260309-101500.md", "a (Case Conflict 1).md",
        "a-DESKTOP-AB12CD3.md", "sub/a (Conflicted copy phone 202603091015).md",
    ],
)  # fmt: skip
def test_conflict_copies_are_reported_and_left_out(tmp_path: Path, path: str) -> None:
    write(tmp_path, path, "a.md")
    found = scan(tmp_path)
    assert set(found.files) == {"a.md"}
    assert codes(found) == {path: "sync-conflict"}


@pytest.mark.parametrize("path", ["a.md.icloud", "b.nosync"])
def test_placeholders_are_reported_and_left_out(tmp_path: Path, path: str) -> None:
    write(tmp_path, path)
    found = scan(tmp_path)
    assert not found.files
    assert codes(found) == {path: "cloud-placeholder"}


@pytest.mark.parametrize(
    "path",
    [
        "Conflict.md", "World War (Conflict 1914).md", "a (1).md", "C#.md", "100%.md", "a #tag.md", "x~y.md", "Temp.md",
        "emoji 🎉.md", "dots....md", "swap.md", "partial.md", "ends in lock.md", "(draft).md", "desktop-notes.md",
        "node_modules/readme.md", "a.MD", " lead.md", "Case Conflicts (in law).md", "é" * 100 + ".md",
    ],
)  # fmt: skip
def test_ordinary_names_that_only_look_odd_are_kept(tmp_path: Path, path: str) -> None:
    write(tmp_path, path)
    found = scan(tmp_path)
    assert set(found.files) == {path}
    assert found.problems == []


def test_decomposed_names_stay_as_they_are(tmp_path: Path) -> None:
    name = unicodedata.normalize("NFD", "Zoë.md")
    write(tmp_path, name)
    assert set(scan(tmp_path).files) == {path.name for path in tmp_path.iterdir()}


@pytest.mark.skipif(UTF8_ONLY, reason="this file system has no other names than UTF-8")
def test_a_name_that_is_not_utf8_is_reported_and_left_out(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_bytes(b"x")
    (tmp_path / os.fsdecode(b"d\xe9")).mkdir()
    write(tmp_path, os.fsdecode(b"d\xe9") + "/inside.md")
    found = scan(tmp_path)
    assert not found.files
    assert codes(found) == {"caf�.md": "name-not-utf8", "d�": "name-not-utf8"}


def test_symbolic_links_are_reported_and_never_followed(tmp_path: Path) -> None:
    root, outside = tmp_path / "vault", tmp_path / "outside"
    write(root, "real/a.md")
    write(outside, "secret.md")
    (root / "broken.md").symlink_to("nowhere.md")
    (root / "out").symlink_to(outside)
    (root / "out.md").symlink_to(outside / "secret.md")
    (root / "in").symlink_to("real")
    (root / "loop").symlink_to("loop")
    (root / "up").symlink_to("..")
    (root / "self").symlink_to(".")
    (root / "vaultish").symlink_to(tmp_path / "vault2")
    (tmp_path / "vault2").mkdir()
    found = scan(root)
    assert set(found.files) == {"real/a.md"}
    assert codes(found) == {
        "broken.md": "symlink-broken",
        "out": "symlink-outside",
        "out.md": "symlink-outside",
        "in": "symlink-inside",
        "loop": "symlink-broken",
        "up": "symlink-outside",
        "self": "symlink-inside",
        "vaultish": "symlink-outside",
    }


def test_the_vault_itself_may_be_a_symbolic_link(tmp_path: Path) -> None:
    write(tmp_path / "real", "a.md")
    (tmp_path / "link").symlink_to("real")
    assert set(scan(tmp_path / "link").files) == {"a.md"}


def test_a_folder_may_be_named_like_a_note(tmp_path: Path) -> None:
    write(tmp_path, "x.md/inside.md")
    (tmp_path / "empty.md").mkdir()
    found = scan(tmp_path)
    assert set(found.files) == {"x.md/inside.md"}
    assert found.problems == []


def test_pipes_are_left_out(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert not scan(tmp_path).files


def test_a_folder_that_cannot_be_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "locked/a.md", "b.md")
    real = os.scandir

    def deny(path: str) -> object:
        if path.endswith("/locked"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", deny)
    found = scan(tmp_path)
    assert set(found.files) == {"b.md"}
    assert codes(found) == {"locked": "folder-unreadable"}


def test_a_vault_that_is_gone_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        scan(tmp_path / "gone")


@pytest.mark.parametrize(
    ("glob", "left_out"),
    [
        ("*.png", {"a.png", "sub/b.png"}),
        ("sub/", {"sub/b.png", "sub/c.md", "sub/deep/d.md"}),
        ("sub", {"sub/b.png", "sub/c.md", "sub/deep/d.md"}),
        ("sub/*.md", {"sub/c.md"}),
        ("sub/**", {"sub/b.png", "sub/c.md", "sub/deep/d.md"}),
        ("**/deep", {"sub/deep/d.md"}),
        ("/a.md", {"a.md"}),
        ("?.md", {"a.md", "sub/c.md", "sub/deep/d.md"}),
        ("[a-b].*", {"a.png", "a.md", "sub/b.png"}),
        ("[!a].md", {"sub/c.md", "sub/deep/d.md"}),
        ("a.md/", set()),
        ("", set()),
    ],
)
def test_ignore_globs(tmp_path: Path, glob: str, left_out: set[str]) -> None:
    every = {"a.png", "a.md", "sub/b.png", "sub/c.md", "sub/deep/d.md"}
    write(tmp_path, *every)
    assert every - set(scan(tmp_path, [glob]).files) == left_out


def test_a_hint_gets_the_verdict_of_a_whole_walk(tmp_path: Path) -> None:
    write(
        tmp_path,
        "a.md",
        "sub/b.md",
        "sub/deep/c.md",
        ".obsidian/d.md",
        "skip/e.md",
        "a.sync-conflict-20260309-101500.md",
    )
    (tmp_path / "link").symlink_to("sub")
    hints = [
        *(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")),
        "gone.md",
        "gone/deeper.md",
        "A.md",
        "link/b.md",
    ]
    whole = scan(tmp_path, ["skip"])
    for hint in hints:
        part = scan(tmp_path, ["skip"], only=[hint])
        below = {
            path: status
            for path, status in whole.files.items()
            if path == hint or path.startswith(f"{hint}/")
        }
        assert part.files == below, hint
        assert part.problems == [problem for problem in whole.problems if problem.path == hint], hint
    assert scan(tmp_path, ["skip"], only=hints).files == whole.files
    assert scan(tmp_path, ["skip"], only=[""]).files == whole.files


def test_a_file_in_place_of_a_folder_ends_the_way(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    assert not scan(tmp_path, only=["a.md/b.md"]).files


@pytest.mark.parametrize("glob", ["[", "[!]", "[^]", "[z-a]", "a[b", "***", "{a,b}", "\\", "[]]", "[\\]"])
def test_any_text_is_a_glob(tmp_path: Path, glob: str) -> None:
    (tmp_path / "note.md").touch()
    (tmp_path / "z-a.md").touch()
    assert "note.md" in scan(tmp_path, [glob]).files or glob == "***"


@pytest.mark.parametrize("only", [None, ["a/b.md"]])
def test_a_vault_that_goes_away_meanwhile_does_not_look_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, only: list[str] | None
) -> None:
    root = tmp_path / "vault"
    for name in ("a", "b"):
        (root / name).mkdir(parents=True)
        (root / name / "b.md").touch()
    real = os.scandir

    def scandir(path: str) -> object:
        if not (tmp_path / "elsewhere").exists() and path != str(root):
            root.rename(tmp_path / "elsewhere")
            root.mkdir()  # a mount point, once its drive is gone
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(FileNotFoundError):
        scan(root, only=only)


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [(errno.EACCES, "problem"), (errno.EIO, "raises"), (errno.EMFILE, "raises"), (errno.ESTALE, "raises")],
)
@pytest.mark.parametrize("only", [None, ["a/b.md"]])
def test_what_the_disk_is_to_blame_for_is_no_deletion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, only: list[str] | None, reason: int, outcome: str
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.md").touch()
    real = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("/a"):
            raise OSError(reason, "no", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    if outcome == "raises":
        with pytest.raises(OSError, match="no"):
            scan(tmp_path, only=only)
    else:
        assert scan(tmp_path, only=only).files == {}
        assert [problem.code for problem in scan(tmp_path).problems] == ["folder-unreadable"]
