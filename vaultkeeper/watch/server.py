"""Answers requests on a Unix socket while the vault is being watched.

One thread moves bytes and never blocks on a client; a few workers, each with a connection of its own,
compute the answers. A client that is slow, silent, endless or gone costs a buffer, nobody's time.
"""

from __future__ import annotations

import contextlib
import queue
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from vaultkeeper.errors import UsageError, VaultkeeperError
from vaultkeeper.watch.protocol import Json, decode, encode, error_to_json

Answer = Callable[[str, Json], object]
"""Computes the answer to a verb with its parameters: something that JSON can express."""

Reply = Callable[[object], None]
"""Takes the answer, or the exception, once; from any thread."""

Immediate = Callable[[Json, Reply], None]
"""Handles a verb on the server's own thread: it must return at once and may reply later."""

_CHUNK = 1 << 16
_SEND_CHUNK = 1 << 18


class ServerLimits(NamedTuple):
    """What a client may take up. Times in seconds."""

    clients: int = 64
    request_bytes: int = 1 << 20
    request_s: float = 10.0
    idle_s: float = 60.0
    send_s: float = 10.0
    workers: int = 3


_LIMITS = ServerLimits()


@dataclass(eq=False, slots=True)
class _Client:
    link: socket.socket
    deadline_s: float
    inbox: bytearray = field(default_factory=bytearray)
    outbox: bytearray = field(default_factory=bytearray)
    busy: bool = False
    last: bool = False
    """True when the connection ends with what is in the outbox."""


