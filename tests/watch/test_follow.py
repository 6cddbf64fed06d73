from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.watch.conftest import until
from vaultkeeper.watch.follow import CONFIRM_S, COVERAGE_PAUSE_S, PATIENCE_S, RETRY_S, Follower
from vaultkeeper.watch.observer import VaultObserver


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def follower(tmp_path: Path, said: list[str]) -> Iterator[Follower]:
    follower = Follower(tmp_path, lambda _path, _folder: None, lambda _path: False, said.append, None, 300.0)
    yield follower
    follower.stop()


def test_events_and_a_safety_net(follower: Follower, said: list[str]) -> None:
    follower.start(0.0)
    assert follower.mode == "events"
    assert follower.pace.pause_s == 300.0
    assert follower.healthy(1e6)
    assert said == []


def test_an_observer_that_dies_is_replaced_but_not_at_every_turn(
    follower: Follower, monkeypatch: pytest.MonkeyPatch
) -> None:
    follower.start(0.0)
    monkeypatch.setattr(VaultObserver, "alive", lambda _self: False)
    assert not follower.healthy(0.0)
    follower.start(0.0)
    assert follower.healthy(1.0)
    assert not follower.healthy(2.0)
    follower.start(2.0)
    assert follower.healthy(5.0)
    assert not follower.healthy(6.0)
    follower.start(6.0)
    assert not follower.healthy(6.0 + PATIENCE_S)
    follower.start(100.0)
    assert not follower.healthy(100.0)


def test_without_events_it_polls_says_so_once_and_tries_again_later(
    follower: Follower, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_self: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    with monkeypatch.context() as patch:
        patch.setattr(VaultObserver, "start", refuse)
        follower.start(0.0)
        assert follower.mode == "polling"
        assert follower.pace.pause_s == 2.0
        assert follower.healthy(RETRY_S - 1)
        assert not follower.healthy(RETRY_S)
        follower.start(RETRY_S)
    assert len(said) == 1
    assert said[0].endswith("The vault is scanned every 2 to 30 seconds instead.")
    follower.start(2 * RETRY_S)
    assert follower.mode == "events"
    assert follower.pace.pause_s == 300.0


def test_on_a_network_file_system_it_does_both(
    follower: Follower, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaultkeeper.watch.limits.file_system", lambda _path: "nfs4")
    follower.start(0.0)
    assert follower.mode == "events and polling"
    assert "nfs4" in said[0]


def shortage(patch: pytest.MonkeyPatch, *, refused: bool) -> None:
    patch.setattr("vaultkeeper.watch.limits.count_folders", lambda _root: 99)
    patch.setattr("vaultkeeper.watch.limits.own_watches", lambda: 2)
    patch.setattr("vaultkeeper.watch.limits.watch_refused", lambda _root: refused)


def new_folder(follower: Follower, root: Path) -> None:
    (root / "new").mkdir()
    observer = follower._observer
    assert observer
    until(lambda: observer.folders_changed)


def test_folders_that_could_not_be_watched_are_noticed_later_too(
    follower: Follower, said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    follower.start(0.0)
    new_folder(follower, tmp_path)
    later = COVERAGE_PAUSE_S
    with monkeypatch.context() as patch:
        shortage(patch, refused=True)
        assert follower.healthy(later - 1)
        assert follower.healthy(later)
        assert follower.healthy(later + CONFIRM_S / 2)
        assert said == []
        assert follower.healthy(later + CONFIRM_S)
        assert "of 99 folders cannot be watched: the limit of" in said[0]
        assert follower.mode == "events and polling"
        assert follower.healthy(2 * later + CONFIRM_S)
        patch.setattr("vaultkeeper.watch.limits.watch_refused", lambda _root: False)
        assert not follower.healthy(3 * later + CONFIRM_S), "the limit was raised"
    assert follower.healthy(4 * later + CONFIRM_S)
    assert follower.mode == "events"
    assert follower.pace.pause_s == 300.0
    assert said[1:] == ["All folders are watched again."]


def test_folders_made_in_one_go_raise_no_alarm(
    follower: Follower, said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted before watchdog has seen to them all."""
    follower.start(0.0)
    new_folder(follower, tmp_path)
    with monkeypatch.context() as patch:
        shortage(patch, refused=True)
        assert follower.healthy(COVERAGE_PAUSE_S)
    assert follower.healthy(COVERAGE_PAUSE_S + CONFIRM_S)
    assert said == []
    assert follower.mode == "events"


def test_watches_that_are_missing_without_a_limit_are_set_anew_and_no_limit_is_blamed(
    follower: Follower, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shortage(monkeypatch, refused=False)
    follower.start(0.0)
    assert not follower.healthy(CONFIRM_S)
    assert said == []
    follower.start(CONFIRM_S)
    assert follower.healthy(2 * CONFIRM_S)
    assert len(said) == 1
    assert "folders cannot be watched. The vault is scanned" in said[0]
    assert "limit" not in said[0]


def test_polling_on_request_asks_for_no_events(
    tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(VaultObserver, "start")
    follower = Follower(tmp_path, lambda _path, _folder: None, lambda _path: False, said.append, 5.0, 300.0)
    follower.start(0.0)
    assert follower.mode == "polling"
    assert follower.pace.pause_s == 5.0
    assert follower.healthy(1e9)
