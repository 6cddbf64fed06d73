from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vaultkeeper.config import Settings
from vaultkeeper.errors import AmbiguousNoteError, LockedError, NoteNotFoundError
from vaultkeeper.index import store
from vaultkeeper.index.vectors import EXACT_BELOW
from vaultkeeper.keeper import Keeper
from vaultkeeper.keeping.doctor import Surroundings
from vaultkeeper.present.note import note_json
from vaultkeeper.vault.chunks import MAX_TOKENS, SECTION_TOKENS

NOTES = {
    "Tea.md": "---\ntags: [drink]\naliases: [Cha]\n---\n# Tea\n\nSteep for [[Time|three minutes]]. ![[pot.png]]\n",
    "Time.md": "# Time\n\nSee [[Nowhere]] and [[Tea#Gone]].\n",
    "a/Twin.md": "one\n",
    "b/Twin.md": "two\n",
    "entities/person/mara.md": "---\nid: person:mara\nkind: person\ndisplay_name: Mara\n---\n",
    "Daily/2026-03-01.md": "Met Mara at the market.\n",
    "pot.png": "",
}


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root.resolve()


def open_keeper(vault: Path) -> Keeper:
    return Keeper(vault, vault.parent / "index", Settings(embedder="none"), clock=now, command="a test")


@pytest.fixture
def keeper(vault: Path) -> Iterator[Keeper]:
    keeper = open_keeper(vault)
    keeper.sync()
    yield keeper
    keeper.close()


def test_the_defaults_of_the_settings_are_those_of_the_chunks() -> None:
    assert Settings().chunk_max_tokens == MAX_TOKENS
    assert Settings().chunk_section_tokens == SECTION_TOKENS
    assert Settings().hnsw_threshold == EXACT_BELOW


def test_an_index_that_is_damaged_is_made_anew(keeper: Keeper, vault: Path) -> None:
    keeper.close()
    path = store.database_path(keeper.index_dir)
    assert path is not None
    with path.open("r+b") as file:
        file.write(b"no database at all, not even nearly" * 100)
    assert keeper.doctor(Surroundings()).first_blocking_cause == "storage_unavailable"
    assert keeper.sync().added == 6
    assert keeper.status().notes == 6


def test_one_writer_at_a_time_and_readers_meanwhile(keeper: Keeper, vault: Path) -> None:
    other = open_keeper(vault)
    with keeper.writing():
        with pytest.raises(LockedError, match="a test"):
            other.sync()
        assert other.status().notes == 6
        (vault / "New.md").write_text("new")
        keeper.sync(paths=["New.md"])
        assert other.status().notes == 7
    other.sync()
    other.close()


def test_a_rebuild_gives_the_same_counts_and_readers_follow_it(keeper: Keeper) -> None:
    before = keeper.status()
    keeper.rebuild()
    after = keeper.status()
    assert (after.notes, after.chunks, after.entities, after.problems) == (
        before.notes,
        before.chunks,
        before.entities,
        before.problems,
    )


def test_before_the_first_sync_there_is_nothing_but_no_failure(vault: Path) -> None:
    keeper = open_keeper(vault)
    assert not keeper.status().built
    assert keeper.doctor(Surroundings()).first_blocking_cause == "storage_unavailable"
    [view] = keeper.note(["Tea"], vault)
    assert view.note.path == "Tea.md"


def test_a_note_is_shown_with_what_the_vault_knows_of_it(keeper: Keeper, vault: Path) -> None:
    tea, time, daily = (
        note_json(view) for view in keeper.note(["Tea", "Time.md", "Daily/2026-03-01"], vault)
    )
    assert tea["links"][0]["resolved"] == "Time.md"
    assert tea["embeds"][0]["resolved"] == "pot.png"
    assert tea["targets"] == {"Time.md": 1, "pot.png": 1}
    assert (tea["tags"], tea["aliases"], tea["frontmatter"]) == (["drink"], ["Cha"], "ok")
    assert time["unresolved"] == {"Nowhere": 1}
    assert [problem["code"] for problem in time["problems"]] == ["heading-missing", "link-dead"]
    assert daily["entities"] == [{"id": "person:mara", "surface": "Mara", "mentions": 1}]


def test_a_note_is_named_by_path_or_name_and_never_guessed(keeper: Keeper, vault: Path) -> None:
    def path(name: str, folder: Path = vault) -> str:
        return keeper.note([name], folder)[0].note.path

    assert path("a/Twin.md") == "a/Twin.md"
    assert path("Twin.md", vault / "b") == "b/Twin.md"
    assert path("tea") == "Tea.md"
    assert path(str(vault / "Time.md")) == "Time.md"
    with pytest.raises(AmbiguousNoteError, match=r"a/Twin\.md, b/Twin\.md"):
        path("Twin")
    with pytest.raises(NoteNotFoundError) as caught:
        path("Te-a-s")
    assert caught.value.exit_code == 3


def test_a_note_outside_the_vault_is_not_shown(keeper: Keeper, vault: Path) -> None:
    outside = vault.parent / "secret.md"
    outside.write_text("secret")
    (vault / "link.md").symlink_to(outside)
    for name in ("../secret.md", str(outside), "link.md"):
        with pytest.raises(NoteNotFoundError):
            keeper.note([name], vault)


def test_the_doctor_sees_files_from_the_future(keeper: Keeper, vault: Path) -> None:
    ahead = now().timestamp() + 72 * 3600
    os.utime(vault / "Tea.md", (ahead, ahead))
    keeper.sync()
    groups = {group.code: group for group in keeper.doctor(Surroundings()).groups}
    assert [problem.path for problem in groups["clock-skew"].problems] == ["Tea.md"]
