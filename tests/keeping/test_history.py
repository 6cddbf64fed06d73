from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vaultkeeper.config import Settings
from vaultkeeper.errors import (
    CheckpointNotFoundError,
    CrossSourceError,
    HistoryError,
    HistoryLockedError,
    NoIndexError,
    SnapshotNotFoundError,
    SourceNotFoundError,
    UsageError,
)
from vaultkeeper.keeper import Keeper
from vaultkeeper.keeping import history
from vaultkeeper.keeping.history import Changes, ChangesParams
from vaultkeeper.vault.lock import acquire

NOTES = {"Projects/Plan.md": "# Plan\n\none\n", "Pro/Other.md": "other\n", "Top.md": "top\n"}


def now() -> datetime:
    return datetime.now(UTC)


def open_keeper(vault: Path) -> Keeper:
    folder = vault.parent
    return Keeper(vault, folder / "index", Settings(embedder="none"), clock=now, state_dir=folder / "state")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for path, text in NOTES.items():
        write(root, path, text)
    return root.resolve()


@pytest.fixture
def keeper(vault: Path) -> Iterator[Keeper]:
    keeper = open_keeper(vault)
    yield keeper
    keeper.close()


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def look(keeper: Keeper, params: ChangesParams | None = None) -> Changes:
    keeper.sync()
    return keeper.history.changes(params or ChangesParams())


def seen(changes: Changes) -> dict[str, tuple[list[str], list[str], list[str]]]:
    return {
        one.source: (
            [item.path for item in one.added],
            [item.path for item in one.modified],
            [item.path for item in one.removed],
        )
        for one in changes.sources
    }


def test_the_first_look_shows_everything_and_the_second_nothing(keeper: Keeper) -> None:
    first = look(keeper)
    assert seen(first) == {
        "notes:": (["Top.md"], [], []),
        "notes:Pro": (["Pro/Other.md"], [], []),
        "notes:Projects": (["Projects/Plan.md"], [], []),
    }
    assert first.marked
    assert first.notes == ("first_look",)
    assert look(keeper).sources == ()


def test_a_look_shows_what_changed_since_the_one_before(keeper: Keeper, vault: Path) -> None:
    look(keeper)
    write(vault, "Projects/Plan.md", "# Plan\n\ntwo\n")
    write(vault, "Projects/New.md", "new\n")
    (vault / "Top.md").unlink()
    changes = look(keeper, ChangesParams(text_diff=True))
    assert seen(changes) == {
        "notes:": ([], [], ["Top.md"]),
        "notes:Projects": (["Projects/New.md"], ["Projects/Plan.md"], []),
    }
    assert "-one\n+two" in str(changes.sources[1].modified[0].diff)
    assert look(keeper).sources == ()


def test_a_peek_does_not_move_the_mark(keeper: Keeper, vault: Path) -> None:
    look(keeper)
    write(vault, "Top.md", "changed\n")
    for _ in range(2):
        peeked = look(keeper, ChangesParams(commit=False))
        assert seen(peeked) == {"notes:": ([], ["Top.md"], [])}
        assert not peeked.marked
    assert look(keeper).sources == peeked.sources
    assert look(keeper).sources == ()


def test_a_change_that_was_taken_back_is_none(keeper: Keeper, vault: Path) -> None:
    look(keeper)
    write(vault, "Top.md", "changed\n")
    look(keeper, ChangesParams(commit=False))
    write(vault, "Top.md", NOTES["Top.md"])
    assert look(keeper).sources == ()


def test_each_source_has_its_own_mark(keeper: Keeper, vault: Path) -> None:
    look(keeper)
    write(vault, "Projects/Plan.md", "two\n")
    write(vault, "Pro/Other.md", "two\n")
    assert seen(look(keeper, ChangesParams(source="notes:Pro"))) == {"notes:Pro": ([], ["Pro/Other.md"], [])}
    assert seen(look(keeper)) == {"notes:Projects": ([], ["Projects/Plan.md"], [])}


def test_a_source_that_did_not_change_says_so_when_it_is_asked(keeper: Keeper) -> None:
    look(keeper)
    [changes] = look(keeper, ChangesParams(source="Projects")).sources
    assert (changes.source, changes.total, changes.unchanged) == ("notes:Projects", 0, 1)


def test_a_source_that_is_gone_is_still_told(keeper: Keeper, vault: Path) -> None:
    look(keeper)
    shutil.rmtree(vault / "Projects")
    params = ChangesParams(source="notes:Projects")
    assert seen(look(keeper, params)) == {"notes:Projects": ([], [], ["Projects/Plan.md"])}
    assert look(keeper, params).sources[0].total == 0


