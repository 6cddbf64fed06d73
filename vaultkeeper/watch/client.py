"""Asks a running watcher. Cheap to import, and cheap when nobody listens."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from vaultkeeper import __version__
from vaultkeeper.index.schema import SCHEMA_VERSION
from vaultkeeper.watch import protocol

CONNECT_TIMEOUT_S = 0.05
HELLO_TIMEOUT_S = 0.25
"""A dead server refuses at once; only one that is stopped or starved makes a reader wait so long."""
ANSWER_TIMEOUT_S = 10.0
SYNC_HELLO_TIMEOUT_S = 5.0
"""A sync cannot fall back, since the watcher holds the writer lock."""

_CHUNK = 1 << 16


def ask_server(
    index_dir: Path,
    verb: str,
    params: protocol.Json | None = None,
    timeout: float | None = 0.0,
    *,
    vault: Path | None = None,
) -> protocol.Json | None:
    """Lets a running watcher answer.

    Args:
        index_dir: Where the vault's index lies.
        verb: `ping`, `status`, `sync`, `ask` or `search`.
        params: Its parameters, as JSON.
        timeout: Seconds to wait for the answer; None waits for ever. 0 is what fits the verb: for ever on a
            whole sync, else ten seconds.
        vault: When given, a server of another vault does not count.

    Returns:
        What the command prints with `--json`; None when nobody listens, the socket is a dead one's, the
        server is of another version or vault or keeps an index of another schema, or it did not answer: then the
        caller reads the index itself.

    Raises:
        VaultkeeperError: the error that the watcher met.
    """
    if not hasattr(socket, "AF_UNIX"):
        return None
    params = params or {}
    path = protocol.find_socket_path(index_dir)
    if path is None:
        return None
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        try:
            link.settimeout(CONNECT_TIMEOUT_S)
            link.connect(str(path))
            link.settimeout(SYNC_HELLO_TIMEOUT_S if verb == "sync" else HELLO_TIMEOUT_S)
            hello, rest = _read_line(link, bytearray())
            if not _is_ours(hello, vault):
                return None
            link.settimeout(_timeout_s(verb, params) if timeout == 0.0 else timeout)
            link.sendall(protocol.encode({"verb": verb, "params": params}))
            answer, _ = _read_line(link, rest)
        except OSError:
            return None
    if answer is None:
        return None
    if answer.get("ok"):
        result = answer.get("result")
        return result if isinstance(result, dict) else None
    error = protocol.error_from_json(answer.get("error"))
    if error is not None:
        raise error
    return None


def _timeout_s(verb: str, params: protocol.Json) -> float | None:
    return None if verb == "sync" and not params.get("flush") else ANSWER_TIMEOUT_S


def _is_ours(hello: protocol.Json | None, vault: Path | None) -> bool:
    return (
        hello is not None
        and hello.get("vaultkeeper") == __version__
        and hello.get("protocol") == protocol.PROTOCOL
        and hello.get("schema") == SCHEMA_VERSION
        and (vault is None or hello.get("vault") == os.path.realpath(vault))
    )


def _read_line(link: socket.socket, buffer: bytearray) -> tuple[protocol.Json | None, bytearray]:
    searched = 0
    while (end := buffer.find(b"\n", searched)) < 0:
        searched = len(buffer)
        part = link.recv(_CHUNK)
        if not part:
            return None, buffer
        buffer += part
    return protocol.decode(buffer[:end]), buffer[end + 1 :]
