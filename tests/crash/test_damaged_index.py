"""Whatever becomes of the files of an index, the next commands answer as if it were new, without a traceback."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run, environment, home, run  # noqa: F401 (fixtures)

WORDS = "tea garden budget Mara Lindy roof invoice meeting server october".split()


def damage(path: Path, how: str) -> None:
    data = bytearray(path.read_bytes())
    if how == "empty":
        path.write_bytes(b"")
    elif how == "half":
        path.write_bytes(data[: len(data) // 2])
    elif how == "head":
        path.write_bytes(b"\0" * 100 + data[100:])
    elif how == "pages":
        page = 4096 if len(data) > 20_000 else 16
        for at in range(page, len(data) - page, 2 * page):
            data[at : at + page] = random.Random(at).randbytes(page)
        path.write_bytes(data)
    elif how == "letters":
        path.write_bytes(data.replace(b"Mara", b"Ma\xffa").replace(b"note", b"n\xffte"))
    elif how == "folder":
        path.unlink()
        path.mkdir()
        (path / "x").touch()


@pytest.fixture
def world(tmp_path: Path, run: Run) -> tuple[Path, Path, str]:  # noqa: F811
    vault, index = tmp_path / "Notes", tmp_path / "index"
    vault.mkdir()
    dice = random.Random(1)
    for number in range(60):
        lines = "\n\n".join(" ".join(dice.choices(WORDS, k=30)) for _ in range(4))
        (vault / f"note {number}.md").write_text(f"# Note {number}\n\n{lines}\n", "utf-8")
    env = {"VAULTKEEPER_INDEX_DIR": str(index)}
    for _ in range(2):
        answer = run("--vault", str(vault), "search", "Mara tea", "--json", env=env)
    assert answer.code == 0
    return vault, index, answer.out


@pytest.mark.parametrize(
    ("name", "how"),
    [
        *[("index-1.sqlite", how) for how in ("empty", "half", "head", "pages", "letters", "folder")],
        *[("current", how) for how in ("empty", "folder")],
    ],
)
def test_a_damaged_file_is_made_anew(
    world: tuple[Path, Path, str],
    run: Run,  # noqa: F811
    name: str,
    how: str,
) -> None:
    vault, index, expected = world
    env = {"VAULTKEEPER_INDEX_DIR": str(index)}
    damage(index / name, how)
    for words in (["search", "Mara tea", "--no-sync"], ["sync"]):
        said = run("--vault", str(vault), *words, env=env)
        assert "Traceback" not in said.err, (words, said.err)
        assert said.code in (0, 3, 4), (words, said.err)
    assert run("--vault", str(vault), "search", "Mara tea", "--json", env=env).out == expected


def test_an_index_that_a_watcher_keeps_is_mended_by_it(tmp_path: Path) -> None:
    from tests.index.vaults import now
    from vaultkeeper.config import Settings
    from vaultkeeper.index import store
    from vaultkeeper.keeper import Keeper

    vault, index = tmp_path / "Notes", tmp_path / "index"
    vault.mkdir()
    (vault / "a.md").write_text("# A\n\ntea", "utf-8")
    keeper = Keeper(vault, index, Settings(embedder="none"), clock=now)
    with keeper.writing():
        keeper.sync()
        damaged = store.database_path(index)
        assert damaged is not None
        assert not store.condemn_if_broken(index, ValueError("a bug, and the index is sound"))
        shutil.copy(__file__, damaged)  # what a reader finds
        assert store.condemn_if_broken(index, ValueError("whatever this led to"))
        assert store.open_reader(index).db is None
        assert keeper.sync().added == 1
        assert not store.is_condemned(index)
        assert keeper.status().notes == 1
    keeper.close()
