from __future__ import annotations

from pathlib import Path

from vaultkeeper.watch.root import RootGuard, RootState, looks_empty


def test_a_root_that_goes_and_comes(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "note.md").touch()
    guard = RootGuard(root)
    assert guard.check() is RootState.SAME
    root.rename(tmp_path / "away")
    assert guard.check() is RootState.GONE
    root.mkdir()
    (root / ".Trash-1000").mkdir()
    assert guard.check() is RootState.GONE
    (root / "other.md").touch()
    assert guard.check() is RootState.REPLACED
    guard.accept()
    assert guard.check() is RootState.SAME


def test_what_looks_empty(tmp_path: Path) -> None:
    assert looks_empty(tmp_path)
    assert looks_empty(tmp_path / "missing")
    (tmp_path / "lost+found").mkdir()
    assert looks_empty(tmp_path)
    (tmp_path / "note.md").touch()
    assert not looks_empty(tmp_path)