def test_a_source_is_named_by_its_label_when_that_is_clear(keeper: Keeper, vault: Path) -> None:
    write(vault, "episodic/Projects/000000.md", "---\nseq: 0\n---\n\nhello\n")
    look(keeper)
    with pytest.raises(SourceNotFoundError) as caught:
        look(keeper, ChangesParams(source="projects"))
    assert caught.value.advice == "It could be episodic:Projects, notes:Projects."
    with pytest.raises(SourceNotFoundError) as caught:
        look(keeper, ChangesParams(source="notes:Porjects"))
    assert "notes:Projects" in caught.value.advice
    for blank in ("", "  ", "notes:\n"):
        with pytest.raises(UsageError):
            look(keeper, ChangesParams(source=blank))


def test_since_last_compares_the_last_two_snapshots_and_one_alone_is_all_added(
    keeper: Keeper, vault: Path
) -> None:
    params = ChangesParams(since="last")
    assert seen(look(keeper, params))["notes:"] == (["Top.md"], [], [])
    for n in range(2):
        write(vault, "Top.md", f"{n}\n")
        look(keeper)
    assert seen(look(keeper, params))["notes:"] == ([], ["Top.md"], [])
    assert seen(look(keeper, params))["notes:Pro"] == (["Pro/Other.md"], [], [])
    assert not look(keeper, params).marked


def test_since_last_without_a_snapshot_is_an_error(keeper: Keeper, vault: Path) -> None:
    look(keeper)
    with pytest.raises(SourceNotFoundError):
        look(keeper, ChangesParams(source="notes:Later", since="last"))


def test_a_checkpoint_gathers_all_sources_and_leaves_out_the_unchanged(keeper: Keeper, vault: Path) -> None:
    keeper.sync()
    keeper.history.add_checkpoint("before")  # takes the snapshots that are lacking
    write(vault, "Projects/Plan.md", "two\n")
    write(vault, "Later/New.md", "new\n")
    look(keeper)
    params = ChangesParams(since="checkpoint", checkpoint="before")
    for _ in range(2):
        assert seen(look(keeper, params)) == {
            "notes:Later": (["Later/New.md"], [], []),
            "notes:Projects": ([], ["Projects/Plan.md"], []),
        }
    with pytest.raises(CheckpointNotFoundError):
        look(keeper, ChangesParams(since="checkpoint", checkpoint="none"))


def test_two_snapshots_can_be_compared_again(keeper: Keeper, vault: Path) -> None:
    look(keeper)
    write(vault, "Top.md", "two\n")
    [first] = look(keeper).sources
    write(vault, "Top.md", "three\n")
    write(vault, "Later/New.md", "new\n")
    look(keeper)
    assert first.before is not None
    between = ChangesParams(since="snapshot", before=first.before[:9], after=first.after[:9], text_diff=True)
    [again] = look(keeper, between).sources
    assert "+two" in str(again.modified[0].diff)
    since = ChangesParams(since="snapshot", before=first.before)
    assert set(seen(look(keeper, since))) == {"notes:", "notes:Later"}
    with pytest.raises(CrossSourceError):
        look(keeper, ChangesParams(since="snapshot", source="notes:Later", before=first.before))
    with pytest.raises(SnapshotNotFoundError):
        look(keeper, ChangesParams(since="snapshot", before="1234567"))


def test_a_rebuild_leaves_the_history_alone(keeper: Keeper, vault: Path) -> None:
    look(keeper)
    write(vault, "Top.md", "two\n")
    keeper.close()
    shutil.rmtree(vault.parent / "index")
    keeper.rebuild()
    assert seen(keeper.history.changes(ChangesParams())) == {"notes:": ([], ["Top.md"], [])}


def test_losing_the_state_folder_costs_only_what_it_holds(keeper: Keeper, vault: Path) -> None:
    look(keeper)
    shutil.rmtree(vault.parent / "state")
    before = {path: path.read_bytes() for path in vault.rglob("*.md")}
    assert look(keeper).notes == ("first_look",)
    assert {path: path.read_bytes() for path in vault.rglob("*.md")} == before


def test_the_users_own_repository_is_not_touched(keeper: Keeper, vault: Path) -> None:
    """Not even when the state folder lies in it."""
    from dulwich.repo import Repo

    Repo.init(str(vault)).close()
    Repo.init(str(vault.parent)).close()
    own = [vault / ".git", vault.parent / ".git"]
    before = {path: path.read_bytes() for git in own for path in git.rglob("*") if path.is_file()}
    look(keeper)
    write(vault, "Top.md", "two\n")
    look(keeper)
    assert {path: path.read_bytes() for git in own for path in git.rglob("*") if path.is_file()} == before


def test_nothing_but_the_state_folder_is_written(keeper: Keeper, vault: Path) -> None:
    keeper.sync()
    before = {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}
    keeper.history.changes(ChangesParams())
    assert {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()} == before
    assert sorted(path.name for path in (vault.parent / "state").iterdir()) == [
        "history.git",
        "history.lock",
        "known.json",
    ]


