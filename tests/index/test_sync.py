from __future__ import annotations

import errno
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.index.state import verify
from tests.index.vaults import Bench, now
from vaultkeeper.errors import VaultUnreadableError
from vaultkeeper.index import work
from vaultkeeper.index.reports import count_tally, fetch_problems, read_meta
from vaultkeeper.index.settings import IndexSettings
from vaultkeeper.index.sync import SyncStats, sync

MARA = "---\nid: person:mara\nkind: person\ndisplay_name: Mara Lindqvist\naliases: [{}]\n---\nA friend.\n"


def counts(stats: SyncStats) -> dict[str, int]:
    names = ("added", "modified", "removed", "renamed", "touched", "unchanged")
    return {name: getattr(stats, name) for name in names if getattr(stats, name)}


def test_every_kind_of_change_is_counted_as_what_it_is(bench: Bench) -> None:
    for name in ("edit", "delete", "move", "touch", "keep"):
        bench.write(f"{name}.md", f"# {name}\nThe {name} text.\n")
    assert counts(bench.sync()) == {"added": 5}
    bench.write("edit.md", "other words")
    (bench.root / "delete.md").unlink()
    bench.move("move.md", "folder/moved.md")
    os.utime(bench.root / "touch.md", (1_700_000_000, 1_700_000_000))
    bench.write("new.md", "fresh")
    stats = bench.sync()
    assert counts(stats) == {
        "added": 1, "modified": 1, "removed": 1, "renamed": 1, "touched": 1, "unchanged": 1,
    }  # fmt: skip
    assert str(stats).startswith("1 added, 1 modified, 1 removed, 1 renamed, 1 touched, 1 unchanged in ")
    bench.assert_like_new()


def test_nothing_changed_reads_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        bench.write(f"{number}.md", "text")
    bench.sync()
    bench.age()
    monkeypatch.setattr(work, "read_file", lambda path, size: pytest.fail(f"{path} was read"))
    assert counts(bench.sync()) == {"unchanged": 5}


@pytest.mark.parametrize("hinted", [False, True])
@pytest.mark.parametrize(
    ("before", "after"),
    [("Note.md", "note.md"), ("a/x.md", "b/x.md"), ("a/x.md", "a/y.md"), ("a", "c"), ("a", "deep/er/a")],
)
def test_a_rename_leaves_nothing_under_the_old_path(
    bench: Bench, before: str, after: str, hinted: bool
) -> None:
    bench.write("Note.md", "kept words")
    bench.write("a/x.md", "kept words too [[Note]]")
    bench.write("link.md", "[[x]] [[Note]]")
    bench.sync()
    bench.move(before, after)
    stats = bench.sync([before, after] if hinted else None)
    assert counts(stats)["renamed"] == 1
    paths = {path for (path,) in bench.rows("SELECT path FROM files")}
    assert not any(path == before or path.startswith(f"{before}/") for path in paths)
    bench.assert_like_new()


def test_two_swapped_notes_of_one_size_and_time(bench: Bench) -> None:
    for path, text in (("a.md", "one word"), ("b.md", "two sums")):
        bench.write(path, text)
        os.utime(bench.root / path, (1_700_000_000, 1_700_000_000))
    bench.sync()
    bench.age()
    bench.move("a.md", "t")
    bench.move("b.md", "a.md")
    bench.move("t", "b.md")
    assert counts(bench.sync()) == {"modified": 2}
    assert bench.search("sums") == ["a.md"]


