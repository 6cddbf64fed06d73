from __future__ import annotations

import random
import string
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from vaultkeeper.errors import RefusedError
from vaultkeeper.importers.chat import Message, render_units
from vaultkeeper.importers.item import Item
from vaultkeeper.importers.shelf import write_item
from vaultkeeper.vault.note import parse_note

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ITEM = Item(
    "document",
    "manuals: valve",
    "manuals: valve",
    "Valve: the #1 manual",
    "Open it slowly.\n",
    "Valve: the #1 manual",
    1_772_366_400_000,
    1_772_366_400_000,
    ("provider/notion",),
    "nora",
    "https://example.org/valve",
)


def test_a_note_says_where_it_comes_from(tmp_path: Path) -> None:
    done = write_item(tmp_path, ITEM, NOW)
    assert done.path.startswith("sources/document/manuals-valve-")
    note = parse_note(done.path, (tmp_path / done.path).read_bytes())
    assert note.problems == []
    assert list(note.properties) == [
        "id", "title", "source_kind", "source_id", "owner", "timestamp", "time_range_start", "time_range_end",
        "source_ref", "version_ms", "ingested_at", "content_sha256", "aliases", "tags",
    ]  # fmt: skip
    assert note.properties["aliases"] == ["Valve: the #1 manual"]
    assert note.tags == ["source/manuals-valve", "provider/notion"]
    assert note.text.endswith("---\n\nOpen it slowly.\n")
    assert done.bytes == (tmp_path / done.path).stat().st_size


def test_the_same_again_is_unchanged_and_not_written(tmp_path: Path) -> None:
    first = write_item(tmp_path, ITEM, NOW)
    before = (tmp_path / first.path).stat()
    again = write_item(tmp_path, replace(ITEM, start_ms=5, tags=("new",)), NOW + timedelta(days=1))
    assert (again.outcome, again.path, again.version_ms) == ("unchanged", first.path, first.version_ms)
    assert (tmp_path / first.path).stat().st_mtime_ns == before.st_mtime_ns


def test_an_ingest_that_failed_is_no_ingest(tmp_path: Path) -> None:
    def fail(name: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_item(tmp_path, ITEM, NOW, step=fail)
    assert list(tmp_path.rglob("*.md")) == []
    first = write_item(tmp_path, ITEM, NOW)
    assert first.outcome == "new"
    with pytest.raises(KeyboardInterrupt):
        write_item(tmp_path, replace(ITEM, body="Open it quickly.\n"), NOW, step=fail)
    assert write_item(tmp_path, ITEM, NOW).outcome == "unchanged"
    assert write_item(tmp_path, replace(ITEM, body="Open it quickly.\n"), NOW).outcome == "version"


def test_other_bytes_are_a_new_version_of_the_same_note(tmp_path: Path) -> None:
    first = write_item(tmp_path, ITEM, NOW)
    second = write_item(tmp_path, replace(ITEM, body="Open it quickly.\n"), NOW)
    assert (second.outcome, second.path) == ("version", first.path)
    assert second.version_ms > first.version_ms
    assert len(list(tmp_path.rglob("*.md"))) == 1
    assert "quickly" in (tmp_path / first.path).read_text()


def test_what_the_user_added_to_the_properties_stays(tmp_path: Path) -> None:
    first = write_item(tmp_path, ITEM, NOW)
    file = tmp_path / first.path
    file.write_text(
        file.read_text().replace("owner: nora", "owner: nora\nrating: 5 # mine\ncssclasses: [wide]")
    )
    write_item(tmp_path, replace(ITEM, body="Open it quickly.\n"), NOW)
    text = file.read_text()
    assert "rating: 5 # mine\ncssclasses: [wide]\n" in text
    assert text.endswith("---\n\nOpen it quickly.\n")


def test_a_body_that_the_user_edited_is_kept_in_the_trash(tmp_path: Path) -> None:
    first = write_item(tmp_path, ITEM, NOW)
    file = tmp_path / first.path
    file.write_text(file.read_text() + "\nMy own remark.\n")
    assert write_item(tmp_path, ITEM, NOW).outcome == "unchanged"
    assert "My own remark." in file.read_text()
    write_item(tmp_path, replace(ITEM, body="Open it quickly.\n"), NOW)
    [copy] = (tmp_path / ".trash").rglob("*.md")
    assert "My own remark." in copy.read_text()


def test_a_note_that_was_moved_is_found_by_its_identity(tmp_path: Path) -> None:
    first = write_item(tmp_path, ITEM, NOW)
    (tmp_path / "sources/mine").mkdir(parents=True)
    (tmp_path / first.path).rename(tmp_path / "sources/mine/x.md")
    again = write_item(
        tmp_path, ITEM, NOW, lambda identity: "sources/mine/x.md" if identity == ITEM.id else None
    )
    assert (again.outcome, again.path) == ("unchanged", "sources/mine/x.md")


def test_two_items_of_one_name_are_two_notes(tmp_path: Path) -> None:
    paths = {write_item(tmp_path, replace(ITEM, id=f"i{n}"), NOW).path for n in range(2)}
    assert len(paths) == 2
    assert all(write_item(tmp_path, replace(ITEM, id=f"i{n}"), NOW).outcome == "unchanged" for n in range(2))


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "/abs",
        "a/../../b",
        ".hidden/.x",
        "CON",
        "x" * 500,
        "",
        "///",
        "a\0b",
        "笔记/第一章",
    ],
)
def test_no_name_leads_out_of_the_sources_folder(tmp_path: Path, name: str) -> None:
    done = write_item(tmp_path / "vault", replace(ITEM, name=name), NOW)
    assert done.path.startswith("sources/document/manuals-valve-")
    assert [path.name for path in tmp_path.iterdir()] == ["vault"]


def test_a_link_out_of_the_vault_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "vault/sources").symlink_to(tmp_path / "outside")
    with pytest.raises(RefusedError):
        write_item(tmp_path / "vault", ITEM, NOW)
    assert list((tmp_path / "outside").iterdir()) == []


def test_secrets_do_not_reach_the_disk(tmp_path: Path) -> None:
    secret = "gh" + "p_" + "".join(random.Random(3).choices(string.ascii_letters + string.digits, k=36))
    done = write_item(
        tmp_path,
        replace(ITEM, body=f"token {secret}\n", title=f"T {secret}", name=f"T {secret}", source_ref=secret),
        NOW,
    )
    assert done.removed
    for path in tmp_path.rglob("*"):
        assert secret not in str(path)
        assert path.is_dir() or secret not in path.read_text()
    again = replace(ITEM, body=f"token {secret}\n", name=f"T {secret}")
    assert write_item(tmp_path, again, NOW).outcome == "unchanged"


def test_a_chat_is_added_to_and_nothing_is_said_twice(tmp_path: Path) -> None:
    def said(*numbers: int) -> Item:
        body = render_units(Message(1_772_366_400_000 + n * 1000, "a", f"message {n}") for n in numbers)
        return replace(
            ITEM,
            source_kind="chat",
            body=body,
            name="2026-03-01",
            merge="union",
            end_ms=1_772_366_400_000 + max(numbers) * 1000,
        )

    first = write_item(tmp_path, said(0, 1), NOW)
    second = write_item(tmp_path, said(1, 2), NOW)
    assert (second.outcome, second.path) == ("merged", first.path)
    text = (tmp_path / first.path).read_text()
    assert [text.count(f"message {n}") for n in range(3)] == [1, 1, 1]
    assert "time_range_end: 2026-03-01T12:00:02Z" in text
    assert write_item(tmp_path, said(0, 2), NOW).outcome == "unchanged"