def test_notes_with_one_id_are_two_items(keeper: Keeper, vault: Path) -> None:
    for name in ("a", "b"):
        write(vault, f"Twins/{name}.md", "---\nid: twin\n---\n\ntext\n")
    [changes] = look(keeper, ChangesParams(source="notes:Twins")).sources
    assert [(item.item, item.path) for item in changes.added] == [
        ("twin", "Twins/a.md"),
        ("Twins/b.md", "Twins/b.md"),
    ]


def test_a_note_with_an_id_is_the_same_after_a_move(keeper: Keeper, vault: Path) -> None:
    write(vault, "Moves/a.md", "---\nid: n-1\n---\n\ntext\n")
    look(keeper)
    (vault / "Moves/a.md").rename(vault / "Moves/b.md")
    assert look(keeper).sources == ()


def test_names_of_any_kind_are_followed(keeper: Keeper, vault: Path) -> None:
    names = ["笔记/很长的名字" * 8 + ".md", "a..b/x.lock.md", "50% #1/ü|ß.md", "tab\there/x.md"]
    for name in names:
        write(vault, name, "one\n")
    assert "sources_left_out" in look(keeper).notes
    for name in names:
        write(vault, name, "two\n")
    changes = look(keeper)
    assert sorted(item.path for one in changes.sources for item in one.modified) == sorted(names[:3])
    for name in names[:3]:
        look(keeper, ChangesParams(source=f"notes:{name.partition('/')[0]}"))


def test_without_an_index_there_is_nothing_to_compare(keeper: Keeper) -> None:
    with pytest.raises(NoIndexError):
        keeper.history.changes(ChangesParams())


def test_an_index_that_is_still_being_built_is_no_news(keeper: Keeper, vault: Path) -> None:
    look(keeper)
    (vault / "Top.md").unlink()
    keeper.sync()
    from vaultkeeper.index import store

    db = store.open_writer(vault.parent / "index")
    db.execute("INSERT INTO meta VALUES('unfinished', '1')")
    db.close()
    assert keeper.history.changes(ChangesParams()) == ("read", (), False, ("index_unfinished",))
    assert seen(look(keeper)) == {"notes:": ([], [], ["Top.md"])}


def test_an_empty_vault_has_no_changes_and_no_checkpoints(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    keeper = open_keeper((tmp_path / "vault").resolve())
    assert look(keeper) == ("read", (), False, ())
    with pytest.raises(SnapshotNotFoundError):
        keeper.history.add_checkpoint()
    assert keeper.history.list_checkpoints() == []
    keeper.close()


def test_checkpoints_are_listed_and_cleaned(keeper: Keeper) -> None:
    assert keeper.history.list_checkpoints() == []
    keeper.sync()
    made = [keeper.history.add_checkpoint(label) for label in ("one", "two")]
    assert keeper.history.list_checkpoints() == made
    assert keeper.history.clean_checkpoints(made[0].created_at_ms) == []
    assert keeper.history.clean_checkpoints(made[1].created_at_ms + 1) == made


def test_a_damaged_history_is_an_error_and_no_new_beginning(keeper: Keeper, vault: Path) -> None:
    look(keeper)
    (vault.parent / "state/history.git/refs/heads/main").write_text("")
    with pytest.raises(HistoryError):
        look(keeper)
    with pytest.raises(HistoryError):
        keeper.history.check()


def test_who_waits_for_the_history_learns_for_whom(
    keeper: Keeper, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "_WAIT_S", 0.0)
    keeper.sync()
    lock = acquire(vault.parent / "state" / history.LOCK, command="another look", since=now())
    with lock, pytest.raises(HistoryLockedError, match="another look"):
        keeper.history.changes(ChangesParams())
    assert keeper.history.changes(ChangesParams()).sources


LOOKER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from vaultkeeper.config import Settings
from vaultkeeper.keeper import Keeper
from vaultkeeper.keeping.history import ChangesParams
root = Path(sys.argv[1])
keeper = Keeper(root, root.parent / "index", Settings(embedder="none"), clock=lambda: datetime.now(UTC),
                state_dir=root.parent / "state")
found = keeper.history.changes(ChangesParams())
print("\\n".join(item.path for one in found.sources for item in one.added))
keeper.close()
"""


def test_of_several_who_look_at_once_each_change_is_shown_to_one(keeper: Keeper, vault: Path) -> None:
    keeper.sync()
    lookers = [
        subprocess.Popen([sys.executable, "-c", LOOKER, str(vault)], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    outputs = [looker.communicate(timeout=60)[0] for looker in lookers]
    assert [looker.returncode for looker in lookers] == [0] * 4
    assert sorted(" ".join(outputs).split()) == sorted(NOTES)


def test_two_vaults_with_a_state_folder_each_do_not_mix(keeper: Keeper, tmp_path: Path) -> None:
    look(keeper)
    other = tmp_path / "elsewhere" / "vault"
    write(other, "Top.md", "else\n")
    second = open_keeper(other.resolve())
    assert seen(look(second)) == {"notes:": (["Top.md"], [], [])}
    second.close()
    assert look(keeper).sources == ()