def test_a_change_that_keeps_size_and_modification_time_is_seen(bench: Bench) -> None:
    bench.write("a.md", "old words")
    bench.sync()
    bench.age()
    stat = (bench.root / "a.md").stat()
    with (bench.root / "a.md").open("r+b") as file:
        file.write(b"new")
    os.utime(bench.root / "a.md", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert counts(bench.sync()) == {"modified": 1}


def test_a_stat_as_young_as_the_scan_is_not_trusted(bench: Bench) -> None:
    """The file changes again within one tick of its file system's clock: nothing but the content tells."""
    bench.write("a.md", "old words")

    def clock() -> datetime:
        return datetime.fromtimestamp((bench.root / "a.md").stat().st_ctime_ns / 1e9, UTC)

    sync(bench.db, bench.root, bench.settings, clock=clock)
    assert bench.rows("SELECT size FROM files") == [(-1,)]
    row = bench.rows("SELECT mtime_ns, ctime_ns, inode FROM files")[0]
    (bench.root / "a.md").write_text("new words")
    stat = (bench.root / "a.md").stat()  # make the record what it would be on a clock of coarse ticks
    bench.db.execute("UPDATE files SET mtime_ns = ?, ctime_ns = ?", (stat.st_mtime_ns, stat.st_ctime_ns))
    assert row[2] == stat.st_ino
    assert counts(bench.sync()) == {"modified": 1}
    assert bench.search("new") == ["a.md"]


def test_a_touch_moves_the_date_of_a_note_without_one(bench: Bench) -> None:
    bench.write("a.md", "words")
    bench.write("2026-03-09.md", "words")
    bench.sync()
    for name in ("a.md", "2026-03-09.md"):
        os.utime(bench.root / name, (1_700_000_000, 1_700_000_000))
    bench.sync()
    assert dict(bench.rows("SELECT path, start_ms FROM notes")) == {
        "a.md": 1_700_000_000_000,
        "2026-03-09.md": 1_773_014_400_000,
    }
    bench.assert_like_new()


def test_links_follow_files_that_come_and_go(bench: Bench) -> None:
    bench.write("a.md", "[[Target]] ![[pic.png]] [[b/Other|x]] [[x.md]]")
    bench.sync()
    assert bench.codes() == {("a.md", "link-dead")}
    for path in ("deep/Target.md", "pic.png", "b/Other.md", "x.md.md"):
        bench.write(path, "x")
        bench.sync([path])
        bench.assert_like_new()
    assert [row[0] for row in bench.rows("SELECT resolved FROM links ORDER BY ord")] == [
        "deep/Target.md", "pic.png", "b/Other.md", "x.md.md",
    ]  # fmt: skip
    assert not bench.codes()
    bench.write("other/Target.md")
    bench.sync(["other/Target.md"])
    assert bench.codes() == {("a.md", "link-ambiguous")}
    bench.move("deep/Target.md", "deep/target.md")
    bench.sync(["deep"])
    bench.assert_like_new()
    (bench.root / "other/Target.md").unlink()
    bench.sync(["other/Target.md"])
    assert bench.codes() == {("a.md", "link-case")}
    bench.assert_like_new()


def test_links_to_headings_follow_the_headings(bench: Bench) -> None:
    bench.write("a.md", "[[b#Plan]] [[b#^id1]] [[#Own]]\n\n# Own\n")
    bench.write("b.md", "# Plan\n\ntext ^id1\n")
    bench.sync()
    assert not bench.codes()
    bench.write("b.md", "# Plans\n\ntext\n")
    bench.sync(["b.md"])
    assert bench.codes() == {("a.md", "heading-missing"), ("a.md", "block-missing")}
    bench.assert_like_new()
    bench.write("b.md", "# Plan\n\ntext ^id1\n")
    bench.sync(["b.md"])
    assert not bench.codes()


@pytest.mark.parametrize(
    ("alias", "text"),
    [
        ("Lindy", "Met Lindy today."),
        ("Big L", "met Big  L today"),
        ("小莉", "今天和小莉开会"),
        ("Lindy", "今天和Lindy开会"),
        ("C++ Queen", "the C++ Queen"),
        ("Zoë-Ann", "with Zoe\u0308-Ann there"),
        ("straße", "in der STRASSE? no, in der Straße!"),
        ("L.", "said L. and left"),
        ("Ørsted", "by ØRSTED."),
        ("Lindy", "\ue0a0Lindy\ue0a0"),
    ],
)
def test_a_new_alias_reaches_old_notes_and_reads_no_other_file(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, alias: str, text: str
) -> None:
    bench.write("entities/person/mara.md", MARA.format(""))
    bench.write("old.md", f"# Meeting\n\n{text}\n")
    for number in range(5):
        bench.write(f"others/{number}.md", "nothing to see")
    bench.sync()
    bench.age()
    bench.write("entities/person/mara.md", MARA.format(f'"{alias}"'))
    read: list[str] = []
    real = work.read_file
    monkeypatch.setattr(work, "read_file", lambda path, size: read.append(path) or real(path, size))
    bench.sync()
    assert [Path(path).name for path in read] == ["mara.md"]
    found = (
        "SELECT path FROM occurrences JOIN chunks USING(chunk_pk) JOIN notes USING(note_pk) "
        "WHERE entity_id = 'person:mara'"
    )
    if alias != "L.":
        assert ("old.md",) in bench.rows(found)
    bench.assert_like_new()
    bench.write("entities/person/mara.md", MARA.format(""))
    bench.sync()
    assert ("old.md",) not in bench.rows(found)
    bench.assert_like_new()


def test_only_chunks_that_name_the_alias_are_looked_at(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write("entities/person/mara.md", MARA.format(""))
    for number in range(20):
        bench.write(f"{number}.md", "Lindy was here" if number % 10 == 0 else "somebody was here")
    bench.sync()
    looked: list[int] = []
    real = work.relink_mentions
    monkeypatch.setattr(
        work, "relink_mentions", lambda db, gazetteer, pks: looked.extend(pks) or real(db, gazetteer, pks)
    )
    bench.write("entities/person/mara.md", MARA.format("Lindy"))
    bench.sync()
    assert len(looked) == 2


def test_a_link_to_an_entity_is_a_mention_whatever_it_says(bench: Bench) -> None:
    bench.write("note.md", "I met [[xq17|my neighbour]].\n")
    bench.write("about.md", "---\nwho: '[[xq17|her]]'\n---\ntext\n")
    bench.sync()
    bench.write("entities/person/xq17.md", MARA.format(""))
    bench.sync(["entities"])
    query = (
        "SELECT path, surface FROM occurrences JOIN chunks USING(chunk_pk) JOIN notes USING(note_pk) "
        "WHERE entity_id = 'person:mara' AND path NOT LIKE 'entities/%' ORDER BY path"
    )
    assert bench.rows(query) == [("about.md", "her"), ("note.md", "my neighbour")]
    bench.write("xq17.md", "another file that the link means now")
    bench.sync(["xq17.md"])
    assert bench.rows(query) == []
    bench.assert_like_new()


def test_ids_that_two_notes_share_are_reported_at_both(bench: Bench) -> None:
    bench.write("a.md", "---\nid: n7\n---\n")
    bench.write("b.md", "---\nid: n7\n---\n")
    bench.write("entities/person/x.md", MARA.format(""))
    bench.write("entities/person/y.md", MARA.format(""))
    bench.sync()
    assert {("a.md", "id-duplicate"), ("b.md", "id-duplicate")} <= bench.codes()
    assert any(code == "entity-id-duplicate" for _, code in bench.codes())
    (bench.root / "a.md").unlink()
    (bench.root / "entities/person/x.md").unlink()
    bench.sync()
    assert not bench.codes()
    bench.assert_like_new()


@pytest.mark.parametrize("fresh", [True, False])
def test_a_note_that_goes_away_before_its_turn(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, fresh: bool
) -> None:
    monkeypatch.setattr(work, "_WRITE_NOTES", 1)
    if not fresh:
        bench.write("z.md", "there before")
        bench.sync()
    bench.write("a.md", "[[b]] words")
    bench.write("b.md", "there")
    real = work.read_file

    def vanish(path: str, size: int) -> bytes | None:
        if path.endswith("/b.md"):
            Path(path).unlink(missing_ok=True)
        return real(path, size)

    monkeypatch.setattr(work, "read_file", vanish)
    bench.sync()
    assert bench.codes() == {("a.md", "link-dead")}
    bench.assert_like_new()


def test_a_note_that_cannot_be_read_is_a_problem_and_tried_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write("a.md", "words")
    bench.sync()
    real = work.read_file

    def deny(path: str, size: int) -> bytes | None:
        raise PermissionError(13, "Permission denied")

    bench.write("a.md", "other")
    monkeypatch.setattr(work, "read_file", deny)
    assert counts(bench.sync()) == {"removed": 1}
    assert bench.codes() == {("a.md", "note-unreadable")}
    bench.assert_like_new()
    monkeypatch.setattr(work, "read_file", real)
    assert counts(bench.sync()) == {"added": 1}
    assert not bench.codes()
    bench.assert_like_new()


def test_what_the_scan_leaves_out_is_stored_and_goes_when_it_is_gone(bench: Bench) -> None:
    bench.write("a.sync-conflict-20260309-101500-ABCDEFG.md")
    bench.write("sub/b.md.icloud")
    bench.sync()
    assert {code for _, code in bench.codes()} == {"sync-conflict", "cloud-placeholder"}
    (bench.root / "sub/b.md.icloud").unlink()
    bench.sync(["sub"])
    assert {code for _, code in bench.codes()} == {"sync-conflict"}
    bench.assert_like_new()


def test_a_vault_that_is_gone_leaves_the_index_alone(bench: Bench) -> None:
    bench.write("a.md", "words")
    bench.sync()
    bench.root.rename(bench.root.with_name("away"))
    with pytest.raises(VaultUnreadableError):
        bench.sync()
    assert bench.search("words") == ["a.md"]


def test_other_settings_read_every_note_again(bench: Bench) -> None:
    bench.write("long.md", "A sentence of some words. " * 200)
    bench.write("People/x.md", "Somebody")
    bench.sync()
    (before,) = bench.rows("SELECT count(*) FROM chunks")[0]
    bench.settings = IndexSettings(section_tokens=100, entity_folders={"People": "person"}, ignore=("none",))
    assert counts(bench.sync()) == {"unchanged": 2}
    assert bench.rows("SELECT count(*) FROM chunks")[0][0] > before
    assert bench.rows("SELECT entity_id FROM entities") == [("person:x",)]
    bench.assert_like_new()
    bench.age()
    assert bench.sync().chunks == 0


def test_stopped_between_batches_it_goes_on_the_next_time(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "_WRITE_NOTES", 3)
    for number in range(10):
        bench.write(f"{number}.md", f"words [[{number + 1}]] [[Mara]]")
    bench.write("z.md", MARA.format(""))
    first = sync(bench.db, bench.root, bench.settings, clock=now, stop=lambda: True)
    assert not first.complete
    assert (first.added, read_meta(bench.db, "unfinished")) == (3, "1")
    second = bench.sync()
    assert (second.complete, second.added, read_meta(bench.db, "unfinished")) == (True, 8, None)
    bench.assert_like_new()


def test_progress_reaches_its_end(bench: Bench) -> None:
    for number in range(120):
        bench.write(f"{number}.md", "x")
    seen: list[tuple[int, int]] = []
    sync(
        bench.db,
        bench.root,
        bench.settings,
        clock=now,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[0] == (0, 120)
    assert seen[-1] == (120, 120)
    assert seen == sorted(seen)


def test_counts_problems_and_verify(bench: Bench) -> None:
    bench.write("a.md", "# One\n\n[[gone]] #tag and #Tag\n")
    bench.write("entities/person/m.md", MARA.format("Mimi"))
    bench.write("pic.png")
    bench.sync()
    tally = count_tally(bench.db)
    assert (tally.notes, tally.entities, tally.summaries) == (2, 1, 0)
    assert bench.rows("SELECT count(*) FROM files") == [(3,)]
    assert bench.rows("SELECT count(*) FROM links WHERE resolved IS NULL") == [(1,)]
    assert bench.rows("SELECT kind FROM notes ORDER BY kind") == [("entity",), ("note",)]
    assert [problem.code for problem in fetch_problems(bench.db, "a.md")] == ["link-dead"]
    assert verify(bench.db, bench.root, bench.settings, clock=now) == []
    bench.db.execute("UPDATE links SET resolved = 'pic.png'")
    assert len(verify(bench.db, bench.root, bench.settings, clock=now)) == 2


def test_full_text_tables_agree_with_their_content(bench: Bench) -> None:
    for number in range(30):
        bench.write(f"{number}.md", f"# 标题{number}\n\n汉字 words {number}\n" * (number % 4 + 1))
    bench.sync()
    for number in range(0, 30, 3):
        bench.write(f"{number}.md", f"其他的字 other {number}")
    for number in range(1, 30, 3):
        (bench.root / f"{number}.md").unlink()
    bench.sync()
    bench.db.execute("INSERT INTO chunks_fts(chunks_fts) VALUES('integrity-check')")
    bench.db.execute("INSERT INTO chunks_cjk(chunks_cjk) VALUES('integrity-check')")
    bench.assert_like_new()


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\xff\xfe\x00", b"\xef\xbb\xbf---\r\ntitle: x\r\n---\r\n# A\r\n", b"---\n: :\n---\nbody", b"\x00\x00",
        b"---\nx: \"\\ud800\"\naliases: [\"\\udfff\"]\n---\n\xed\xa0\x80", b"# \n## \n", b"caf\xe9",
        "#\u2028x".encode(),
        b"---\ntags: [\"\\ud83d\"]\nid: 007\n---\n", b"---\nkind: person\nid: [1]\naliases: {a: b}\n---\n",
        b"[[a" * 500,
        b"- [ ] t\n" * 50, b"---\nkind: person\nid: \"\\ud800\"\ndisplay_name: \"x\\udc00\"\n---\n",
    ],
)  # fmt: skip
def test_anything_is_a_note(bench: Bench, data: bytes) -> None:
    bench.write("a.md", data)
    bench.write("b.md", b"[[a]]")
    assert bench.sync().added == 2
    bench.write("a.md", b"plain")
    bench.sync()
    bench.write("a.md", data)
    bench.sync()
    bench.assert_like_new()


def test_an_empty_folder_in_the_place_of_the_vault_deletes_nothing(bench: Bench) -> None:
    """A drive that is not mounted leaves its mount point."""
    bench.write("a.md", "tea")
    bench.sync()
    away = bench.root.with_name("away")
    bench.root.rename(away)
    with pytest.raises(VaultUnreadableError):
        bench.sync()
    bench.root.mkdir()
    with pytest.raises(VaultUnreadableError, match="not mounted"):
        bench.sync()
    assert bench.db.execute("SELECT count(*) FROM notes").fetchone() == (1,)
    bench.root.rmdir()
    away.rename(bench.root)
    assert bench.sync().unchanged == 1
    (bench.root / "a.md").unlink()
    assert bench.sync().removed == 1


@pytest.mark.parametrize("reason", [errno.EMFILE, errno.ESTALE, errno.ENOTCONN])
def test_a_note_that_the_machine_cannot_read_now_stays(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, reason: int
) -> None:
    bench.write("a.md", "tea")
    bench.sync()
    bench.write("a.md", "more tea")

    def fail(path: str, size: int) -> bytes:
        raise OSError(reason, "not now", path)

    monkeypatch.setattr(work, "read_file", fail)
    with pytest.raises(VaultUnreadableError, match="not now"):
        bench.sync()
    monkeypatch.undo()
    assert bench.db.execute("SELECT count(*) FROM notes").fetchone() == (1,)
    assert bench.sync().modified == 1


def test_a_vault_that_goes_away_while_it_is_read_keeps_its_notes(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        bench.write(f"{name}.md", "tea")
    bench.sync()
    for name in "abc":
        bench.write(f"{name}.md", "more tea")
    away, real = bench.root.with_name("away"), work.read_file

    def read(path: str, size: int) -> bytes | None:
        if bench.root.exists() and path.endswith("b.md"):
            bench.root.rename(away)
        return real(path, size)

    monkeypatch.setattr(work, "read_file", read)
    with pytest.raises(VaultUnreadableError):
        bench.sync()
    assert bench.db.execute("SELECT count(*) FROM notes").fetchone() == (3,)
    monkeypatch.undo()
    away.rename(bench.root)
    bench.sync()
    bench.assert_like_new()


def test_a_file_beyond_all_measure_is_a_problem(bench: Bench) -> None:
    bench.write("a.md", "tea")
    bench.write("disk image.md")
    os.truncate(bench.root / "disk image.md", 50_000_000_000)
    assert bench.sync().added == 1
    assert ("disk image.md", "note-unreadable") in bench.codes()
    bench.assert_like_new()
