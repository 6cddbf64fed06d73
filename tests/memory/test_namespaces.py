from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.memory.test_goals import card
from vaultkeeper.errors import MemoryNotFoundError, RefusedError, TooLargeError, UsageError
from vaultkeeper.memory.namespaces import (
    check_namespace,
    file_stem,
    forget,
    list_namespaces,
    load_memories,
    store,
)

NOW = datetime(2026, 3, 9, 8, 0, tzinfo=UTC)
TOKEN = "ghp_" + "a1B2c3D4e5" * 4


def keys(root: Path, namespace: str = "global") -> list[str]:
    return [memory.key for memory in load_memories(root, namespace)]


def test_a_memory_is_a_note_that_a_person_can_read(tmp_path: Path) -> None:
    stored = store(tmp_path, "Tea pot", "The lid is at Femke's.", now=NOW, category="daily")
    assert stored.receipt.path == "memory/global/tea-pot.md"
    assert (tmp_path / stored.receipt.path).read_text("utf-8") == (
        '---\nnamespace: global\nkey: Tea pot\ncategory: daily\ncreated_at: "2026-03-09T08:00:00.000Z"\n'
        'updated_at: "2026-03-09T08:00:00.000Z"\n---\n\nThe lid is at Femke\'s.\n'
    )
    [memory] = load_memories(tmp_path, "global")
    assert (memory.key, memory.category, memory.content) == ("Tea pot", "daily", "The lid is at Femke's.")


@pytest.mark.parametrize(
    "key", ["a: b", "- x", "#tag", "true", "007", "'quoted\" mix", "茶壶", "Ärger", "a/b/../c", "..", "con"]
)
def test_any_key_comes_back_as_it_was(tmp_path: Path, key: str) -> None:
    path = store(tmp_path, key, "text", now=NOW).receipt.path
    assert keys(tmp_path) == [key]
    assert path.count("/") == 2
    assert not store(tmp_path, key, "text", now=NOW).receipt.changed


def test_keys_with_the_same_file_name_stay_two_memories(tmp_path: Path) -> None:
    for key in ("C", "C#", "c", "C++"):
        store(tmp_path, key, f"about {key}", now=NOW)
    assert sorted(keys(tmp_path)) == ["C", "C#", "C++", "c"]
    store(tmp_path, "C#", "anew", now=NOW)
    assert {memory.key: memory.content for memory in load_memories(tmp_path, "global")}["C"] == "about C"
    assert len(keys(tmp_path)) == 4


def test_storing_again_changes_the_note_and_keeps_what_a_person_added(tmp_path: Path) -> None:
    path = tmp_path / store(tmp_path, "tea", "old", now=NOW).receipt.path
    text = path.read_text("utf-8").replace("key: tea", "key: tea # mine\ntags: [kitchen]")
    path.write_bytes(text.replace("\n", "\r\n").encode())
    stored = store(tmp_path, "tea", "new\nlines", now=NOW + timedelta(days=1))
    assert stored.receipt.changed
    after = path.read_bytes().decode()
    assert "key: tea # mine\r\ntags: [kitchen]\r\n" in after
    assert after.endswith('updated_at: "2026-03-10T08:00:00.000Z"\r\n---\r\n\r\nnew\r\nlines\r\n')
    assert "old" not in after


def test_the_same_again_writes_nothing(tmp_path: Path) -> None:
    first = store(tmp_path, "tea", "text", now=NOW).receipt
    again = store(tmp_path, "tea", "text\n", now=NOW + timedelta(days=1)).receipt
    assert not again.changed
    assert again.sha256 == first.sha256


def test_a_renamed_note_is_found_by_its_key(tmp_path: Path) -> None:
    path = tmp_path / store(tmp_path, "tea", "old", now=NOW).receipt.path
    path.rename(path.with_name("Kitchen things.md"))
    assert store(tmp_path, "tea", "new", now=NOW).receipt.path == "memory/global/Kitchen things.md"
    assert keys(tmp_path) == ["tea"]


def test_a_note_written_by_hand_is_a_memory_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "memory" / "work").mkdir(parents=True)
    (tmp_path / "memory" / "work" / "Door code.md").write_text("Ask at the desk.\n")
    [memory] = load_memories(tmp_path, "work")
    assert (memory.namespace, memory.key, memory.category, memory.content) == (
        "work", "Door code", "core", "Ask at the desk.",
    )  # fmt: skip


