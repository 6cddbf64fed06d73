from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vaultkeeper.config import Settings
from vaultkeeper.errors import ProviderError
from vaultkeeper.index.embedding import LOCK, STATE
from vaultkeeper.index.memo import FILE_NAME
from vaultkeeper.keeper import Keeper
from vaultkeeper.providers.hashed import HashEmbedder
from vaultkeeper.vault.lock import acquire


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    root.mkdir()
    for number in range(5):
        (root / f"{number}.md").write_text(f"note number {number}\n")
    (root / "copy.md").write_text("the same\n")
    (root / "deep").mkdir()
    (root / "deep" / "copy.md").write_text("the same\n")
    return root.resolve()


def open_keeper(vault: Path, embedder: str = "hash") -> Keeper:
    return Keeper(vault, vault.parent / "index", Settings(embedder=embedder), clock=now)


@pytest.fixture
def keeper(vault: Path) -> Iterator[Keeper]:
    keeper = open_keeper(vault)
    keeper.sync()
    yield keeper
    keeper.close()


def test_equal_texts_count_once_and_the_work_goes_on_where_it_ended(keeper: Keeper, vault: Path) -> None:
    assert keeper.status().vectors_pending == 6
    assert keeper.embed_pending(limit=4) == 2
    assert open_keeper(vault).status().vectors_pending == 2
    told: list[tuple[int, int]] = []
    assert keeper.embed_pending(progress=lambda done, total: told.append((done, total))) == 0
    assert told[-1] == (2, 2)
    assert keeper.status().vectors_pending == 0


def test_a_stop_leaves_the_rest_for_later(keeper: Keeper) -> None:
    assert keeper.embed_pending(stop=lambda: True) == 6
    assert keeper.embed_pending() == 0


def test_when_nothing_has_changed_no_model_is_loaded(keeper: Keeper, vault: Path) -> None:
    keeper.embed_pending()
    state = json.loads((keeper.index_dir / STATE).read_text())
    (keeper.index_dir / STATE).write_text(json.dumps({**state, "spec": "onnx:/nowhere"}))
    broken = open_keeper(vault, "onnx:/nowhere")
    assert broken.embed_pending() == 0
    assert broken.status().vectors_pending == 0
    (vault / "new.md").write_text("new")
    broken.sync()
    with pytest.raises(ProviderError):
        broken.embed_pending()
    broken.close()


@pytest.mark.parametrize("change", ["edit", "add", "remove", "rebuild"])
def test_every_change_of_the_notes_is_followed(keeper: Keeper, vault: Path, change: str) -> None:
    keeper.embed_pending()
    if change == "edit":
        (vault / "0.md").write_text("something else\n")
    elif change == "add":
        (vault / "new.md").write_text("new\n")
    elif change == "remove":
        (vault / "0.md").unlink()
    if change == "rebuild":
        keeper.rebuild()
    else:
        keeper.sync()
    assert keeper.embed_pending() == 0
    fresh = open_keeper(vault)
    assert fresh.status().vectors_pending == 0
    fresh.close()


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Makes the embedder of the tests one whose vectors are remembered; gives the texts that it reads."""
    texts: list[str] = []
    embed = HashEmbedder.embed

    def watched(self: HashEmbedder, batch: Sequence[str]) -> NDArray[np.float32]:
        texts.extend(batch)
        return embed(self, batch)

    monkeypatch.setattr(HashEmbedder, "slow", True)
    monkeypatch.setattr(HashEmbedder, "embed", watched)
    return texts


def test_a_text_that_comes_back_is_not_read_again_by_a_slow_model(
    keeper: Keeper, vault: Path, slow: list[str]
) -> None:
    keeper.embed_pending()
    note = vault / "0.md"
    text = note.read_text()
    for content in ("something else\n", text):
        note.write_text(content)
        keeper.sync()
        slow.clear()
        assert keeper.embed_pending() == 0
    assert slow == []


@pytest.mark.parametrize("how", ["half", "pages", "text"])
def test_a_damaged_memo_is_made_anew(keeper: Keeper, vault: Path, slow: list[str], how: str) -> None:
    keeper.embed_pending()
    memo = keeper.index_dir / FILE_NAME
    data = memo.read_bytes()
    memo.write_bytes(
        {
            "half": data[: len(data) // 2],
            "pages": data[:4096] + bytes(len(data) - 4096),
            "text": b"no database",
        }[how]
    )
    (vault / "new.md").write_text("another text\n")
    fresh = open_keeper(vault)
    fresh.sync()
    assert fresh.embed_pending() == 0
    assert fresh.status().vectors_pending == 0
    fresh.close()


def test_whoever_finds_the_vectors_locked_leaves_them(keeper: Keeper) -> None:
    with acquire(keeper.index_dir / LOCK, command="another", since=now()):
        assert keeper.embed_pending() == 6


def test_a_damaged_state_file_means_looking_again(keeper: Keeper) -> None:
    keeper.embed_pending()
    for text in ("", "[]", "{", '{"spec": "hash", "chunks": 3}'):
        (keeper.index_dir / STATE).write_text(text)
        assert keeper.embed_pending() == 0