class Server:
    """Listens at `path` between `start` and `stop`.

    Args:
        path: Where; nothing may exist there.
        hello: What each client is told first.
        open_answer: Called in a worker's thread; returns the function that answers there.
        verbs: The verbs that workers answer.
        immediate: The verbs that are handled without a worker.
    """

    def __init__(
        self,
        path: Path,
        hello: Json,
        open_answer: Callable[[], Answer],
        verbs: frozenset[str],
        immediate: Mapping[str, Immediate],
        limits: ServerLimits = _LIMITS,
    ) -> None:
        self._path = path
        self._hello = encode(hello)
        self._open_answer = open_answer
        self._verbs = verbs
        self._immediate = immediate
        self._limits = limits
        self._selector = selectors.DefaultSelector()
        self._clients: set[_Client] = set()
        self._done: deque[tuple[_Client, bytes]] = deque()
        self._jobs: queue.SimpleQueue[tuple[_Client, str, Json] | None] = queue.SimpleQueue()
        self._workers: list[threading.Thread] = []
        self._free_workers = 0
        self._lock = threading.Lock()
        self._stopping = False
        self._accepting = False
        self._thread = threading.Thread(target=self._run, name="vaultkeeper-server", daemon=True)
        self._wake_in, self._wake_out = socket.socketpair()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)

    def start(self) -> None:
        """Binds the socket, for its owner only, and begins to answer.

        Raises:
            OSError: the socket cannot be made.
        """
        self._listener.bind(str(self._path))
        self._path.chmod(0o600)
        self._listener.listen(self._limits.clients)
        for link in (self._listener, self._wake_in, self._wake_out):
            link.setblocking(False)
        self._selector.register(self._wake_in, selectors.EVENT_READ)
        self._accept_more(True)
        self._thread.start()

    def stop(self) -> None:
        """Closes all connections and removes the socket. Requests that are being computed get no answer."""
        self._stopping = True
        self._wake()
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)
        for client in list(self._clients):
            self._drop(client)
        for _ in self._workers:
            self._jobs.put(None)
        for worker in self._workers:
            worker.join(timeout=2)
        self._selector.close()
        for link in (self._listener, self._wake_in, self._wake_out):
            link.close()

    def _run(self) -> None:
        while not self._stopping:
            for key, events in self._selector.select(self._patience_s()):
                if key.fileobj is self._listener:
                    self._accept()
                elif key.fileobj is self._wake_in:
                    with contextlib.suppress(BlockingIOError):
                        self._wake_in.recv(_CHUNK)
                elif key.data in self._clients:
                    self._serve(key.data, events)
            self._deliver()
            self._drop_late()

    def _patience_s(self) -> float | None:
        waiting = [client.deadline_s for client in self._clients if not client.busy]
        if not self._accepting and len(self._clients) < self._limits.clients:
            waiting.append(time.monotonic() + 1.0)
        return max(0.0, min(waiting) - time.monotonic()) if waiting else None

    def _accept_more(self, wanted: bool) -> None:
        if wanted and not self._accepting:
            self._selector.register(self._listener, selectors.EVENT_READ)
        elif not wanted and self._accepting:
            self._selector.unregister(self._listener)
        self._accepting = wanted

    def _accept(self) -> None:
        try:
            link, _ = self._listener.accept()
        except BlockingIOError:
            return
        except OSError:  # out of file descriptors: look again later instead of spinning
            self._accept_more(False)
            return
        link.setblocking(False)
        client = _Client(link, 0.0, outbox=bytearray(self._hello))
        self._clients.add(client)
        self._advance(client)
        if len(self._clients) >= self._limits.clients:
            self._accept_more(False)

    def _serve(self, client: _Client, events: int) -> None:
        if events & selectors.EVENT_READ:
            try:
                part = client.link.recv(_CHUNK)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                part = b""
            if not part:
                self._drop(client)
                return
            if not client.inbox:
                client.deadline_s = time.monotonic() + self._limits.request_s
            client.inbox += part
        self._advance(client)

    def _advance(self, client: _Client) -> None:
        """Sends what is to be sent, then takes up the next request, as far as neither blocks."""
        while not client.busy:
            if client.outbox and not self._flush(client):
                return
            if client.last:
                self._drop(client)
                return
            end = client.inbox.find(b"\n")
            if max(end, len(client.inbox) if end < 0 else 0) > self._limits.request_bytes:
                client.inbox.clear()
                client.last = True
                client.outbox += _failure(UsageError(reason="The request is too long."))
            elif end < 0:
                self._watch(client, selectors.EVENT_READ)
                return
            else:
                self._take(client, end)

    def _flush(self, client: _Client) -> bool:
        """Sends until all is sent (True), or the client has to be waited for or is gone (False)."""
        try:
            while client.outbox:
                sent = client.link.send(bytes(client.outbox[:_SEND_CHUNK]))
                del client.outbox[:sent]
        except (BlockingIOError, InterruptedError):
            client.deadline_s = time.monotonic() + self._limits.send_s
            self._watch(client, selectors.EVENT_WRITE)
            return False
        except OSError:
            self._drop(client)
            return False
        client.deadline_s = time.monotonic() + (
            self._limits.request_s if client.inbox else self._limits.idle_s
        )
        return True

    def _take(self, client: _Client, end: int) -> None:
        message = decode(client.inbox[:end])
        del client.inbox[: end + 1]
        verb = message.get("verb") if message else None
        params = message.get("params", {}) if message else None
        if isinstance(verb, str) and isinstance(params, dict):
            client.busy = True
            self._watch(client, 0)
            self._dispatch(client, verb, params)
        else:
            client.outbox += _failure(
                UsageError(reason="A request is one line of JSON with verb and params.")
            )

    def _dispatch(self, client: _Client, verb: str, params: Json) -> None:
        if verb in self._immediate:
            try:
                self._immediate[verb](params, lambda result: self._finish(client, result))
            except Exception as error:  # a client must get its answer whatever happens
                self._finish(client, error)
        elif verb in self._verbs:
            self._jobs.put((client, verb, params))
            with self._lock:
                if self._free_workers < self._jobs.qsize() and len(self._workers) < self._limits.workers:
                    worker = threading.Thread(target=self._work, name="vaultkeeper-answers", daemon=True)
                    self._workers.append(worker)
                    worker.start()
        else:
            known = ", ".join(sorted(self._verbs | set(self._immediate)))
            self._finish(client, UsageError(reason=f"There is no verb {verb!r}; there are {known}."))

    def _work(self) -> None:
        answer: Answer | None = None
        while True:
            with self._lock:
                self._free_workers += 1
            job = self._jobs.get()
            with self._lock:
                self._free_workers -= 1
            if job is None:
                break
            client, verb, params = job
            try:
                answer = answer or self._open_answer()
                result = answer(verb, params)
            except Exception as error:  # reported to the client; a bug shows itself when it reads directly
                result = error
                if not isinstance(error, VaultkeeperError):
                    _close(answer)
                    answer = None
            self._finish(client, result)
        _close(answer)

    def _finish(self, client: _Client, result: object) -> None:
        if isinstance(result, BaseException):
            line = _failure(result)
        else:
            try:
                line = encode({"ok": True, "result": result})
            except (TypeError, ValueError) as error:
                line = _failure(error)
        self._done.append((client, line))
        self._wake()

    def _deliver(self) -> None:
        while self._done:
            client, line = self._done.popleft()
            if client in self._clients:
                client.busy = False
                client.outbox += line
                self._advance(client)

    def _watch(self, client: _Client, events: int) -> None:
        registered = client.link in self._selector.get_map()
        if events and registered:
            self._selector.modify(client.link, events, client)
        elif events:
            self._selector.register(client.link, events, client)
        elif registered:
            self._selector.unregister(client.link)

    def _drop(self, client: _Client) -> None:
        self._clients.discard(client)
        self._watch(client, 0)
        client.link.close()
        if not self._stopping:
            self._accept_more(True)

    def _drop_late(self) -> None:
        now_s = time.monotonic()
        for client in [c for c in self._clients if not c.busy and c.deadline_s <= now_s]:
            self._drop(client)
        if not self._accepting and len(self._clients) < self._limits.clients:
            self._accept_more(True)

    def _wake(self) -> None:
        with contextlib.suppress(OSError):
            self._wake_out.send(b"!")


def _failure(error: BaseException) -> bytes:
    if isinstance(error, VaultkeeperError):
        return encode({"ok": False, "error": error_to_json(error)})
    return encode({"ok": False, "error": {"class": "bug", "sentence": f"{type(error).__name__}: {error}"}})


def _close(answer: Answer | None) -> None:
    close = getattr(answer, "close", None)
    if close is not None:
        with contextlib.suppress(Exception):
            close()