def test_namespaces_do_not_mix(tmp_path: Path) -> None:
    store(tmp_path, "tea", "here", now=NOW)
    store(tmp_path, "tea", "there", now=NOW, namespace="skill-7")
    assert [memory.content for memory in load_memories(tmp_path, "skill-7")] == ["there"]
    assert list_namespaces(tmp_path) == ["global", "skill-7"]
    forget(tmp_path, "tea", namespace="skill-7")
    assert keys(tmp_path) == ["tea"]


def test_no_namespace_means_global(tmp_path: Path) -> None:
    assert check_namespace(None) == "global"
    assert store(tmp_path, "a", "b", now=NOW).namespace == "global"


@pytest.mark.parametrize("blank", ["", "  ", "\t\n", 7, [], True])
def test_a_blank_namespace_is_an_error_and_never_global(tmp_path: Path, blank: object) -> None:
    for call in (
        lambda: store(tmp_path, "a", "b", now=NOW, namespace=blank),  # type: ignore[arg-type]
        lambda: forget(tmp_path, "a", namespace=blank),  # type: ignore[arg-type]
    ):
        with pytest.raises(UsageError):
            call()
    assert not (tmp_path / "memory").exists()


def test_forgetting_moves_the_note_into_the_trash(tmp_path: Path) -> None:
    store(tmp_path, "tea", "text", now=NOW)
    trashed = forget(tmp_path, "tea")
    assert (tmp_path / trashed).read_text("utf-8").endswith("text\n")
    assert keys(tmp_path) == []
    store(tmp_path, "milk", "text", now=NOW)
    with pytest.raises(MemoryNotFoundError) as caught:
        forget(tmp_path, "tea")
    assert caught.value.exit_code == 3
    assert "milk" in caught.value.advice


def test_names_that_look_like_secrets_are_refused(tmp_path: Path) -> None:
    for key, namespace in ((TOKEN, None), ("tea", TOKEN)):
        with pytest.raises(RefusedError) as caught:
            store(tmp_path, key, "text", now=NOW, namespace=namespace)
        assert TOKEN not in str(caught.value)
    assert not (tmp_path / "memory").exists()


def test_personal_numbers_are_taken_out_of_keys_and_secrets_out_of_contents(tmp_path: Path) -> None:
    number = card()
    stored = store(tmp_path, f"card {number}", f"the token {TOKEN} opens it", now=NOW)
    assert number not in stored.key + stored.receipt.path
    text = (tmp_path / stored.receipt.path).read_text("utf-8")
    assert number not in text
    assert TOKEN not in text
    assert sum(stored.removed.values()) == 1
    with pytest.raises(RefusedError):
        store(tmp_path, "token", TOKEN, now=NOW)


@pytest.mark.parametrize("category", ["", "gossip", "CORE"])
def test_unknown_categories_are_refused(tmp_path: Path, category: str) -> None:
    with pytest.raises(UsageError, match="core, daily, conversation, custom"):
        store(tmp_path, "a", "b", now=NOW, category=category)


def test_blank_keys_and_contents_are_refused_and_sizes_capped(tmp_path: Path) -> None:
    for key, content in ((" ", "text"), ("tea", "\n "), ("tea", "a\0b")):
        with pytest.raises(UsageError):
            store(tmp_path, key, content, now=NOW)
    for key, content in (("k" * 201, "text"), ("tea", "x" * 70_000)):
        with pytest.raises(TooLargeError):
            store(tmp_path, key, content, now=NOW)


def test_a_linked_folder_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    (root / "Private").mkdir(parents=True)
    (root / "Private" / "diary.md").write_text("mine")
    (root / "memory").mkdir()
    (root / "memory" / "global").symlink_to(root / "Private")
    for call in (lambda: store(root, "diary", "x", now=NOW), lambda: forget(root, "diary")):
        with pytest.raises(RefusedError):
            call()
    assert (root / "Private" / "diary.md").read_text() == "mine"


def test_content_that_looks_like_frontmatter_stays_content(tmp_path: Path) -> None:
    store(tmp_path, "a", "---\nkey: forged\n---\nrest", now=NOW)
    [memory] = load_memories(tmp_path, "global")
    assert (memory.key, memory.content) == ("a", "---\nkey: forged\n---\nrest")


def test_file_stems_are_plain_and_keep_other_scripts() -> None:
    assert [file_stem(name) for name in ("Tea Pot", "user_pref_general", "rule/ab12", "茶 壶", "Größe")] == [
        "tea-pot", "user_pref_general", "rule-ab12", "茶-壶", "größe",
    ]  # fmt: skip
