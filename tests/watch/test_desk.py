from __future__ import annotations

import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from vaultkeeper.errors import StorageError, VaultNotFoundError
from vaultkeeper.index.sync import SyncStats
from vaultkeeper.watch.client import ask_server
from vaultkeeper.watch.desk import FRESH_S, Desk, sync_json


class Front:
    """A desk, with the loop's side in the hands of the test."""

    def __init__(self, index_dir: Path) -> None:
        self.pending = False
        self.woken = threading.Event()
        self.desk = Desk(
            index_dir.parent,
            index_dir,
            SimpleNamespace,
            lambda keeper, verb, params: {"answer": [verb, params], "stale": str(keeper.stale or "")},
            pending=lambda: self.pending,
            wake=self.woken.set,
            state=lambda: {"state": "watching"},
        )
        self.desk.comparing = False


@pytest.fixture
def front(tmp_path: Path) -> Front:
    return Front(tmp_path / "index")


def test_a_question_goes_to_a_keeper(front: Front, tmp_path: Path) -> None:
    front.desk.open()
    assert ask_server(tmp_path / "index", "ask", {"query": "x"}) == {
        "answer": ["ask", {"query": "x"}],
        "stale": "",
    }
    assert (ask_server(tmp_path / "index", "ping") or {})["state"] == "watching"
    front.desk.close()
    assert ask_server(tmp_path / "index", "ping") is None


def test_the_keeper_is_told_that_the_index_cannot_be_written(front: Front, tmp_path: Path) -> None:
    front.desk.open()
    front.pending = True

    def fail() -> None:
        front.woken.wait(5)
        for request in front.desk.take():
            request.reply(StorageError(path="index", reason="it is full"))

    threading.Thread(target=fail).start()
    answer = ask_server(tmp_path / "index", "ask", {"query": "x"}) or {}
    assert answer["stale"] == "index cannot be written: it is full."
    front.desk.close()


def test_a_reader_waits_for_pending_changes_but_not_long(front: Front) -> None:
    front.desk.freshen()
    assert not front.desk.asked
    front.pending = True
    started_s = time.monotonic()
    front.desk.freshen()
    assert FRESH_S <= time.monotonic() - started_s < 5
    assert front.woken.is_set()
    (request,) = front.desk.take()
    assert not request.everything
    reader = threading.Thread(target=front.desk.freshen)
    front.woken.clear()
    reader.start()
    assert front.woken.wait(5)
    front.desk.take()[0].reply({})
    reader.join(5)
    assert not reader.is_alive()


def test_a_reader_does_not_wait_while_the_whole_vault_is_compared(front: Front) -> None:
    front.pending = front.desk.comparing = True
    front.desk.freshen()
    assert not front.desk.asked


def test_refused_wishes_are_answered(front: Front, tmp_path: Path) -> None:
    front.desk.open()
    refused: list[BaseException] = []

    def wish() -> None:
        try:
            ask_server(tmp_path / "index", "sync")
        except VaultNotFoundError as error:
            refused.append(error)

    client = threading.Thread(target=wish)
    client.start()
    assert front.woken.wait(5)
    front.desk.refuse()
    client.join(5)
    front.desk.close()
    assert len(refused) == 1


def test_a_clients_json_is_the_stats() -> None:
    assert sync_json(SyncStats(added=2))["added"] == 2
    assert sync_json(None) == {}
