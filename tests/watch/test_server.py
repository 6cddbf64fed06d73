from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.watch.conftest import PROJECT, until
from vaultkeeper import __version__
from vaultkeeper.errors import EntityNotFoundError, UsageError
from vaultkeeper.index.schema import SCHEMA_VERSION
from vaultkeeper.watch import protocol
from vaultkeeper.watch.client import ask_server
from vaultkeeper.watch.protocol import Json
from vaultkeeper.watch.server import Answer, Reply, Server, ServerLimits


class Answers:
    """The far side of a server: slow and failing answers on demand."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.running = 0
        self.closed = 0
        self.opened = 0
        self.replies: list[Reply] = []

    def open(self) -> Answer:
        self.opened += 1
        return Answering(self)

    def later(self, _params: Json, reply: Reply) -> None:
        self.replies.append(reply)


class Answering:
    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.thread = threading.get_ident()

    def __call__(self, verb: str, params: Json) -> object:
        assert self.thread == threading.get_ident()
        if params.get("wait"):
            self.answers.running += 1
            assert self.answers.go.wait(20)
        if params.get("error"):
            raise EntityNotFoundError(name="Mára", near="Try mara.")
        if params.get("bug"):
            raise ZeroDivisionError
        if "size" in params:
            return {"text": "x" * int(str(params["size"]))}
        return {"verb": verb, "params": params}

    def close(self) -> None:
        self.answers.closed += 1


Serve = Callable[..., tuple[Path, Answers]]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    with contextlib.ExitStack() as stack:

        def start(limits: ServerLimits | None = None, **hello: object) -> tuple[Path, Answers]:
            answers = Answers()
            said: Json = {
                "vaultkeeper": __version__,
                "protocol": protocol.PROTOCOL,
                "schema": SCHEMA_VERSION,
                "vault": os.path.realpath(tmp_path),
            }
            index = tmp_path / "index"
            server = Server(
                protocol.claim_socket_path(index),
                {**said, **hello},
                answers.open,
                frozenset({"ask", "search"}),
                {"sync": answers.later, "ping": lambda params, reply: reply({"pong": params})},
                limits or ServerLimits(),
            )
            server.start()
            stack.callback(server.stop)
            stack.callback(answers.go.set)
            return index, answers

        yield start


def _link(index: Path) -> socket.socket:
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(10)
    link.connect(str(index / "watch.sock"))
    return link


def _lines(link: socket.socket, count: int) -> list[Json]:
    data = b""
    while data.count(b"\n") < count:
        part = link.recv(1 << 16)
        assert part
        data += part
    return [json.loads(line) for line in data.splitlines()]


def test_question_and_answer(serve: Serve, tmp_path: Path) -> None:
    index, _ = serve()
    params: Json = {"query": "Où est 「東京」? \ud800", "limit": 3}
    assert ask_server(index, "ask", params, vault=tmp_path) == {"verb": "ask", "params": params}
    assert ask_server(index, "ping") == {"pong": {}}


def test_a_large_answer_arrives_whole(serve: Serve) -> None:
    index, _ = serve()
    found = ask_server(index, "ask", {"size": 20_000_000})
    assert found
    assert len(str(found["text"])) == 20_000_000


def test_only_the_owner_can_connect(serve: Serve) -> None:
    index, _ = serve()
    assert stat.S_IMODE((index / "watch.sock").stat().st_mode) == 0o600
    assert stat.S_IMODE(index.stat().st_mode) == 0o700


def test_an_error_is_raised_as_it_was(serve: Serve) -> None:
    index, _ = serve()
    with pytest.raises(EntityNotFoundError, match="No entity is called 'Mára'") as caught:
        ask_server(index, "ask", {"error": True})
    assert caught.value.advice == "Try mara."
    with pytest.raises(UsageError, match="There is no verb 'dance'; there are ask, ping, search, sync"):
        ask_server(index, "dance")


def test_a_bug_is_left_to_direct_reading_and_the_worker_opens_anew(serve: Serve) -> None:
    index, answers = serve()
    assert ask_server(index, "ask", {"bug": True}) is None
    assert ask_server(index, "ask", {}) is not None
    assert (answers.opened, answers.closed) == (2, 1)


def test_nobody_listens(tmp_path: Path) -> None:
    assert ask_server(tmp_path, "ask", {}) is None
    assert ask_server(tmp_path / "missing", "ask", {}) is None


def test_a_dead_socket_and_a_file_in_its_place_are_no_server(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "watch.sock"))
    spent_s = []
    for _ in range(5):
        started_s = time.perf_counter()
        assert ask_server(tmp_path, "ask", {}) is None
        spent_s.append(time.perf_counter() - started_s)
    assert min(spent_s) < 0.05
    (tmp_path / "watch.sock").unlink()
    (tmp_path / "watch.sock").write_text("")
    assert ask_server(tmp_path, "ask", {}) is None


def test_a_server_that_says_nothing_is_given_up(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as mute:
        mute.bind(str(tmp_path / "watch.sock"))
        mute.listen()
        started_s = time.perf_counter()
        assert ask_server(tmp_path, "ask", {}) is None
        assert time.perf_counter() - started_s < 2


@pytest.mark.parametrize(
    "hello", [{"vaultkeeper": "0.0.1"}, {"protocol": 99}, {"schema": 1}, {"vault": "/elsewhere"}]
)
def test_another_version_or_vault_does_not_count(serve: Serve, tmp_path: Path, hello: Json) -> None:
    index, _ = serve(**hello)
    assert ask_server(index, "ask", {}, vault=tmp_path) is None


def test_an_answer_that_does_not_come_is_given_up(serve: Serve) -> None:
    index, _ = serve()
    assert ask_server(index, "ask", {"wait": True}, timeout=0.1) is None


def test_slow_answers_do_not_hold_up_others(serve: Serve) -> None:
    index, answers = serve()
    links = [_link(index) for _ in range(2)]
    for link in links:
        _lines(link, 1)
        link.sendall(b'{"verb":"ask","params":{"wait":true}}\n')
    until(lambda: answers.running == 2)
    assert ask_server(index, "search", {}) is not None
    answers.go.set()
    for link in links:
        assert _lines(link, 1)[0]["ok"]
        link.close()


def test_more_questions_than_workers_are_all_answered(serve: Serve) -> None:
    index, answers = serve()
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(ask_server(index, "ask", {"wait": True}, 20)))
        for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    until(lambda: answers.running == 3)
    assert ask_server(index, "ping") == {"pong": {}}
    answers.go.set()
    for thread in threads:
        thread.join(20)
    assert len([answer for answer in found if answer]) == 12
    assert answers.opened == 3


def test_a_reply_that_comes_later_from_another_thread(serve: Serve) -> None:
    index, answers = serve()
    found: list[object] = []
    client = threading.Thread(target=lambda: found.append(ask_server(index, "sync", {})))
    client.start()
    until(lambda: answers.replies)
    assert ask_server(index, "ping") == {"pong": {}}
    answers.replies[0]({"added": 1})
    client.join(10)
    assert found == [{"added": 1}]


def test_several_requests_on_one_connection_are_answered_in_order(serve: Serve) -> None:
    index, _ = serve()
    with _link(index) as link:
        link.sendall(b"".join(b'{"verb":"ask","params":{"n":%d}}\n' % n for n in range(50)))
        answers = _lines(link, 51)[1:]
    assert [answer["result"]["params"]["n"] for answer in answers] == list(range(50))  # type: ignore[index,call-overload]


def test_a_half_closed_connection_still_gets_its_answer(serve: Serve) -> None:
    index, _ = serve()
    with _link(index) as link:
        link.sendall(b'{"verb":"ping"}\n')
        link.shutdown(socket.SHUT_WR)
        assert _lines(link, 2)[1]["ok"]
        assert link.recv(10) == b""


@pytest.mark.parametrize("line", [b"\n", b"{}\n", b"[1]\n", b'"ask"\n', b"\xff\xfe\n", b'{"verb":1}\n',
                                  b'{"verb":"ask","params":[]}\n', b"[" * 100_000 + b"\n"])  # fmt: skip
def test_nonsense_is_answered_and_the_connection_lives(serve: Serve, line: bytes) -> None:
    index, _ = serve()
    with _link(index) as link:
        _lines(link, 1)
        link.sendall(line)
        assert _lines(link, 1)[0]["ok"] is False
        link.sendall(b'{"verb":"ping"}\n')
        assert _lines(link, 1)[0]["ok"] is True


def test_a_flood_of_empty_lines_does_not_end_the_server(serve: Serve) -> None:
    index, _ = serve()
    with _link(index) as link:
        link.settimeout(0.5)
        with contextlib.suppress(OSError):
            link.sendall(b"\n" * 3_000_000)
    assert ask_server(index, "ping") == {"pong": {}}


def test_an_endless_line_is_refused(serve: Serve) -> None:
    index, _ = serve()
    with _link(index) as link, contextlib.suppress(OSError):
        for _ in range(1600):
            link.sendall(b"x" * 65536)
        pytest.fail("a hundred megabytes were taken in")
    assert ask_server(index, "ping") == {"pong": {}}


def test_a_client_that_dawdles_is_dropped(serve: Serve) -> None:
    index, _ = serve(ServerLimits(request_s=0.2, idle_s=0.2, send_s=0.2))
    with _link(index) as silent, _link(index) as partial, _link(index) as deaf:
        for link in (silent, partial, deaf):
            _lines(link, 1)
        deaf.sendall(b'{"verb":"ask","params":{"size":9000000}}\n')
        with contextlib.suppress(OSError):
            for _ in range(100):  # one byte at a time does not extend the time for a request
                partial.sendall(b"{")
                if _ended(partial, 0.02):
                    break
            else:
                pytest.fail("a request may take for ever")
        assert _ended(silent, 10)
    assert ask_server(index, "ping") == {"pong": {}}


def _ended(link: socket.socket, seconds: float) -> bool:
    link.settimeout(seconds)
    try:
        return link.recv(1 << 16) == b""
    except TimeoutError:
        return False


def test_a_client_that_leaves_in_the_middle_of_its_answer(serve: Serve) -> None:
    index, answers = serve()
    for _ in range(5):
        with _link(index) as link:
            link.sendall(b'{"verb":"ask","params":{"size":9000000}}\n')
            link.recv(1000)
    with _link(index) as link:
        link.sendall(b'{"verb":"ask","params":{"wait":true}}\n')
        until(lambda: answers.running == 1)
    answers.go.set()
    assert ask_server(index, "ask", {}) is not None


def test_too_many_clients_wait_until_one_leaves(serve: Serve) -> None:
    index, _ = serve(ServerLimits(clients=4))
    links = [_link(index) for _ in range(4)]
    for link in links:
        _lines(link, 1)
    assert ask_server(index, "ping") is None
    links.pop().close()
    until(lambda: ask_server(index, "ping"))
    for link in links:
        link.close()


def test_the_server_is_idle_when_nobody_asks(serve: Serve) -> None:
    index, _ = serve()
    assert ask_server(index, "ask", {}) is not None
    with _link(index) as link:
        _lines(link, 1)
        before = time.process_time()
        time.sleep(0.5)
        assert time.process_time() - before < 0.1


def test_a_long_index_path_gets_a_short_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = tmp_path / "run"
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    index = tmp_path / ("long" * 30)
    path = protocol.claim_socket_path(index)
    assert len(os.fsencode(path)) <= protocol.MAX_SOCKET_PATH_BYTES
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE((index / protocol.POINTER_NAME).stat().st_mode) == 0o600
    hello: Json = {"vaultkeeper": __version__, "protocol": protocol.PROTOCOL, "schema": SCHEMA_VERSION}
    server = Server(
        path,
        hello,
        lambda: lambda _verb, _params: {},
        frozenset(),
        {"ping": lambda _params, reply: reply({})},
    )
    server.start()
    assert ask_server(index, "ping") == {}
    server.stop()
    assert ask_server(index, "ping") is None
    assert not path.exists()


def test_a_folder_of_somebody_else_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime, trap, spare = tmp_path / "run", tmp_path / "trap", tmp_path / "spare"
    for folder in (runtime, trap, spare):
        folder.mkdir()
    (runtime / f"vaultkeeper-{os.getuid()}").symlink_to(trap)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(spare))
    path = protocol.claim_socket_path(tmp_path / ("long" * 30))
    assert runtime not in path.parents
    assert not path.parent.is_symlink()
    assert not list(trap.iterdir())


def test_a_stale_socket_is_taken_over(tmp_path: Path, serve: Serve) -> None:
    (tmp_path / "index").mkdir()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "index" / "watch.sock"))
    index, _ = serve()
    assert ask_server(index, "ping") == {"pong": {}}


def test_the_client_imports_nothing_heavy() -> None:
    code = (
        "import sys, vaultkeeper.watch.client\n"
        "heavy = {'watchdog', 'sqlite3', 'numpy', 'logging', 'subprocess', 'asyncio', 'click', 'tempfile'}\n"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
