"""Where clients are served: questions are answered here, wishes for a sync wait here for the loop."""

from __future__ import annotations

import dataclasses
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from vaultkeeper import __version__
from vaultkeeper.errors import StorageError, VaultNotFoundError
from vaultkeeper.index.schema import SCHEMA_VERSION
from vaultkeeper.watch import protocol
from vaultkeeper.watch.background import close_keeper
from vaultkeeper.watch.server import Answer, Reply, Server

OpenKeeper = Callable[[], Any]
"""Opens a keeper of the vault; each thread opens its own."""

AnswerVerb = Callable[[Any, str, protocol.Json], object]
"""Answers `ask`, `search` or `status` with a keeper: what the command prints with `--json`."""

READ_VERBS = frozenset({"ask", "search", "status"})
FRESH_S = 0.25
"""A reader waits at most so long for the changes that the watcher has heard of."""
EVENT_TRAVEL_S = 0.005
"""What an event takes from the kernel to the batcher on a busy machine."""


class Request(NamedTuple):
    """A client's wish for a sync: of the whole vault, or of what the watcher has heard of."""

    everything: bool
    reply: Reply


class Desk:
    """Serves the clients of one watcher.

    Args:
        root: The vault's folder, resolved.
        open_keeper: Opens a keeper for each thread that answers.
        answer: Answers the reading verbs.
        pending: Tells whether changes wait to be synced.
        wake: Wakes the loop when somebody wishes for a sync.
        state: What `ping` tells beside process, version and vault.

    Attributes:
        comparing: True while the whole vault is compared; the loop sets it.
    """

    def __init__(
        self,
        root: Path,
        index_dir: Path,
        open_keeper: OpenKeeper,
        answer: AnswerVerb,
        *,
        pending: Callable[[], bool],
        wake: Callable[[], None],
        state: Callable[[], protocol.Json],
    ) -> None:
        self.comparing = True
        self._root = root
        self._index_dir = index_dir
        self._open_keeper = open_keeper
        self._answer = answer
        self._pending = pending
        self._wake = wake
        self._state = state
        self._lock = threading.Lock()
        self._requests: list[Request] = []
        self._server: Server | None = None

    def open(self) -> Path | None:
        """Begins to serve.

        Returns:
            The socket; None on a system without Unix sockets.

        Raises:
            OSError: the socket cannot be made.
        """
        if not hasattr(socket, "AF_UNIX"):
            return None
        path = protocol.claim_socket_path(self._index_dir)
        immediate = {"ping": self._ping, "sync": self._ask_sync}
        server = Server(path, self._who(), self._open_reader, READ_VERBS, immediate)
        server.start()
        self._server = server
        return path

    def close(self) -> None:
        """Ends it and removes the socket."""
        if self._server:
            self._server.stop()
        self.refuse()

    @property
    def asked(self) -> bool:
        """True when a wish waits."""
        return bool(self._requests)

    def take(self) -> list[Request]:
        """Hands over the wishes that wait; whoever takes them replies."""
        with self._lock:
            requests, self._requests = self._requests, []
        return requests

    def refuse(self) -> None:
        """Replies to all wishes that the vault is not there."""
        for request in self.take():
            request.reply(VaultNotFoundError(vault=self._root))

    def freshen(self) -> StorageError | None:
        """Waits shortly until what was saved before a question is in the index; returns why it cannot be written."""
        time.sleep(EVENT_TRAVEL_S)
        if self.comparing or not self._pending():
            return None
        done = threading.Event()
        results: list[object] = []

        def reply(result: object) -> None:
            results.append(result)
            done.set()

        self._ask(Request(False, reply))
        done.wait(FRESH_S)
        return next((one for one in results if isinstance(one, StorageError)), None)

    def _ask(self, request: Request) -> None:
        with self._lock:
            self._requests.append(request)
        self._wake()

    def _ask_sync(self, params: protocol.Json, reply: Reply) -> None:
        flush = bool(params.get("flush"))
        if flush and self.comparing:
            reply(sync_json(None))  # a reader does not wait for a comparison of the whole vault
        else:
            self._ask(Request(not flush, reply))

    def _ping(self, _params: protocol.Json, reply: Reply) -> None:
        reply({**self._who(), **self._state()})

    def _who(self) -> protocol.Json:
        return {
            "vaultkeeper": __version__,
            "protocol": protocol.PROTOCOL,
            "schema": SCHEMA_VERSION,
            "vault": str(self._root),
            "pid": os.getpid(),
        }

    def _open_reader(self) -> Answer:
        return _Reader(self._open_keeper(), self._answer, self.freshen)


class _Reader:
    """Answers reading verbs in one thread, with a keeper of its own."""

    def __init__(self, keeper: Any, answer: AnswerVerb, freshen: Callable[[], StorageError | None]) -> None:
        self._keeper = keeper
        self._answer = answer
        self._freshen = freshen

    def __call__(self, verb: str, params: protocol.Json) -> object:
        self._keeper.stale = self._freshen()
        return self._answer(self._keeper, verb, params)

    def close(self) -> None:
        close_keeper(self._keeper)


def sync_json(stats: Any) -> dict[str, object]:
    """What `vaultkeeper sync --json` prints; nothing when there was nothing to do."""
    return {} if stats is None else dataclasses.asdict(stats)
