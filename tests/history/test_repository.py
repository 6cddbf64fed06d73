from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.history.repo import Told
from vaultkeeper.errors import HistoryError, UsageError
from vaultkeeper.history import bookmarks, compare, snapshots
from vaultkeeper.history.repository import (
    Repository,
    check_source,
    decode_name,
    encode_name,
    is_source,
    ref_name,
)


def test_kept_are_letters_digits_dot_underscore_and_hyphen() -> None:
    assert encode_name("notes:Größe/a_b-1.md") == b"i_notes%3AGr%C3%B6%C3%9Fe%2Fa_b-1.md"
    assert encode_name("") == b"i_"
    assert encode_name("50%") == b"i_50%25"


@given(st.text(st.characters(exclude_categories=())))
def test_a_name_is_read_back_and_never_holds_a_slash(text: str) -> None:
    name = encode_name(text)
    assert decode_name(name) == text
    assert re.fullmatch(rb"i_[A-Za-z0-9._%-]*", name)


def test_what_is_not_an_item_has_no_name() -> None:
    assert decode_name(b"m_paths") is None


@given(st.text(), st.text())
def test_a_name_in_a_ref_is_one_that_git_allows_and_two_texts_have_two(one: str, other: str) -> None:
    name = ref_name(one)
    assert len(name) <= 200
    assert b"." not in name
    assert (ref_name(other) == name) == (one == other)


@pytest.mark.parametrize("text", ["", "   ", "a\nb", "a\tb", "\x00", "notes:\x7f", "a\u2028b"])
def test_blank_and_control_characters_make_no_source(text: str) -> None:
    assert not is_source(text)
    with pytest.raises(UsageError):
        check_source(text)


@pytest.mark.parametrize("text", ["notes:", "notes:笔记", "episodic:a b", "notes:a..lock"])
def test_anything_else_does(text: str) -> None:
    check_source(text)


def filled(told: Told) -> None:
    told.sources = {"notes:a": {f"a/{n}.md": f"text {n}\n" for n in range(3)}}
    told.taken()
    told.sources["notes:a"]["a/0.md"] = "other\n"
    head = told.taken()
    bookmarks.advance_all(told.repository, head)
    bookmarks.add_checkpoint(told.repository, "one", head, 5)
    told.repository.close()


def objects(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "objects").rglob("*") if path.is_file())


def damage_objects(folder: Path) -> None:
    for path in objects(folder):
        path.chmod(0o600)
        path.write_bytes(path.read_bytes()[:-7] + b"garbage")


def empty_objects(folder: Path) -> None:
    for path in objects(folder):
        path.chmod(0o600)
        path.write_bytes(b"")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "objects gone": lambda folder: shutil.rmtree(folder / "objects"),
    "objects changed": damage_objects,
    "objects empty": empty_objects,
    "head is no id": lambda folder: (folder / "refs/heads/main").write_text("nonsense\n"),
    "head is empty": lambda folder: (folder / "refs/heads/main").write_text(""),
    "head names nothing": lambda folder: (folder / "refs/heads/main").write_text("1" * 40 + "\n"),
    "head gone": lambda folder: (folder / "refs/heads/main").unlink(),
    "head is a folder": lambda folder: (
        (folder / "refs/heads/main").unlink(),
        (folder / "refs/heads/main").mkdir(),
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_corrupt_repository_surfaces_as_an_error(told: Told, damage: str) -> None:
    """Never a traceback, and never a history in which everything was just added."""
    filled(told)
    DAMAGE[damage](told.repository.folder)
    repository = Repository(told.repository.folder)

    def read_all() -> None:
        head = snapshots.find_head(repository)
        assert head is not None
        compare.compare(repository, "notes:a", None, head, text_diff=True)

    with pytest.raises(HistoryError) as caught:
        read_all()
    assert str(told.repository.folder) in str(caught.value)
    assert "no note" in caught.value.advice
    repository.close()


def test_a_repository_of_somebody_else_is_no_history(told: Told) -> None:
    told.repository.commit(told.repository.tree({}, {}), None, "Initial commit\n", 1000)
    with pytest.raises(HistoryError, match="is no snapshot"):
        snapshots.find_head(told.repository)


def test_making_it_can_be_interrupted_anywhere(tmp_path: Path) -> None:
    folder = tmp_path / "history.git"
    for existing in ((), ("refs/heads",), ("objects/pack", "refs/heads", "refs/tags")):
        shutil.rmtree(folder, ignore_errors=True)
        for part in existing:
            (folder / part).mkdir(parents=True)
        repository = Repository(folder)
        repository.create()
        assert repository.head() is None
        repository.commit(repository.tree({}, {}), None, "x\n", 1000)
        assert repository.head()
        repository.close()


def test_git_can_read_it(told: Told) -> None:
    """A person may look into the history with any git."""
    from dulwich.repo import Repo

    filled(told)
    with Repo(str(told.repository.folder)) as repo:
        assert repo.bare
        texts = [bytes(entry.commit.message) for entry in repo.get_walker()]
        names = set(repo.refs.allkeys())
    assert len(texts) == 2
    assert all(text.startswith(b"Snapshot of notes:a\n") for text in texts)
    assert {b"refs/heads/main", b"refs/vaultkeeper/read/all"} < names


def test_it_is_for_its_owner_only(told: Told) -> None:
    assert told.repository.folder.stat().st_mode & 0o077 == 0


def test_many_objects_become_one_pack(told: Told) -> None:
    told.sources = {"notes:a": {f"a/{n}.md": f"text {n}\n" for n in range(200)}}
    told.taken()
    assert len(objects(told.repository.folder)) == 2
    assert set(told.repository.read_tree(told.taken().tree)) == {b"i_notes%3Aa"}


def test_an_interrupted_snapshot_leaves_the_one_before(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ref is moved last: killed before it, the objects are there and nothing names them."""
    told.sources = {"notes:a": {"a/1.md": "one\n"}}
    before = told.taken()
    told.sources["notes:a"]["a/1.md"] = "two\n"

    def killed(name: bytes, target: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(told.repository, "write_ref", killed)
        with pytest.raises(KeyboardInterrupt):
            told.take()
    assert snapshots.find_head(told.repository) == before
    after = told.taken()
    changes = compare.compare(told.repository, "notes:a", before, after)
    assert [change.item for change in changes.modified] == ["a/1.md"]
