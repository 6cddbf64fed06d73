"""Whatever becomes of the files of an index, the next commands answer as if it were new, without a traceback."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.conftest import Run, environment, home, run  # noqa: F401 (fixtures)
from vaultkeeper.index.db import DatabaseError

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


KINDS = ("a folder", "empty", "random", "half", "a link to a file", "a link to a folder", "a link to nothing")
"""What may stand in the place of a file."""


def replace(path: Path, kind: str, other: Path) -> None:
    """Puts something else in the place of a file; `other` lies outside of the index."""
    data = path.read_bytes() if path.is_file() else b"x" * 500
    path.unlink(missing_ok=True)
    if kind == "a folder":
        path.mkdir()
        (path / "x").touch()
    elif kind.startswith("a link"):
        path.symlink_to({"file": other, "folder": other.parent, "nothing": other / "x"}[kind.split()[-1]])
    elif kind == "random":
        path.write_bytes(random.Random(3).randbytes(len(data)))
    else:
        path.write_bytes(data[: len(data) // 2] if kind == "half" else b"")


def test_whatever_stands_in_the_place_of_a_file_the_next_sync_mends_it(tmp_path: Path) -> None:
    from tests.index.vaults import now
    from vaultkeeper.ask.params import SearchParams
    from vaultkeeper.config import Settings
    from vaultkeeper.errors import NoIndexError
    from vaultkeeper.keeper import Keeper
    from vaultkeeper.present.jsonform import answer_dict

    vault, index, saved, other = (tmp_path / name for name in ("Notes", "index", "saved", "else/where"))
    vault.mkdir()
    other.parent.mkdir()
    dice = random.Random(1)
    for number in range(40):
        (vault / f"note {number}.md").write_text(
            f"# {number}\n\n{' '.join(dice.choices(WORDS, k=30))}\n", "utf-8"
        )
    settings = Settings(hnsw_threshold=20)

    def answer(*, sync: bool) -> object:
        keeper = Keeper(vault, index, settings, clock=now)
        try:
            if sync:
                keeper.refresh()
                assert keeper.stale is None
            return answer_dict(keeper.search(SearchParams("Mara tea")))
        finally:
            keeper.close()

    expected = answer(sync=True)
    assert answer(sync=False) == expected
    shutil.copytree(index, saved)
    names = {path.name for path in saved.iterdir()}
    assert {
        "current",
        "index-1.sqlite",
        "vectors-state.json",
        "vectors.json",
        "vectors.lock",
        "writer.lock",
    } <= names
    names |= {
        "condemned",
        "current.new",
        "index-1.sqlite-wal",
        "index-1.sqlite-shm",
        "vectors-state.json.new",
    }
    for name in sorted(names - {"CACHEDIR.TAG"}):
        for kind in KINDS:
            shutil.rmtree(index)
            shutil.copytree(saved, index)
            other.write_text("precious", "utf-8")
            replace(index / name, kind, other)
            with suppress(NoIndexError, DatabaseError):  # the boundary looks whether the index is to blame
                answer(sync=False)
            assert answer(sync=True) == expected, (name, kind)
            assert answer(sync=True) == expected, (name, kind)
            assert other.read_text("utf-8") == "precious", (name, kind)


def test_a_file_that_was_closed_to_its_owner_is_opened_again(
    world: tuple[Path, Path, str],
    environment: dict[str, str],  # noqa: F811
) -> None:
    vault, index, expected = world
    bound: list[str] = []  # to what the permissions say
    if os.name != "posix":
        pytest.skip("there are no such permissions here")
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may open everything, and there is no setpriv to have it otherwise")
        bound = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*bound, sys.executable, "-m", "vaultkeeper", "--vault", str(vault), *words],
            env=environment | {"VAULTKEEPER_INDEX_DIR": str(index)},
            capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip

    if call("status").returncode and bound:
        pytest.skip("root cannot be bound to permissions here")
    for path in sorted(index.iterdir()):
        path.chmod(0)
        for words in (("search", "Mara tea", "--no-sync"), ("status",)):
            said = call(*words)
            assert said.returncode in (0, 3, 5), (path.name, said.stderr)
            assert "Traceback" not in said.stderr, (path.name, said.stderr)
        assert call("search", "Mara tea", "--json").stdout == expected, path.name
        assert path.name == "CACHEDIR.TAG" or path.stat().st_mode & 0o600


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
